"""Finds the era to pay, and reports its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Any

from staking_gateway.eras import check_payable
from staking_gateway.errors import InvalidEra
from staking_gateway.gateway.gateway import if_supported
from staking_gateway.health.report import Report, era_report
from staking_gateway_provider.alerting import note_eras
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import count_error
from staking_gateway_provider.networks import open_ledger, required_run_era, run_actor, run_era
from staking_gateway_provider.operators.base import ReportOperator, StakingOperator
from staking_gateway_provider.reporting import ERA, logs_failure


class PreviousEraOperator(StakingOperator):
    """Returns the era to pay: the run's era, or else the era before the active one.

    Refuses the active era, a future era and an expired one. With a network it also refuses a calendar with an edited anchor.

    :param era: era to use instead of the run's; templated.
    :param history_depth: number of eras for which the chain keeps rewards; from the network's settings when left out.
    """

    stops = ERA
    template_fields: Sequence[str] = ("era", "network", "gateway_conn_id")
    settings = ("gateway_conn_id", "history_depth")

    def __init__(self, *, era: int | str | None = None, history_depth: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.era = era
        self.history_depth = history_depth

    @logs_failure
    def execute(self, context: Any) -> int:
        """Find the era; InvalidEra if it cannot be paid, ConfigError if an old anchor of the calendar was edited."""
        config = self.config()
        if config.known_calendar is not None:
            with closing(open_ledger(pays=True)) as ledger:
                ledger.journal.agree_on_calendar(str(self.network), config.calendar)
        era = run_era(context, self.era)
        with StakingGatewayHook(config.gateway_conn_id).get_conn() as client:
            client.report_errors(partial(count_error, self.ledger_name))
            active = if_supported(client.active_era)
        if era is None:
            if active is None:
                raise InvalidEra(
                    "era",
                    "this run has none and the gateway does not report the active era",
                    "Start the run with an Era in its form, or with a partition key",
                )
            era = int(active) - 1
        if active is not None:
            check_payable(era, active, config.history_depth)
        self.log.info("Era to pay: %s (active era: %s)", era, active)
        return era


class EraReportOperator(ReportOperator):
    """Reports the outcome of an era, and fails when the era is unpaid or an account is in the wrong state.

    It stores the era's reward, if the gateway's connection names a node. Returns the report as a dictionary, also the XCom `report`.

    :param payout_task_id: task with the XCom `outcome`.
    :param status_task_id: task with the XCom `too_late`, if the statuses were no longer known.
    :param era: era to report on; templated; the run's when left out, or when the payout did not run: then it may be what an earlier try found.
    """

    template_fields: Sequence[str] = ("era", "network")

    def __init__(
        self,
        *,
        network: str,
        payout_task_id: str = "payout",
        status_task_id: str = "staking_status",
        era: int | str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.payout_task_id = payout_task_id
        self.status_task_id = status_task_id
        self.era = era

    def report(self, context: Any) -> Report:
        """Make the report from the payout's outcome and the stored statuses."""
        ti, pull = context["ti"], context["ti"].xcom_pull
        states = ti.get_task_states(dag_id=ti.dag_id, task_ids=[self.payout_task_id], run_ids=[ti.run_id])
        # Of a payout that did not run, Airflow keeps what an earlier try of the run left, and also the era that it found.
        idle = states.get(ti.run_id, {}).get(self.payout_task_id) in ("upstream_failed", "skipped", "removed")
        era = required_run_era(context, None if idle else self.era)
        outcome = None if idle else pull(task_ids=self.payout_task_id, key="outcome")
        too_late = bool(pull(task_ids=self.status_task_id, key="too_late"))
        name, network = str(self.network), self.config()
        with closing(open_ledger(pays=True)) as ledger:
            report = era_report(name, era, outcome, network, ledger, too_late=too_late)
            note_eras(name, network, [era], ledger=ledger, actor=run_actor(context))
            return report
