"""Announcing eras: each ended one once, in order, through restarts; noted only when its event is stored."""

import asyncio
import json
import logging
from contextlib import aclosing
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from airflow.triggers.base import BaseEventTrigger
from names import ACTIVE, ERA
from tasks import rebuilt

from staking_gateway_provider.triggers import era
from staking_gateway_provider.triggers.era import STATE_KEY, NewEraTrigger, new_partition_keys

CONN_ID = "staking_gateway_default"
PATIENCE = 20.0


def watcher(**arguments):
    return NewEraTrigger(**{"gateway_conn_id": CONN_ID, "poll_interval": 0.1, **arguments})


class Store:
    """The state of one asset, as the triggerer hands it to a watcher. It outlives triggerers."""

    def __init__(self, **values):
        self.values = values
        self.history = []
        self.on_change = lambda: None

    async def aget(self, key, default=None):
        return self.values.get(key, default)

    async def aset(self, key, value):
        self.values[key] = json.loads(json.dumps(value))
        self.history.append(value)
        self.on_change()

    @property
    def last(self):
        return self.values.get(STATE_KEY)


class Triggerer:
    """Runs watchers as Airflow's triggerer does: rebuilt from what it stores of them. Its exit is a kill.

    :param database: the events that Airflow has stored.
    :param stores: whether the triggerer lives long enough to store an event.
    """

    def __init__(self, *watched, database, stores=True):
        self.watched = watched
        self.database = database
        self.stores = stores
        self.announced = []
        self.answers = 0
        self._changed = asyncio.Event()
        self._logs = logging.Handler()
        self._logs.emit = lambda record: self._changed.set()
        self._tasks = []

    async def __aenter__(self):
        logging.getLogger(era.__name__).addHandler(self._logs)
        for trigger, store in self.watched:
            running = rebuilt(trigger)
            running.asset_state_store = store
            if isinstance(store, Store):
                store.on_change = self._changed.set
            self._count(running)
            self._tasks.append(asyncio.create_task(self._run(running)))
        return self

    async def __aexit__(self, *_):
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        logging.getLogger(era.__name__).removeHandler(self._logs)

    async def until(self, check):
        """Wait until the check holds, looking again after each thing that happens."""

        async def look():
            while not check():
                assert not any(task.done() for task in self._tasks)
                self._changed.clear()
                await self._changed.wait()

        await asyncio.wait_for(look(), PATIENCE)

    async def answered(self, times):
        """Wait until each watcher is done with so many more answers."""
        wanted = self.answers + times * len(self.watched)
        await self.until(lambda: self.answers >= wanted)

    def _count(self, trigger):
        ask = trigger._ask

        async def asked(interval):
            answer = await ask(interval)
            self.answers += 1
            self._changed.set()
            return answer

        trigger._ask = asked

    async def _run(self, trigger):
        async with aclosing(trigger.run()) as events:
            async for event in events:
                told = json.loads(json.dumps(event.payload))
                self.announced.append(told)
                if self.stores:
                    self.database.append(told)
                self._changed.set()


def eras(database):
    return [event["era"] for event in database]


def advance(gateway, count=1):
    return asyncio.to_thread(gateway.control.advance, eras=count)


async def announce(gateway, store, database, *, until, **arguments):
    """Run a triggerer until this era is announced and noted, and a little longer."""
    async with Triggerer((watcher(**arguments), store), database=database) as triggerer:
        await triggerer.until(lambda: store.last == until)
        await triggerer.answered(2)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 0.1)


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def database():
    """The events Airflow has stored."""
    return []


@pytest.fixture
def scripted(connect, broken):
    """A gateway that tells these active eras, one after another, and then the last one again and again."""
    connect(CONN_ID, conn_type="staking_gateway", host=broken.url, password="x", extra={"read_attempts": 1})

    def tell(*active):
        broken.script = [lambda exchange, told=told: exchange.result(str(told)) for told in active]
        return broken

    return tell


def test_two_networks_have_two_watchers_though_they_share_a_connection():
    one, two = (watcher(network=name).serialize() for name in ("one", "two"))
    assert BaseEventTrigger.hash(*one) != BaseEventTrigger.hash(*two)


@pytest.mark.asyncio
@pytest.mark.usefixtures("clients")
class TestAnnouncing:
    async def test_each_new_era_is_announced_once_and_several_that_ended_at_once_in_order(
        self, gateway, store, database
    ):
        async with Triggerer((watcher(network="one"), store), database=database) as triggerer:
            for ended in (ERA, ERA + 1, ERA + 5):
                await triggerer.until(lambda ended=ended: store.last == ended)
                await triggerer.answered(2)
                assert eras(database) == [*range(ERA, ended + 1)]
                await advance(gateway, 4 if ended == ERA + 1 else 1)
        assert database[0] == {"era": ERA, "active_era": ACTIVE, "gateway_conn_id": CONN_ID, "network": "one"}
        assert {event["network"] for event in database} == {"one"}

    async def test_eras_too_old_to_be_paid_are_not_announced(self, gateway, database, caplog):
        store = Store(**{STATE_KEY: ACTIVE - 10})
        await announce(gateway, store, database, until=ERA, history_depth=3)
        assert eras(database) == [ACTIVE - 3, ACTIVE - 2, ACTIVE - 1]
        assert f"Eras {ACTIVE - 9} to {ACTIVE - 4} are too old to be announced" in caplog.text


@pytest.mark.asyncio
@pytest.mark.usefixtures("clients")
class TestRestart:
    async def test_an_era_is_noted_only_when_its_event_had_time_to_be_stored(
        self, gateway, store, database, monkeypatch
    ):
        monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 1.0)
        async with Triggerer((watcher(), store), database=database) as triggerer:
            await triggerer.until(lambda: database)
            begun = asyncio.get_running_loop().time()
            assert store.last == ERA - 1
            await triggerer.until(lambda: store.last == ERA)
            assert asyncio.get_running_loop().time() - begun >= 0.9
        await announce(gateway, store, database, until=ERA)
        assert eras(database) == [ERA], "nothing twice"

    @pytest.mark.parametrize("meanwhile", [0, 2])
    async def test_an_event_that_died_unstored_is_announced_after_all(
        self, gateway, store, database, monkeypatch, meanwhile
    ):
        monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 3600)
        async with Triggerer((watcher(), store), database=database, stores=False) as killed:
            await killed.until(lambda: killed.announced)
        monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 0.1)
        if meanwhile:
            await advance(gateway, meanwhile)
        await announce(gateway, store, database, until=ERA + meanwhile)
        assert eras(database) == [*range(ERA, ERA + meanwhile + 1)]

    async def test_an_event_that_was_stored_but_not_noted_is_passed_on_once(
        self, gateway, store, database, monkeypatch
    ):
        monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 3600)
        async with Triggerer((watcher(), store), database=database) as killed:
            await killed.until(lambda: killed.announced)
        monkeypatch.setattr(era, "STORED_AFTER_SECONDS", 0.1)
        await advance(gateway)
        await announce(gateway, store, database, until=ERA + 1)
        assert eras(database) == [ERA, ERA, ERA + 1]
        first, *later = (SimpleNamespace(extra={"from_trigger": True, "payload": event}) for event in database)
        passed_on = [SimpleNamespace(partition_key=key) for key in new_partition_keys([first], [])]
        assert new_partition_keys(later, passed_on) == [str(ERA + 1)]


@pytest.mark.asyncio
@pytest.mark.usefixtures("clients")
class TestTrouble:
    @pytest.fixture
    def warnings(self, caplog):
        caplog.set_level(logging.WARNING)
        return lambda text: [record for record in caplog.records if text in record.getMessage()]

    async def test_an_era_that_goes_backwards_announces_nothing_and_is_logged_once_until_it_goes_on(
        self, scripted, store, database, warnings
    ):
        server = scripted(ACTIVE, ACTIVE, 900, 901, ACTIVE, ACTIVE - 1, ACTIVE + 1, ACTIVE, ACTIVE + 2)
        await announce(None, store, database, until=ACTIVE + 1)
        assert server.count >= 9
        assert eras(database) == [ERA, ACTIVE, ACTIVE + 1]
        assert len(warnings("no era is announced until a later one ends")) == 2

    async def test_a_gateway_that_was_away_is_asked_on(self, gateway, store, database, warnings):
        async with Triggerer((watcher(), store), database=database) as triggerer:
            await triggerer.until(lambda: store.last == ERA)
            await asyncio.to_thread(gateway.stop)
            await triggerer.until(lambda: warnings("Will ask again in 0.1 seconds"))
            await asyncio.to_thread(gateway.start)
            await advance(gateway)
            await triggerer.until(lambda: store.last == ACTIVE)
        assert eras(database) == [ERA, ACTIVE]


def announced(*numbers):
    return [SimpleNamespace(extra={"payload": {"era": number, "active_era": 2000}}) for number in numbers]


def recorded(*keys):
    return [SimpleNamespace(partition_key=key) for key in keys]


def test_each_era_becomes_a_key_once_and_what_was_passed_on_before_is_left_out():
    assert new_partition_keys(announced(10, 9, 10), []) == ["9", "10"]
    assert new_partition_keys(announced(9, 10), recorded("9", None, "8")) == ["10"]
    with pytest.raises(AirflowSkipException, match="passed on already"):
        new_partition_keys(announced(9, 10), recorded("9", "10"))


def test_an_event_that_announces_no_era_is_left_out_and_told(caplog):
    unknown = (None, {}, {"payload": None}, {"payload": {}}, {"payload": {"era": "x"}})
    assert new_partition_keys([*(SimpleNamespace(extra=extra) for extra in unknown), *announced(9)], []) == ["9"]
    assert caplog.text.count("An event without an era is ignored") == len(unknown)
