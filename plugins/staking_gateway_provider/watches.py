"""One question for all who wait for its answer.

A thousand deferred tasks of one gateway are a thousand triggers in one event loop. Those that ask the same thing over the same
connection share a `_Watch`: one task that owns the one client, asks while anybody waits, and tells each of them. A trigger that
waits holds a future and a timer, nothing else: no thread, no connection. It judges each answer for itself, in a plain call,
and is woken only when its own wait is over.

How often is asked: after each answer every trigger says how long it can do without the next, and the shortest time counts. One that
comes late does not make the watch ask sooner than its own interval after the last answer, and one whose time is up takes the last
answer if that is fresh. So however many come and go, and whenever, the questions do not become more.

How it ends: with the last trigger the watch is cancelled, and its client is closed before that trigger's event is told. When no client
can be made from the connection, that ends the wait of all, as it would have ended each alone. An error of a question is told to
all and ends nothing; the next question is asked over a client made anew, for the connection may have been corrected meanwhile.

Between two questions the client keeps its one HTTP connection open for as long as aiohttp does, 15 idle seconds: with a shorter
pause a handshake is saved each time, with a longer one no connection is held.

What answers teach, so that the next can be asked for in time, outlives the watch but not the process: it is kept per event loop,
connection and question, a few numbers each.
"""

from __future__ import annotations

import asyncio
import contextvars
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient
    from staking_gateway_provider.triggers.polling import GatewayPollTrigger


class Place:
    """One trigger's place in a watch.

    :ivar over: done when there is an outcome.
    :ivar problem: the error the last question met; empty when it was answered.
    """

    __slots__ = (
        "_context",
        "_failure",
        "_last_word",
        "_message",
        "_traceback",
        "_watch",
        "due",
        "not_before",
        "over",
        "problem",
        "trigger",
    )

    def __init__(self, watch: _Watch, trigger: GatewayPollTrigger, *, due: float, not_before: float) -> None:
        self.trigger = trigger
        self.due = due
        self.not_before = not_before
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.problem = ""
        self._watch = watch
        self._message: str | None = None
        self._failure: BaseException | None = None
        self._traceback: TracebackType | None = None
        self._last_word = False
        # The watch works for all; what it logs on behalf of one goes into that one's log.
        self._context = contextvars.copy_context()

    def outcome(self) -> str | None:
        """The message that ended the wait, once it is over; None when the last word was that it goes on.

        :raises BaseException: what ended the watch.
        """
        self.over.result()
        if self._failure is not None:
            # One exception for all: each raises it with the traceback it had at first, or it would grow with every trigger.
            raise self._failure.with_traceback(self._traceback)
        return self._message

    def wants_last_word(self) -> bool:
        """At the end of a trigger's time: whether to wait for one more answer. None is asked for if the last one is fresh."""
        if self._watch.has_told(self):
            return False
        self._watch.hurry(self)
        return True

    def end_with_next(self, due: float) -> None:
        """Be over with the next answer, whatever it is."""
        self.due, self.not_before, self._last_word = due, min(self.not_before, due), True

    def go_on(self, due: float) -> None:
        """Want the next answer then. The last word stays due, and what is over wants none, though its trigger may not have left yet."""
        if self.over.done():
            self.due = math.inf
        elif not self._last_word:
            self.due = due

    def tell(self, answer: Any, asked_at: float) -> None:
        """Judge an answer, unless it was asked for too early for this trigger."""
        self.problem = ""
        if asked_at >= self.not_before:
            self._message = self.trigger.judge(answer)
            self._end_if(self._last_word or self._message is not None)

    def tell_problem(self, problem: str) -> None:
        """There was no answer."""
        if problem != self.problem:
            self.problem = problem
            self._context.run(self.trigger.complain, problem)
        self._end_if(self._last_word)

    def fail(self, failure: BaseException | None) -> None:
        """There will be no answer: the watch has failed, or was cancelled."""
        if failure is None:
            self.over.cancel()
        else:
            self._failure, self._traceback = failure, failure.__traceback__
            self._end_if(not self.over.done())

    def _end_if(self, over: bool) -> None:
        if over:
            self.over.set_result(None)


class _Watch:
    """Asks one question over one connection for as long as somebody waits for the answer.

    :param memory: what earlier watches of the same question learnt.
    :param forget: is called when the watch takes no more triggers.
    """

    def __init__(self, gateway_conn_id: str, memory: Any, forget: Callable[[_Watch], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._gateway_conn_id = gateway_conn_id
        self._memory = memory
        self._forget = forget
        self._places: dict[Place, None] = {}
        self._client: AsyncGatewayClient | None = None
        self._had_client = False
        # The last question that has come to its end, by the loop's clock. Long ago stands for never.
        self._asked_at = self._told_at = -math.inf
        self._answer: Any = None
        self._problem = ""
        self._wake = asyncio.Event()
        # In a context of its own: what is logged for all must not land in the log of the one that came first.
        self._task: asyncio.Task[None] = contextvars.Context().run(self._loop.create_task, self._run())
        self._task.add_done_callback(self._end)

    def join(self, trigger: GatewayPollTrigger) -> Place:
        """Take a place. What is known already is no news: the worker asked for itself right before it let go."""
        first = self._loop.time() + trigger.interval
        due = first if self._told_at == -math.inf else self._told_at + trigger.interval
        place = Place(self, trigger, due=due, not_before=first)
        self._places[place] = None
        self._wake.set()
        return place

    def has_told(self, place: Place) -> bool:
        """Whether there is an answer that counts for this trigger, and is no older than its interval."""
        return self._asked_at >= place.not_before and self._loop.time() < self._told_at + place.trigger.interval

    def hurry(self, place: Place) -> None:
        """Ask now, and end that trigger's wait with the answer."""
        place.end_with_next(self._loop.time())
        self._wake.set()

    async def leave(self, place: Place) -> None:
        """Give a place up. The last one closes the watch, and waits for that."""
        self._places.pop(place, None)
        if not self._places:
            self._forget(self)
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _run(self) -> None:
        try:
            while True:
                await self._sleep()
                await self._ask()
        finally:
            await self._disconnect()

    async def _sleep(self) -> None:
        """Until the first trigger's next answer is due."""
        while (due := min(place.due for place in self._places)) > self._loop.time():
            self._wake.clear()
            timer = self._loop.call_at(due, self._wake.set)
            try:
                await self._wake.wait()
            finally:
                timer.cancel()

    async def _ask(self) -> None:
        company = [place.trigger for place in self._places]
        asked_at, asked_at_time = self._loop.time(), time.time()
        client = await self._connected()
        if client is not None:
            try:
                self._answer, self._problem = await company[0].ask(client, company), ""
            except StakingGatewayError as error:
                self._problem = str(error) or type(error).__name__
                await self._disconnect()
            else:
                company[0].remember(self._memory, self._answer, asked_at=asked_at_time, answered_at=time.time())
        self._asked_at, self._told_at = asked_at, self._loop.time()
        for place in self._places:
            self._tell(place)

    def _tell(self, place: Place) -> None:
        if place.over.done():
            return
        if self._problem:
            place.tell_problem(self._problem)
            place.go_on(self._told_at + place.trigger.interval)
        else:
            place.tell(self._answer, self._asked_at)
            place.go_on(self._told_at + place.trigger.pause(self._answer, self._memory, time.time()))

    async def _connected(self) -> AsyncGatewayClient | None:
        """The client; None when Airflow cannot tell, for a moment, the connection that it has told before."""
        if self._client is None:
            try:
                self._client = await StakingGatewayHook(self._gateway_conn_id).aget_conn(concurrency=1)
            except (AirflowNotFoundException, AirflowRuntimeError) as error:
                if not self._had_client:
                    raise
                self._problem = str(error) or type(error).__name__
            self._had_client = True
        return self._client

    async def _disconnect(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _end(self, task: asyncio.Task[None]) -> None:
        self._forget(self)
        failure = None if task.cancelled() else task.exception()
        for place in self._places:
            place.fail(failure)


_Key = tuple[str, Hashable]


class _Watches:
    """The watches of one event loop, and what they learnt."""

    def __init__(self) -> None:
        self._open: dict[_Key, _Watch] = {}
        self._memories: dict[_Key, Any] = {}

    def watch(self, trigger: GatewayPollTrigger) -> _Watch:
        """The watch for a trigger's question, which may have to be begun."""
        key = trigger.gateway_conn_id, trigger.question
        if key not in self._open:
            if key not in self._memories and (memory := trigger.new_memory()) is not None:
                self._memories[key] = memory

            def forget(watch: _Watch) -> None:
                if self._open.get(key) is watch:
                    del self._open[key]

            self._open[key] = _Watch(trigger.gateway_conn_id, self._memories.get(key), forget)
        return self._open[key]


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Watches] = WeakKeyDictionary()


@asynccontextmanager
async def joined(trigger: GatewayPollTrigger) -> AsyncIterator[Place]:
    """A place in the watch for a trigger's question, for as long as the context lasts."""
    watch = _of_loop.setdefault(asyncio.get_running_loop(), _Watches()).watch(trigger)
    place = watch.join(trigger)
    try:
        yield place
    finally:
        await watch.leave(place)
