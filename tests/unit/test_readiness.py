"""Whether an era may be paid now, as both clients are asked."""

import asyncio

import pytest

from staking_gateway import errors
from staking_gateway.gateway.readiness import Look, Readiness, Wanted, alook, areadiness, judge, readiness
from staking_gateway.types import ElectionWindow

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
UNKNOWN_METHOD = errors.RpcMethodNotFound(method="m", code=-32601, rpc_message="Method not found")
NO_SUCH_PATH = errors.UnexpectedStatus("x", method="m", status=404)
NOT_ALLOWED = errors.UnexpectedStatus("x", method="m", status=405)
BUSY = errors.GatewayUnavailable("x", method="m", status=503)
TEAPOT = errors.UnexpectedStatus("x", method="m", status=418)


class Gateway:
    def __init__(self, active, window):
        self.active, self.window = active, window

    def active_era(self):
        return self._tell(self.active)

    def election_window(self):
        return self._tell(self.window)

    def _tell(self, answer):
        assert answer is not None, "asked without need"
        if isinstance(answer, Exception):
            raise answer
        return answer


class AsyncGateway(Gateway):
    async def active_era(self):
        return super().active_era()

    async def election_window(self):
        return super().election_window()


@pytest.fixture(params=["blocking", "async"])
def ask(request):
    def asked(active, state, **options):
        if request.param == "blocking":
            return readiness(Gateway(active, state), **options)
        return asyncio.run(areadiness(AsyncGateway(active, state), **options))

    return asked


@pytest.mark.parametrize(
    ("active", "window", "ready", "message"),
    [
        (8, CLOSED, True, "era 8 is active, the election window is closed"),
        (9, CLOSED, True, "era 9 is active, the election window is closed"),
        (7, CLOSED, False, "era 7 has not ended, era 7 is active"),
        (6, CLOSED, False, "era 7 has not ended, era 6 is active"),
        (7, OPEN, False, "era 7 has not ended, era 7 is active"),
        (8, OPEN, False, "the election window is open"),
        (UNKNOWN_METHOD, OPEN, False, "the election window is open"),
        (UNKNOWN_METHOD, CLOSED, True, "the election window is closed"),
        (8, UNKNOWN_METHOD, True, "era 8 is active"),
        (8, NO_SUCH_PATH, True, "era 8 is active"),
        (NOT_ALLOWED, NOT_ALLOWED, True, "this gateway tells neither era nor window"),
    ],
)
def test_an_era_is_ready_when_it_has_ended_and_the_window_is_not_open_as_far_as_the_gateway_tells(
    ask, active, window, ready, message
):
    assert ask(active, window, era=7) == Readiness(ready, message)


def test_without_an_era_only_the_window_is_asked_for(ask):
    assert ask(None, OPEN) == Readiness(False, "the election window is open")
    assert ask(None, CLOSED).ready


def test_where_the_window_does_not_matter_only_the_era_is_asked_for(ask):
    assert ask(8, None, era=7, window=False) == Readiness(True, "era 8 is active")
    assert not ask(7, None, era=7, window=False).ready


@pytest.mark.parametrize("error", [BUSY, TEAPOT])
def test_any_other_error_is_no_answer(ask, error):
    for active, window in ((error, CLOSED), (8, error)):
        with pytest.raises(type(error)):
            ask(active, window, era=7)


class TestShared:
    """One look for several."""

    def test_each_judges_for_itself(self):
        look = asyncio.run(alook(AsyncGateway(8, OPEN), [Wanted(8), Wanted(7), Wanted(7, window=False)]))
        assert judge(Wanted(8), look) == Readiness(False, "era 8 has not ended, era 8 is active")
        assert judge(Wanted(7), look) == Readiness(False, "the election window is open")
        assert judge(Wanted(7, window=False), look) == Readiness(True, "era 8 is active")
        assert judge(Wanted(), look) == Readiness(False, "the election window is open")

    def test_the_window_is_not_asked_for_while_all_their_eras_run(self):
        look = asyncio.run(alook(AsyncGateway(7, None), [Wanted(7), Wanted(8)]))
        assert look == Look(active=7, asked_era=True)

    def test_but_is_for_those_who_wait_for_no_era(self):
        look = asyncio.run(alook(AsyncGateway(7, CLOSED), [Wanted(7), Wanted()]))
        assert judge(Wanted(), look) == Readiness(True, "the election window is closed")

    @pytest.mark.parametrize("late", [Wanted(7), Wanted(), Wanted(5, window=False)])
    def test_what_was_not_asked_for_lets_nobody_through(self, late):
        look = Look(window=CLOSED, asked_window=True) if late.era is not None else Look(active=8, asked_era=True)
        assert judge(late, look) == Readiness(False, "not asked yet")
