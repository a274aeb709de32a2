"""The gateway as it is met when things go wrong: the faults of a plan, carried out. No I/O of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_NONCE, NonceKind, RequestStatus
from staking_gateway_simulator.accounts import read_account
from staking_gateway_simulator.events import Delayed, Doomed, Event, FeeSet, NonceUsed, QueueBlocked, WindowOpened
from staking_gateway_simulator.fault_plan import NO_FAULTS, FaultPlan
from staking_gateway_simulator.faults import Delivery, Fault, FaultKind, Scope
from staking_gateway_simulator.gateway import Answer, Call, Gateway, front_door, unauthorised_fee
from staking_gateway_simulator.rpc import Params, Request, RpcRefusal
from staking_gateway_simulator.settings import to_micros

if TYPE_CHECKING:
    from staking_gateway_simulator.simulation import Simulation

_PADDING = b" " * (2 * 1024 * 1024)
_NONCE_ROOM = 2**32
_HTML = "<html><head><title>{0} {1}</title></head><body><center><h1>{0} {1}</h1></center></body></html>\r\n"
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
        status, error = fault.kind.status, fault.kind.error
        if error is not None:
            answer = self._gateway.respond(call, failure=RpcRefusal(error, fault.kind.reason))
            met = answer.status == 200
            return self._met(dataclasses.replace(answer, status=status) if met and status else answer, fault, met=met)
        if fault.name == "refusal-internal-with-signature":
            signature = _param(call, "feePaymentSignature")
            refusal = None if signature is None else unauthorised_fee(signature)
            answer = self._gateway.respond(call, failure=refusal)
            return self._met(answer, fault, met=refusal is not None and answer.status == 200)
        if status is None:
            return self._met(None, fault)
        self._gateway.count(call)
        if status > 500:
            return self._met(_html(status), fault)
        answer = front_door(status, HTTPStatus(status).phrase)
        if status == 429:
            answer = dataclasses.replace(answer, headers={**answer.headers, "Retry-After": f"{fault.seconds:.0f}"})
        return self._met(answer, fault)

    # -- the answer changes on its way --------------------------------------------------------------------------------

    def _on_the_way_back(self, call: Call, answer: Answer, fault: Fault) -> Reply:
        name, kind = fault.name, fault.kind
        if kind.delivery in (Delivery.RESET, Delivery.SILENT):
            return self._met(None, fault)
        if kind.delivery is not Delivery.ANSWERED:
            return self._met(answer, fault)
        if kind.status is not None and kind.error is None:
            return self._met(_html(kind.status), fault)
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
        elif fault.kind.scope is Scope.STATE:
            return _state_rewritten(call, envelope, fault.kind)
        else:
            return _failed(call, fault.kind)
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
        if name == "slow-execution" or name.startswith("early-"):
            return Delayed(request_id, to_micros(fault.seconds), fault.kind.told)
        if name == "queue-blocked":
            return QueueBlocked(self._simulation.tick, to_micros(fault.seconds))
        if name.startswith("request-"):
            return Doomed(request_id, str(fault.kind.told), fault.kind.reason)
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


def _failed(call: Call, kind: FaultKind) -> Answer | None:
    """The answer with the error of a fault; None when the fault has none."""
    if kind.error is None:
        return None
    request = Request(call.body)
    request.read()
    return Answer(kind.status or 200, request.error(RpcRefusal(kind.error, kind.reason)))


def _state_rewritten(call: Call, envelope: dict[str, Any], kind: FaultKind) -> Answer | None:
    """Another state for a request the gateway knows. A final status always stays true."""
    state = envelope["result"]
    tx_hash, status = (state["txHash"], state["status"]) if isinstance(state, dict) else (None, state)
    if status == RequestStatus.NOT_FOUND:
        return None
    if kind.error is not None:
        return _failed(call, kind)
    if kind.told is not None:
        hash_told = None if kind.told == RequestStatus.NOT_FOUND else tx_hash
        envelope["result"] = {"txHash": hash_told, "status": kind.told} if isinstance(state, dict) else kind.told
    # The oldest version has no word for a request that did not reach the chain.
    elif status == state or status in (RequestStatus.SENDING_FAILED, RequestStatus.PAYER_REFUSED):
        return None
    else:
        envelope["result"] = RequestStatus.PENDING if status == RequestStatus.AWAITING_TO_SEND else status
    return Answer(200, json.dumps(envelope, separators=(",", ":")).encode())


def _html(status: int) -> Answer:
    return Answer(status, _HTML.format(status, HTTPStatus(status).phrase).encode(), {"Content-Type": "text/html"})
