"""The links of a task in the API server, which also exist before the task's run and after a kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow.sdk import BaseOperator

from staking_gateway_provider.help import help_link
from staking_gateway_provider.links import ExplorerLink, RunbookLink, StakingPageLink, explorer_link
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator, CatchUpReportOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.export import LedgerExportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.reconcile import ReconcileOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.operators.watch import StakingWatchOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

if TYPE_CHECKING:
    from airflow.sdk.types import TaskInstanceKey

_OPERATORS: list[type[BaseOperator]] = [
    CatchUpPlanOperator,
    CatchUpReportOperator,
    ElectionWindowClosedSensor,
    EraReportOperator,
    LedgerExportOperator,
    PayoutStakersOperator,
    PreviousEraOperator,
    ReconcileOperator,
    StakingAlertsOperator,
    StakingStatusOperator,
    StakingWatchOperator,
]
"""Airflow looks for the exact class. The task of a user's subclass stores its links."""


class RunbookPageLink(RunbookLink):
    """The address that the task has stored, or that of the runbook's first line."""

    operators = _OPERATORS
    xcom_key = RunbookLink().xcom_key

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        from airflow.serialization.definitions.operatorlink import XComOperatorLink

        stored = XComOperatorLink(self.name, self.xcom_key).get_link(operator, ti_key=ti_key)  # type: ignore[arg-type]
        return stored or help_link()


class StakingPagePageLink(StakingPageLink):
    """The address, which needs nothing of the task."""

    operators = _OPERATORS
    xcom_key = StakingPageLink().xcom_key


class ExplorerPageLink(ExplorerLink):
    """The address, computed from the outcome that the task has stored."""

    operators = [PayoutStakersOperator]  # noqa: RUF012 - the shape Airflow declares
    xcom_key = ExplorerLink().xcom_key

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        from airflow.utils.session import create_session

        from staking_gateway_provider.ui.runs import find_xcom

        del operator
        key = (ti_key.dag_id, ti_key.run_id, ti_key.task_id)
        with create_session() as session:
            return explorer_link(find_xcom(session, *key, "outcome", map_index=ti_key.map_index))
