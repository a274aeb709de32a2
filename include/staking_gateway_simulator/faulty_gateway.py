"""The gateway as it is met when things go wrong: the faults of a plan, carried out. No I/O of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_NONCE, NonceKind, RequestStatus
from staking_gateway_simulator.accounts import read_account
from staking_gateway_simulator.events import Delayed, Doomed, FeeSet, NonceUsed, QueueBlocked, WindowOpened
from staking_gateway_simulator.fault_plan import NO_FAULTS
from staking_gateway_simulator.gateway import Answer, Call, Gateway, front_door, unauthorised_fee
from staking_gateway_simulator.request_states import POLL_FAILED, bare_word
from staking_gateway_simulator.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Params,
    Request,
    RpcRefusal,
)
from staking_gateway_simulator.settings import to_micros

if TYPE_CHECKING:
    from staking_gateway_simulator.events import Event
    from staking_gateway_simulator.fault_plan import FaultPlan
    from staking_gateway_simulator.faults import Fault
    from staking_gateway_simulator.simulation import Simulation

UNKNOWN_STATUS = "Requeued"
"""A status word that no document names."""
_PADDING = b" " * (2 * 1024 * 1024)
_NONCE_ROOM = 2**32
_HTML = "<html><head><title>{0} {1}</title></head><body><center><h1>{0} {1}</h1></center></body></html>\r\n"
_REASONS = {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}
_FAILURES = {
    "rpc-32700": (PARSE_ERROR, "the body is not JSON"),
    "rpc-32600": (INVALID_REQUEST, "the request could not be validated"),
    "rpc-32601": (METHOD_NOT_FOUND, "method not found"),
    "rpc-32602": (INVALID_PARAMS, "the parameters could not be read"),
    "rpc-32603-before": (INTERNAL_ERROR, "failed to send proxy transaction"),
    "rpc-32603-after": (INTERNAL_ERROR, "failed to send proxy transaction"),
    "http-500-before": (INTERNAL_ERROR, "Failed to handle send transaction"),
    "http-500-after": (INTERNAL_ERROR, "Failed to handle send transaction"),
    "refused-yet-kept": (INVALID_REQUEST, "the request could not be validated"),
}
_POLL_ERRORS = {
    "state-not-found-error": (INVALID_REQUEST, RequestStatus.NOT_FOUND.value),
    "poll-internal-error": (INTERNAL_ERROR, POLL_FAILED),
}
_DOOMS = {
    "request-rejected": (RequestStatus.REJECTED, "the transaction failed on the chain"),
    "request-sending-failed": (RequestStatus.SENDING_FAILED, "the transaction could not be sent to the chain"),
    "request-payer-refused": (RequestStatus.PAYER_REFUSED, "the payer refused to pay the relayer fee"),
}
_EARLY = {
    "early-sending-failed": RequestStatus.SENDING_FAILED,
    "early-rejected": RequestStatus.REJECTED,
    "early-processed": RequestStatus.PROCESSED,
}
_STATE_WORDS = {
    "state-pending": RequestStatus.PENDING.value,
    "state-not-found": RequestStatus.NOT_FOUND.value,
    "state-unknown": UNKNOWN_STATUS,
}
_NO_RESULTS: tuple[Any, ...] = (None, True, 0.5, [], {})
"""Values of types no result has."""


class Reply(NamedTuple):
    """What comes back of one call.

    :param answer: what is on its way to the caller; None when nothing is.
    :param fault: the fault of the wire this call met: `fault.delivery` tells what becomes of the answer.
    """

    answer: Answer | None
    fault: Fault | None


class FaultyGateway:
    """A gateway behind a plan of faults. Without rules it is the gateway itself.

    :param simulation: the chain behind the gateway.
    :param plan: decides which call meets which faults; counts those that took effect.
    """

    def __init__(self, simulation: Simulation, plan: FaultPlan) -> None:
        self._simulation = simulation
        self._plan = plan
        self._gateway = Gateway(simulation)

    def respond(self, call: Call) -> Reply:
        """Answer one call, or not. A payout that is accepted is on disk when this returns, whatever happens to the answer."""
        wire, world = self._plan.next(call.path, _method(call.body)) if self._plan.active else NO_FAULTS
        if wire is not None and not wire.kind.reached:
            return self._stopped(call, wire)
        answer = self._gateway.respond(call) if world is None else self._in_the_world(call, world)
        return Reply(answer, None) if wire is None else self._on_the_way_back(call, answer, wire)

    # -- the call is not carried out ----------------------------------------------------------------------------------

    def _stopped(self, call: Call, fault: Fault) -> Reply:
        if fault.name in _FAILURES:
            answer = self._gateway.respond(call, failure=RpcRefusal(*_FAILURES[fault.name]))
            return self._met(_with_status(answer, fault), fault, met=answer.status == 200)
        if fault.name == "refusal-internal-with-signature":
            signature = _param(call, "feePaymentSignature")
            refusal = None if signature is None else unauthorised_fee(signature)
            answer = self._gateway.respond(call, failure=refusal)
            return self._met(answer, fault, met=refusal is not None and answer.status == 200)
        if not fault.name.startswith("http-"):
            return self._met(None, fault)
        self._gateway.count(call)
        status = int(fault.name[5:8])
        if status in _REASONS:
            return self._met(_html(status), fault)
        answer = front_door(status, {401: "Unauthorized", 403: "Forbidden"}.get(status, "Too Many Requests"))
        if status == 429:
            answer = dataclasses.replace(answer, headers={**answer.headers, "Retry-After": f"{fault.seconds:.0f}"})
        return self._met(answer, fault)

    # -- the answer changes on its way --------------------------------------------------------------------------------

    def _on_the_way_back(self, call: Call, answer: Answer, fault: Fault) -> Reply:
        name = fault.name
        if name in ("reset-after", "silence-after"):
            return self._met(None, fault)
        if name in ("late", "truncated"):
            return self._met(answer, fault)
        if name.startswith("http-") and name != "http-500-after":
            return self._met(_html(int(name[5:8])), fault)
        if name == "empty":
            return self._met(dataclasses.replace(answer, body=b""), fault)
        if name == "not-json":
            return self._met(Answer(200, b"upstream is busy, try again later\n", {"Content-Type": "text/plain"}), fault)
        if name == "oversized":
            return self._met(dataclasses.replace(answer, body=answer.body + _PADDING), fault)
        changed = self._rewritten(call, answer, fault) if answer.status == 200 else None
        return self._met(changed or answer, fault, met=changed is not None)

    def _rewritten(self, call: Call, answer: Answer, fault: Fault) -> Answer | None:
        """The answer with another id, result or error; None when it holds nothing this fault could happen to."""
        envelope = json.loads(answer.body)
        if fault.name == "wrong-id":
            envelope["id"] = envelope["id"] + 1 if isinstance(envelope["id"], int) else "another"
        elif "result" not in envelope:
            return None
        elif fault.name == "wrong-type":
            envelope["result"] = _NO_RESULTS[fault.number % len(_NO_RESULTS)]
        elif fault.name == "error-in-result":
            envelope["result"] = "Error: the connection to the node was closed"
        elif fault.name == "era-zero":
            envelope["result"] = type(envelope["result"])(0)
        elif fault.name in ("nonce-stale", "nonce-ahead"):
            return self._other_nonce(call, envelope, fault)
        elif fault.name in _FAILURES:
            return _with_status(_failed(call, *_FAILURES[fault.name]), fault)
        else:
            return _state_rewritten(call, envelope, fault.name)
        return Answer(200, json.dumps(envelope, separators=(",", ":")).encode())

    def _other_nonce(self, call: Call, envelope: dict[str, Any], fault: Fault) -> Answer | None:
        """The nonce without what was used of it lately, or with what is about to be used; None when nothing was or is."""
        request = Request(call.body)
        request.read()
        params = Params(request.method, request.params)
        since = self._simulation.now - to_micros(fault.seconds)
        kind = NonceKind(params.text("nonceType"))
        chain, account = self._simulation.chain, params.account("accountId")
        if fault.name == "nonce-ahead":
            change = int(chain.is_nonce_awaited(account, kind, since))
        else:
            change = -chain.nonces_used_since(account, kind, since)
        if not change:
            return None
        envelope["result"] = str(int(envelope["result"]) + change)
        return Answer(200, json.dumps(envelope, separators=(",", ":")).encode())

    def _met(self, answer: Answer | None, fault: Fault, *, met: bool = True) -> Reply:
        if not met:
            return Reply(answer, None)
        self._plan.counts[fault.name] += 1
        return Reply(answer, fault)

    # -- the world moves around the call ------------------------------------------------------------------------------

    def _in_the_world(self, call: Call, fault: Fault) -> Answer:
        name = fault.name
        if name == "clock-skew":
            answer = self._gateway.respond(call, skew=fault.seconds)
            self._plan.counts[name] += answer.status == 403
            return answer
        before = name == "window-opens" or name.endswith("-before")
        if before:
            self._simulation.settle()
            self._happen(fault, self._event(call, fault))
        answer = self._gateway.respond(call)
        accepted = None if before else _accepted_as(answer)
        if accepted is not None:
            # Not settled again: a request accepted just now may already be due.
            self._happen(fault, self._event(call, fault, accepted))
        return answer

    def _happen(self, fault: Fault, event: Event | None) -> None:
        if event is not None:
            self._simulation.happen(event)
            self._plan.counts[fault.name] += 1

    def _event(self, call: Call, fault: Fault, request_id: str = "") -> Event | None:
        """What the fault does to the chain; None when it cannot."""
        chain, name = self._simulation.chain, fault.name
        if name == "window-opens":
            return WindowOpened(max(chain.window_open_until, self._simulation.now + to_micros(fault.seconds)))
        if name == "slow-execution":
            return Delayed(request_id, to_micros(fault.seconds))
        if name in _EARLY:
            return Delayed(request_id, to_micros(fault.seconds), _EARLY[name].value)
        if name == "queue-blocked":
            return QueueBlocked(self._simulation.tick, to_micros(fault.seconds))
        if name in _DOOMS:
            status, reason = _DOOMS[name]
            return Doomed(request_id, status.value, reason)
        if name.startswith("fee-"):
            return FeeSet(chain.fee + fault.by) if chain.fee + fault.by <= MAX_AMOUNT else None
        kind, who = (NonceKind.STAKING, "user") if name.startswith("staking") else (NonceKind.PAYMENT, "payer")
        key = _account(call, who)
        if key is None:
            return None
        account = chain.account(key)
        nonce = account.staking_nonce if kind is NonceKind.STAKING else account.payment_nonce
        return NonceUsed(key, kind.value, fault.by) if nonce + fault.by <= MAX_NONCE - _NONCE_ROOM else None


def _method(body: bytes) -> str:
    """The method a body names, in so far as it can be read."""
    request = Request(body)
    with contextlib.suppress(RpcRefusal):
        request.read()
    return request.method


def _account(call: Call, name: str) -> str | None:
    """An account among the params, as 0x public key."""
    text = _param(call, name)
    with contextlib.suppress(InvalidInput):
        return None if text is None else read_account(text).hex
    return None


def _param(call: Call, name: str) -> str | None:
    """A text among the params; None when there is none."""
    request = Request(call.body)
    with contextlib.suppress(RpcRefusal):
        request.read()
        if isinstance(request.params, dict):
            return Params(request.method, request.params).text(name)
    return None


def _accepted_as(answer: Answer) -> str | None:
    if answer.status != 200:
        return None
    result = json.loads(answer.body).get("result")
    return result if isinstance(result, str) else None


def _failed(call: Call, error: tuple[int, str], reason: str) -> Answer:
    request = Request(call.body)
    request.read()
    return Answer(200, request.error(RpcRefusal(error, reason)))


def _with_status(answer: Answer, fault: Fault) -> Answer:
    """A JSON-RPC error comes with HTTP 200, unless the fault names another status."""
    if answer.status != 200 or not fault.name.startswith("http-"):
        return answer
    return dataclasses.replace(answer, status=int(fault.name[5:8]))


def _state_rewritten(call: Call, envelope: dict[str, Any], name: str) -> Answer | None:
    """Another state for a request the gateway knows. A final status always stays true."""
    state = envelope["result"]
    hash_of, status = (state["txHash"], state["status"]) if isinstance(state, dict) else (None, state)
    if status == RequestStatus.NOT_FOUND:
        return None
    if name in _POLL_ERRORS:
        return _failed(call, *_POLL_ERRORS[name])
    if name == "poll-bare-word":
        # The oldest version has no word for a request that did not reach the chain.
        if status == state or status in (RequestStatus.SENDING_FAILED, RequestStatus.PAYER_REFUSED):
            return None
        envelope["result"] = bare_word(status)
        return Answer(200, json.dumps(envelope, separators=(",", ":")).encode())
    word = _STATE_WORDS[name]
    tx_hash = None if name == "state-not-found" else hash_of
    envelope["result"] = {"txHash": tx_hash, "status": word} if isinstance(state, dict) else word
    return Answer(200, json.dumps(envelope, separators=(",", ":")).encode())


def _html(status: int) -> Answer:
    return Answer(status, _HTML.format(status, _REASONS[status]).encode(), {"Content-Type": "text/html"})
