"""What an earlier version left in Airflow's database is understood, so an upgrade in the middle of a run stops nothing."""

import json
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from airflow.sdk.module_loading import import_string
from airflow.serialization.decoders import smart_decode_trigger_kwargs
from forms import CALENDAR, ERA, FOLDER, NETWORK, forms, payout, recorded, sensor, shape
from tasks import Task, TaskInstance, fire, over_the_wire, rebuilt

from staking_gateway import __version__
from staking_gateway.errors import AccountsNotStaking, ErasNotPaid
from staking_gateway_provider.operators.catch_up import CatchUpReportOperator
from staking_gateway_provider.operators.era import EraReportOperator
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.timetables.mapper import EraMapper
from staking_gateway_provider.triggers.era import new_partition_keys
from staking_gateway_provider.triggers.polling import EventStatus, read_event

OLD = recorded()
NEWEST = list(OLD)[-1]
WAITS = [(version, name) for version, told in OLD.items() for name in told["waits"]]


@pytest.fixture
def ready(gateway, network):
    network()
    return gateway


def test_what_this_version_leaves_has_the_form_that_later_versions_are_tested_with(ready, network, tmp_path):
    """Does this fail, then a form has changed: what runs under the old version must still be understood.

    Keep the files of earlier versions, and put the new form beside them.
    """
    now = forms(ready, network)
    (tmp_path / f"{__version__}.json").write_text(json.dumps(now, indent=1) + "\n")
    remedy = f"copy {tmp_path / f'{__version__}.json'} to {FOLDER}, and leave the older files"
    assert shape(now) == shape(OLD[NEWEST]), remedy
    for name, wait in now["waits"].items():
        assert wait["classpath"] == OLD[NEWEST]["waits"][name]["classpath"], remedy
        assert wait["next_method"] == OLD[NEWEST]["waits"][name]["next_method"], remedy
    assert now["dags"] == OLD[NEWEST]["dags"], remedy


def due(form, **found):
    """A wait's form with the times, and the request, of a run that is under way now."""
    soon = time.time() + 30
    values = {"deadline": soon, "until": time.time(), "poll_interval": 0.1, **found}
    kwargs = {name: values.get(name, value) for name, value in form["kwargs"].items()}
    next_kwargs = dict(form["next_kwargs"])
    if "deadlines" in next_kwargs:
        next_kwargs["deadlines"] = dict.fromkeys(next_kwargs["deadlines"], soon)
    return kwargs, next_kwargs


def resumed(form, operator, ti, on_wait, **found):
    """The task an earlier version deferred, from its trigger on, in this version; its result."""
    kwargs, next_kwargs = due(form, **found)
    event = over_the_wire(fire(import_string(form["classpath"])(**kwargs)))
    assert read_event(event)[0] is EventStatus.DONE
    task = Task(operator, era=ERA, ti=ti, on_wait=on_wait)
    task.operator.execute = lambda context: getattr(operator, form["next_method"])(
        context, event=event, **over_the_wire(next_kwargs)
    )
    return task.run()


def advance(gateway):
    return lambda _: gateway.control.advance(seconds=1)


@pytest.mark.parametrize(("version", "name"), WAITS)
def test_a_wait_of_an_earlier_version_goes_on_and_the_era_is_paid_once(ready, ledger, version, name):
    form, ti = OLD[version]["waits"][name], TaskInstance()
    if name == "wait_for_window":
        assert resumed(form, sensor(), ti, advance(ready)) is None
        ready.control.advance(seconds=1)
        Task(payout(), era=ERA, ti=ti, on_wait=advance(ready)).run()
    else:
        found = {}
        if name == "payout_window":
            ready.control.window("open")
        Task(payout(), era=ERA, ti=ti).step("execute", {})
        (record,) = ledger.era_payouts(NETWORK, ERA)
        ready.control.window("closed")
        if name != "payout_window":
            found["request_id"] = record.request_id
            ready.control.advance(seconds=1)
        assert resumed(form, payout(), ti, advance(ready), **found)["outcome"] == "PAID"
    assert [entry["era"] for entry in ready.control.truth()["payouts"]] == [ERA]
    assert ready.control.truth()["calls"]["by_path"]["/send"] == 1


@pytest.mark.parametrize(("version", "name"), WAITS)
def test_an_event_of_an_earlier_versions_trigger_is_understood(version, name):
    status, message = read_event(OLD[version]["waits"][name]["event"])
    assert status is EventStatus.DONE
    assert message


@pytest.mark.parametrize("version", OLD)
def test_the_tasks_after_it_read_what_an_earlier_versions_tasks_have_left(ready, version):
    xcoms, ti = OLD[version]["xcoms"], TaskInstance()
    ti.xcoms["payout", "outcome"] = {**xcoms["outcome"], "outcome": "PAID"}
    report = EraReportOperator(task_id="report", network=NETWORK, era=xcoms["previous_era"])
    with pytest.raises(AccountsNotStaking, match="not checked"):  # this ledger knows of no check
        Task(report, ti=ti).run()
    told = ti.xcoms["report"]
    assert (told["outcome"], told["era"]) == ("PAID", ERA)
    assert told["parts"] == xcoms["outcome"]["parts"]


@pytest.mark.parametrize("version", [version for version, told in OLD.items() if "plan" in told["xcoms"]])
def test_a_catch_up_that_an_earlier_version_planned_is_reported(ready, version):
    xcoms, ti = OLD[version]["xcoms"], TaskInstance()
    ti.xcoms["plan", "plan"], ti.xcoms["plan", "notices"] = xcoms["plan"], xcoms["notices"]
    ti.xcoms["payout", "outcome"] = [{**xcoms["outcome"], "era": era} for era in xcoms["eras"][1:]]
    with pytest.raises(ErasNotPaid, match=str(xcoms["eras"][0])):
        Task(CatchUpReportOperator(task_id="report", network=NETWORK), ti=ti).run()
    assert {int(era) for era in ti.xcoms["report"]["outcomes"]} >= set(xcoms["eras"][1:])


@pytest.mark.parametrize("version", OLD)
def test_a_dag_that_an_earlier_version_serialized_keeps_its_eras(version):
    told = OLD[version]["dags"]
    timetable = EraTimetable.deserialize(told["EraTimetable"])
    assert timetable == EraTimetable(CALENDAR, delay=timedelta(seconds=90))
    if "EraMapper" in told:
        assert EraMapper.deserialize(told["EraMapper"]).to_partition_date("901") == CALENDAR.start(901)


@pytest.mark.parametrize("version", [version for version, told in OLD.items() if "start_trigger_args" in told["dags"]])
def test_a_wait_that_an_earlier_version_started_in_the_triggerer_goes_on(ready, version):
    told = OLD[version]["dags"]["start_trigger_args"]
    trigger = import_string(told["trigger_cls"])(**smart_decode_trigger_kwargs(told["trigger_kwargs"]))
    trigger.render_template_fields({"partition_key": str(ERA)})
    assert fire(trigger) == "success"
    assert callable(getattr(sensor(), told["next_method"]))


@pytest.mark.parametrize("version", [version for version, told in OLD.items() if "watcher" in told])
def test_a_watcher_of_an_earlier_version_goes_on_and_its_events_are_passed_on(version):
    told = OLD[version]["watcher"]
    trigger = import_string(told["classpath"])(**told["kwargs"])
    assert trigger.serialize() == rebuilt(trigger).serialize()
    event = SimpleNamespace(extra={"payload": told["event"]})
    assert new_partition_keys([event], []) == [str(told["event"]["era"])]
