"""Concurrent checks of the staking statuses of many accounts. A failed account does not stop the others."""

import asyncio
import copy
import importlib.util
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from staking_gateway.errors import StakingGatewayError
from staking_gateway.gateway.async_client import AsyncGatewayClient, Pace
from staking_gateway.types import AccountId, StakingStatus

T = TypeVar("T")

BATCH = 500
"""Statuses that are stored in one transaction."""


def run_quickly(main: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, on uvloop where it is installed: many calls take a third less processor time."""
    uvloop = importlib.import_module("uvloop") if importlib.util.find_spec("uvloop") else None
    with asyncio.Runner(loop_factory=uvloop.new_event_loop if uvloop else None) as runner:
        return runner.run(main)


class Tally(Counter[str]):
    """Numbers of accounts: `staking`, `not_staking` and `not_checked`."""

    def note(self, answer: StakingStatus | StakingGatewayError) -> None:
        known = {StakingStatus.IS_STAKING: "staking", StakingStatus.IS_NOT_STAKING: "not_staking"}
        self["not_checked" if isinstance(answer, Exception) else known[answer]] += 1

    def __str__(self) -> str:
        return (
            f"{self.total()} accounts: {self['staking']} staking, {self['not_staking']} not staking, "
            f"{self['not_checked']} could not be checked"
        )


async def check_statuses(
    client: AsyncGatewayClient,
    accounts: Iterable[AccountId],
    *,
    on_answer: Callable[[AccountId, StakingStatus | StakingGatewayError], object],
    store: Callable[[list[tuple[AccountId, StakingStatus]]], object] | None = None,
    concurrency: int,
    rate: float | None = None,
) -> Tally:
    """Request the status of every account, and store the answers in batches meanwhile, also those before an exception.

    Sets the client's pace: a refusal (HTTP 429 or 503) holds all calls. After `PATIENCE` without an answer, or for a longer `Retry-After`, the
    remaining accounts get the last error.

    :param on_answer: gets each account with its status or the error of its last attempt, as they arrive.
    :param store: stores one batch; called in another thread, and in this one for the last batch.
    :param concurrency: most calls at a time; `rate`: per second.
    """
    client.pace = pace = Pace(rate)
    todo, tally, storing = iter(accounts), Tally(), asyncio.Lock()
    batch: list[tuple[AccountId, StakingStatus]] = []

    async def work() -> None:
        for account in todo:
            answer: StakingStatus | StakingGatewayError
            try:
                answer = copy.copy(pace.given_up) or await client.staking_status(account)
            except StakingGatewayError as error:
                answer = error
            tally.note(answer)
            on_answer(account, answer)
            if store is not None and isinstance(answer, StakingStatus):
                batch.append((account, answer))
                if len(batch) >= BATCH:
                    full = batch[:]
                    batch.clear()
                    async with storing:
                        await asyncio.to_thread(store, full)

    try:
        # As many workers as calls at a time: a task for each account costs more processor time than its call.
        async with asyncio.TaskGroup() as workers:
            for _ in range(concurrency):
                workers.create_task(work())
    except BaseExceptionGroup as stopped:
        raise stopped.exceptions[0] from None
    finally:
        if store is not None and batch:
            store(batch)
    return tally
