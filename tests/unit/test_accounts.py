"""Checking many accounts: the calls are bounded, one bad account does not lose the others."""

import asyncio

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from staking_gateway.accounts import BATCH, check_statuses
from staking_gateway.errors import Failed, GatewayError, LedgerError, SigningError
from staking_gateway.types import AccountId, StakingStatus
from tests.support.virtual_time import run


def account(number):
    return AccountId(number.to_bytes(32, "big"), str(number))


class Gateway:
    """Answers when it is let; counts the calls in flight."""

    def __init__(self, errors=None, *, silent=(), status=StakingStatus.IS_STAKING):
        self.errors = errors or {}
        self.status = status
        self.silent = silent
        self.asked = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.cancelled = 0

    async def staking_status(self, account):
        self.asked.append(account)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await (asyncio.Event().wait() if account in self.silent else asyncio.sleep(0))
            if account in self.errors:
                raise self.errors[account]
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        return self.status


def check(gateway, accounts, **options):
    found = []
    asyncio.run(check_statuses(gateway, accounts, on_answer=lambda *pair: found.append(pair), **options))
    return found


class TestChecking:
    @settings(max_examples=30)
    @given(count=st.integers(0, 40), concurrency=st.integers(1, 50))
    def test_asks_once_for_each_account_and_never_more_at_a_time_than_allowed(self, count, concurrency):
        gateway = Gateway()
        accounts = [account(number) for number in range(count)]
        answers = check(gateway, accounts, concurrency=concurrency)
        assert sorted(found.address for found, _ in answers) == sorted(wanted.address for wanted in accounts)
        assert gateway.asked == accounts
        assert gateway.most_in_flight == min(count, concurrency)

    @settings(max_examples=20)
    @given(failing=st.sets(st.integers(0, 19)))
    def test_gives_the_error_of_each_account_that_failed_and_the_status_of_all_others(self, failing):
        late, unsigned = (
            GatewayError("late", method="getStakingStatus", how=Failed.TIMEOUT),
            SigningError("the signer is away"),
        )
        errors = {account(number): late if number % 2 else unsigned for number in failing}
        answers = dict(check(Gateway(errors), [account(number) for number in range(20)], concurrency=3))
        for number in range(20):
            assert answers[account(number)] == errors.get(account(number), StakingStatus.IS_STAKING)

    def test_that_is_cancelled_leaves_no_call_in_flight_and_keeps_what_came_before(self):
        async def cancelled():
            gateway, first, batches = Gateway(silent=[account(number) for number in range(1, 9)]), asyncio.Event(), []
            options = {"on_answer": lambda *_: first.set(), "store": batches.append, "concurrency": 4}
            task = asyncio.create_task(check_statuses(gateway, map(account, range(100)), **options))
            await first.wait()
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return gateway, batches

        gateway, batches = asyncio.run(cancelled())
        assert batches == [[(account(0), StakingStatus.IS_STAKING)]]
        assert (gateway.in_flight, len(gateway.asked), gateway.cancelled) == (0, 5, 4)


class TestRecording:
    def record(self, gateway, count, store, *, on_answer=lambda account, answer: None, **options):
        options = {"concurrency": 32, "store": store, "on_answer": on_answer, **options}
        return run(check_statuses(gateway, map(account, range(count)), **options))

    @settings(max_examples=10, deadline=None)
    @example(count=0, failing=set())
    @given(count=st.integers(0, 1200), failing=st.sets(st.integers(0, 1199), max_size=30))
    def test_stores_every_status_once_in_batches_and_counts_them(self, count, failing):
        batches, heard = [], {}
        errors = {
            account(number): GatewayError("late", method="getStakingStatus", how=Failed.TIMEOUT) for number in failing
        }
        tally = self.record(Gateway(errors), count, batches.append, on_answer=heard.__setitem__)
        stored = [found for batch in batches for found in batch]
        well = {account(number) for number in range(count) if number not in failing}
        assert dict(stored) == dict.fromkeys(well, StakingStatus.IS_STAKING)
        assert [len(batch) for batch in batches[:-1]] == [BATCH] * (len(batches) - 1)
        assert len(heard) == count
        assert (tally["staking"], tally["not_staking"], tally["not_checked"]) == (len(well), 0, count - len(well))

    def test_counts_without_storing_them_too(self):
        tally = self.record(Gateway(status=StakingStatus.IS_NOT_STAKING), BATCH + 1, None)
        assert str(tally) == f"{BATCH + 1} accounts: 0 staking, {BATCH + 1} not staking, 0 could not be checked"

    def test_ends_when_a_batch_cannot_be_stored(self):
        def store(batch):
            raise LedgerError("the disk is full")

        gateway = Gateway()
        with pytest.raises(LedgerError, match="the disk is full"):
            self.record(gateway, 10_000, store)
        assert len(gateway.asked) < 3000
