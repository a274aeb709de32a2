"""Deadlines of eras: alerts for an era that is late, even while its run waits, hangs, or has no worker."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import BaseDeadlineReference, DeadlineAlert

from staking_gateway_provider import AIRFLOW

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun
    from sqlalchemy.orm import Session

    from staking_gateway.config.models import NetworkConfig

_CALLBACK = "staking_gateway_provider.deadlines.look_after_deadline"
"""In Airflow's database; never rename it."""
_SLACK = timedelta(seconds=2)
"""A deadline is a little later than its limit, so that the alert's condition is true by then."""


class EraEndDeadline(BaseDeadlineReference):
    """The end of a scheduled run's era; for a manual or backfill run, the time of its creation.

    Airflow's own references do not have this time: a run of an era has no logical date.

    :param delay: seconds between an era's end and its run, as in the timetable.
    """

    if AIRFLOW < [3, 4]:
        # A later Airflow reads the parameters of `_evaluate_with`.
        required_kwargs = frozenset({"dag_id", "run_id"})

    @property
    def reference_name(self) -> str:
        """Words of Airflow's pages: "within 30 minutes of the end of the era". Airflow finds this class by its path."""
        return "the end of the era"

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = float(delay)

    def serialize_reference(self) -> dict[str, Any]:
        return {**super().serialize_reference(), "delay": self.delay}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> EraEndDeadline:
        """Read what `serialize_reference` wrote."""
        return cls(reference_data["delay"])

    def _evaluate_with(self, *, session: Session, dag_id: str, run_id: str) -> datetime | None:
        """Called by Airflow in the process that creates the run."""
        from airflow.models.dagrun import DagRun
        from airflow.utils.types import DagRunType
        from sqlalchemy import select

        query = select(DagRun.run_type, DagRun.run_after).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id)
        run = session.execute(query).one_or_none()
        if run is not None and run.run_type == DagRunType.SCHEDULED:
            run_after: datetime = run.run_after
            return run_after - timedelta(seconds=self.delay)
        return datetime.now(timezone.utc)


class DagWithDeadlines(DAG):
    """A DAG whose `test`, and so `airflow dags test`, ignores its deadlines. With deadlines Airflow 3.3.2 fails after the last task
    (https://github.com/apache/airflow/issues/73428).
    """

    def test(self, *arguments: Any, **options: Any) -> DagRun:
        """Run once, in this process."""
        deadlines, self.deadline = self.deadline, None
        try:
            run: DagRun = super().test(*arguments, **options)
            return run
        finally:
            self.deadline = deadlines


def era_deadlines(name: str, network: NetworkConfig) -> list[DeadlineAlert]:
    """The deadlines of a network's payouts: `paid_within` and `held_after` of its alerts."""
    reference = EraEndDeadline(network.delay.total_seconds())
    callback = AsyncCallback(_CALLBACK, kwargs={"network": name})
    paid, held = network.alerts.paid_within, network.alerts.held_after
    names = {paid: "Alert: era unpaid", held: "Alert: payout held"} if paid != held else {paid: "Alert: era unpaid"}
    return [
        DeadlineAlert(reference=reference, interval=moment + _SLACK, callback=callback, name=name)
        for moment, name in sorted(names.items())
    ]


async def look_after_deadline(network: str, context: dict[str, Any] | None = None) -> str:
    """Send the alerts of a network, and return their titles. Called by Airflow in the triggerer.

    :param context: of the run.
    :raises AlertsNotSent: the receiver failed; the next run sends the message.
    """
    return await asyncio.to_thread(_send_alerts, network, context or {})


def _send_alerts(name: str, context: dict[str, Any]) -> str:
    from staking_gateway.ledger import Actor
    from staking_gateway_provider.alerting import configured_receivers, log, raise_if_left, send_alerts
    from staking_gateway_provider.networks import network_config, run_era

    config = network_config(name)
    run = context.get("dag_run") or {}
    found, delivery = send_alerts(
        name,
        config,
        gateway_conn_id=config.gateway_conn_id,
        ledger_conn_id=None,
        actor=Actor(f"{run.get('dag_id')}/{run.get('dag_run_id')}"),
        era=run_era({**run, "params": run.get("conf")}),
        receivers=configured_receivers({name: config.alerts}, context),
    )
    for line in found.lines:
        log.warning("%s: %s", name, line)
    raise_if_left([delivery])
    return "; ".join(delivery.sent) or "nothing new"
