"""A signer in a thread of its own, for tests and notebooks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.signer.counts import CountFile
from staking_gateway_simulator.signer.policy import Role
from staking_gateway_simulator.signer.server import PATIENCE, SignerServer
from staking_gateway_simulator.signer.service import SigningService
from staking_gateway_simulator.threads import RunningServer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from staking_gateway_simulator.signer.policy import SigningPolicy


class RunningSigner(RunningServer):
    """A signer on 127.0.0.1 for as long as the context lasts. What it signed is kept in memory.

    :param policy: what may be signed.
    :param users: mnemonics, 0x seeds or key URIs of users.
    :param payers: the same of payers.
    :param token: access token every caller must have.
    :param port: 0 takes a free one.
    :param read_clock: real time in seconds since 1970.
    :param patience: seconds for the header of a request, and again for its body.
    """

    def __init__(
        self,
        policy: SigningPolicy,
        *,
        users: Sequence[str] = ("//Alice",),
        payers: Sequence[str] = ("//Charlie",),
        token: str,
        port: int = 0,
        read_clock: Callable[[], float] = time.time,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(port)
        self.token = token
        self._policy = policy
        self._signers = {
            role: [LocalSigner(key) for key in keys] for role, keys in ((Role.USER, users), (Role.PAYER, payers))
        }
        self._read_clock = read_clock
        self._patience = patience

    def _make_server(self) -> SignerServer:
        counts = CountFile(None)
        service = SigningService(self._signers, self._policy, counts, self.token, self._read_clock)
        return SignerServer(service, counts, patience=self._patience)
