"""Announces each ended era in an event.

All watchers of one gateway connection share a stream: `_EraReadings` polls, and each `NewEraTrigger` emits events for its own asset.
The asset's state stores an announced era after Airflow has stored the event. A triggerer that dies in between announces the era
again, and `new_partition_keys` drops the repetition.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRuntimeError, AirflowSkipException
from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from airflow.triggers.shared_stream import AdvanceItem, AdvanceOutcome, SharedStreamProducer

from staking_gateway.config import defaults
from staking_gateway.eras.expiry import payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.types import parse_era
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.triggers.polling import SHORTEST_PAUSE_SECONDS

if TYPE_CHECKING:
    from airflow.sdk.execution_time.context import AssetStateStoreAccessors

    from staking_gateway import AsyncGatewayClient

STATE_KEY = "last_era"
"""Key of the last announced era in an asset's state; -1 before the first."""

_log = logging.getLogger(__name__)


class NewEraTrigger(BaseEventTrigger):
    """Announces every ended era, once and in order.

    It continues after the last announced era, and skips expired eras. The first announced era is the newest ended one. While the
    gateway reports an older era than the last announced one, nothing is announced.

    The payload of an event: `era`, which has ended, `active_era`, `gateway_conn_id` and `network`.

    :param gateway_conn_id: connection of the gateway; the trigger gets no secret.
    :param poll_interval: seconds between two requests. Watchers of one connection with the same interval share their requests.
    :param history_depth: number of eras for which the chain keeps rewards; older eras are not announced.
    :param network: a different name for each asset. Airflow runs watchers with equal arguments as one watcher, which cannot keep
        the states of two assets.
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
        """Watchers with the same key share their requests."""
        return "staking-gateway-active-era", self.gateway_conn_id, float(self.poll_interval)

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """The stream of all watchers with one `shared_stream_key`."""
        return _EraReadings(kwargs["gateway_conn_id"], kwargs["poll_interval"])

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncGenerator[TriggerEvent, None]:
        """Emit an event for each new era."""
        async for reading in shared_stream:
            try:
                eras = await self._new_eras(reading.active_era)
            except (AirflowRuntimeError, ValueError) as error:
                _log.warning("No era is announced, because the asset's state cannot be read or written: %s", error)
                continue
            for era in eras:
                self._last = era
                reading.announces = True
                yield TriggerEvent({**self._origin(), "era": era, "active_era": reading.active_era})
            if eras:
                self._unconfirmed.append((reading, eras[-1]))

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """The events without Airflow's shared stream."""
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

    async def _new_eras(self, active: int) -> range:
        """The eras to announce, oldest first."""
        newest = active - 1
        last = self._last if self._last is not None else await self._last_announced(newest)
        self._last = last
        await self._store_confirmed()
        if newest < last:
            if not self._warned_of_lag:
                _log.warning(
                    "Era %d was announced, but the gateway reports that era %d ended last. The gateway lags behind, or its chain "
                    "has restarted; no era is announced until a later one ends",
                    last,
                    newest,
                )
            self._warned_of_lag = True
            return range(0)
        payable = payable_eras(active, self.history_depth)
        if last + 1 < payable.start:
            _log.warning("Eras %d to %d are too old to be announced", last + 1, payable.start - 1)
        if newest > last:
            self._warned_of_lag = False
        return range(max(last + 1, payable.start), active)

    async def _last_announced(self, newest: int) -> int:
        """The era in the asset's state; at the first start the era before the newest ended one."""
        if self.asset_state_store is None:
            raise InvalidInput("asset", "this trigger watches none", "Give the trigger to an asset's AssetWatcher")
        try:
            stored = await _state(self.asset_state_store, "get")
        except ValueError:
            problem = "the watchers of several assets have equal arguments, so Airflow runs them as one"
            raise InvalidInput("network", problem, "Give each watcher the name of its own network") from None
        if stored is None:
            # Stored now, so that a triggerer that restarts in the next era announces this era too.
            await _state(self.asset_state_store, "set", newest - 1)
            return newest - 1
        return -1 if stored == -1 else parse_era(stored, field=STATE_KEY)

    async def _store_confirmed(self) -> None:
        """Store the newest confirmed era in the asset's state."""
        confirmed = max((era for reading, era in self._unconfirmed if reading.confirmed), default=None)
        if confirmed is not None and self.asset_state_store is not None:
            await _state(self.asset_state_store, "set", confirmed)
            self._unconfirmed = [(reading, era) for reading, era in self._unconfirmed if era > confirmed]


async def _state(store: AssetStateStoreAccessors, verb: str, *values: int) -> Any:
    """Read or write the asset's state. The store of Airflow 3.3.0 and 3.3.1 is only synchronous, and works in a thread."""
    if (method := getattr(store, f"a{verb}", None)) is not None:
        return await method(STATE_KEY, *values)
    return await asyncio.to_thread(getattr(store, verb), STATE_KEY, *values)


@dataclass(eq=False)
class _Reading:
    """One answer of the gateway, for all its watchers; `confirmed`: all announced eras are in Airflow's database."""

    active_era: int
    announces: bool = False
    confirmed: bool = False


class _EraReadings(SharedStreamProducer):
    """Polls the active era of a gateway, without end."""

    def __init__(self, gateway_conn_id: str, poll_interval: float) -> None:
        self._gateway_conn_id = gateway_conn_id
        self._poll_interval = max(poll_interval, SHORTEST_PAUSE_SECONDS)
        self._client: AsyncGatewayClient | None = None
        self._wake = asyncio.Event()

    async def open_stream(self) -> AsyncGenerator[tuple[_Reading, _Reading], None]:
        """Each answer. A confirmed answer is yielded again, so that watchers store their confirmed eras."""
        loop = asyncio.get_running_loop()
        active = None
        while True:
            asked_at = loop.time()
            answer = await self._ask()
            if answer is not None:
                active = answer
                yield (reading := _Reading(active)), reading
            while await self._confirmed_before(asked_at + self._poll_interval):
                if active is not None:
                    yield (reading := _Reading(active)), reading

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """Called by Airflow when all watchers are done with these answers, and their events are stored."""
        for reading, outcome in batch:
            if reading.announces and outcome.is_clean:
                reading.confirmed = True
                self._wake.set()

    async def aclose(self) -> None:
        if self._client is not None:
            # Airflow calls this again when it was cancelled here.
            await self._client.close()
            self._client = None

    async def _ask(self) -> int | None:
        try:
            if self._client is None:
                self._client = await StakingGatewayHook(self._gateway_conn_id).aget_conn(concurrency=1)
            return await self._client.active_era()
        except (StakingGatewayError, AirflowRuntimeError) as error:
            _log.warning("Will ask again in %g seconds: %s", self._poll_interval, error)
            await self.aclose()  # the next request reads the connection again: it may be corrected by then
            return None

    async def _confirmed_before(self, until: float) -> bool:
        """Sleep until then, or until an era is confirmed."""
        loop = asyncio.get_running_loop()
        timer = loop.call_at(until, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
            self._wake.clear()
        return loop.time() < until


def new_partition_keys(announcements: Iterable[Any], passed_on: Iterable[Any]) -> list[str]:
    """Partition keys for announced eras, without the eras that were passed on before.

    Give it several events of both kinds: then the next run passes on an era whose run failed.

    :param announcements: events of an asset with a `NewEraTrigger`; other events are ignored.
    :param passed_on: events with one era each, as their partition key.
    :returns: one key per era, ascending.
    :raises AirflowSkipException: no era is new.
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
        # Any user may create an event of the asset. It must not stop the payouts.
        _log.warning("An event without an era is ignored: %.200r", extra)
        return None
