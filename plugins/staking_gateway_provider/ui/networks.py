"""Settings and ledger of the networks on the page. Settings are read again every few seconds."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from staking_gateway.config.loader import load_config
from staking_gateway_provider.networks import ledger_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.config.models import Config
    from staking_gateway.ledger import Ledger

_FRESH_SECONDS = 5.0


class Networks:
    """Settings and ledger, shared by the requests of one process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._read: tuple[float, Config] | None = None
        self._opened: tuple[str, Ledger] | None = None

    def config(self) -> Config:
        """The configuration file."""
        with self._lock:
            if self._read is None or self._clock() - self._read[0] >= _FRESH_SECONDS:
                self._read = (self._clock(), load_config(check_accounts=False))
            return self._read[1]

    def names(self) -> list[str]:
        """The networks that have DAGs."""
        return [name for name, network in self.config().networks.items() if network.enabled]

    def ledger(self) -> Ledger:
        """The ledger; it stays open."""
        from staking_gateway.ledger import Ledger

        url = ledger_url()
        with self._lock:
            if self._opened is None or self._opened[0] != url:
                if self._opened is not None:
                    self._opened[1].close()
                    self._opened = None
                self._opened = (url, Ledger(url))
            return self._opened[1]
