"""Checking whether accounts are staking."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import AccountsNotStaking, InvalidInput
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import open_ledger
from staking_gateway_provider.operators.base import StakingOperator

if TYPE_CHECKING:
    from staking_gateway.errors import GatewayError
    from staking_gateway.settings import NetworkConfig
    from staking_gateway.types import AccountId, StakingStatus

DEFAULT_CONCURRENCY = 32


class StakingStatusOperator(StakingOperator):
    """Asks for the staking status of accounts, many at a time, and stores each per era in the ledger.

    Returns `{"era", "statuses": {account: isStaking | isNotStaking}, "failed": {account: error}}`; the same is in the XCom
    `statuses` when the task fails because some accounts could not be checked. What was found is stored either way.

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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
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

        config = self.config() if self.accounts is None or self.network else None
        if self.accounts is None and config is None:
            raise InvalidInput("accounts", "not given, nor is a network", "Pass accounts=[...] or network=...")
        accounts = parse_accounts(self._texts(config))
        era = self.era_of(context, self.era)
        concurrency = self.concurrency if self.concurrency is not None else self._configured_concurrency(config)
        found, failed = asyncio.run(self._check(self.conn_id(config), accounts, concurrency))
        if era is not None:
            self._store(config, era, found)
        result = {
            "era": era,
            "statuses": {account.address: status.value for account, status in found},
            "failed": {account.address: str(error) for account, error in failed},
        }
        context["ti"].xcom_push(key="statuses", value=result)
        self.log.info("Checked %s accounts, %s could not be checked", len(found), len(failed))
        if failed:
            raise AccountsNotStaking(era=era or 0, accounts={account.address: str(error) for account, error in failed})
        return result

    def _texts(self, config: NetworkConfig | None) -> Sequence[str]:
        if self.accounts is not None:
            return self.accounts
        if config is None:
            return ()
        watched = config.accounts if self.chunk is None else config.accounts_in_chunk(int(self.chunk))
        return [account.account for account in watched]

    def _configured_concurrency(self, config: NetworkConfig | None) -> int:
        return config.statuses.concurrency if config else DEFAULT_CONCURRENCY

    async def _check(
        self, conn_id: str, accounts: list[AccountId], concurrency: int
    ) -> tuple[list[tuple[AccountId, StakingStatus]], list[tuple[AccountId, GatewayError]]]:
        from staking_gateway.statuses import check_statuses
        from staking_gateway.types import StakingStatus

        found: list[tuple[AccountId, StakingStatus]] = []
        failed: list[tuple[AccountId, GatewayError]] = []
        async with await StakingGatewayHook(conn_id).aget_conn(concurrency=max(concurrency, 1)) as client:
            async for account, answer in check_statuses(client, accounts, concurrency=concurrency):
                if isinstance(answer, StakingStatus):
                    found.append((account, answer))
                else:
                    failed.append((account, answer))
        return found, failed

    def _store(self, config: NetworkConfig | None, era: int, found: list[tuple[AccountId, StakingStatus]]) -> None:
        ledger = open_ledger(self.ledger_conn_id)
        try:
            ledger.record_statuses(self.network or self.conn_id(config), era, found)
        finally:
            ledger.close()
