"""Every fault without a network: what the client reads, what the chain did, and that the truth is told all the same."""

import pytest

from staking_gateway import errors
from staking_gateway.errors import Fate
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.types import ElectionWindow, RequestStatus
from staking_gateway_simulator.faults import FAULTS, Layer
from staking_gateway_simulator.faulty_gateway import UNKNOWN_STATUS
from tests.support.simulated import ALICE, ERA, FEE, START, SimulatedGateway

UNKNOWN = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"


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
    "era-zero",
    "nonce-stale",
    "state-pending",
    "state-not-found",
    "state-not-found-error",
    "state-unknown",
    "poll-internal-error",
    "poll-bare-word",
    "refusal-internal-with-signature",
}


def test_every_fault_of_the_wire_is_tried_here():
    on_the_wire = {name for name, kind in FAULTS.items() if kind.layer is Layer.WIRE}
    assert on_the_wire == {*UNANSWERED, *CARRIED_OUT, *SPECIAL}
    stopped = {name for name in on_the_wire if not FAULTS[name].reached}
    assert stopped == {*UNANSWERED, "refusal-internal-with-signature"}


@pytest.mark.parametrize(("name", "error"), (UNANSWERED | CARRIED_OUT).items())
def test_a_payout_that_meets_a_fault_was_accepted_just_when_its_meaning_says_so(name, error):
    gateway = SimulatedGateway(f"{name}:times=1")
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


@pytest.mark.parametrize(
    "name", ["wrong-id", "wrong-type", "error-in-result", *(name for name in FAULTS if name.startswith("rpc-"))]
)
def test_a_caller_without_a_good_token_is_turned_away_before_a_fault_of_json_rpc_can_happen(name):
    gateway = SimulatedGateway(name, token="nonsense")
    with pytest.raises(errors.Forbidden):
        gateway.told_nonces()
    assert gateway.plan.counts == {}


@pytest.mark.parametrize("as_number", [False, True])
def test_era_zero_is_spelt_as_the_gateway_spells_eras(as_number):
    gateway = SimulatedGateway("era-zero:times=1", era_as_number=as_number)
    with pytest.raises(errors.EraUnknown):
        gateway.call(gateway.wire.active_era())
    assert gateway.call(gateway.wire.active_era()) == ERA + 1


def test_a_nonce_is_told_as_it_was_a_while_ago():
    gateway = SimulatedGateway("nonce-stale:seconds=10:method=getNonce")
    gateway.pay()
    gateway.advance(1)
    assert (gateway.nonces(), gateway.told_nonces(), gateway.plan.counts) == ((1, 1), (0, 0), {"nonce-stale": 2})
    gateway.advance(10)
    assert (gateway.told_nonces(), gateway.plan.counts) == ((1, 1), {"nonce-stale": 2})


def test_a_refusal_tells_the_whole_fee_signature_and_nothing_is_accepted():
    gateway = SimulatedGateway("refusal-internal-with-signature:times=1")
    params = gateway.params()
    told = f"Error: invalid fee authorisation: {params['feePaymentSignature']}"
    assert gateway.refusal(**params) == (-32603, "Internal error", told)
    assert (gateway.truth["requests"], gateway.plan.counts) == ([], {"refusal-internal-with-signature": 1})
    assert gateway.pay(params)


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
def test_a_state_that_is_told_wrongly_is_no_end_and_ends_with_its_rule(name, status, word):
    gateway = SimulatedGateway(name)
    request = gateway.execute()
    state = gateway.state_of(request)
    assert (state.status, state.wire_status, state.block_number) == (status, word, None)
    assert not state.status.succeeded | state.status.failed
    assert gateway.end(request)[0] == "Processed"
    gateway.control("faults", rules=[])
    assert gateway.state_of(request).status is RequestStatus.PROCESSED


def test_a_poll_fails_inside_the_gateway():
    gateway = SimulatedGateway("poll-internal-error:times=1")
    request = gateway.pay()
    told = gateway.refusal("/poll", "requestState", requestId=request)
    assert told == (-32603, "Internal error", "failed to poll chain")
    assert (gateway.poll(request)["status"], gateway.plan.counts) == ("AwaitingToSend", {"poll-internal-error": 1})


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("slow-execution:seconds=1:times=1", ["Pending", "Pending", "Processed"]),
        ("request-rejected:times=1", ["Pending", "Rejected", "Rejected"]),
    ],
)
def test_a_state_comes_as_one_word_of_the_oldest_version(rule, words):
    gateway = SimulatedGateway("poll-bare-word", rule)
    request = gateway.pay()
    told = [gateway.poll(request)]
    for _ in range(2):
        gateway.advance(1)
        told.append(gateway.poll(request))
    assert told == words


# --- on the chain --------------------------------------------------------------------------------------------------------


def test_the_window_opens_exactly_when_a_payout_arrives_and_closes_again():
    gateway = SimulatedGateway("window-opens:seconds=3:times=1")
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
def test_what_changes_right_before_a_payout_is_checked_makes_it_refused(name, refusal, nonces, fee):
    gateway = SimulatedGateway(f"{name}:by=2:times=1")
    with pytest.raises(errors.RpcInvalidRequest) as raised:
        gateway.pay()
    assert raised.value.gateway_error.startswith(refusal)
    assert (gateway.truth["requests"], gateway.nonces(), gateway.simulation.chain.fee) == ([], nonces, fee)
    assert gateway.pay()


@pytest.mark.parametrize("confirm_seconds", [0, 1])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("staking-nonce-after", "invalid proxy authorisation: "),
        ("payment-nonce-after", "invalid payment nonce: "),
        ("fee-after", "invalid fee authorisation: "),
        ("request-rejected", "the transaction failed on the chain"),
    ],
)
def test_what_changes_between_acceptance_and_execution_rejects_the_request(name, reason, confirm_seconds):
    gateway = SimulatedGateway(f"{name}:times=1", confirm_seconds=confirm_seconds)
    request = gateway.pay()
    gateway.advance(confirm_seconds)
    state = gateway.state_of(request)
    assert (state.status, state.block_number is None) == (RequestStatus.REJECTED, False)
    assert gateway.end(request)[1].startswith(reason)
    assert (gateway.truth["payouts"], gateway.truth["fees_charged"]) == ([], "0")
    assert gateway.pay()
    gateway.advance(confirm_seconds)
    assert len(gateway.truth["payouts"]) == 1


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("request-sending-failed", RequestStatus.SENDING_FAILED),
        ("request-payer-refused", RequestStatus.PAYER_REFUSED),
    ],
)
def test_a_request_that_never_reaches_the_chain_ends_without_a_block_and_its_bytes_can_be_sent_again(name, status):
    gateway = SimulatedGateway(f"{name}:times=1")
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
    ("rules", "eras", "ends"),
    [
        (["slow-execution:seconds=100:times=1"], [ERA], [(100.9, "Pending"), (0.1, "Processed")]),
        (["slow-execution:seconds=10:times=1"], [ERA, ERA], [(11, "Rejected", "Processed")]),
        (
            ["slow-execution:seconds=10:times=1", "slow-execution:seconds=50:times=1"],
            [ERA - 1, ERA],
            [(11, "Processed", "Pending"), (40, "Processed", "Rejected")],
        ),
    ],
    ids=["later", "behind a quick one", "in the order of their delays"],
)
def test_a_slow_request_is_executed_later_than_others_and_once(rules, eras, ends):
    gateway = SimulatedGateway(*rules)
    requests = [gateway.pay(gateway.params(era)) for era in eras]
    for seconds, *words in ends:
        gateway.advance(seconds)
        assert [gateway.end(request)[0] for request in requests] == words


@pytest.mark.parametrize(
    ("rule", "struck"), [("clock-skew", 1), ("clock-skew:seconds=-16", 1), ("clock-skew:seconds=599", 0)]
)
def test_a_skewed_clock_forbids_tokens_that_callers_make_and_no_issued_ones(rule, struck):
    gateway = SimulatedGateway(rule + ":times=1", token=SelfMadeToken(ALICE, clock=START.timestamp).value())
    if struck:
        with pytest.raises(errors.Forbidden):
            gateway.told_nonces()
    assert gateway.told_nonces() == (0, 0)
    assert gateway.plan.counts["clock-skew"] == struck
    assert SimulatedGateway(rule).told_nonces() == (0, 0)
