"""What the gateway says about the requests of a comparison. A question without an answer is unknown, with the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.errors import GatewayError
from staking_gateway.gateway.capabilities import if_supported

if TYPE_CHECKING:
    from staking_gateway.ledger import Ledger, Payout
    from staking_gateway.payout.terms import Gateway
    from staking_gateway.types import RequestStatus

_REQUEST_ID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")


@dataclass(frozen=True)
class Requests:
    """The gateway's states of the requests of one part.

    :param states: request id to its state; requests without a known state are left out.
    """

    states: dict[str, RequestStatus]

    @property
    def processed(self) -> list[str]:
        return [one for one, status in self.states.items() if status.succeeded]

    @property
    def all_failed(self) -> bool:
        """Whether every request is known to have failed."""
        return bool(self.states) and all(status.failed for status in self.states.values())

    def __str__(self) -> str:
        return ", ".join(f"request {one} is {status.value}" for one, status in self.states.items())


@dataclass
class GatewayReads:
    """Reads request states until the first failure.

    :param gateway: None is never asked.
    :ivar problem: why nothing more is read.
    """

    gateway: Gateway | None
    problem: str = field(default="", init=False)

    def states(self, part: Payout, ledger: Ledger) -> Requests:
        """The states of all requests of a part that the ledger has ever known."""
        told = {request: self._ask(request) for request in self._known(part, ledger)}
        return Requests(
            {request: status for request, status in told.items() if status and (status.succeeded or status.failed)}
        )

    @staticmethod
    def _known(part: Payout, ledger: Ledger) -> list[str]:
        named = [part.request_id] if part.request_id else []
        if part.plans > 1:  # the causes of earlier changes name the requests of earlier payloads
            named += [one for event in ledger.events(part) for one in _REQUEST_ID.findall(event.cause)]
        return list(dict.fromkeys(named))

    def _ask(self, request: str) -> RequestStatus | None:
        gateway = self.gateway
        if gateway is None or self.problem:
            return None
        try:
            state = if_supported(lambda: gateway.request_state(request))
        except GatewayError as error:
            self.problem = error.what
            return None
        if state is None:
            self.problem = "the gateway reports no states of requests"
            return None
        return state.status
