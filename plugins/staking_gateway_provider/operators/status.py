"""Checks whether accounts are staking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowSkipException

from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import (
    ChainError,
    ConfigError,
    GatewayError,
    InvalidInput,
    StakingGatewayError,
    accounts_differ,
)
from staking_gateway.health.report import STATUS_UNKNOWN
from staking_gateway.problem import Topic
from staking_gateway.text import shown
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.dags import announce
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import count_error
from staking_gateway_provider.networks import knows_status, open_ledger, read_config, run_era, status_store
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.reporting import help_line, logs_failure

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient
    from staking_gateway.accounts import Tally

TOO_LATE = "too_late"
"""XCom: nothing was stored, because a later era has ended meanwhile."""
MOST_NAMED = 20


class StakingStatusOperator(StakingOperator):
    """Checks the staking status of accounts, many at a time, and stores each status for an era in the ledger.

    Returns `{"era", "staking", "not_staking", "not_checked", "failed": {account: error}}`: three counts, and the first 20 accounts that could not be
    checked; also the XCom `statuses` of a failed task. After a refusal (HTTP 429 or 503) all calls wait; after five minutes without an answer the rest is
    not checked. An outlet `statuses_asset(network)` gets an event for the era. When a later era has ended meanwhile, the statuses come from an archive
    node of the gateway's connection; without one the task is skipped, and the XCom `too_late` is true.

    :param accounts: SS58 addresses or 0x public keys; templated. Left out, those of the network's settings.
    :param era: era to store them under; templated; the run's when left out. Without any era nothing is stored.
    :param concurrency: most calls in flight at a time; the network's setting when left out.
    :param rate: most calls per second of this task, however many of them run; the network's setting when left out.
    """

    template_fields: Sequence[str] = ("accounts", "era", "network", "gateway_conn_id")
    settings = ("gateway_conn_id", "concurrency", "rate")

    def __init__(
        self,
        *,
        accounts: Iterable[str | AccountId] | None = None,
        era: int | str | None = None,
        concurrency: int | None = None,
        rate: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.accounts = accounts
        self.era = era
        self.concurrency = concurrency
        self.rate = rate

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Check the accounts.

        :raises InvalidInput: no account, a malformed one, or one listed twice; concurrency or rate out of range.
        :raises StakingGatewayError: accounts could not be checked (topic ACCOUNTS), or have a mistake in `staking.yaml`; the others are stored.
        """
        from staking_gateway.accounts import run_quickly

        config = self.config(alone=self.accounts is not None)
        limits = {"concurrency": config.statuses.concurrency, "rate": config.statuses.rate}
        accounts, mistake = self._listed(config)
        era, past = run_era(context, self.era), None
        errors: dict[AccountId, str] = {}
        note = partial(_note, errors, self.ledger_name)
        if era is not None and config.known_calendar is not None and not knows_status(config, era):
            past = self._of_past_era(context, config, era, accounts)
        with ExitStack() as stack:
            store = None
            if era is not None:
                ledger = stack.enter_context(closing(open_ledger(pays=True)))
                store = status_store(ledger, self.ledger_name, config, era)
            if past is not None and store is not None:
                tally = self._store(past, store)
            else:
                client = StakingGatewayHook(config.gateway_conn_id).get_async_conn()
                tally = run_quickly(self._check(client, accounts, **limits, store=store, on_answer=note))
        failed = {account.spelling: errors[account] for account in accounts if account in errors}
        counts = {name: tally[name] for name in ("staking", "not_staking", "not_checked")}
        result = {"era": era, **counts, "failed": dict(islice(failed.items(), MOST_NAMED))}
        self.log.info("Checked %s", tally)
        if failed or mistake is not None:
            context["ti"].xcom_push(key="statuses", value=result)
        if failed:
            error = accounts_differ(failed, era=era, fault="could not be checked")
            error.may_change = True
            raise error
        if mistake is not None:
            raise mistake
        if era is not None:
            announce(context, self.outlets, [era], era=era)
        return result

    def _of_past_era(
        self, context: Any, config: NetworkConfig, era: int, accounts: Sequence[AccountId]
    ) -> list[tuple[AccountId, StakingStatus]]:
        """The statuses in the era's last block, from an archive node. Without one that knows them, the task is skipped."""
        node = StakingGatewayHook(config.gateway_conn_id).get_node()
        past: dict[str, StakingStatus] | str = (
            "the gateway's connection names no node of the chain, and only an archive node knows them. "
            f"{Topic.NO_NODE.remedy}. {help_line(Topic.NO_NODE)}"
        )
        if node is not None:
            try:
                past = node.staking_at_end_of(era, accounts)
            except ChainError as error:
                past = error.problem.facts
        if not isinstance(past, str):
            self.log.info("The statuses of era %s come from a node", era)
            return [(account, past[account.hex]) for account in accounts]
        context["ti"].xcom_push(key=TOO_LATE, value=True)
        raise AirflowSkipException(f"Era {era}: {STATUS_UNKNOWN}. Nothing was checked or stored: {past}")

    @staticmethod
    def _store(statuses: list[tuple[AccountId, StakingStatus]], store: Callable[..., int]) -> Tally:
        from staking_gateway.accounts import BATCH, Tally

        tally = Tally()
        for _, status in statuses:
            tally.note(status)
        for start in range(0, len(statuses), BATCH):
            store(statuses[start : start + BATCH])
        return tally

    def _listed(self, config: NetworkConfig) -> tuple[list[AccountId], ConfigError | None]:
        """The accounts to check, each once, and the mistake in other accounts of the network."""
        if self.accounts is not None:
            return _read(self.accounts), None
        if not self.network:
            raise InvalidInput("accounts", "not given, nor is a network", "Pass accounts=[...] or network=...")
        accounts = dict.fromkeys(one.account for one in config.accounts if one.account.public_key)
        return list(accounts), read_config().mistaken_accounts(str(self.network))

    @staticmethod
    async def _check(client: AsyncGatewayClient, accounts: Iterable[AccountId], **options: Any) -> Tally:
        from staking_gateway.accounts import check_statuses

        async with client:
            return await check_statuses(client, accounts, **options)


def _read(accounts: Any) -> list[AccountId]:
    """The accounts of an argument. InvalidInput names one that is mistaken, or an earlier one in any spelling, by its place."""
    listed = isinstance(accounts, Iterable) and not isinstance(accounts, (str, bytes, Mapping))
    found: dict[AccountId, str] = {}
    for index, one in enumerate(accounts if listed else ()):
        place = f"accounts[{index}]"
        account = AccountId.parse(one, field=place)
        if (earlier := found.setdefault(account, place)) != place:
            raise InvalidInput(place, f"the account of {earlier} again", "Keep one of the two")
    if not found:
        given = "an empty list" if listed else shown(accounts)
        raise InvalidInput("accounts", f"{given} names no accounts", "Pass a list of addresses or public keys")
    return list(found)


def _note(
    errors: dict[AccountId, str], network: str, account: AccountId, answer: StakingStatus | StakingGatewayError
) -> None:
    """Note the account if it could not be checked, and count the error."""
    if isinstance(answer, Exception):
        errors[account] = str(answer)
    if isinstance(answer, GatewayError):
        count_error(network, answer)
