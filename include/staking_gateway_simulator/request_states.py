"""How the poll endpoint tells the state of a request; versions of the gateway differ. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from staking_gateway.types import RequestStatus
from staking_gateway_simulator.events import Dropped, Rejected

if TYPE_CHECKING:
    from staking_gateway_simulator.chain import Request
    from staking_gateway_simulator.settings import SimulatorSettings

POLL_FAILED = "failed to poll chain"
NOT_FOUND: dict[str, str | None] = {"txHash": None, "status": RequestStatus.NOT_FOUND.value}
_BARE_WORDS = {
    RequestStatus.AWAITING_TO_SEND: RequestStatus.PENDING,
    RequestStatus.SENDING_FAILED: RequestStatus.REJECTED,
    RequestStatus.PAYER_REFUSED: RequestStatus.REJECTED,
}
"""Words of newer versions, and what the oldest version says instead."""


def state_of(request: Request, tick: int, settings: SimulatorSettings) -> dict[str, str | None]:
    """The state of a known request as an object, settled up to a tick."""
    ended = request.ended
    status = request.told_at(tick)
    if isinstance(ended, Rejected) and ended.inner:
        status = settings.inner_failure_status
    if status == RequestStatus.AWAITING_TO_SEND:
        return {"txHash": None, "status": status}
    if isinstance(ended, Dropped):
        holds_id = status == RequestStatus.SENDING_FAILED and settings.tx_hash_of_failed == "request_id"
        return {"txHash": ended.request_id if holds_id else None, "status": status}
    state: dict[str, str | None] = {"txHash": request.tx_hash, "status": status}
    if ended is not None:
        # The network's documentation shows both as decimal strings.
        state |= {"blockNumber": str(ended.block), "transactionIndex": str(ended.index)}
    return state


def upper_word(status: str) -> str:
    """A status in the spelling of versions that write `SENDING_FAILED`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", status).upper()


def bare_word(status: str) -> str:
    """The one word that the oldest version answers for a status."""
    return _BARE_WORDS.get(RequestStatus(status), RequestStatus(status)).value
