"""Every fault without a network: what the client reads, what the chain did, and that the truth is told all the same."""

import pytest

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.types import RequestStatus
from staking_gateway_simulator.faults import FAULTS, Layer
from tests.support.simulated import ERA, FEE

# --- on the wire ----------------------------------------------------------------------------------------------------------

UNANSWERED = {
    "refuse": errors.GatewayUnreachable,
    "reset-before": errors.ConnectionLost,
    "silence-before": errors.GatewayTimeout,
    "http-401": errors.Unauthorized,
    "http-403": errors.Forbidden,
    "http-429": errors.RateLimited,
    "http-502-before": errors.GatewayUnavailable,
    "http-503-before": errors.GatewayUnavailable,
    "http-504-before": errors.GatewayUnavailable,
    "rpc-32700": errors.RpcParseError,
    "rpc-32600": errors.RpcInvalidRequest,
    "rpc-32601": errors.RpcMethodNotFound,
    "rpc-32602": errors.RpcInvalidParams,
    "rpc-32603-before": errors.RpcInternalError,
}
"""Faults with which the gateway does not carry a call out, and what a client makes of them."""
CARRIED_OUT = {
    "reset-after": errors.ConnectionLost,
    "silence-after": errors.GatewayTimeout,
    "late": errors.GatewayTimeout,
    "truncated": errors.ConnectionLost,
    "empty": errors.MalformedResponse,
    "not-json": errors.MalformedResponse,
    "oversized": errors.ResponseTooLarge,
    "http-502-after": errors.GatewayUnavailable,
    "http-503-after": errors.GatewayUnavailable,
    "http-504-after": errors.GatewayUnavailable,
    "rpc-32603-after": errors.RpcInternalError,
    "wrong-id": errors.ResponseIdMismatch,
    "wrong-type": errors.UnexpectedResult,
    "error-in-result": errors.UnexpectedResult,
}
"""Faults with which it does."""
SPECIAL = {
    *("era-zero", "nonce-stale", "refusal-internal-with-signature", "poll-internal-error", "poll-bare-word"),
    *("state-pending", "state-not-found", "state-not-found-error", "state-unknown"),
}


def test_every_fault_of_the_wire_is_tried_here():
    on_the_wire = {name for name, kind in FAULTS.items() if kind.layer is Layer.WIRE}
    assert on_the_wire == {*UNANSWERED, *CARRIED_OUT, *SPECIAL}
    stopped = {name for name in on_the_wire if not FAULTS[name].reached}
    assert stopped == {*UNANSWERED, "refusal-internal-with-signature"}


@pytest.mark.parametrize(("name", "error"), (UNANSWERED | CARRIED_OUT).items())
def test_a_payout_that_meets_a_fault_was_accepted_just_when_its_meaning_says_so(simulated, name, error):
    gateway = simulated(f"{name}:times=1")
    params = gateway.params()
    with pytest.raises(error) as raised:
        gateway.pay(params)
    assert type(raised.value) is error
    assert len(gateway.truth["requests"]) == (name in CARRIED_OUT)
    # A promise that nothing was accepted is never a false one.
    assert name in UNANSWERED or raised.value.fate is Fate.UNKNOWN
    assert gateway.plan.counts == {name: 1}
    # The same bytes again: accepted, and executed once.
    assert gateway.pay(params)
    gateway.advance(1)
    assert [payout["era"] for payout in gateway.truth["payouts"]] == [ERA]


# --- on the chain --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "refusal", "nonces", "fee"),
    [
        ("staking-nonce-before", "invalid proxy authorisation: ", (2, 0), FEE),
        ("payment-nonce-before", "invalid payment nonce: the payer's current one is 2, not 0", (0, 2), FEE),
        ("fee-before", "invalid fee authorisation: ", (0, 0), FEE + 2),
    ],
)
def test_what_changes_right_before_a_payout_is_checked_makes_it_refused(simulated, name, refusal, nonces, fee):
    gateway = simulated(f"{name}:by=2:times=1")
    with pytest.raises(errors.RpcInvalidRequest) as raised:
        gateway.pay()
    assert raised.value.gateway_error.startswith(refusal)
    assert (gateway.truth["requests"], gateway.nonces(), gateway.simulation.chain.fee) == ([], nonces, fee)
    assert gateway.pay()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("staking-nonce-after", "invalid proxy authorisation: "),
        ("payment-nonce-after", "invalid payment nonce: "),
        ("fee-after", "invalid fee authorisation: "),
        ("request-rejected", "the transaction failed on the chain"),
    ],
)
def test_what_changes_between_acceptance_and_execution_rejects_the_request(simulated, name, reason):
    gateway = simulated(f"{name}:times=1")
    request = gateway.pay()
    gateway.advance(1)
    state = gateway.state_of(request)
    assert (state.status, state.block_number is None) == (RequestStatus.REJECTED, False)
    assert gateway.end(request)[1].startswith(reason)
    assert (gateway.truth["payouts"], gateway.truth["fees_charged"]) == ([], "0")
    gateway.execute()
    assert len(gateway.truth["payouts"]) == 1


@pytest.mark.parametrize(
    ("name", "status"),
    [("request-sending-failed", RequestStatus.SENDING_FAILED), ("request-payer-refused", RequestStatus.PAYER_REFUSED)],
)
def test_a_request_that_never_reaches_the_chain_ends_without_a_block_and_its_bytes_can_be_sent_again(
    simulated, name, status
):
    gateway = simulated(f"{name}:times=1")
    params = gateway.params()
    request = gateway.pay(params)
    gateway.advance(0.999)
    assert gateway.state_of(request).status is RequestStatus.AWAITING_TO_SEND
    gateway.advance(0.001)
    state = gateway.state_of(request)
    assert (state.status, state.tx_hash, state.block_number) == (status, None, None)
    assert (gateway.nonces(), bool(gateway.end(request)[1])) == ((0, 0), True)
    assert gateway.end(gateway.execute(params))[0] == "Processed"
    assert gateway.state_of(request).status is status
