"""How fast calls may follow one another. Time is told, or passes at once; nothing here waits."""

import asyncio
import itertools
import logging
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway import AsyncGatewayClient, errors
from staking_gateway.accounts import check_statuses
from staking_gateway.errors import Failed, InvalidInput, StakingGatewayError
from staking_gateway.http.endpoint import Endpoint
from staking_gateway.http.rate_limit import AdaptiveRateLimiter, AsyncRateLimiter
from staking_gateway.types import AccountId, StakingStatus
from tests.support.virtual_time import run

METHOD = "getStakingStatus"
LATE = errors.GatewayError("late", method=METHOD, how=Failed.TIMEOUT)
REFUSED_ACCOUNT = errors.GatewayError(
    "who?", method=METHOD, code=-32602, gateway_error="who?", how=Failed.INVALID_PARAMETER
)


def refused(retry_after=None, status=429):
    kind = Failed.TOO_MANY if status == 429 else Failed.FAILED
    return errors.GatewayError("too many calls", method=METHOD, how=kind, status=status, retry_after=retry_after)


def start(pace, now=0.0):
    assert pace.opens_in(now) == 0.0
    return pace.start(now)


def fill(pace, now=0.0):
    """Start as many calls as the window has room for."""
    lessons = []
    while pace.opens_in(now) == 0.0:
        lessons.append(pace.start(now))
    return lessons


WHOLE, RATE = r"concurrency: '.*' is not a number", "Write more than 0 and at most 100000, or null for no limit"


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        *[({"concurrency": few}, f"{few} is less than one. Write 1 or more") for few in (0, -(10**8))],
        *[({"concurrency": odd}, WHOLE) for odd in (None, "8", 2.5, True)],
        *[({"rate": wrong}, RATE) for wrong in (0, 100_001, 10**5000, float("nan"))],
        *[({"rate": wrong}, r"rate: '.*' is not a number of calls per second") for wrong in ("8", True)],
        *[({"patience": wrong}, "patience: .* is refused") for wrong in (0, 3601, float("nan"))],
    ],
    ids=lambda told: str(told)[:30] if isinstance(told, str) else "",
)
def test_limits_that_make_no_sense_are_refused_by_name(limits, told):
    with pytest.raises(InvalidInput, match=told):
        AdaptiveRateLimiter(**{"concurrency": 1, **limits})


class TestWindow:
    @pytest.mark.parametrize("status", [429, 503])
    def test_a_refusal_halves_it_once_for_all_calls_on_their_way_and_answers_widen_it_up_to_the_limit(self, status):
        pace = AdaptiveRateLimiter(64)
        for lesson in fill(pace):
            pace.failed(lesson, refused(status=status), 1.0)
        assert (pace.window, pace.refusals) == (32, 64)
        for _ in range(32):
            start(pace, 1.0)
            pace.answered()
        assert 32.8 < pace.window < 33, "one more for each windowful"
        for _ in range(3000):
            start(pace, 1.0)
            pace.answered()
        assert pace.window == 64

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.sampled_from(["start", "answered", "refused", "late", "cancelled", "later"]), max_size=200))
    def test_whatever_happens_the_count_is_right_and_the_window_within_its_bounds(self, events):
        pace, running, now = AdaptiveRateLimiter(8, 50.0), [], 0.0
        for event in events:
            if event == "later":
                now += 1.0
            elif event == "start":
                if pace.opens_in(now) == 0.0:
                    running.append(pace.start(now))
            elif running:
                lesson = running.pop()
                if event == "answered":
                    pace.answered()
                elif event == "cancelled":
                    pace.cancelled()
                else:
                    pace.failed(lesson, refused() if event == "refused" else LATE, now)
            assert pace.in_flight == len(running) <= 8
            assert 1 <= pace.window <= 8
            assert 0.02 <= pace.gap <= 5.0


class TestRetryAfter:
    @pytest.mark.parametrize(("second", "opens"), [(1.0, 30.0), (60.0, 60.0)])
    def test_the_longest_one_holds_every_call_back_and_is_told_once(self, caplog, second, opens):
        pace = AdaptiveRateLimiter(8)
        lessons = start(pace), start(pace)
        with caplog.at_level(logging.WARNING):
            pace.failed(lessons[0], refused(30.0), 5.0)
            pace.failed(lessons[1], refused(second), 5.0)
        assert [pace.opens_in(now) for now in (5.0, 20.0, 5.0 + opens)] == [opens, opens - 15, 0.0]
        assert caplog.messages == ["The gateway asks to wait 30 s (HTTP 429): no call starts before"]


@pytest.mark.parametrize("word", [None, "answer", REFUSED_ACCOUNT])
def test_patience_ends_when_nothing_was_answered_for_that_long_and_begins_anew_with_each_word(word):
    pace = AdaptiveRateLimiter(8, patience=10)
    pace.failed(start(pace), LATE, 0.0)
    pace.failed(start(pace), LATE, 10.0)
    assert pace.given_up is None
    if word == "answer":
        start(pace)
        pace.answered()
    elif word is not None:
        pace.failed(start(pace), word, 10.0)
    pace.failed(start(pace), LATE, 10.1)
    assert pace.given_up is (LATE if word is None else None)


class TestAsyncRateLimiter:
    @pytest.mark.parametrize("moment", ["waiting", "let through"])
    def test_a_caller_that_gives_up_leaves_its_turn_to_the_next(self, moment):
        async def give_up():
            limiter = AsyncRateLimiter(AdaptiveRateLimiter(1))
            await limiter.acquire()
            first, second = (asyncio.create_task(limiter.acquire()) for _ in range(2))
            await asyncio.sleep(0)
            if moment == "let through":
                limiter.answered()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            if moment == "waiting":
                limiter.answered()
            await second
            return limiter.rules.in_flight

        assert run(give_up()) == 1

    def test_that_gives_up_tells_all_who_wait_and_all_who_come(self):
        async def wait():
            limiter = AsyncRateLimiter(AdaptiveRateLimiter(1))
            lesson = await limiter.acquire()
            waiting = [asyncio.create_task(limiter.acquire()) for _ in range(3)]
            await asyncio.sleep(0)
            limiter.failed(lesson, refused(9999.0))
            return await asyncio.gather(*waiting, limiter.acquire(), return_exceptions=True)

        answers = run(wait())
        assert [answer.how for answer in answers] == [Failed.TOO_MANY] * 4
        assert len({id(answer) for answer in answers}) == 4, "each its own, for a traceback belongs to one task"


class Gateway(AsyncGatewayClient):
    """A client whose calls take 20 ms and are answered by a rule, which is told the time.

    :param rule: returns the error of a call, or None.
    """

    def __init__(self, rule):
        super().__init__(Endpoint("http://127.0.0.1:1"), "token")
        self.rule = rule
        self.calls = []

    async def _send(self, call):
        now = asyncio.get_running_loop().time()
        self.calls.append(now)
        await asyncio.sleep(0.02)
        error = self.rule(now)
        if error is not None:
            raise error
        return StakingStatus.IS_STAKING


def accounts(count):
    return [AccountId(number.to_bytes(32, "big"), str(number)) for number in range(count)]


def check(rule, count, **options):
    """Check accounts; returns the gateway, the answers, and how long it took."""
    gateway = Gateway(rule)

    async def collected():
        answers = [answer async for _, answer in check_statuses(gateway, accounts(count), **options)]
        return answers, asyncio.get_running_loop().time()

    return gateway, *run(collected())


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
    def test_find_the_pace_of_a_gateway_that_only_refuses_and_lose_next_to_none(self, per_second):
        count = per_second * 20
        gateway, answers, took = check(allowing(per_second), count, concurrency=64)
        lost = [answer for answer in answers if isinstance(answer, StakingGatewayError)]
        assert len(lost) <= count // 20
        assert took < 20 * 3
        assert len(gateway.calls) < 2 * count + 200

    def test_of_which_some_are_refused_at_any_pace_are_all_answered_soon(self):
        """One of the machines behind a gateway's address is dead: slowing down does not help, so it must not go on for ever."""
        chance = random.Random(1)
        _, answers, took = check(lambda now: refused() if chance.random() < 0.2 else None, 1000, concurrency=32)
        assert set(answers) == {StakingStatus.IS_STAKING}
        assert took < 1000 * 0.02, "not even as long as one after the other"

    def test_all_wait_when_one_is_told_to_and_then_go_on(self):
        told = []

        def rule(now):
            if now >= 1.0 and not told:
                told.append(now)
                return refused(30.0, status=503)
            return None

        gateway, answers, _ = check(rule, 9_000, concurrency=64)
        assert set(answers) == {StakingStatus.IS_STAKING}
        answered = told[0] + 0.02
        assert not [now for now in gateway.calls if answered < now < answered + 30 - 0.001]
        recovered = [now for now in gateway.calls if now > answered + 31.5]
        assert len(recovered) / (gateway.calls[-1] - recovered[0]) == pytest.approx(64 / 0.02, rel=0.1)

    def test_end_when_nothing_is_answered_any_more(self):
        gateway, answers, took = check(lambda now: LATE if now > 1 else None, 10_000, concurrency=8, patience=60)
        assert len(answers) == 10_000
        assert took < 120
        assert len(gateway.calls) < 5_000
