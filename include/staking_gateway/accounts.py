"""Checking the staking status of many accounts: concurrently, at a pace, and without one bad account losing the others.

Nothing grows with the number of accounts but what the caller keeps: answers are handed on as they come.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway.eras.expiry import check_payable
from staking_gateway.errors import InvalidAccount, InvalidInput, StakingGatewayError
from staking_gateway.http.rate_limit import PATIENCE, RATE_LIMITER, AdaptiveRateLimiter, AsyncRateLimiter
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.gateway.async_client import AsyncGatewayClient

Answer: TypeAlias = "tuple[AccountId, StakingStatus | StakingGatewayError]"

BATCH = 500
"""Statuses that are stored in one transaction."""
STORE_EVERY = 5.0
"""Seconds after which fewer are stored, so that a slow check that is killed loses little."""
TELL_EVERY = 10.0
"""Seconds between two lines about the progress."""
_WAITING_ANSWERS = 1000


def is_list(accounts: object) -> bool:
    """Whether there are accounts to go through: a mapping or a single text would give something else."""
    return isinstance(accounts, Iterable) and not isinstance(accounts, (str, bytes, Mapping))


def parse_accounts(accounts: Iterable[str | AccountId]) -> list[AccountId]:
    """Read a list of accounts.

    :raises InvalidAccount: an entry is not an account; the field is `accounts[i]`.
    :raises InvalidInput: it is no list, is empty, or holds an account twice, in whatever spelling.
    """
    if not is_list(accounts):
        kind = "one text" if isinstance(accounts, str) else f"of type {type(accounts).__name__}"
        raise InvalidInput("accounts", f"is {kind}", "Pass a list of addresses or public keys")
    parsed = [AccountId.parse(account, field=f"accounts[{index}]") for index, account in enumerate(accounts)]
    if not parsed:
        raise InvalidInput("accounts", "the list is empty", "Name at least one account")
    first: dict[bytes, int] = {}
    for index, account in enumerate(parsed):
        earlier = first.setdefault(account.public_key, index)
        if earlier != index:
            raise InvalidInput(f"accounts[{index}]", f"is the account of accounts[{earlier}] again", "Keep one of them")
    return parsed


def check_stored_era(network: NetworkConfig, era: int, told: int | None, now: datetime) -> None:
    """Refuse to store today's statuses for an era no run would check: people look at the newest era that has statuses.

    :param told: the active era as the gateway reports it; None takes the calendar's.
    :raises InvalidEra: the era has not ended, or has expired.
    """
    active = network.calendar.era_at(now) if told is None else told
    check_payable(era, active, network.history_depth)


def readable_accounts(accounts: Iterable[str]) -> dict[AccountId, str]:
    """Those of a list that can be asked for, and how each is spelt there: what is no account is left out, and one that is named
    twice is taken once.
    """
    found: dict[AccountId, str] = {}
    for text in accounts:
        with suppress(InvalidAccount):
            found.setdefault(AccountId.parse(text), text)
    return found


async def check_statuses(
    client: AsyncGatewayClient,
    accounts: Iterable[AccountId],
    *,
    concurrency: int = 32,
    rate: float | None = None,
    patience: float = PATIENCE,
) -> AsyncGenerator[Answer, None]:
    """Ask for every account's status; yields each as its answer comes.

    A refusal (HTTP 429 or 503) slows all calls down, `Retry-After` holds all of them back, the repeated ones too; see `AdaptiveRateLimiter`.

    :param concurrency: most calls in flight at a time, at least 1.
    :param rate: most calls per second; None for no limit.
    :param patience: seconds without any answer after which the accounts that are left are not asked for: each gets the error that
        was the last. A gateway that asks for a longer pause has the same effect.
    :returns: pairs of the account and its status, or the error of its last attempt.
    :raises InvalidInput: concurrency or rate out of range.
    """
    check = _Check(client, accounts, AsyncRateLimiter(AdaptiveRateLimiter(concurrency, rate, patience=patience)))
    try:
        while (answers := await check.take()) is not None:
            for answer in answers:
                yield answer
    finally:
        await check.close()


@dataclass
class Tally:
    """How far a check has come.

    :param accounts: how many are to be checked.
    """

    accounts: int
    staking: int = 0
    not_staking: int = 0
    not_checked: int = 0

    def count(self, answer: StakingStatus | StakingGatewayError) -> None:
        """Count an account's answer."""
        if answer is StakingStatus.IS_STAKING:
            self.staking += 1
        elif answer is StakingStatus.IS_NOT_STAKING:
            self.not_staking += 1
        else:
            self.not_checked += 1

    def __str__(self) -> str:
        done = self.staking + self.not_staking + self.not_checked
        return (
            f"{done} of {self.accounts} accounts: {self.staking} staking, {self.not_staking} not staking, "
            f"{self.not_checked} could not be checked"
        )


async def record_statuses(
    client: AsyncGatewayClient,
    accounts: Sequence[AccountId],
    *,
    concurrency: int = 32,
    rate: float | None = None,
    store: Callable[[list[tuple[AccountId, StakingStatus]]], object] | None,
    on_answer: Callable[[AccountId, StakingStatus | StakingGatewayError], object],
    tell: Callable[[str], object],
) -> Tally:
    """Check accounts as `check_statuses` does, and store the answers in batches while the calls go on.

    What came before an exception is stored too, and a check that is killed leaves the batches before.

    :param store: stores one batch; called in another thread, and once in this one at the end. None stores nothing.
    :param on_answer: is given every answer as it comes.
    :param tell: is given a line about the progress now and then.
    :raises InvalidInput: concurrency or rate out of range.
    """
    tally = Tally(len(accounts))
    batch: list[tuple[AccountId, StakingStatus]] = []
    clock = asyncio.get_running_loop().time
    stored = told = clock()
    answers = check_statuses(client, accounts, concurrency=concurrency, rate=rate)
    async with aclosing(answers):
        try:
            async for account, answer in answers:
                tally.count(answer)
                on_answer(account, answer)
                if store is not None and isinstance(answer, StakingStatus):
                    batch.append((account, answer))
                now = clock()
                if store is not None and (len(batch) >= BATCH or (batch and now - stored >= STORE_EVERY)):
                    full, batch, stored = batch, [], now
                    await asyncio.to_thread(store, full)
                if now - told >= TELL_EVERY:
                    told = now
                    tell(str(tally))
        finally:
            if store is not None and batch:
                store(batch)
    return tally


class _Check:
    """Workers that take accounts from one iterator, and put answers where one reader takes them."""

    def __init__(self, client: AsyncGatewayClient, accounts: Iterable[AccountId], limiter: AsyncRateLimiter) -> None:
        self._client = client
        self._todo = iter(accounts)
        self._limiter = limiter
        self._found: list[Answer] = []
        self._mistake: BaseException | None = None
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._workers = {asyncio.create_task(self._work()) for _ in range(limiter.rules.limit)}
        for worker in self._workers:
            worker.add_done_callback(self._ended)

    async def take(self) -> list[Answer] | None:
        """The answers that have come since; None when all have been taken."""
        if self._workers:
            await self._news.wait()
        self._news.clear()
        if self._mistake is not None:
            raise self._mistake
        found, self._found = self._found, []
        self._room.set()
        return found if found or self._workers else None

    async def close(self) -> None:
        """Give up what is in flight."""
        workers = list(self._workers)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if not worker.cancelled():
            self._mistake = worker.exception() or self._mistake
        self._news.set()

    async def _work(self) -> None:
        RATE_LIMITER.set(self._limiter)
        ask, rules = self._client.staking_status, self._limiter.rules
        for account in self._todo:
            answer: StakingStatus | StakingGatewayError
            if rules.given_up is not None:
                answer = copy.copy(rules.given_up)
            else:
                try:
                    answer = await ask(account)
                except StakingGatewayError as error:
                    answer = error
            self._found.append((account, answer))
            self._news.set()
            while len(self._found) >= _WAITING_ANSWERS:
                self._room.clear()
                await self._room.wait()
