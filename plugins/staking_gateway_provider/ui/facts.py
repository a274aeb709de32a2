"""What the gateways told a moment ago. Asking is done in the background, so that a slow gateway never holds the page up."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from airflow.sdk.exceptions import AirflowNotFoundException

from staking_gateway.errors import StakingGatewayError
from staking_gateway.overview import LiveFacts, read_facts
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.settings import NetworkConfig


def ask_gateway(network: NetworkConfig) -> LiveFacts:
    """Ask the network's gateway; whatever keeps it from answering is a fact too."""
    try:
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            return read_facts(client, network, free_balance=client.free_balance)
    except (StakingGatewayError, AirflowNotFoundException) as error:
        return LiveFacts(problem=str(error))


@dataclass
class _Entry:
    facts: LiveFacts = field(default_factory=LiveFacts)
    told_at: float | None = None
    asking: bool = False
    first: threading.Event = field(default_factory=threading.Event)


class FactsCache:
    """Facts by network, no older than some seconds.

    :param ask: asks a gateway.
    :param fresh: seconds for which an answer is good.
    :param patience: seconds to wait for the very first answer; later ones are waited for by nobody.
    """

    def __init__(
        self,
        ask: Callable[[NetworkConfig], LiveFacts] = ask_gateway,
        *,
        fresh: float = 3.0,
        patience: float = 0.3,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._fresh = fresh
        self._patience = patience
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    def get(self, name: str, network: NetworkConfig) -> LiveFacts:
        """The newest facts there are; asks for newer ones when they are old."""
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            old = entry.told_at is None or self._clock() - entry.told_at >= self._fresh
            if old and not entry.asking:
                entry.asking = True
                threading.Thread(target=self._refresh, args=(entry, network), name=f"ask-{name}", daemon=True).start()
        entry.first.wait(self._patience)
        return entry.facts

    def _refresh(self, entry: _Entry, network: NetworkConfig) -> None:
        facts = LiveFacts(problem="asking it has failed; see the log of the API server")
        try:
            facts = self._ask(network)
        finally:
            with self._lock:
                entry.facts, entry.told_at, entry.asking = facts, self._clock(), False
            entry.first.set()
