"""How fast calls may follow one another. Time passes at once; nothing here waits."""

import asyncio
import copy
import itertools

import pytest

from staking_gateway import AsyncGatewayClient
from staking_gateway.accounts import check_statuses
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.gateway import async_client
from staking_gateway.types import AccountId, StakingStatus
from tests.support.virtual_time import run

METHOD = "getStakingStatus"
LATE = GatewayError("late", method=METHOD, how=Failed.TIMEOUT)


def refused(retry_after=None, status=429):
    how = Failed.TOO_MANY if status == 429 else Failed.FAILED
    return GatewayError("too many calls", method=METHOD, how=how, status=status, retry_after=retry_after)


class Gateway(AsyncGatewayClient):
    """A client whose calls take 20 ms and are answered by a rule, which is told the time.

    :param rule: returns the error of a call, or None.
    """

    def __init__(self, rule):
        super().__init__("http://127.0.0.1:1", "token")
        self.rule = rule
        self.calls = []

    async def _send(self, call):
        now = asyncio.get_running_loop().time()
        self.calls.append(now)
        await asyncio.sleep(0.02)
        error = self.rule(now)
        if error is not None:
            raise copy.copy(error)  # A call's own, as the client makes it.
        return StakingStatus.IS_STAKING


def accounts(count):
    return [AccountId(number.to_bytes(32, "big"), str(number)) for number in range(count)]


def check(rule, count, *, patience=60, **options):
    """Check accounts; returns the gateway, the answers, and how long it took."""
    gateway, answers = Gateway(rule), []

    async def timed():
        await check_statuses(gateway, accounts(count), on_answer=lambda _, answer: answers.append(answer), **options)
        return asyncio.get_running_loop().time()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(async_client, "PATIENCE", patience)
        return gateway, answers, run(timed())


def allowing(per_second, burst=5.0):
    """A gateway that lets so many calls through, and refuses all others."""
    state = {"tokens": burst, "at": 0.0}

    def rule(now):
        state["tokens"] = min(burst, state["tokens"] + max(0.0, now - state["at"]) * per_second)
        state["at"] = max(now, state["at"])
        if state["tokens"] < 1:
            return refused()
        state["tokens"] -= 1
        return None

    return rule


class TestManyCalls:
    @pytest.mark.parametrize("rate", [0.5, 40])
    def test_keep_to_the_rate_and_reach_it(self, rate):
        count = int(rate * 10) + 1
        gateway, _, took = check(lambda now: None, count, concurrency=64, rate=rate)
        assert took == pytest.approx(10, abs=0.5)
        for first, last in itertools.combinations(range(0, count, max(1, count // 50)), 2):
            assert last - first <= rate * (gateway.calls[last] - gateway.calls[first] + 0.011) + 1

    @pytest.mark.parametrize("per_second", [2, 50])
    def test_of_a_gateway_that_only_refuses_are_all_answered(self, per_second):
        count = per_second * 20
        _, answers, took = check(allowing(per_second), count, concurrency=64)
        assert set(answers) == {StakingStatus.IS_STAKING}
        assert took < 20 * 3

    @pytest.mark.parametrize("status", [429, 503])
    def test_all_wait_when_one_is_told_to_and_then_go_on(self, status):
        told = []

        def rule(now):
            if now >= 1.0 and not told:
                told.append(now)
                return refused(30.0, status=status)
            return None

        gateway, answers, _ = check(rule, 5_000, concurrency=64)
        assert set(answers) == {StakingStatus.IS_STAKING}
        answered = told[0] + 0.02
        assert not [now for now in gateway.calls if answered < now < answered + 30 - 0.001]

    @pytest.mark.parametrize("fault", [LATE, refused(), refused(61.0)], ids=["late", "refused", "a long wait"])
    def test_end_when_nothing_is_answered_any_more(self, fault):
        gateway, answers, took = check(lambda now: fault if now > 1 else None, 10_000, concurrency=8)
        assert len(answers) == 10_000
        assert answers[-1].how is fault.how
        assert len({id(answer) for answer in answers[-100:]}) == 100, "each its own: a traceback belongs to one task"
        assert took < 180
        assert len(gateway.calls) < 5_000

    def test_go_on_after_errors_that_are_of_one_account_each(self):
        wrong = GatewayError("odd", method=METHOD, how=Failed.WRONG_RESULT)
        _, answers, _ = check(lambda now: wrong, 50, concurrency=8, patience=0.01)
        assert [answer.how for answer in answers] == [Failed.WRONG_RESULT] * 50
