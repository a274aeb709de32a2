"""Asked once, told to all: what triggers of one event loop share, and how often is asked for them."""

import asyncio
import json
import threading
import time

import pytest
from names import ACTIVE, ERA
from waits import (
    CONN_ID,
    OTHER_REQUEST,
    PATIENCE,
    REQUEST,
    Gateway,
    confirmation,
    events,
    running,
    running_more,
    spacings,
    until,
    window,
)

from staking_gateway.errors import GatewayUnreachable
from staking_gateway.types import RequestStatus

pytestmark = pytest.mark.asyncio


@pytest.fixture
def told(monkeypatch):
    """A gateway; afterwards nothing of a watch is left."""
    gateway = Gateway(monkeypatch)
    yield gateway
    assert gateway.open == 0


class TestAThousand:
    async def test_ask_once_per_interval_and_all_are_told(self, gateway):
        """Counted by the simulator, over real connections."""
        await asyncio.to_thread(gateway.control.window, "open")
        interval = 0.3
        started = time.monotonic()
        triggers = [window(era=ERA - index % 3, poll_interval=interval) for index in range(900)]
        triggers += [window(window=index % 2 == 0, era=ACTIVE, poll_interval=interval) for index in range(100)]
        async with running(*triggers) as tasks:
            await until(lambda: gateway.control.truth()["calls"]["by_method"].get("getActiveEra", 0) >= 3)
            assert not any(task.done() for task in tasks)
            await asyncio.to_thread(gateway.control.advance, eras=1)
            await asyncio.to_thread(gateway.control.window, "closed")
            told = await events(tasks)
        elapsed = time.monotonic() - started
        assert {json.dumps(event) for event in told} == {
            json.dumps({"status": "done", "message": f"era {ACTIVE + 1} is active{window_told}"})
            for window_told in ("", ", the election window is closed")
        }
        calls = (await asyncio.to_thread(gateway.control.truth))["calls"]["by_method"]
        assert calls["getActiveEra"] <= elapsed / interval + 1
        assert calls["getEraElectionStatus"] <= calls["getActiveEra"]

    async def test_hold_one_connection(self, told):
        async with running(*[window(era=ERA) for _ in range(1000)]):
            await told.asked("window", 2)
            assert told.made == [CONN_ID]
            assert len(asyncio.all_tasks()) == 1 + 1000 + 1

    async def test_that_come_one_after_the_other_do_not_ask_more_often(self, told):
        interval = 0.2
        async with running(window(poll_interval=interval)) as first:
            await told.asked("window")
            late = [window(poll_interval=interval) for _ in range(50)] + [confirmation(poll_interval=interval)] * 50
            tasks = []
            for trigger in late:
                tasks.append(asyncio.create_task(anext(trigger.run())))
                await asyncio.sleep(0.01)
            told.window, told.state = "closed", RequestStatus.PROCESSED
            await events([*first, *tasks])
        for question in ("window", REQUEST):
            assert min(spacings(told.times(question)), default=interval) >= interval

    async def test_that_give_up_at_different_moments_do_not_ask_more_often(self, told):
        interval = 0.2
        async with running(*[window(poll_interval=interval, wait=0.5 + index / 100) for index in range(50)]) as tasks:
            assert {event["status"] for event in await events(tasks)} == {"timeout"}
        assert min(spacings(told.times("window"))) >= interval

    async def test_that_give_up_during_a_question_ask_once_more(self, told):
        """That question was asked too early to be the last word for one that does not ask at once."""
        told.held.clear()
        first = window(poll_interval=0.1)
        async with running(first):
            await told.asked("window")
            first.poll_interval = PATIENCE
            async with running_more(window(poll_interval=PATIENCE, wait=0.1)) as second:
                await asyncio.wait(second, timeout=0.3)
                told.held.set()
                assert await events(second) == [{"status": "timeout", "message": "the time to wait is up"}]
            assert told.count("window") == 2


class TestWhatIsShared:
    async def test_the_state_of_one_request_but_not_of_two(self, told):
        async with running(confirmation(), confirmation(), confirmation(OTHER_REQUEST)) as tasks:
            await told.asked(REQUEST, 2)
            told.state = RequestStatus.PROCESSED
            await events(tasks)
        assert told.made == [CONN_ID] * 2

    async def test_two_connections_share_nothing(self, told):
        async with running(window(), window(gateway_conn_id="elsewhere")) as tasks:
            await told.asked("window")
            await told.asked("window", conn_id="elsewhere")
            told.window = "closed"
            await events(tasks)
        assert sorted(told.made) == sorted([CONN_ID, "elsewhere"])

    async def test_two_event_loops_share_nothing(self, told):
        theirs = []

        async def there():
            async with running(window()) as tasks:
                theirs.extend(await events(tasks))

        async with running(window()) as tasks:
            await told.asked("window")
            thread = threading.Thread(target=asyncio.run, args=(there(),))
            thread.start()
            await until(lambda: len(told.made) == 2)
            told.window = "closed"
            await asyncio.to_thread(thread.join)
            mine = await events(tasks)
        assert mine == theirs
        assert told.made == [CONN_ID] * 2

    async def test_nothing_with_an_answer_that_was_asked_for_before_it_came(self, told):
        """What refused the payout a moment ago is not believed at once."""
        told.window = "open"
        async with running(window(poll_interval=0.2)) as first:
            await told.asked("window")
            told.window = "closed"
            joined = asyncio.get_running_loop().time()
            async with running_more(window(poll_interval=0.2)) as second:
                await events([*first, *second])
        assert told.times("window")[-1] >= joined + 0.2

    async def test_a_window_that_nobody_cared_for_when_it_was_asked(self, told):
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
            async with running_more(window(era=ERA, poll_interval=0.1, wait=0.3)) as second:
                await asyncio.sleep(0)
                answering.set()
                assert (await events(second))[0]["status"] == "timeout"


class TestIntervals:
    async def test_the_shortest_counts_for_as_long_as_it_is_there(self, told):
        async with running(window(poll_interval=PATIENCE)) as patient:
            async with running_more(window(poll_interval=0.1)):
                await told.asked("window", 3)
            left_with = told.count("window")
            await asyncio.sleep(0.5)
            # One more may have been due when the hasty one left.
            assert told.count("window") <= left_with + 1
            assert not patient[0].done()

    async def test_of_one_that_comes_later_count_from_the_last_answer(self, told):
        async with running(window(poll_interval=PATIENCE)), running_more(window(poll_interval=0.2)):
            await told.asked("window", 2)
        assert len(told.made) == 1

    async def test_near_the_expected_end_of_an_era_are_a_tenth(self, told):
        trigger = window(era=ACTIVE, poll_interval=1.0, expected_at=time.time() + 1.2, era_length=60.0)
        async with running(trigger):
            await told.asked("era", 4)
        assert min(spacings(told.times("era"))) < 0.3

    async def test_far_from_it_are_five_times_as_long(self, told):
        trigger = window(era=ACTIVE, poll_interval=0.2, expected_at=time.time() + 600, era_length=600.0)
        async with running(trigger):
            await told.asked("era", 3)
        assert min(spacings(told.times("era"))) >= 1.0

    async def test_after_an_error_are_plain(self, told):
        told.error = GatewayUnreachable("no connection to the gateway", method="m")
        trigger = window(era=ACTIVE, poll_interval=0.3, expected_at=time.time(), era_length=60.0)
        async with running(trigger):
            await told.asked("era", 3)
        assert min(spacings(told.times("era"))) >= 0.3

    async def test_are_learnt_from_one_wait_for_the_next(self, told):
        """The second closing is expected where the first one was seen, one era later."""
        length = 2.0
        async with running(window(era_length=length, poll_interval=0.1)) as tasks:
            await told.asked("window", 2)
            told.window = "closed"
            closed = time.time()
            await events(tasks)
        told.window = "open"
        async with running(window(era_length=length, poll_interval=0.1)):
            await told.asked("window", 5)
            begun = told.count("window")
            await asyncio.sleep(max(0.0, closed + length + 0.2 - time.time()))
        assert max(spacings(told.times("window")[begun - 5 :])) > 0.2
        assert min(spacings(told.times("window")[begun - 5 :])) < 0.1
