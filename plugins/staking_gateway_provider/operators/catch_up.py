"""Plans a catch-up, and reports its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from staking_gateway.catch_up import CatchUpPlan, Request, approved_plan, plan_network, write_notices
from staking_gateway.errors import InvalidInput
from staking_gateway.health.report import Report, catch_up_report
from staking_gateway.text import shown
from staking_gateway_provider.alerting import note_eras
from staking_gateway_provider.networks import mapped, open_ledger, run_actor, run_form
from staking_gateway_provider.operators.base import ReportOperator, StakingOperator
from staking_gateway_provider.reporting import CATCH_UP, forget_failure, logs_failure


class CatchUpPlanOperator(StakingOperator):
    """Compares ledger, chain and calendar, and returns the unpaid eras, soonest to expire first.

    The XCom `plan` holds the plan; the ledger stores it under its hash, for approval. A dry run returns no era. Eras that have
    expired, or soon will, are logged once each.

    All arguments from here on are templated. What is left out comes from the form of the run, `network.catch_up_dag()`.

    :param from_era: oldest era to pay; the oldest that can be paid when left out. Likewise `to_era`.
    :param eras: instead of both: a list of eras and ranges, such as `1391, 1395-1402`.
    :param max_eras: most eras to pay in this run.
    :param max_fees: most fees to plan for, in the smallest unit. Outside of the form, give it to the payout as `max_fee_per_run` as well.
    :param plan_only: plan, and pay nothing; the form's `dry_run`.
    :param approve: hash of a plan; its eras that are still unpaid are paid, and nothing with another fee or other terms. Outside of the form, give it to the payout as well.
    """

    stops = CATCH_UP
    template_fields: Sequence[str] = (
        *("from_era", "to_era", "eras", "max_eras", "max_fees", "plan_only", "approve"),
        *("network", "gateway_conn_id"),
    )

    def __init__(
        self,
        *,
        network: str,
        from_era: int | str | None = None,
        to_era: int | str | None = None,
        eras: str | None = None,
        max_eras: int | str | None = None,
        max_fees: int | str | None = None,
        plan_only: bool | str | None = None,
        approve: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.from_era = from_era
        self.to_era = to_era
        self.eras = eras
        self.max_eras = max_eras
        self.max_fees = max_fees
        self.plan_only = plan_only
        self.approve = approve

    @logs_failure
    def execute(self, context: Any) -> list[int]:
        """Plan. InvalidInput for wrong eras or budgets, or if this is not the approved plan, GatewayError for an active era that needs approval."""
        dry, approve = self._is_dry(context), self.given("approve", context)
        plan, notices = self._plan(self._request(context), approve, dry=dry)
        context["ti"].xcom_push(key="plan", value={**plan.as_dict(), "dry_run": dry})
        for notice in notices:
            self.log.warning("%s", notice)
        if not dry and approve is None:
            plan.seen.check(plan.network)
        if dry:
            self.log.info("This is a dry run: nothing is paid")
        return [] if dry else plan.eras

    def _plan(self, request: Request, approve: object, *, dry: bool) -> tuple[CatchUpPlan, list[str]]:
        name, config = str(self.network), self.config()
        if not dry:
            config.check_enabled(name)
        with self.open_network(config) as (ledger, client):
            _, plan = plan_network(name, config, gateway=client, ledger=ledger, request=request)
            if approve is not None:
                plan = approved_plan(ledger.journal, str(approve), plan)
            if not dry:
                ledger.journal.agree_on_calendar(name, config.calendar)
            ledger.journal.keep_plan(name, plan.hash, plan.as_dict())
            for line in plan.lines(config.token or ledger.views.token(name)):
                self.log.info("%s", line)
            forget_failure(ledger, name, None)
            return plan, [] if dry else write_notices(plan, ledger)

    def _request(self, context: Any) -> Request:
        fields = ("from_era", "to_era", "eras", "max_eras", "max_fees")
        return mapped(Request(*(self.given(name, context) for name in fields)))

    def _is_dry(self, context: Any) -> bool:
        given = self.given("plan_only")
        text = str(given := run_form(context, "dry_run") if given is None else given).lower()
        if text not in ("true", "false", "none"):
            raise InvalidInput("dry_run", f"{shown(given)} is neither true nor false", "Write true or false")
        return text == "true"


class CatchUpReportOperator(ReportOperator):
    """Reports the outcome of every era of a catch-up, and fails when an era is still unpaid or has newly expired.

    It stores the rewards of the paid eras, if the gateway's connection names a node. Returns the report as a dictionary, also the XCom `report`.

    :param plan_task_id: task with the XCom `plan`; `payout_task_id`: task with the XCom `outcome`.
    """

    template_fields: Sequence[str] = ("network",)

    def __init__(
        self, *, network: str, plan_task_id: str = "plan", payout_task_id: str = "payout", **kwargs: Any
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.plan_task_id = plan_task_id
        self.payout_task_id = payout_task_id

    def report(self, context: Any) -> Report:
        """Make the report from the plan and the outcomes of its eras."""
        pull = context["ti"].xcom_pull
        plan = pull(task_ids=self.plan_task_id, key="plan")
        if plan is None:
            raise InvalidInput("plan", "no task returned one", "See the log of the task before this one")
        outcomes = pull(task_ids=self.payout_task_id, key="outcome") or []
        # For a single mapped task Airflow returns its XCom without a list.
        outcomes = [outcomes] if isinstance(outcomes, dict) else list(outcomes)
        with closing(open_ledger(pays=True)) as ledger:
            report = catch_up_report(plan, outcomes, ledger)
            eras = [int(era) for era in report.data["outcomes"]]
            note_eras(str(self.network), self.config(), eras, ledger=ledger, actor=run_actor(context))
            return report
