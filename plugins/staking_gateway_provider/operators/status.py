"""Checking whether accounts are staking."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import RetryPolicy

from staking_gateway.errors import AccountsNotStaking, InvalidInput
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import open_ledger
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.retry import STATUS_RETRY_POLICY

if TYPE_CHECKING:
    from staking_gateway.errors import StakingGatewayError
    from staking_gateway.settings import NetworkConfig
    from staking_gateway.types import AccountId, StakingStatus

DEFAULT_CONCURRENCY = 32
MAX_CONCURRENCY = 1000


class StakingStatusOperator(StakingOperator):
    """Asks for the staking status of accounts, many at a time, and stores each per era in the ledger.

    Returns `{"era", "statuses": {account: isStaking | isNotStaking}, "failed": {account: error}}` with the accounts as they were
    spelt; the same is in the XCom `statuses` when the task fails because some accounts could not be checked. What was found is
    stored either way, and a failed task is tried again.

    :param accounts: SS58 addresses or 0x public keys; templated. Left out, those of the network's settings.
    :param chunk: which chunk of the network's accounts to check, so that mapped tasks share them; all when left out.
    :param era: era to store them under; templated; the run's when left out. Without any era nothing is stored.
    :param concurrency: most calls in flight at a time.
    """

    template_fields: Sequence[str] = ("accounts", "chunk", "era", "network", "gateway_conn_id")

    def __init__(
        self,
        *,
        accounts: Sequence[str] | None = None,
        chunk: int | None = None,
        era: int | str | None = None,
        concurrency: int | None = None,
        ledger_conn_id: str | None = None,
        retry_policy: RetryPolicy | None = STATUS_RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        super().__init__(retry_policy=retry_policy, **kwargs)
        self.accounts = accounts
        self.chunk = chunk
        self.era = era
        self.concurrency = concurrency
        self.ledger_conn_id = ledger_conn_id

    def execute(self, context: Any) -> dict[str, Any]:
        """Check the accounts.

        :raises InvalidInput: no account, a malformed one, or one listed twice.
        :raises AccountsNotStaking: some accounts could not be checked; the others are stored.
        """
        from staking_gateway.statuses import parse_accounts
        from staking_gateway.types import StakingStatus

        config = self.config(required=self.accounts is None)
        texts = self._texts(config)
        accounts = parse_accounts(texts)
        era = self.era_of(context, self.era)
        answers = asyncio.run(self._check(self.conn_id(config), accounts, self._calls_at_a_time(config)))
        found = {account: answer for account, answer in answers.items() if isinstance(answer, StakingStatus)}
        if era is not None:
            self._store(config, era, found)
        spelt = dict(zip(accounts, texts, strict=True))
        failed = {spelt[account]: str(answers[account]) for account in accounts if account not in found}
        result = {
            "era": era,
            "statuses": {spelt[account]: found[account].value for account in accounts if account in found},
            "failed": failed,
        }
        context["ti"].xcom_push(key="statuses", value=result)
        self.log.info("Checked %s accounts, %s could not be checked", len(found), len(failed))
        if failed:
            raise AccountsNotStaking(era=era or 0, accounts=failed)
        return result

    def _texts(self, config: NetworkConfig | None) -> Sequence[str]:
        if self.accounts is not None:
            return self.accounts
        if config is None:
            raise InvalidInput("accounts", "not given, nor is a network", "Pass accounts=[...] or network=...")
        watched = config.accounts if self.chunk is None else config.accounts_in_chunk(self.chunk)
        return [account.account for account in watched]

    def _calls_at_a_time(self, config: NetworkConfig | None) -> int:
        from staking_gateway.types import parse_unsigned

        if self.concurrency is not None:
            return parse_unsigned(self.concurrency, MAX_CONCURRENCY, field="concurrency")
        return config.statuses.concurrency if config else DEFAULT_CONCURRENCY

    async def _check(
        self, conn_id: str, accounts: list[AccountId], concurrency: int
    ) -> dict[AccountId, StakingStatus | StakingGatewayError]:
        from staking_gateway.statuses import check_statuses

        async with await StakingGatewayHook(conn_id).aget_conn(concurrency=max(concurrency, 1)) as client:
            return {
                account: answer async for account, answer in check_statuses(client, accounts, concurrency=concurrency)
            }

    def _store(self, config: NetworkConfig | None, era: int, found: dict[AccountId, StakingStatus]) -> None:
        ledger = open_ledger(self.ledger_conn_id)
        try:
            ledger.record_statuses(self.network or self.conn_id(config), era, found.items())
        finally:
            ledger.close()
