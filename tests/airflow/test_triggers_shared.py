"""Triggers of one event loop share one question; the end, the error or the cancelling of one is no other's."""

import asyncio
import contextvars
import threading
import time

import pytest
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError, ErrorType
from airflow.sdk.execution_time.comms import ErrorResponse
from names import ACTIVE, ERA
from waits import (
    CONN_ID,
    OTHER_REQUEST,
    PATIENCE,
    REQUEST,
    Client,
    Gateway,
    confirmation,
    events,
    in_no_time,
    running,
    spacings,
    window,
)

from staking_gateway.errors import GatewayUnreachable, InvalidConnection
from staking_gateway.types import RequestStatus

AWAY = GatewayUnreachable("no connection to the gateway", method="m")


@pytest.fixture
def told(monkeypatch):
    """A gateway; afterwards no connection to it is left."""
    gateway = Gateway(monkeypatch)
    yield gateway
    assert gateway.open == 0


def depth(traceback):
    count = 0
    while traceback is not None:
        count, traceback = count + 1, traceback.tb_next
    return count


class TestSharing:
    @in_no_time
    async def test_hundreds_ask_once_per_interval_over_one_connection_and_all_are_told(self, told):
        triggers = [window(era=ERA - index % 3, poll_interval=0.3) for index in range(200)]
        triggers += [window(window=index % 2 == 0, era=ACTIVE, poll_interval=0.3) for index in range(100)]
        async with running(*triggers) as tasks:
            await told.asked("era", 3)
            assert not any(task.done() for task in tasks)
            assert len(asyncio.all_tasks()) == 1 + 300 + 1
            told.active, told.window = ACTIVE + 1, "closed"
            messages = {event["message"] for event in await events(tasks)}
        ended = f"era {ACTIVE + 1} is active"
        assert messages == {ended, f"{ended}, the election window is closed"}
        assert told.made == [CONN_ID]
        assert min(spacings(told.times("era"))) >= 0.3

    @in_no_time
    async def test_those_that_come_later_do_not_ask_more_often(self, told):
        async with running(window(poll_interval=0.2)) as first:
            await told.asked("window")
            tasks = []
            for trigger in [window(poll_interval=0.2) for _ in range(50)] + [confirmation(poll_interval=0.2)] * 50:
                tasks.append(asyncio.create_task(anext(trigger.run())))
                await asyncio.sleep(0.01)
            told.window, told.state = "closed", RequestStatus.PROCESSED
            await events([*first, *tasks])
        for question in ("window", REQUEST):
            assert min(spacings(told.times(question)), default=0.2) >= 0.2

    @in_no_time
    async def test_one_that_gives_up_during_a_question_asks_once_more(self, told):
        """That question was asked too early to be the last word for one that does not ask at once."""
        told.held.clear()
        first = window(poll_interval=0.1)
        async with running(first):
            await told.asked("window")
            first.poll_interval = PATIENCE
            async with running(window(poll_interval=PATIENCE, wait=0.1)) as second:
                await asyncio.wait(second, timeout=0.3)
                told.held.set()
                assert await events(second) == [{"status": "timeout", "message": "the time to wait is up"}]
            assert told.count("window") == 2

    @in_no_time
    async def test_requests_and_connections_are_each_asked_for_apart(self, told):
        triggers = [confirmation(), confirmation(), confirmation(OTHER_REQUEST), window(gateway_conn_id="elsewhere")]
        async with running(*triggers) as tasks:
            await told.asked(REQUEST, 2)
            told.state, told.window = RequestStatus.PROCESSED, "closed"
            await events(tasks)
        assert sorted(told.made) == [*["elsewhere"], *[CONN_ID] * 2]

    @pytest.mark.asyncio
    async def test_two_event_loops_share_nothing(self, told):
        theirs = []

        async def there():
            async with running(window()) as tasks:
                theirs.extend(await events(tasks))

        told.window = "closed"
        async with running(window()) as tasks:
            thread = threading.Thread(target=asyncio.run, args=(there(),))
            thread.start()
            await asyncio.to_thread(thread.join)
            assert await events(tasks) == theirs
        assert told.made == [CONN_ID] * 2

    @in_no_time
    async def test_nobody_is_told_what_was_asked_for_before_he_came(self, told):
        """What refused the payout a moment ago is not believed at once."""
        async with running(window(poll_interval=0.2)) as first:
            await told.asked("window")
            told.window = "closed"
            joined = asyncio.get_running_loop().time()
            async with running(window(poll_interval=0.2)) as second:
                await events([*first, *second])
        assert told.times("window")[-1] >= joined + 0.2

    @in_no_time
    async def test_nobody_is_told_a_window_that_was_not_asked_for(self, told):
        told.active = ERA + 1
        answering = asyncio.Event()
        era_alone = window(era=ACTIVE, window=False)
        look = era_alone.ask

        async def held(client, company):
            answer = await look(client, company)
            await answering.wait()
            return answer

        era_alone.ask = held
        async with running(era_alone):
            await told.asked("era")
            async with running(window(era=ERA, poll_interval=0.1, wait=0.3)) as second:
                await asyncio.sleep(0)
                answering.set()
                assert (await events(second))[0]["status"] == "timeout"


class TestIntervals:
    @in_no_time
    async def test_the_shortest_counts_for_as_long_as_it_is_there(self, told):
        async with running(window(poll_interval=PATIENCE)) as patient:
            async with running(window(poll_interval=0.1)):
                await told.asked("window", 3)
            left_with = told.count("window")
            await asyncio.sleep(0.5)
            assert told.count("window") <= left_with + 1, "one more may have been due when the hasty one left"
            assert not patient[0].done()
        assert len(told.made) == 1

    @pytest.mark.parametrize(("ends_in", "era_length", "interval"), [(0, 60, 0.02), (600, 600, 1.0)])
    @in_no_time
    async def test_are_short_near_the_expected_end_of_an_era_and_long_before(self, told, ends_in, era_length, interval):
        expected = time.time() + ends_in
        async with running(window(era=ACTIVE, poll_interval=0.2, expected_at=expected, era_length=era_length)):
            await told.asked("era", 4)
        assert min(spacings(told.times("era"))) == interval

    @in_no_time
    async def test_after_an_error_are_plain(self, told):
        told.error = AWAY
        async with running(window(era=ACTIVE, poll_interval=0.3, expected_at=time.time(), era_length=60.0)):
            await told.asked("era", 3)
        assert min(spacings(told.times("era"))) >= 0.3


class TestLeaving:
    @in_no_time
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

    @in_no_time
    async def test_of_all_at_once_even_in_the_middle_of_a_question_leaves_nothing(self, told):
        told.held.clear()
        async with running(*[window() for _ in range(50)], *[confirmation() for _ in range(50)]) as tasks:
            await told.asked("window")
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            assert all(task.cancelled() for task in tasks)
            assert told.open == 0

    @in_no_time
    async def test_before_anything_was_asked_leaves_nothing(self, told):
        async with running(window(era=ERA), window()) as tasks:
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        assert told.questions == []

    @in_no_time
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
            assert told.open == 1
            closed.set()
            await asyncio.sleep(1)
            assert told.open == 0

    @in_no_time
    async def test_and_coming_back_begins_anew(self, told):
        for _ in range(3):
            async with running(window()):
                await told.asked("window")
        assert told.made == told.closed == [CONN_ID] * 3

    @in_no_time
    async def test_of_the_shared_question_itself_ends_the_waits(self, told):
        """A triggerer that is killed softly cancels every task there is."""
        before = asyncio.all_tasks()
        async with running(window(), window()) as tasks:
            await told.asked("window")
            (shared,) = asyncio.all_tasks() - before - set(tasks)
            shared.cancel()
            await asyncio.wait(tasks)
            assert all(task.cancelled() for task in tasks)

    @in_no_time
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


class TestErrors:
    @pytest.mark.parametrize("made", [window, confirmation])
    @in_no_time
    async def test_a_gateway_that_never_answers_does_not_outlast_the_deadline_by_more_than_ten_seconds(
        self, told, made
    ):
        told.held.clear()
        async with running(made(wait=0.2)) as tasks:
            (event,) = await events(tasks)
            assert asyncio.get_running_loop().time() < 11
        message = "the time to wait is up; the last answer was: no answer in time"
        assert event == {"status": "timeout", "message": message}

    @in_no_time
    async def test_are_told_to_all_once_and_end_nobodys_wait(self, told):
        told.error = AWAY
        complaints = []
        triggers = [window() for _ in range(20)]
        for trigger in triggers:
            trigger.complain = complaints.append
        async with running(*triggers) as tasks:
            await told.asked("window", 4)
            assert len(complaints) == 20
            told.error = None
            await told.asked("window", 2)
            told.error = AWAY
            await told.asked("window", 2)
            assert len(complaints) == 40
            told.error, told.window = None, "closed"
            assert {event["status"] for event in await events(tasks)} == {"done"}

    @in_no_time
    async def test_are_complained_of_in_the_log_of_each(self, told):
        whose = contextvars.ContextVar("whose")
        heard = []
        told.error = AWAY

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

    @in_no_time
    async def test_make_the_connection_be_read_anew(self, told):
        """Its token may have been the mistake, and have been corrected."""
        told.error = AWAY
        async with running(window()):
            await told.asked("window", 3)
            assert len(told.made) >= 3
            assert told.open <= 1

    @in_no_time
    async def test_of_airflow_are_blips_for_a_connection_that_was_there(self, told):
        told.error = AWAY
        async with running(window()) as tasks:
            await told.asked("window")
            lost = AirflowRuntimeError(ErrorResponse(error=ErrorType.API_SERVER_ERROR, detail={"status_code": 500}))
            told.connection_error = lost
            await asyncio.sleep(1)
            assert not tasks[0].done()
            told.connection_error, told.error, told.window = None, None, "closed"
            assert (await events(tasks))[0]["status"] == "done"

    @in_no_time
    async def test_in_the_connection_end_the_wait_of_all(self, told):
        told.error = AWAY
        async with running(window(), window(era=ERA), window(poll_interval=0.2)) as tasks:
            await told.asked("era")
            told.connection_error = InvalidConnection("Connection 'gw', host", "is empty", "Set Host")
            for event in await events(tasks):
                assert event == {"status": "failed", "message": "Connection 'gw', host: is empty. Set Host"}

    @pytest.mark.parametrize("place", ["connection_error", "error"])
    @in_no_time
    async def test_nobody_foresaw_reach_all_with_a_traceback_that_does_not_grow(self, told, place):
        """A connection nobody defined, or a mistake in the program."""
        setattr(told, place, AirflowNotFoundException("The conn_id `gw` isn't defined"))
        depths = []
        async with running(*[window() for _ in range(30)]) as tasks:
            for task in tasks:
                with pytest.raises(AirflowNotFoundException):
                    await task
                depths.append(depth(task.exception().__traceback__))
        assert max(depths) < 30
