"""Waiting until an era may be paid: poking, rescheduled and deferred."""

import datetime as dt
import json
import time

import pytest
from airflow.sdk import DAG
from airflow.sdk.exceptions import AirflowRescheduleException, AirflowSkipException
from airflow.sdk.module_loading import import_string
from airflow.serialization.decoders import smart_decode_trigger_kwargs
from airflow.serialization.serialized_objects import DagSerialization
from names import ACTIVE, ERA, NETWORK
from tasks import Task, TaskInstance

from staking_gateway.errors import ConfigError, Failed, InvalidConnection, InvalidEra
from staking_gateway.problem import Topic
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from tests.support.failed import fails


def sensor(run_era=None, /, *, on_wait=lambda trigger: None, ti=None, **arguments):
    given = {"poke_interval": 0.1, "timeout": 30, **arguments}
    return Task(ElectionWindowClosedSensor(task_id="wait", **given), era=run_era, on_wait=on_wait, ti=ti)


@pytest.fixture
def sleeps(monkeypatch):
    """Replaces a sensor's sleep by the next thing to happen; holds how long each would have been."""
    slept = []

    def will_see(*happenings):
        coming = list(happenings)

        def sleep(seconds):
            slept.append(seconds)
            coming.pop(0)()

        monkeypatch.setattr(time, "sleep", sleep)
        return slept

    return will_see


@pytest.fixture(params=["poke", "deferred"])
def ways(request):
    return {"deferrable": request.param == "deferred"}


class TestReady:
    @pytest.mark.parametrize("era", [None, ERA, ERA - 3])
    def test_a_closed_window_lets_an_ended_era_through_at_once(self, gateway, ways, era):
        task = sensor(era, **ways)
        task.run()
        assert task.deferrals == []
        assert gateway.control.truth()["calls"]["by_path"].get("/send") is None

    def test_a_network_without_a_window_only_waits_for_its_era(self, gateway, network, ways):
        network(timing={"wait_for_closed_window": False})
        gateway.control.window("open")
        sensor(ERA, network=NETWORK, **ways).run()
        assert "getEraElectionStatus" not in gateway.control.truth()["calls"]["by_method"]

    @pytest.mark.usefixtures("gateway_without_methods")
    def test_what_a_gateway_does_not_tell_is_not_waited_for(self, ways):
        task = sensor(ERA, **ways)
        task.run()
        assert task.deferrals == []


class TestPoking:
    def test_goes_on_until_the_era_has_ended_and_the_window_is_closed(self, gateway, sleeps):
        gateway.control.window("open")
        control = gateway.control
        slept = sleeps(lambda: control.advance(eras=1), lambda: control.window("closed"))
        sensor(ACTIVE, poke_interval=7).run()
        assert slept == [7, 7]

    def test_goes_on_through_errors_that_may_pass(self, gateway, sleeps):
        slept = sleeps(gateway.start)
        gateway.stop()
        sensor(ERA).run()
        assert len(slept) == 1

    def test_ends_at_once_on_errors_that_will_not(self, gateway, connect, sleeps, ways):
        sleeps()
        connect("staking_gateway_default", conn_type="stakinggateway", host=gateway.url, password="another")
        with fails(Failed.BAD_TOKEN):
            sensor(ERA, **ways).run()


class TestRescheduled:
    @pytest.fixture
    def ti(self):
        return TaskInstance()

    def test_it_gives_up_its_slot_for_the_networks_interval(self, gateway, network, ti):
        network(timing={"poll_interval": "90s", "window_timeout": "1h"})
        gateway.control.window("open")
        task = sensor(ERA, network=NETWORK, poke_interval=None, timeout=None, mode="reschedule", ti=ti)
        with pytest.raises(AirflowRescheduleException) as rescheduled:
            task.run()
        wait = rescheduled.value.reschedule_date - dt.datetime.now(dt.timezone.utc)
        assert wait.total_seconds() == pytest.approx(90, abs=10)

        gateway.control.window("closed")
        ti.first_reschedule = dt.datetime.now(dt.timezone.utc) - dt.timedelta(minutes=59)
        sensor(ERA, network=NETWORK, poke_interval=None, timeout=None, mode="reschedule", ti=ti).run()


class TestDeferred:
    def test_it_waits_in_a_trigger_that_knows_the_era_and_no_secret(self, gateway, network):
        network(timing={"poll_interval": 0.2, "window_timeout": "2h"})
        gateway.control.window("open")
        given = {"network": NETWORK, "poke_interval": None, "timeout": None, "deferrable": True}
        task = sensor(ERA, on_wait=lambda trigger: gateway.control.window("closed"), **given)
        task.run()
        (deferral,) = task.deferrals
        classpath, arguments = deferral.trigger.serialize()
        assert classpath == "staking_gateway_provider.triggers.gateway.ElectionWindowTrigger"
        assert arguments.pop("deadline") == pytest.approx(time.time() + 7200, abs=10)
        assert arguments == {
            "gateway_conn_id": "staking_gateway_default",
            "poll_interval": 0.2,
            "era": ERA,
            "window": True,
            "expected_at": dt.datetime(2026, 1, 1, 5, 33, 20, tzinfo=dt.timezone.utc).timestamp(),
        }
        assert deferral.timeout == 7200 + 120

    def test_it_waits_deferred_while_the_gateway_is_away(self, gateway, capfd):
        gateway.stop()
        task = sensor(ERA, deferrable=True, on_wait=lambda trigger: gateway.start())
        task.run()
        assert task.triggers == ["ElectionWindowTrigger"]
        topic, told = Topic.GATEWAY_UNREACHABLE, capfd.readouterr().out
        for line in ("A request failed, and is repeated: ", f"Cause: {topic.heading}", f"#{topic.anchor}"):
            assert line in told

    def test_a_worker_asks_again_what_the_triggerer_could_not_and_says_what_is_wrong(self, gateway, connect, capfd):
        task = sensor(ERA, deferrable=True)
        failed = {"event": {"status": "failed", "message": "no"}}
        assert task.operator.resume_execution("execute_complete", failed, task.context) is None
        connect("staking_gateway_default", conn_type="stakinggateway", host=gateway.url, password="another")
        with fails(Failed.BAD_TOKEN):
            task.operator.resume_execution("execute_complete", failed, task.context)
        assert "Task failed: getActiveEra: HTTP 403" in capfd.readouterr().out

    def test_a_soft_failing_sensor_is_skipped_when_the_time_is_up(self, gateway):
        operator = sensor(ERA, deferrable=True, soft_fail=True).operator
        event = {"status": "timeout", "message": ""}
        with pytest.raises(AirflowSkipException):
            operator.resume_execution("execute_complete", {"event": event}, {})


def test_airflow_gets_the_trigger_of_a_task_that_starts_there_with_its_time_out_and_no_secret(gateway, network):
    network()
    with DAG("d", schedule=None, default_args={"timeout": 7200.0}) as dag:
        ElectionWindowClosedSensor(task_id="wait", network=NETWORK, start_from_trigger=True)
        ElectionWindowClosedSensor(task_id="plain", network=NETWORK)
    stored = DagSerialization.deserialize_dag(json.loads(json.dumps(DagSerialization.serialize_dag(dag))))
    assert not stored.get_task("plain").start_from_trigger
    assert stored.get_task("wait").start_from_trigger
    told = stored.get_task("wait").start_trigger_args
    assert (told.timeout, told.next_method) == (dt.timedelta(seconds=7320), "execute_complete")
    given = {name: smart_decode_trigger_kwargs(value) for name, value in told.trigger_kwargs["__var"].items()}
    assert given == {"network": NETWORK, "gateway_conn_id": None, "era": None, "poll_interval": None}
    assert import_string(told.trigger_cls)(**given).serialize() == (told.trigger_cls, given)


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ({"era": "abc"}, InvalidEra("era", "'abc' is not a number", "")),
            ({"network": "nowhere"}, ConfigError("network", "there is no such network as nowhere", "")),
            ({"gateway_conn_id": "bad"}, InvalidConnection("Connection 'bad', host", "is empty", "")),
        ],
    )
    def test_before_anything_is_sent(self, gateway, network, connect, arguments, error):
        network()
        connect("bad", conn_type="stakinggateway", password="x")
        for deferrable in (False, True):
            with pytest.raises(type(error), match=str(error).rstrip(". ")):
                sensor(ERA, deferrable=deferrable, **arguments).run()
        assert gateway.control.truth()["calls"]["by_path"] == {}
