"""Announces each ended era in an event.

The asset's state stores an announced era some seconds after the event, because Airflow stores events once per second. A triggerer that
dies in between announces the era again, and `new_partition_keys` drops the repetition.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRuntimeError, AirflowSkipException
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

from staking_gateway.eras.expiry import HISTORY_DEPTH, payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.types import parse_era
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.triggers.gateway import SHORTEST_PAUSE_SECONDS

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient

STATE_KEY = "last_era"
"""Key of the last announced era in an asset's state; -1 before the first."""
STORED_AFTER_SECONDS = 5.0
"""From an event to its era in the asset's state. Airflow has stored the event by then."""

_log = logging.getLogger(__name__)


class NewEraTrigger(BaseEventTrigger):
    """Announces every ended era, once and in order.

    It continues after the last announced era, and skips expired eras. The first announced era is the newest ended one. While the
    gateway reports an older era than the last announced one, nothing is announced.

    The payload of an event: `era`, which has ended, `active_era`, `gateway_conn_id` and `network`.

    :param gateway_conn_id: connection of the gateway; the trigger gets no secret.
    :param poll_interval: seconds between two requests.
    :param history_depth: number of eras for which the chain keeps rewards; older eras are not announced.
    :param network: a different name for each asset. Airflow runs watchers with equal arguments as one watcher, which cannot keep
        the states of two assets.
    """

    def __init__(
        self,
        *,
        gateway_conn_id: str,
        poll_interval: float = 30.0,
        history_depth: int = HISTORY_DEPTH,
        network: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.history_depth = history_depth
        self.network = network
        self._client: AsyncGatewayClient | None = None
        self._last: int | None = None
        self._stored: int | None = None
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

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Poll the active era without end, and yield an event for each ended era."""
        interval = max(self.poll_interval, SHORTEST_PAUSE_SECONDS)
        try:
            while True:
                active, eras = await self._ask(interval)
                for era in eras:
                    self._last = era
                    origin = {"gateway_conn_id": self.gateway_conn_id, "network": self.network}
                    yield TriggerEvent({**origin, "era": era, "active_era": active})
                await asyncio.sleep(STORED_AFTER_SECONDS if eras else interval)
        finally:
            await self._close()

    async def _ask(self, interval: float) -> tuple[int, range]:
        """The active era, and the eras to announce, oldest first. An error ends no watch."""
        try:
            await self._store_last()
            if self._client is None:
                self._client = await StakingGatewayHook(self.gateway_conn_id).aget_conn(concurrency=1)
            active = await self._client.active_era()
            return active, await self._new_eras(active)
        except (StakingGatewayError, AirflowRuntimeError) as error:
            _log.warning("Will ask again in %g seconds: %s", interval, error)
            await self._close()  # the next request reads the connection again: it may be corrected by then
            return 0, range(0)

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.close()  # a cancelled call is repeated
            self._client = None

    async def _new_eras(self, active: int) -> range:
        newest = active - 1
        if self._last is None:
            self._last = await self._last_announced(newest)
        if newest < self._last:
            if not self._warned_of_lag:
                _log.warning(
                    "Era %d was announced, but the gateway reports that era %d ended last. The gateway lags behind, or its chain "
                    "has restarted; no era is announced until a later one ends",
                    self._last,
                    newest,
                )
            self._warned_of_lag = True
            return range(0)
        payable = payable_eras(active, self.history_depth)
        if self._last + 1 < payable.start:
            _log.warning("Eras %d to %d are too old to be announced", self._last + 1, payable.start - 1)
        if newest > self._last:
            self._warned_of_lag = False
        return range(max(self._last + 1, payable.start), active)

    async def _last_announced(self, newest: int) -> int:
        """The era in the asset's state; at the first start the era before the newest ended one."""
        if self.asset_state_store is None:
            raise InvalidInput("asset", "this trigger watches none", "Give the trigger to an asset's AssetWatcher")
        try:
            stored = await self._state("get")
        except ValueError:
            problem = "the watchers of several assets have equal arguments, so Airflow runs them as one"
            raise InvalidInput("network", problem, "Give each watcher the name of its own network") from None
        if stored is None:
            # Stored now, so that a triggerer that restarts in the next era announces this era too.
            await self._state("set", newest - 1)
            stored = newest - 1
        self._stored = -1 if stored == -1 else parse_era(stored, field=STATE_KEY)
        return self._stored

    async def _store_last(self) -> None:
        """Store the last announced era in the asset's state."""
        if self._last is not None and self._last != self._stored:
            await self._state("set", self._last)
            self._stored = self._last

    async def _state(self, verb: str, *values: int) -> Any:
        """Read or write the asset's state. The store of Airflow 3.3.0 and 3.3.1 is only synchronous, and works in a thread."""
        store = self.asset_state_store
        if (method := getattr(store, f"a{verb}", None)) is not None:
            return await method(STATE_KEY, *values)
        return await asyncio.to_thread(getattr(store, verb), STATE_KEY, *values)


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
