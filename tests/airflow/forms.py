"""What this version leaves where another version finds it: waits in Airflow's database, XComs, events, serialized DAGs.

An upgrade happens between the two, so each form is kept as it was in tests/data/serialized, one file per version that changed one.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from datetime import datetime, timedelta, timezone
from pathlib import Path

from airflow.sdk import DAG
from airflow.sdk.exceptions import TaskDeferred
from airflow.serialization.serialized_objects import _encode_start_trigger_args
from names import ERA, NETWORK
from packaging.version import Version
from tasks import Task, TaskInstance, fire, over_the_wire, rebuilt

from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway_provider.deadlines import EraEndDeadline
from staking_gateway_provider.lineage import payouts_asset, statuses_asset
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.timetables.mapper import EraMapper
from staking_gateway_provider.triggers.era import STATE_KEY, NewEraTrigger

FOLDER = Path(__file__).parents[1] / "data" / "serialized"
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
CALENDAR = EraCalendar(
    (
        EraAnchor(0, START, timedelta(seconds=20)),
        EraAnchor(900, START + timedelta(seconds=18_000.5), timedelta(seconds=20.000001)),
    )
)


def recorded():
    """The forms of this and of earlier versions, by version."""
    files = sorted(FOLDER.glob("*.json"), key=lambda path: Version(path.stem))
    return {path.stem: json.loads(path.read_text()) for path in files}


def forms(gateway, network):
    """Everything, as this version leaves it; plain JSON."""
    network(history_depth=5)
    waits = {
        "wait_for_window": _window(gateway, sensor()),
        "payout_window": _window(gateway, payout()),
        "payout_confirmation": _wait(gateway, payout()),
    }
    network(history_depth=5, payout={"confirm": "nonce"})
    waits["payout_pause"] = _wait(gateway, payout(ERA - 1))
    network(history_depth=5)
    return {"waits": waits, "xcoms": _xcoms(gateway), "dags": _dags(), "watcher": _watcher()}


def sensor(**arguments):
    return ElectionWindowClosedSensor(task_id="wait_for_window", network=NETWORK, deferrable=True, **arguments)


def payout(era=ERA):
    return PayoutStakersOperator(task_id="payout", network=NETWORK, era=era, deferrable=True)


def _window(gateway, operator):
    gateway.control.window("open")
    return _wait(gateway, operator, then=lambda control: control.window("closed"))


def _wait(gateway, operator, then=lambda control: control.advance(seconds=1)):
    """A task's first wait, as it is in Airflow's database, and the event that ends it."""
    deferral = Task(operator, era=ERA).step("execute", {})
    assert isinstance(deferral, TaskDeferred), deferral
    classpath, kwargs = deferral.trigger.serialize()
    then(gateway.control)
    return {
        "classpath": classpath,
        "kwargs": kwargs,
        "next_method": deferral.method_name,
        "next_kwargs": over_the_wire(deferral.kwargs or {}),
        "event": over_the_wire(fire(rebuilt(deferral.trigger))),
    }


def _xcoms(gateway):
    ti = TaskInstance()
    era = Task(PreviousEraOperator(task_id="previous_era", network=NETWORK), era=ERA, ti=ti).run()
    outcome = Task(payout(), era=ERA, ti=ti, on_wait=lambda _: gateway.control.advance(seconds=1)).run()
    status = StakingStatusOperator(task_id="staking_status", network=NETWORK, era=ERA)
    statuses = Task(status, ti=ti).run()
    ti.xcoms["payout", "outcome"] = outcome
    report = Task(EraReportOperator(task_id="report", network=NETWORK), era=ERA, ti=ti).run()
    with DAG("catch_up", schedule=None):
        plan = CatchUpPlanOperator(task_id="plan", network=NETWORK)
        told = CatchUpReportOperator(task_id="report", network=NETWORK)
    eras = Task(plan, ti=ti).run()
    ti.xcoms["plan", "plan"], ti.xcoms["plan", "notices"] = ti.xcoms["plan"], ti.xcoms["notices"]
    ti.xcoms["payout", "outcome"] = [{**outcome, "era": one} for one in eras]
    caught_up = Task(told, ti=ti).run()
    return {
        "previous_era": era,
        "outcome": outcome,
        "statuses": statuses,
        "report": report,
        "eras": eras,
        "plan": ti.xcoms["plan"],
        "notices": ti.xcoms["notices"],
        "fee_ceiling": ti.xcoms["fee_ceiling"],
        "catch_up_report": caught_up,
    }


def _dags():
    return {
        "EraTimetable": EraTimetable(CALENDAR, delay=timedelta(seconds=90)).serialize(),
        "EraMapper": EraMapper(CALENDAR).serialize(),
        "EraEndDeadline": EraEndDeadline(90).serialize_reference(),
        "start_trigger_args": json.loads(
            json.dumps(_encode_start_trigger_args(sensor(start_from_trigger=True).start_trigger_args))
        ),
        "assets": {asset.name: asset.uri for asset in (payouts_asset(NETWORK), statuses_asset(NETWORK))},
    }


def _watcher():
    trigger = NewEraTrigger(gateway_conn_id="staking_gateway_default", poll_interval=0.1, network=NETWORK)
    classpath, kwargs = trigger.serialize()
    event = asyncio.run(_first(trigger))
    return {"classpath": classpath, "kwargs": kwargs, "event": event, "state": {STATE_KEY: ERA}}


async def _first(trigger):
    trigger.asset_state_store = NothingNoted()
    async with aclosing(trigger.run()) as events:
        return (await anext(events)).payload


class NothingNoted:
    """The state of an asset whose watcher starts for the first time."""

    async def aget(self, key, default=None):
        return default

    async def aset(self, key, value):
        assert value == ERA - 1


def shape(value):
    """A form without its values: names, order and types."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    if isinstance(value, list):
        shapes = [shape(one) for one in value]
        return [one for index, one in enumerate(shapes) if one not in shapes[:index]]
    return type(value).__name__
