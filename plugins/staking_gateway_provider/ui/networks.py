"""Settings and ledger of the networks on the page."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from staking_gateway_provider.networks import ledger_url
from staking_gateway_provider.settings import read_config

if TYPE_CHECKING:
    from staking_gateway.ledger import Ledger


class Networks:
    """The networks of the file, and the ledger that the requests of one process share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: tuple[str, Ledger] | None = None

    def names(self) -> list[str]:
        """The enabled networks, also those with mistakes.

        :raises ConfigError: a mistake is outside of the settings of networks.
        """
        file = read_config()
        file.check_around()
        return list(file.enabled)

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
