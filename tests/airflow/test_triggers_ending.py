"""Nobody's end is another's, and nothing is left behind: cancelled waits, errors, and connections that cannot be used."""

import asyncio
import contextvars
import gc

import pytest
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError, ErrorType
from airflow.sdk.execution_time.comms import ErrorResponse
from names import ERA
from waits import CONN_ID, PATIENCE, Client, Gateway, confirmation, events, running, until, window

from staking_gateway import AsyncGatewayClient
from staking_gateway.errors import GatewayUnreachable, InvalidConnection

pytestmark = pytest.mark.asyncio


@pytest.fixture
def told(monkeypatch):
    """A gateway; afterwards nothing of a watch is left."""
    gateway = Gateway(monkeypatch)
    yield gateway
    assert gateway.open == 0


def depth(traceback):
    count = 0
    while traceback is not None:
        count, traceback = count + 1, traceback.tb_next
    return count


class TestLeaving:
    async def test_of_one_leaves_the_others(self, told):
        async with running(window(), window()) as (one, other):
            await told.asked("window")
            one.cancel()
            with pytest.raises(asyncio.CancelledError):
                await one
            assert told.open == 1
            told.window = "closed"
            assert (await events([other]))[0]["status"] == "done"
        assert told.made == [CONN_ID]

    async def test_of_all_at_once_leaves_nothing(self, told):
        async with running(*[window() for _ in range(100)], *[confirmation() for _ in range(100)]) as tasks:
            await told.asked("window")
            for task in tasks:
                task.cancel()
            done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE)
            assert all(isinstance(outcome, asyncio.CancelledError) for outcome in done)
            assert told.open == 0

    async def test_in_the_middle_of_a_question_leaves_nothing(self, told):
        told.held.clear()
        async with running(window()) as (task,):
            await told.asked("window")
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(task, PATIENCE)
            assert told.open == 0

    async def test_before_anything_was_asked_leaves_nothing(self, told):
        async with running(window(era=ERA), window()) as tasks:
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert told.questions == []

    async def test_in_a_hurry_does_not_wait_for_the_connection_to_be_closed(self, told, monkeypatch):
        """Cancelled twice: the watch goes on closing by itself."""
        closing, closed = asyncio.Event(), asyncio.Event()
        close = Client.close

        async def slowly(client):
            closing.set()
            await closed.wait()
            await close(client)

        monkeypatch.setattr(Client, "close", slowly)
        async with running(window()) as (task,):
            await told.asked("window")
            task.cancel()
            await closing.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            closed.set()
            await until(lambda: not told.open)

    async def test_and_coming_back_begins_anew(self, told):
        for _ in range(3):
            async with running(window()):
                await told.asked("window")
        assert told.made == told.closed == [CONN_ID] * 3

    async def test_with_the_loop_itself_leaves_nothing(self, told):
        """A triggerer that is killed softly cancels every task there is, the watch's too."""

        async def cut_short():
            for trigger in (window(), confirmation()):
                cut_short.tasks.append(asyncio.create_task(anext(trigger.run())))
            await until(lambda: len(told.questions) >= 2)

        cut_short.tasks = []
        await asyncio.to_thread(lambda: asyncio.run(cut_short()))
        assert all(task.cancelled() for task in cut_short.tasks)
        assert len(told.made) == 2

    async def test_of_the_watch_itself_ends_the_waits(self, told):
        before = asyncio.all_tasks()
        async with running(window(), window()) as tasks:
            await told.asked("window")
            (watch,) = asyncio.all_tasks() - before - set(tasks)
            watch.cancel()
            for task in tasks:
                with pytest.raises(asyncio.CancelledError):
                    await asyncio.wait_for(task, PATIENCE)

    async def test_is_not_interrupted_by_an_answer_that_comes_before_the_trigger_has_left(self, told):
        """The loop may be busy when a wait is over, and the next question due at once."""
        told.active, told.window = ERA + 1, "closed"
        ready, hasty = window(era=ERA), window(era=ERA + 1)
        judged, judge = [], ready.judge

        def judged_once(answer):
            judged.append(answer)
            return judge(answer)

        pauses = [0.1, -1.0, -1.0]
        ready.judge, hasty.pause = judged_once, lambda *_: pauses.pop() if pauses else 0.1
        async with running(ready, hasty) as tasks:
            assert (await events(tasks[:1]))[0]["status"] == "done"
            assert told.count("era") == 3
            assert len(judged) == 1

    async def test_closes_real_connections(self, gateway, monkeypatch):
        made = []
        make = AsyncGatewayClient.__init__
        monkeypatch.setattr(
            AsyncGatewayClient,
            "__init__",
            lambda self, *args, **options: (made.append(self), make(self, *args, **options))[0],
        )
        await asyncio.to_thread(gateway.control.window, "open")
        async with running(*[window() for _ in range(10)], *[confirmation() for _ in range(10)]):
            await until(lambda: len(made) == 2 and all(client._session is not None for client in made))
        assert [client._session for client in made] == [None, None]
        gc.collect()


class TestErrors:
    async def test_are_told_to_all_once_and_end_nobodys_wait(self, told):
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        complaints = []
        triggers = [window() for _ in range(20)]
        for trigger in triggers:
            trigger.complain = complaints.append
        async with running(*triggers) as tasks:
            await told.asked("window", 4)
            assert len(complaints) == 20
            told.error = None
            await told.asked("window", 2)
            told.error = GatewayUnreachable("no connection to the gateway", method="m")
            await told.asked("window", 2)
            assert len(complaints) == 40
            told.error, told.window = None, "closed"
            assert {event["status"] for event in await events(tasks)} == {"done"}

    async def test_are_complained_of_in_the_log_of_each(self, told):
        whose = contextvars.ContextVar("whose")
        heard = []
        told.error = GatewayUnreachable("no connection to the gateway", method="m")

        async def one(name):
            whose.set(name)
            trigger = window()
            trigger.complain = lambda problem: heard.append(whose.get())
            await anext(trigger.run())

        tasks = [asyncio.create_task(one(name)) for name in "abc"]
        await told.asked("window", 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert sorted(heard) == ["a", "b", "c"]

    async def test_are_in_the_message_of_those_whose_time_is_up(self, told):
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        async with running(window(wait=0.3), window()) as (short, long):
            message = (await events([short]))[0]["message"]
            assert message == "the time to wait is up; the last answer was: m: no connection to the gateway"
            assert not long.done()

    async def test_make_the_connection_be_read_anew(self, told):
        """Its token may have been the mistake, and have been corrected."""
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        async with running(window()):
            await told.asked("window", 3)
            assert len(told.made) >= 3
            assert told.open <= 1

    async def test_of_airflow_are_blips_for_a_connection_that_was_there(self, told):
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        async with running(window()) as tasks:
            await told.asked("window")
            lost = AirflowRuntimeError(ErrorResponse(error=ErrorType.API_SERVER_ERROR, detail={"status_code": 500}))
            told.connection_error = lost
            await asyncio.sleep(0.3)
            assert not tasks[0].done()
            told.connection_error, told.error, told.window = None, None, "closed"
            assert (await events(tasks))[0]["status"] == "done"

    async def test_in_the_connection_end_the_wait_of_all(self, told):
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        async with running(window(), window(era=ERA), window(poll_interval=0.2)) as tasks:
            await told.asked("era")
            told.connection_error = InvalidConnection("Connection 'gw', host", "is empty", "Set Host")
            for event in await events(tasks):
                assert event == {"status": "failed", "message": "Connection 'gw', host: is empty. Set Host"}

    async def test_of_a_connection_nobody_defined_reach_all_with_a_traceback_that_does_not_grow(self, told):
        told.connection_error = AirflowNotFoundException("The conn_id `gw` isn't defined")
        depths = []
        async with running(*[window() for _ in range(30)]) as tasks:
            for task in tasks:
                with pytest.raises(AirflowNotFoundException):
                    await task
                depths.append(depth(task.exception().__traceback__))
        assert max(depths) < 30

    async def test_nobody_foresaw_reach_all(self, told):
        told.error = RuntimeError("a mistake in the program")
        async with running(window(), window()) as tasks:
            for task in tasks:
                with pytest.raises(RuntimeError, match="a mistake"):
                    await asyncio.wait_for(task, PATIENCE)
