"""A signer in a thread of its own, for tests and notebooks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.signer.counts import DailyCounts
from staking_gateway_simulator.signer.server import PATIENCE, SignerServer
from staking_gateway_simulator.signer.service import SigningService
from staking_gateway_simulator.threads import RunningServer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from staking_gateway_simulator.signer.policy import SigningPolicy


class RunningSigner(RunningServer):
    """A signer on 127.0.0.1 for as long as the context lasts.

    :param policy: what may be signed.
    :param keys: mnemonics, 0x seeds or key URIs.
    :param token: access token every caller must have.
    :param counts: the count file; None counts in memory.
    :param port: 0 takes a free one.
    :param read_clock: real time in seconds since 1970.
    :param patience: seconds for the header of a request, and again for its body.
    """

    def __init__(
        self,
        policy: SigningPolicy,
        *,
        keys: Sequence[str] = ("//Alice", "//Charlie"),
        token: str,
        counts: Path | None = None,
        port: int = 0,
        read_clock: Callable[[], float] = time.time,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(port)
        self.token = token
        self._policy = policy
        self._signers = [LocalSigner(key) for key in keys]
        self._counts = counts
        self._read_clock = read_clock
        self._patience = patience

    def _make_server(self) -> SignerServer:
        counts = DailyCounts(self._counts)
        service = SigningService(self._signers, self._policy, counts, self.token, self._read_clock)
        return SignerServer(service, counts, patience=self._patience)
