"""Whether an era may be paid now."""

import asyncio

import pytest

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.gateway.gateway import areadiness, readiness
from staking_gateway.types import ElectionWindow
from tests.support.failed import fails

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
MISSING = GatewayError(
    "Method not found", method="m", code=-32601, gateway_error="Method not found", how=Failed.NO_METHOD
)


class Gateway:
    """Reports what it is given, or raises it."""

    def __init__(self, active, window):
        self._answers = {"era": active, "window": window}
        self.asked = []

    def _answer(self, name):
        self.asked.append(name)
        if isinstance(self._answers[name], Exception):
            raise self._answers[name]
        return self._answers[name]

    def active_era(self):
        return self._answer("era")

    def election_window(self):
        return self._answer("window")


class AsyncGateway(Gateway):
    async def active_era(self):
        return super().active_era()

    async def election_window(self):
        return super().election_window()


@pytest.fixture(params=[Gateway, AsyncGateway])
def ask(request):
    def ask(active, state, **options):
        gateway = request.param(active, state)
        found = (
            readiness(gateway, **options) if request.param is Gateway else asyncio.run(areadiness(gateway, **options))
        )
        return found, gateway.asked

    return ask


@pytest.mark.parametrize(
    ("told", "options", "ready", "message", "asked"),
    [
        ((7, CLOSED), {"era": 7}, False, "era 7 has not ended, era 7 is active", ["era"]),
        ((8, OPEN), {"era": 7}, False, "the election window is open", ["era", "window"]),
        ((8, CLOSED), {"era": 7}, True, "era 8 is active, the election window is closed", ["era", "window"]),
        ((8, OPEN), {"era": 7, "window": False}, True, "era 8 is active", ["era"]),
        ((8, OPEN), {}, False, "the election window is open", ["window"]),
        ((8, CLOSED), {}, True, "the election window is closed", ["window"]),
        ((MISSING, CLOSED), {"era": 7}, True, "the election window is closed", ["era", "window"]),
        ((8, MISSING), {"era": 7}, True, "era 8 is active", ["era", "window"]),
        ((MISSING, MISSING), {"era": 7}, True, "this gateway reports neither era nor window", ["era", "window"]),
    ],
)
def test_an_era_may_be_paid_when_it_is_over_and_the_window_closed(  # noqa: PLR0917 # a column of the table each
    ask, told, options, ready, message, asked
):
    found, questions = ask(*told, **options)
    assert (found.ready, found.message, questions) == (ready, message, asked)


def test_an_error_is_no_answer(ask):
    with fails(Failed.UNREACHABLE):
        ask(8, GatewayError("no connection", method="getElectionWindow", how=Failed.UNREACHABLE), era=7)
