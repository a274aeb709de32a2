"""Running one task as Airflow runs it: execute, defer, trigger, resume, with everything in between over Airflow's own encoding."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from airflow.models.trigger import Trigger
from airflow.sdk.api.datamodels._generated import DagResponse
from airflow.sdk.exceptions import TaskDeferred
from airflow.sdk.module_loading import import_string
from airflow.sdk.serde import deserialize, serialize

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from airflow.sdk import BaseOperator
    from airflow.triggers.base import BaseTrigger


class StateStore(dict[str, Any]):
    """Airflow's store for the state of a task."""

    def set(self, key: str, value: Any) -> None:
        self[key] = over_the_wire(value)

    def delete(self, key: str) -> None:
        del self[key]


class TaskInstance:
    """What an operator uses of Airflow's.

    :ivar store: the state of the task, which Airflow keeps from try to try.
    """

    def __init__(self, run_id: str = "manual__1", try_number: int = 1, store: StateStore | None = None) -> None:
        self.dag_id = "pay"
        self.task_id = ""
        self.run_id = run_id
        self.try_number = try_number
        self.max_tries = 5
        self.store = StateStore() if store is None else store
        self.xcoms: dict[Any, Any] = {}
        self.paused: set[str] = set()
        self.states: dict[str, str] = {}
        self.first_reschedule: datetime | None = None

    def get_first_reschedule_date(self, context: Any) -> datetime | None:
        return self.first_reschedule

    def get_task_states(self, dag_id: str, task_ids: list[str], run_ids: list[str]) -> dict[str, dict[str, str]]:
        return {run_id: {one: self.states[one] for one in task_ids if one in self.states} for run_id in run_ids}

    def get_dag(self, dag_id: str) -> DagResponse:
        known = dict.fromkeys(("bundle_name", "bundle_version", "relative_fileloc", "owners", "next_dagrun"))
        return DagResponse(dag_id=dag_id, is_paused=dag_id in self.paused, tags=[], **known)

    def xcom_push(self, key: str, value: Any) -> None:
        self.xcoms[key] = over_the_wire(value)

    def xcom_pull(self, *, task_ids: str, key: str, include_prior_dates: bool = False) -> Any:
        if include_prior_dates:
            return self.xcoms.get(key)
        return self.xcoms.get((task_ids, key))


class OutletEvent:
    """What a task tells of one of its outlets."""

    def __init__(self) -> None:
        self.extra: dict[str, Any] = {}
        self.partitions: list[str] = []

    def add_partitions(self, key: str) -> None:
        self.partitions.append(key)


class Task:
    """A task of a run.

    :param era: the run's partition key.
    :param on_wait: is called with each trigger before it runs.
    :param on_event: is called with each event before the task goes on.
    """

    def __init__(
        self,
        operator: BaseOperator,
        *,
        era: int | str | None = None,
        ti: TaskInstance | None = None,
        on_wait: Callable[[BaseTrigger], object] = lambda trigger: None,
        on_event: Callable[[Any], object] = lambda event: None,
    ) -> None:
        self.operator = operator
        self.ti = ti or TaskInstance()
        self.context: dict[str, Any] = {
            "ti": self.ti,
            "partition_key": None if era is None else str(era),
            "task_state_store": self.ti.store,
            "outlet_events": defaultdict(OutletEvent),
        }
        self.on_wait = on_wait
        self.on_event = on_event
        self.deferrals: list[TaskDeferred] = []
        self.events: list[Any] = []

    @property
    def triggers(self) -> list[str]:
        return [type(deferral.trigger).__name__ for deferral in self.deferrals]

    def run(self) -> Any:
        """Run to the end, however often it defers."""
        method, kwargs = "execute", {}
        while True:
            result = self.step(method, kwargs)
            if not isinstance(result, TaskDeferred):
                return result
            self.deferrals.append(result)
            self.on_wait(result.trigger)
            self.events.append(event := over_the_wire(fire(rebuilt(result.trigger))))
            self.on_event(event)
            method, kwargs = result.method_name, {"event": event, **over_the_wire(result.kwargs or {})}

    def step(self, method: str, kwargs: dict[str, Any]) -> Any:
        """What a method of the operator gives, or the deferral it ends with."""
        try:
            return over_the_wire(getattr(self.operator, method)(self.context, **kwargs))
        except TaskDeferred as deferral:
            return deferral


def over_the_wire(value: Any) -> Any:
    """A value as another process gets it."""
    return deserialize(json.loads(json.dumps(serialize(value))))


def rebuilt(trigger: BaseTrigger) -> Any:
    """The trigger as the triggerer makes it from the database."""
    row = Trigger(*trigger.serialize())
    return import_string(row.classpath)(**row.kwargs)


def fire(trigger: BaseTrigger) -> Any:
    """The payload of a trigger's only event."""

    async def events() -> list[Any]:
        return [event.payload async for event in trigger.run()]

    (payload,) = asyncio.run(events())
    return payload
