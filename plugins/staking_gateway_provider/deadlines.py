"""Telling of an era that is late while its run still waits, hangs, or never got a worker.

Airflow's scheduler compares the deadlines of runs with the clock, and a missed one is handled in the triggerer: neither needs the run
to get on. What then happens is the same look at the network that ends every run, so it is told of once, whoever sees it first.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import BaseDeadlineReference, DeadlineAlert

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun
    from sqlalchemy.orm import Session

    from staking_gateway.config.models import NetworkConfig

_CALLBACK = "staking_gateway_provider.deadlines.look_after_deadline"
_SLACK = timedelta(seconds=2)
"""A deadline lies a little after the moment it stands for, so that what became due at that moment is due."""


class EraEndDeadline(BaseDeadlineReference):
    """When the era of a scheduled run ended; for a manual run or one of a backfill, when it was made.

    None of Airflow's own references tells that: a run of an era has no logical date, and the time it was queued is later by as much as
    the scheduler was. A run of an era that ended long ago has a deadline too, counted from its own beginning.

    :param delay: seconds between an era's end and its run, as the timetable has it.
    """

    required_kwargs = frozenset({"dag_id", "run_id"})

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = float(delay)

    def serialize_reference(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**super().serialize_reference(), "delay": self.delay}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> EraEndDeadline:
        """The other way round."""
        return cls(reference_data["delay"])

    def _evaluate_with(self, *, session: Session, dag_id: str, run_id: str) -> datetime | None:
        """Called by Airflow in the process that makes the run."""
        from airflow.models.dagrun import DagRun
        from airflow.utils.types import DagRunType
        from sqlalchemy import select

        query = select(DagRun.run_type, DagRun.run_after).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id)
        run = session.execute(query).one_or_none()
        if run is not None and run.run_type == DagRunType.SCHEDULED:
            begun: datetime = run.run_after
            return begun - timedelta(seconds=self.delay)
        return datetime.now(timezone.utc)


class DagWithDeadlines(DAG):
    """A DAG whose `test`, and so `airflow dags test`, leaves its deadlines out: with them Airflow 3.3.2 fails after the last task
    (https://github.com/apache/airflow/issues/73428), and no scheduler watches such a run anyway.
    """

    def test(self, *arguments: Any, **options: Any) -> DagRun:
        """Run once, here and now."""
        deadlines, self.deadline = self.deadline, None
        try:
            run: DagRun = super().test(*arguments, **options)
            return run
        finally:
            self.deadline = deadlines


def era_deadlines(name: str, network: NetworkConfig) -> list[DeadlineAlert]:
    """The deadlines of a network's payouts: when an era is late, and when one that is held back is."""
    reference = EraEndDeadline(network.delay.total_seconds())
    callback = AsyncCallback(_CALLBACK, kwargs={"network": name})
    moments = sorted({network.alerts.paid_within, network.alerts.held_after})
    return [DeadlineAlert(reference=reference, interval=moment + _SLACK, callback=callback) for moment in moments]


async def look_after_deadline(network: str, context: dict[str, Any] | None = None) -> str:
    """Look at a network, and tell. Called by Airflow in the triggerer.

    Without `alerts.webhook_conn_id` the messages wait for the next task, whose log people read.

    :param context: the run, as far as Airflow tells it here.
    :returns: what was said, for Airflow's record of the callback.
    :raises AlertsNotSent: the receiver did not take it; it is kept for the next run.
    """
    return await asyncio.to_thread(_look, network, context or {})


def _look(name: str, context: dict[str, Any]) -> str:
    from staking_gateway.ledger import Actor
    from staking_gateway_provider.alerting import log, look, receivers_of
    from staking_gateway_provider.networks import network_config, run_era
    from staking_gateway_provider.operators.alerts import default_notifiers, raise_if_left

    config = network_config(name)
    run = context.get("dag_run") or {}
    seen, told = look(
        name,
        config,
        gateway_conn_id=config.gateway_conn_id,
        ledger_conn_id=None,
        executor=None,
        actor=Actor(f"{run.get('dag_id')}/{run.get('dag_run_id')}"),
        era=run_era(run),
        receivers=receivers_of(default_notifiers(config), context),
    )
    for line in seen.open:
        log.warning("%s: %s", name, line)
    raise_if_left(told)
    return "; ".join(told.sent) or "nothing new"
