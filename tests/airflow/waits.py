"""Triggers that wait, alone or beside each other in one event loop, and a gateway that counts what it is asked."""

import asyncio
import functools
import itertools
import time
from contextlib import asynccontextmanager

from names import ACTIVE

from staking_gateway.types import ElectionWindow, RequestState, RequestStatus
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.triggers.election import ElectionWindowTrigger
from staking_gateway_provider.triggers.payout import PayoutConfirmationTrigger
from tests.support import virtual_time

CONN_ID = "staking_gateway_default"
REQUEST = "00000000-0000-4000-8000-000000000000"
OTHER_REQUEST = "00000000-0000-4000-8000-000000000001"
PATIENCE = 30.0


def window(*, wait=PATIENCE, **arguments):
    given = {"gateway_conn_id": CONN_ID, "poll_interval": 0.1, "deadline": time.time() + wait}
    return ElectionWindowTrigger(**{**given, **arguments})


def confirmation(request_id=REQUEST, *, wait=PATIENCE, **arguments):
    given = {"gateway_conn_id": CONN_ID, "poll_interval": 0.1, "deadline": time.time() + wait}
    return PayoutConfirmationTrigger(request_id=request_id, **{**given, **arguments})


class Gateway:
    """A client that answers as it is told and counts; in place of every client a hook makes."""

    def __init__(self, monkeypatch):
        self.active, self.window, self.state = ACTIVE, "open", RequestStatus.PENDING
        self.error = None
        self.made, self.closed = [], []
        self.questions = []
        self.connection_error = None
        self.held = asyncio.Event()
        self.held.set()
        self.changed = asyncio.Event()
        gateway = self

        async def connect(hook, concurrency):
            if gateway.connection_error is not None:
                raise gateway.connection_error
            gateway.made.append(hook.gateway_conn_id)
            return Client(gateway, hook.gateway_conn_id)

        monkeypatch.setattr(StakingGatewayHook, "aget_conn", connect)

    @property
    def open(self):
        return len(self.made) - len(self.closed)

    def times(self, method, conn_id=CONN_ID):
        return [moment for name, conn, moment in self.questions if (name, conn) == (method, conn_id)]

    def count(self, method, conn_id=CONN_ID):
        return len(self.times(method, conn_id))

    async def asked(self, method, times=1, conn_id=CONN_ID):
        """Wait until so many more questions have been asked."""
        wanted = self.count(method, conn_id) + times

        async def enough():
            while self.count(method, conn_id) < wanted:
                self.changed.clear()
                await self.changed.wait()

        await asyncio.wait_for(enough(), PATIENCE)


class Client:
    def __init__(self, gateway, conn_id):
        self._gateway, self._conn_id = gateway, conn_id

    async def _answer(self, method, answer):
        self._gateway.questions.append((method, self._conn_id, asyncio.get_running_loop().time()))
        self._gateway.changed.set()
        await self._gateway.held.wait()
        if self._gateway.error is not None:
            raise self._gateway.error
        return answer

    async def active_era(self):
        return await self._answer("era", self._gateway.active)

    async def election_window(self):
        return await self._answer("window", ElectionWindow(self._gateway.window))

    async def request_state(self, request_id):
        return await self._answer(request_id, RequestState(self._gateway.state, self._gateway.state.value))

    async def close(self):
        self._gateway.closed.append(self._conn_id)


@asynccontextmanager
async def running(*triggers):
    """Run triggers as the triggerer does: a task each, cancelled at the end. Gives the tasks; nothing may be left of them."""
    before = asyncio.all_tasks()
    tasks = [asyncio.create_task(anext(trigger.run())) for trigger in triggers]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if before == {asyncio.current_task()}:
            assert asyncio.all_tasks() == before


async def events(tasks):
    return [event.payload for event in await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)]


def spacings(moments):
    """Seconds between one question and the next, without the rounding of sums."""
    return [round(later - earlier, 6) for earlier, later in itertools.pairwise(moments)]


def in_no_time(test):
    """Run a test in an event loop whose time passes at once."""
    return functools.wraps(test)(lambda *arguments, **named: virtual_time.run(test(*arguments, **named)))
