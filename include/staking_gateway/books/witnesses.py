"""What the gateway says about the requests of a comparison. A question without an answer is unknown, with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.errors import GatewayError
from staking_gateway.gateway.capabilities import if_supported

if TYPE_CHECKING:
    from staking_gateway.ledger import Payout
    from staking_gateway.payout.terms import Gateway
    from staking_gateway.types import RequestStatus


@dataclass(frozen=True)
class Requests:
    """The gateway's states of the requests of one part.

    :param states: request id to its state; requests without an end are left out.
    :param complete: every send of the part has a request with an end.
    """

    states: dict[str, RequestStatus]
    complete: bool = True

    @property
    def processed(self) -> list[str]:
        return [one for one, status in self.states.items() if status.succeeded]

    @property
    def all_failed(self) -> bool:
        """Whether every send is known to have failed."""
        return bool(self.states) and self.complete and all(status.failed for status in self.states.values())

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

    def states(self, part: Payout) -> Requests:
        """The states of all requests of a part."""
        sent = [send.request_id for copy in part.copies for send in copy.sends]
        told = {request: self._ask(request) for request in dict.fromkeys(sent) if request}
        ended = {one: status for one, status in told.items() if status and (status.succeeded or status.failed)}
        return Requests(ended, all(request in ended for request in sent))

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
