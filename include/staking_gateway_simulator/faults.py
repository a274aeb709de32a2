"""Everything that can go wrong around a call to the gateway: the names, and what each of them means. Pure.

A fault is of one of two layers, and a call can meet one of each. Faults of the wire happen to the call or to its answer on
the way; faults of the world happen at the gateway and its chain around the call. Each is a thing that real gateways and
networks do. Apart from the lies, no fault says that a payout was refused or has ended when it was not or has not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from staking_gateway import errors
from staking_gateway.errors import Failed
from staking_gateway.types import RequestStatus
from staking_gateway_simulator import rpc


class Layer(Enum):
    """Where a fault happens."""

    WIRE = "wire"
    WORLD = "world"


class Delivery(Enum):
    """What becomes of the answer on its way to the caller."""

    ANSWERED = "answered"
    REFUSED = "refused"
    RESET = "reset"
    SILENT = "silent"
    LATE = "late"
    TRUNCATED = "truncated"


class Scope(Enum):
    """Which calls a fault can happen to."""

    EVERY = "every call"
    PAYOUT = "payouts"
    ERA = "getActiveEra"
    STATE = "requestState"
    NONCE = "getNonce"


@dataclass(frozen=True)
class FaultKind:
    """One fault that can be asked for.

    :param meaning: one line for the help.
    :param reached: whether the gateway carries the call out, and may accept a payout, all the same.
    :param seconds: default of its setting in seconds; None: it has none.
    :param by: default of its setting in whole steps; None: it has none.
    :param status: the HTTP status of the answer instead of its own.
    :param error: the JSON-RPC error of the answer: code and message. `reason` is its `data.gatewayError`.
    :param reason: that, or why an accepted payout ends.
    :param told: the status that a request is said to have.
    :param lie: the gateway says that a payout was refused or has ended, and that is not true. `any` leaves lies out.
    """

    name: str
    meaning: str
    layer: Layer = Layer.WIRE
    scope: Scope = Scope.EVERY
    reached: bool = True
    delivery: Delivery = Delivery.ANSWERED
    seconds: float | None = None
    by: int | None = None
    status: int | None = None
    error: tuple[int, str] | None = None
    reason: str = ""
    told: str | None = None
    lie: bool = False

    def applies_to(self, path: str, method: str) -> bool:
        """Whether it can happen to a call."""
        if self.scope is Scope.EVERY:
            return True
        if self.scope in (Scope.ERA, Scope.NONCE):
            return method == str(self.scope.value)
        return path == ("/send" if self.scope is Scope.PAYOUT else "/poll")


@dataclass(frozen=True)
class Fault:
    """A fault that happens to one call.

    :param number: number of the call, from 1, since the rules were set.
    :param seconds: see the kind's meaning.
    :param by: likewise.
    """

    kind: FaultKind
    number: int
    seconds: float = 0.0
    by: int = 0

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def delivery(self) -> Delivery:
        """What becomes of the answer."""
        return self.kind.delivery

    def error(self, method: str) -> errors.GatewayError | None:
        """What a client makes of it where there is no network to show it; None when an answer is there to be read.

        A late answer is taken to be too late, and an oversized one to be longer than the client's limit.
        """
        if self.kind.name == "oversized":
            return errors.GatewayError("the answer is longer than the limit", method=method, how=Failed.TOO_LONG)
        how = _ERRORS.get(self.delivery)
        return None if how is None else errors.call_failed(how, self.kind.meaning, method=method)


_ERRORS = {
    Delivery.REFUSED: Failed.UNREACHABLE,
    Delivery.RESET: Failed.BROKEN,
    Delivery.SILENT: Failed.TIMEOUT,
    Delivery.LATE: Failed.TIMEOUT,
    Delivery.TRUNCATED: Failed.BROKEN,
}


def _lost(name: str, meaning: str, delivery: Delivery, *, reached: bool, seconds: float | None = None) -> FaultKind:
    return FaultKind(name, meaning, delivery=delivery, reached=reached, seconds=seconds)


def _page(status: int, *, reached: bool) -> FaultKind:
    """A page of a proxy, before or after the gateway was reached."""
    meaning = f"{'carried out;' if reached else 'never arrived:'} {HTTPStatus(status).phrase} in HTML"
    return FaultKind(f"http-{status}-{'after' if reached else 'before'}", meaning, reached=reached, status=status)


def _refusal(name: str, error: tuple[int, str], reason: str) -> FaultKind:
    meaning = f"not carried out: JSON-RPC error {error[0]} {error[1]}"
    return FaultKind(name, meaning, reached=False, error=error, reason=reason)


def _payout(name: str, meaning: str, **settings: Any) -> FaultKind:
    return FaultKind(name, meaning, scope=Scope.PAYOUT, **settings)


def _state(name: str, meaning: str, told: str | None = None, **settings: Any) -> FaultKind:
    return FaultKind(name, meaning, scope=Scope.STATE, told=told, **settings)


def _nonce(name: str, meaning: str) -> FaultKind:
    return FaultKind(name, meaning, scope=Scope.NONCE, seconds=6.0)


def _world(name: str, meaning: str, **settings: Any) -> FaultKind:
    return FaultKind(name, meaning, Layer.WORLD, Scope.PAYOUT, **settings)


def _early(name: str, status: RequestStatus, meaning: str) -> FaultKind:
    return _world(name, meaning, seconds=60.0, told=status.value, lie=True)


def _doom(name: str, status: RequestStatus, meaning: str) -> FaultKind:
    return _world(name, f"an accepted payout {meaning}", told=status.value, reason=meaning)


_INSIDE: dict[str, Any] = {"status": 500, "error": rpc.INTERNAL_ERROR, "reason": "Failed to handle send transaction"}
_PENDING, _NOT_FOUND = RequestStatus.PENDING.value, RequestStatus.NOT_FOUND.value
_NOT_VALID = "the request could not be validated"
_NOT_SENT = "failed to send proxy transaction"
_KINDS = (
    # On the wire: the call or its answer is lost.
    _lost(
        "refuse",
        "the connection is closed at once; for `seconds` more new ones are refused",
        Delivery.REFUSED,
        reached=False,
        seconds=0.0,
    ),
    _lost("reset-before", "connection reset; the gateway never saw the call", Delivery.RESET, reached=False),
    _lost(
        "reset-after", "carried out, then the connection is reset instead of the answer", Delivery.RESET, reached=True
    ),
    _lost("silence-before", "the call is lost and never answered", Delivery.SILENT, reached=False),
    _lost("silence-after", "carried out and never answered", Delivery.SILENT, reached=True),
    _lost("late", "carried out; the answer comes `seconds` later", Delivery.LATE, reached=True, seconds=40.0),
    _lost("truncated", "carried out; the answer breaks off in the middle", Delivery.TRUNCATED, reached=True),
    # On the wire: another answer arrives. The call was carried out, unless the meaning says that it never arrived.
    FaultKind("empty", "carried out; answered with nothing"),
    FaultKind("not-json", "carried out; answered with a line of text"),
    FaultKind("oversized", "carried out; 2 MiB of spaces after the answer"),
    FaultKind("http-401", "never arrived: the front door answers Unauthorized", reached=False, status=401),
    FaultKind(
        "http-403", "never arrived: the front door answers Forbidden, to a good token too", reached=False, status=403
    ),
    FaultKind(
        "http-429", "never arrived: Too Many Requests, Retry-After `seconds`", reached=False, status=429, seconds=1.0
    ),
    *(_page(status, reached=reached) for reached in (False, True) for status in (502, 503, 504)),
    _refusal("rpc-32700", rpc.PARSE_ERROR, "the body is not JSON"),
    _refusal("rpc-32600", rpc.INVALID_REQUEST, _NOT_VALID),
    _refusal("rpc-32601", rpc.METHOD_NOT_FOUND, "method not found"),
    _refusal("rpc-32602", rpc.INVALID_PARAMS, "the parameters could not be read"),
    _refusal("rpc-32603-before", rpc.INTERNAL_ERROR, _NOT_SENT),
    _payout(
        "refusal-internal-with-signature",
        "not carried out: JSON-RPC error -32603 whose text holds the whole fee signature",
        reached=False,
    ),
    FaultKind(
        "rpc-32603-after",
        "carried out, yet answered with JSON-RPC error -32603",
        error=rpc.INTERNAL_ERROR,
        reason=_NOT_SENT,
    ),
    _payout("http-500-before", "not queued: HTTP 500 with JSON-RPC error -32603 as its body", reached=False, **_INSIDE),
    _payout("http-500-after", "carried out; HTTP 500 with JSON-RPC error -32603 as its body", **_INSIDE),
    _payout(
        "refused-yet-kept",
        "carried out, yet refused with JSON-RPC error -32600",
        error=rpc.INVALID_REQUEST,
        reason=_NOT_VALID,
        lie=True,
    ),
    FaultKind("wrong-id", "carried out; the answer carries another id"),
    FaultKind("wrong-type", "carried out; `result` has a type no result has"),
    FaultKind("error-in-result", "carried out; `result` is an error text"),
    FaultKind("era-zero", "the active era is 0: no data", scope=Scope.ERA),
    _nonce(
        "nonce-stale",
        "a nonce is told as it was `seconds` ago: another of the gateway's nodes answers, which is behind",
    ),
    _nonce(
        "nonce-ahead", "a nonce already counts a pending payout of the last `seconds`: its block is undone afterwards"
    ),
    _state("state-pending", "a request stays Pending, whatever became of it, until the rule is lifted", _PENDING),
    _state("state-not-found", "a known request is answered with the status Transaction not found", _NOT_FOUND),
    _state(
        "state-not-found-error",
        "a known request is answered with an error Transaction not found",
        error=rpc.INVALID_REQUEST,
        reason=_NOT_FOUND,
    ),
    _state("state-unknown", "a known request has a status word that no document names", "Requeued"),
    _state(
        "poll-internal-error",
        "a known request is answered with JSON-RPC error -32603 failed to poll chain",
        error=rpc.INTERNAL_ERROR,
        reason=rpc.POLL_FAILED,
    ),
    _state("poll-bare-word", "the state of a known request comes as one word instead of an object"),
    # In the world: the chain and the gateway around a payout.
    _world(
        "window-opens", "the election window opens when the payout arrives, for `seconds` of chain time", seconds=5.0
    ),
    _world("staking-nonce-before", "somebody else uses `by` staking nonces of the user right before", by=1),
    _world("payment-nonce-before", "somebody else uses `by` payment nonces of the payer right before", by=1),
    _world("fee-before", "the relayer fee rises by `by` right before", by=1),
    _world("staking-nonce-after", "`by` staking nonces of the user are used between acceptance and execution", by=1),
    _world("payment-nonce-after", "`by` payment nonces of the payer are used between acceptance and execution", by=1),
    _world("fee-after", "the relayer fee rises by `by` between acceptance and execution", by=1),
    _world("slow-execution", "an accepted payout is executed `seconds` later than others", seconds=60.0),
    _world("queue-blocked", "a bad payload holds up all payouts that are not sent yet, for `seconds`", seconds=60.0),
    _early(
        "early-sending-failed",
        RequestStatus.SENDING_FAILED,
        "an accepted payout is executed `seconds` later; for half of them its state is SendingFailed",
    ),
    _early("early-rejected", RequestStatus.REJECTED, "likewise, and its state is Rejected"),
    _early("early-processed", RequestStatus.PROCESSED, "likewise, and its state is Processed"),
    _doom("request-rejected", RequestStatus.REJECTED, "fails on the chain: Rejected, nothing executed"),
    _doom("request-sending-failed", RequestStatus.SENDING_FAILED, "never reaches the chain: SendingFailed"),
    _doom("request-payer-refused", RequestStatus.PAYER_REFUSED, "never reaches the chain: PayerRefused"),
    FaultKind(
        "clock-skew",
        "the gateway's clock is `seconds` ahead, or behind if negative, when it judges the token",
        Layer.WORLD,
        seconds=3600.0,
    ),
)

FAULTS: dict[str, FaultKind] = {kind.name: kind for kind in _KINDS}
"""Every fault by its stable name."""


@lru_cache(maxsize=256)
def applicable(path: str, method: str) -> tuple[FaultKind, ...]:
    """The faults that can happen to a call, except lies; cached, for it is asked for every call."""
    return tuple(kind for kind in _KINDS if kind.applies_to(path, method) and not kind.lie)
