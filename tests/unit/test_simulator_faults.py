"""Every fault without a network: what the client reads, what the chain did, and that the truth is told all the same."""

import pytest

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.types import ElectionWindow, RequestStatus
from staking_gateway_simulator.faults import FAULTS, Layer
from staking_gateway_simulator.faulty_gateway import UNKNOWN_STATUS
from tests.support.simulated import ALICE, ERA, FEE, START

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


def test_a_nonce_is_told_as_it_was_a_while_ago(simulated):
    gateway = simulated("nonce-stale:seconds=10:method=getNonce")
    gateway.pay()
    gateway.advance(1)
    assert (gateway.nonces(), gateway.told_nonces(), gateway.plan.counts) == ((1, 1), (0, 0), {"nonce-stale": 2})
    gateway.advance(10)
    assert (gateway.told_nonces(), gateway.plan.counts) == ((1, 1), {"nonce-stale": 2})


# --- request states ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "status", "word"),
    [
        ("state-pending", RequestStatus.PENDING, "Pending"),
        ("state-not-found", RequestStatus.NOT_FOUND, "Transaction not found"),
        ("state-not-found-error", RequestStatus.NOT_FOUND, "Transaction not found"),
        ("state-unknown", RequestStatus.UNRECOGNISED, UNKNOWN_STATUS),
    ],
)
def test_a_state_that_is_told_wrongly_is_no_end_and_ends_with_its_rule(simulated, name, status, word):
    gateway = simulated(name)
    request = gateway.execute()
    state = gateway.state_of(request)
    assert (state.status, state.wire_status, state.block_number) == (status, word, None)
    assert not state.status.succeeded | state.status.failed
    assert gateway.end(request)[0] == "Processed"
    gateway.control("faults", rules=[])
    assert gateway.state_of(request).status is RequestStatus.PROCESSED


def test_an_era_is_zero_a_poll_fails_and_a_refusal_tells_the_whole_fee_signature(simulated):
    once = ("era-zero:times=1", "poll-internal-error:times=1", "refusal-internal-with-signature:times=1")
    gateway = simulated(*once)
    with pytest.raises(errors.EraUnknown):
        gateway.call(gateway.wire.active_era())
    assert gateway.call(gateway.wire.active_era()) == ERA + 1
    params = gateway.params()
    told = f"Error: invalid fee authorisation: {params['feePaymentSignature']}"
    assert gateway.refusal(**params) == (-32603, "Internal error", told)
    assert gateway.truth["requests"] == []
    request = gateway.pay(params)
    told = gateway.refusal("/poll", "requestState", requestId=request)
    assert told == (-32603, "Internal error", "failed to poll chain")
    assert gateway.poll(request)["status"] == "AwaitingToSend"
    assert gateway.plan.counts == {rule.partition(":")[0]: 1 for rule in once}


# --- on the chain --------------------------------------------------------------------------------------------------------


def test_the_window_opens_exactly_when_a_payout_arrives_and_closes_again(simulated):
    gateway = simulated("window-opens:seconds=3:times=1")
    told = [gateway.call(gateway.wire.election_window())]
    with pytest.raises(errors.ElectionWindowOpen):
        gateway.pay()
    assert gateway.state["next_window_change_at"] == "2026-01-01T00:10:03.000000+00:00"
    for seconds in (2.999, 0.001):
        gateway.advance(seconds)
        told.append(gateway.call(gateway.wire.election_window()))
    assert told == [ElectionWindow.CLOSED, ElectionWindow.OPEN, ElectionWindow.CLOSED]
    assert gateway.pay()


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


@pytest.mark.parametrize(
    ("rule", "struck"), [("clock-skew", 1), ("clock-skew:seconds=-16", 1), ("clock-skew:seconds=599", 0)]
)
def test_a_skewed_clock_forbids_tokens_that_callers_make_and_no_issued_ones(simulated, rule, struck):
    gateway = simulated(rule + ":times=1", token=SelfMadeToken(ALICE, clock=START.timestamp).value())
    if struck:
        with pytest.raises(errors.Forbidden):
            gateway.told_nonces()
    assert gateway.told_nonces() == (0, 0)
    assert gateway.plan.counts["clock-skew"] == struck
    assert simulated(rule).told_nonces() == (0, 0)
