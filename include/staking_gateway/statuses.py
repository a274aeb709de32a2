"""Checking the staking status of many accounts: concurrently, and without one bad account losing the others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from staking_gateway.aio import AsyncGatewayClient


def parse_accounts(accounts: Iterable[str | AccountId]) -> list[AccountId]:
    """Read a list of accounts.

    :raises InvalidAccount: an entry is not an account; the field is `accounts[i]`.
    :raises InvalidInput: the list is empty, is a single text, or holds an account twice, in whatever spelling.
    """
    if isinstance(accounts, str):
        raise InvalidInput("accounts", "is one text", "Pass a list of addresses or public keys")
    parsed = [AccountId.parse(account, field=f"accounts[{index}]") for index, account in enumerate(accounts)]
    if not parsed:
        raise InvalidInput("accounts", "the list is empty", "Name at least one account")
    first: dict[bytes, int] = {}
    for index, account in enumerate(parsed):
        earlier = first.setdefault(account.public_key, index)
        if earlier != index:
            raise InvalidInput(f"accounts[{index}]", f"is the account of accounts[{earlier}] again", "Keep one of them")
    return parsed


async def check_statuses(
    client: AsyncGatewayClient, accounts: Iterable[AccountId], *, concurrency: int = 32
) -> AsyncIterator[tuple[AccountId, StakingStatus | StakingGatewayError]]:
    """Ask for every account's status; yields each as its answer comes.

    :param concurrency: most calls in flight at a time, at least 1.
    :returns: pairs of the account and its status, or the error of its last attempt.
    """
    if concurrency < 1:
        raise InvalidInput("concurrency", f"{concurrency} is less than one", "Write 1 or more")

    async def ask(account: AccountId) -> tuple[AccountId, StakingStatus | StakingGatewayError]:
        try:
            return account, await client.staking_status(account)
        except StakingGatewayError as error:
            return account, error

    pending: set[asyncio.Task[tuple[AccountId, StakingStatus | StakingGatewayError]]] = set()
    try:
        for account in accounts:
            if len(pending) >= concurrency:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
            pending.add(asyncio.create_task(ask(account)))
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in pending:
            task.cancel()
