"""Which era to pay, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from staking_gateway.config import defaults
from staking_gateway.eras.expiry import check_payable
from staking_gateway.errors import InvalidEra
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import counting_errors
from staking_gateway_provider.networks import network_config, run_actor
from staking_gateway_provider.operators.base import StakingOperator

if TYPE_CHECKING:
    from staking_gateway import GatewayClient
    from staking_gateway.health.report import EraReport


class PreviousEraOperator(StakingOperator):
    """Tells the era to pay: the run's era when it has one, else the one before the active era.

    Returns the era's number. Refuses the active era, a future one and one beyond the history depth, by name; and, with a network, a
    calendar in which an anchor was edited that dated runs before.

    :param era: era to use instead of the run's; templated.
    :param history_depth: eras the chain keeps rewards for; taken from the network's settings when left out.
    :param ledger_conn_id: connection of the ledger, when the other tasks name one.
    """

    template_fields: Sequence[str] = ("era", "network", "gateway_conn_id")

    def __init__(
        self,
        *,
        era: int | str | None = None,
        history_depth: int | None = None,
        ledger_conn_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.era = era
        self.history_depth = history_depth
        self.ledger_conn_id = ledger_conn_id

    def execute(self, context: Any) -> int:
        """Find the era.

        :raises InvalidEra: the era cannot be paid.
        :raises ConfigError: an old anchor of the calendar was edited.
        """
        config = self.config()
        if config is not None:
            with closing(self.open_ledger(self.ledger_conn_id)) as ledger:
                ledger.journal.agree_on_calendar(str(self.network), config.calendar, run_actor(context))
        depth = self.history_depth
        if depth is None:
            depth = config.history_depth if config else defaults.HISTORY_DEPTH
        era = self.era_of(context, self.era)
        with StakingGatewayHook(self.conn_id(config)).get_conn() as client:
            active = _active_era(counting_errors(client, self.network or self.conn_id(config)))
        if era is None and active is None:
            raise InvalidEra(
                "era", "this run has none and the gateway does not tell the active era", "Run it with a partition key"
            )
        if era is None:
            era = int(active or 0) - 1
        if active is not None:
            check_payable(era, active, depth)
        self.log.info("Era to pay: %s (active era: %s)", era, active)
        return era


def _active_era(client: GatewayClient) -> int | None:
    from staking_gateway.gateway.capabilities import if_supported

    return if_supported(client.active_era)


class EraReportOperator(StakingOperator):
    """Says in one word what became of an era, and fails when something is owed or an account is not as it must be.

    Returns the report as a dictionary, see `staking_gateway.health.report.EraReport`.

    :param network: name of a network in `staking.yaml`.
    :param payout_task_id: task whose `outcome` XCom tells the payout's outcome.
    :param era: era to report on; templated; the run's when left out.
    :param ledger_conn_id: connection of the ledger, when the other tasks name one.
    """

    template_fields: Sequence[str] = ("era", "network")

    def __init__(
        self,
        *,
        network: str,
        payout_task_id: str = "payout",
        era: int | str | None = None,
        ledger_conn_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.payout_task_id = payout_task_id
        self.era = era
        self.ledger_conn_id = ledger_conn_id

    def execute(self, context: Any) -> dict[str, Any]:
        """Write the report.

        :raises EraNotPaid: the era's outcome is not green.
        :raises AccountsNotStaking: accounts are not as the configuration expects.
        """
        era = self.era_of(context, self.era)
        if era is None:
            raise InvalidEra("era", "no task told which era this run pays", "See the log of the task before this one")
        outcome = context["ti"].xcom_pull(task_ids=self.payout_task_id, key="outcome")
        report = self._report(era, outcome)
        context["ti"].xcom_push(key="report", value=report.as_dict())
        for line in report.lines():
            self.log.info("%s", line)
        report.raise_if_red()
        return report.as_dict()

    def _report(self, era: int, outcome: dict[str, Any] | None) -> EraReport:
        from staking_gateway.health.report import era_report

        network = network_config(str(self.network))
        with closing(self.open_ledger(self.ledger_conn_id)) as ledger:
            return era_report(str(self.network), era, outcome, network, ledger)
