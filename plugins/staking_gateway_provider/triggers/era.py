"""Announcing, event by event, that an era has ended.

Airflow runs all watchers of one gateway connection over one shared stream: `_EraReadings` asks, each `NewEraTrigger` tells its own
asset what is new. An announced era is noted in the asset's state only after Airflow has confirmed that the event is in its
database. Noted earlier, an era would be lost with a triggerer that is killed before its event is stored; so one that is killed
between the two announces the era again, and `new_partition_keys` drops what it said twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError, AirflowSkipException
from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from airflow.triggers.shared_stream import AdvanceItem, AdvanceOutcome, SharedStreamProducer

from staking_gateway.config import defaults
from staking_gateway.eras.expiry import payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.types import parse_era
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

STATE_KEY = "last_era"
"""Where an asset's state keeps the last era announced; -1 before the first."""

_SHORTEST_PAUSE_SECONDS = 0.1
_log = logging.getLogger(__name__)


class NewEraTrigger(BaseEventTrigger):
    """Announces every era that has ended, once and in order.

    It goes on from the last era announced, however long the triggerer was down or no DAG listened, but no further back than
    rewards can be paid. Without any announcement yet it begins with the newest ended era. A gateway that lags behind, and a
    chain that has begun anew, announce nothing.

    The payload of an event: `era`, which has ended, `active_era`, `gateway_conn_id` and `network`.

    :param gateway_conn_id: connection of the gateway; the trigger is given no secret.
    :param poll_interval: seconds between two questions. Watchers of one connection with the same interval ask once for all.
    :param history_depth: eras the chain keeps rewards for; older ones are not announced.
    :param network: a name that keeps the watchers of different assets apart. Airflow runs watchers with equal arguments as one,
        and one watcher cannot keep the states of two assets.
    """

    def __init__(
        self,
        *,
        gateway_conn_id: str,
        poll_interval: float = 30.0,
        history_depth: int = defaults.HISTORY_DEPTH,
        network: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.history_depth = history_depth
        self.network = network
        self._last: int | None = None
        self._unconfirmed: list[tuple[_Reading, int]] = []
        self._warned_of_lag = False

    def arguments(self) -> dict[str, Any]:
        """Arguments to make this trigger again elsewhere."""
        return {
            "gateway_conn_id": self.gateway_conn_id,
            "poll_interval": self.poll_interval,
            "history_depth": self.history_depth,
            "network": self.network,
        }

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.arguments()

    def shared_stream_key(self) -> tuple[str, str, float]:
        """What watchers must have in common to share one question."""
        return "staking-gateway-active-era", self.gateway_conn_id, float(self.poll_interval)

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """Who asks for all watchers with one `shared_stream_key`."""
        return _EraReadings(kwargs["gateway_conn_id"], kwargs["poll_interval"])

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncGenerator[TriggerEvent, None]:
        """Tell this watcher's asset what is new in each answer."""
        async for reading in shared_stream:
            try:
                eras = await self._news(reading.active_era)
            except (AirflowRuntimeError, ValueError) as error:
                _log.warning("Nothing is announced while the state of the asset cannot be used: %s", error)
                continue
            for era in eras:
                self._last = era
                reading.announces = True
                yield TriggerEvent({**self._origin(), "era": era, "active_era": reading.active_era})
            if eras:
                self._unconfirmed.append((reading, eras[-1]))

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """The same without Airflow's shared stream, for whoever drives the trigger alone."""
        readings = _EraReadings(self.gateway_conn_id, self.poll_interval)

        async def taken() -> AsyncGenerator[_Reading, None]:
            async with aclosing(readings.open_stream()) as stream:
                async for reading, payload in stream:
                    yield reading
                    await readings.advance([AdvanceItem(payload, AdvanceOutcome(acked=1, failed=0))])

        try:
            async with aclosing(taken()) as stream, aclosing(self.filter_shared_stream(stream)) as events:
                async for event in events:
                    yield event
        finally:
            await readings.aclose()

    def _origin(self) -> dict[str, Any]:
        return {"gateway_conn_id": self.gateway_conn_id, "network": self.network}

    async def _news(self, active: int) -> range:
        """The eras to announce, oldest first."""
        newest = active - 1
        last = self._last if self._last is not None else await self._last_announced(newest)
        self._last = last
        await self._note()
        if newest < last:
            self._warn_of_lag(last, newest)
            return range(0)
        payable = payable_eras(active, self.history_depth)
        if last + 1 < payable.start:
            _log.warning("Eras %d to %d are too old to be announced", last + 1, payable.start - 1)
        if newest > last:
            self._warned_of_lag = False
        return range(max(last + 1, payable.start), active)

    async def _last_announced(self, newest: int) -> int:
        """What the asset's state tells; the first time, that all but the newest are announced."""
        if self.asset_state_store is None:
            raise InvalidInput("asset", "this trigger watches for none", "Give the trigger to an asset's AssetWatcher")
        try:
            stored = await self.asset_state_store.aget(STATE_KEY)
        except ValueError:
            problem = "the watchers of several assets have equal arguments, and so are one"
            raise InvalidInput("network", problem, "Give each watcher the name of its own network") from None
        if stored is None:
            # Stored at once: should the triggerer be killed now and come back in the next era, this one is not forgotten.
            await self.asset_state_store.aset(STATE_KEY, newest - 1)
            return newest - 1
        return -1 if stored == -1 else parse_era(stored, field=STATE_KEY)

    async def _note(self) -> None:
        """Keep in the asset's state what has been confirmed meanwhile."""
        confirmed = max((era for reading, era in self._unconfirmed if reading.confirmed), default=None)
        if confirmed is not None and self.asset_state_store is not None:
            await self.asset_state_store.aset(STATE_KEY, confirmed)
            self._unconfirmed = [(reading, era) for reading, era in self._unconfirmed if era > confirmed]

    def _warn_of_lag(self, last: int, newest: int) -> None:
        if not self._warned_of_lag:
            self._warned_of_lag = True
            _log.warning(
                "Era %d has been announced, but the gateway tells that era %d ended last. It lags behind, or its chain has "
                "begun anew; nothing is announced until it is further",
                last,
                newest,
            )


@dataclass(eq=False)
class _Reading:
    """One answer of the gateway, seen by all its watchers.

    :param active_era: the era that runs.
    :param announces: a watcher has announced something from it.
    :param confirmed: and all that was announced is in Airflow's database.
    """

    active_era: int
    announces: bool = False
    confirmed: bool = False


class _EraReadings(SharedStreamProducer):
    """Asks a gateway for its active era, for ever.

    :param gateway_conn_id: connection of the gateway.
    :param poll_interval: seconds between two questions.
    """

    def __init__(self, gateway_conn_id: str, poll_interval: float) -> None:
        self._gateway_conn_id = gateway_conn_id
        self._poll_interval = max(poll_interval, _SHORTEST_PAUSE_SECONDS)
        self._client: AsyncGatewayClient | None = None
        self._wake = asyncio.Event()

    async def open_stream(self) -> AsyncGenerator[tuple[_Reading, _Reading], None]:
        """Each answer; and once more, without asking, when what it announced is confirmed, so that this is noted soon."""
        loop = asyncio.get_running_loop()
        active = None
        while True:
            asked_at = loop.time()
            answer = await self._ask()
            if answer is not None:
                active = answer
                yield (reading := _Reading(active)), reading
            while await self._woken(asked_at + self._poll_interval):
                if active is not None:
                    yield (reading := _Reading(active)), reading

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """Airflow tells that all watchers are done with answers, and that what they announced is stored."""
        for reading, outcome in batch:
            if reading.announces and outcome.is_clean:
                reading.confirmed = True
                self._wake.set()

    async def aclose(self) -> None:
        """Close the connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _ask(self) -> int | None:
        try:
            if self._client is None:
                self._client = await StakingGatewayHook(self._gateway_conn_id).aget_conn(concurrency=1)
            return await self._client.active_era()
        except (StakingGatewayError, AirflowNotFoundException, AirflowRuntimeError) as error:
            _log.warning("Will ask again in %g seconds: %s", self._poll_interval, error)
            # The connection is read anew then: its token or address may have been the mistake, and be corrected.
            await self.aclose()
            return None

    async def _woken(self, until: float) -> bool:
        """Sleep until then, unless something is confirmed."""
        loop = asyncio.get_running_loop()
        timer = loop.call_at(until, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
            self._wake.clear()
        return loop.time() < until


def new_partition_keys(announcements: Iterable[Any], passed_on: Iterable[Any]) -> list[str]:
    """Partition keys for the eras that events announce, without those that have been passed on before.

    Give it more events than the newest, of both: an era whose run failed is then passed on by the next one.

    :param announcements: events of an asset that `NewEraTrigger` watches for; others among them are left out.
    :param passed_on: events that pass on one era each, as their partition key.
    :returns: one key per era, ascending.
    :raises AirflowSkipException: no era is new, so there is nothing to pass on.
    """
    known = {event.partition_key for event in passed_on}
    announced = {_announced_era(event.extra) for event in announcements}
    keys = [str(era) for era in sorted(era for era in announced if era is not None) if str(era) not in known]
    if not keys:
        raise AirflowSkipException("Every era that has been announced is passed on already")
    return keys


def _announced_era(extra: Any) -> int | None:
    payload = extra.get("payload") if isinstance(extra, dict) else None
    try:
        return parse_era(payload.get("era") if isinstance(payload, dict) else None)
    except InvalidEra:
        # Anybody may create an event of the asset. It must not keep the watcher's eras from being paid.
        _log.warning("An event that announces no era is left out: %.200r", extra)
        return None
