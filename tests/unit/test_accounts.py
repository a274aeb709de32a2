"""Checking many accounts: the calls are bounded, one bad account does not lose the others."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.accounts import Tally, check_statuses
from staking_gateway.errors import Failed, GatewayError, SigningError
from staking_gateway.types import AccountId, StakingStatus


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
    answers = {}
    asyncio.run(check_statuses(gateway, accounts, answers, **options))
    return answers


class TestChecking:
    @settings(max_examples=30)
    @given(count=st.integers(0, 40), concurrency=st.integers(1, 50))
    def test_asks_once_for_each_account_and_never_more_at_a_time_than_allowed(self, count, concurrency):
        gateway = Gateway()
        accounts = [account(number) for number in range(count)]
        answers = check(gateway, accounts, concurrency=concurrency)
        assert answers == dict.fromkeys(accounts, StakingStatus.IS_STAKING)
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
        answers = check(Gateway(errors), [account(number) for number in range(20)], concurrency=3)
        for number in range(20):
            assert answers[account(number)] == errors.get(account(number), StakingStatus.IS_STAKING)
        tally = Tally.of(answers)
        assert str(tally) == (
            f"20 accounts: {20 - len(failing)} staking, 0 not staking, {len(failing)} could not be checked"
        )

    def test_that_is_cancelled_leaves_no_call_in_flight_and_keeps_what_came_before(self):
        async def cancelled():
            gateway, answers = Gateway(silent=[account(number) for number in range(1, 9)]), {}
            task = asyncio.create_task(check_statuses(gateway, map(account, range(100)), answers, concurrency=4))
            for _ in range(5):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return gateway, answers

        gateway, answers = asyncio.run(cancelled())
        assert answers == {account(0): StakingStatus.IS_STAKING}
        assert (gateway.in_flight, len(gateway.asked), gateway.cancelled) == (0, 5, 4)
