"""Every fault without a network: what the client reads, what the chain did, and that the truth is told all the same."""

import pytest

from staking_gateway.errors import Failed, InvalidInput, SendAnswer
from staking_gateway.gateway import calls
from staking_gateway.types import NonceKind, RequestStatus
from staking_gateway_simulator.fault_plan import ANY, FaultPlan, FaultRule
from staking_gateway_simulator.faults import FAULTS, Layer
from tests.support.failed import fails
from tests.support.simulated import ALICE, BOB, CHARLIE, DAVE, ERA, FEE

# --- on the wire ----------------------------------------------------------------------------------------------------------

UNANSWERED = {
    "refuse": Failed.UNREACHABLE,
    "reset-before": Failed.BROKEN,
    "silence-before": Failed.TIMEOUT,
    "http-401": Failed.NO_TOKEN,
    "http-403": Failed.BAD_TOKEN,
    "http-429": Failed.TOO_MANY,
    "http-502-before": Failed.FAILED,
    "http-503-before": Failed.FAILED,
    "http-504-before": Failed.FAILED,
    "rpc-32700": Failed.UNREADABLE,
    "rpc-32600": Failed.INVALID_REQUEST,
    "rpc-32601": Failed.NO_METHOD,
    "rpc-32602": Failed.INVALID_PARAMETER,
    "rpc-32603-before": Failed.INTERNAL,
    "http-500-before": Failed.INTERNAL,
}
"""Faults with which the gateway does not carry a call out, and what a client makes of them."""
CARRIED_OUT = {
    "reset-after": Failed.BROKEN,
    "silence-after": Failed.TIMEOUT,
    "late": Failed.TIMEOUT,
    "truncated": Failed.BROKEN,
    "empty": Failed.MALFORMED,
    "not-json": Failed.MALFORMED,
    "oversized": Failed.TOO_LONG,
    "http-502-after": Failed.FAILED,
    "http-503-after": Failed.FAILED,
    "http-504-after": Failed.FAILED,
    "rpc-32603-after": Failed.INTERNAL,
    "http-500-after": Failed.INTERNAL,
    "refused-yet-kept": Failed.INVALID_REQUEST,
    "wrong-id": Failed.OTHER_ID,
    "wrong-type": Failed.WRONG_RESULT,
    "error-in-result": Failed.WRONG_RESULT,
}
"""Faults with which it does."""
SPECIAL = {
    *(
        "era-zero",
        "nonce-stale",
        "nonce-ahead",
        "refusal-internal-with-signature",
        "poll-internal-error",
        "poll-bare-word",
    ),
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
    with fails(error) as raised:
        gateway.pay(params)
    assert len(gateway.truth["requests"]) == (name in CARRIED_OUT)
    # A promise that nothing was accepted is a false one only where the fault is a lie.
    assert (name in CARRIED_OUT and raised.value.how.sent is not SendAnswer.LOST) == FAULTS[name].lie
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
    with fails(Failed.INVALID_REQUEST) as raised:
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
        ("request-rejected", "fails on the chain: Rejected, nothing executed"),
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


@pytest.mark.parametrize("status", [RequestStatus.SENDING_FAILED, RequestStatus.REJECTED, RequestStatus.PROCESSED])
def test_a_status_that_comes_too_early_is_taken_back_and_the_truth_is_another(simulated, status):
    name = {"SendingFailed": "early-sending-failed"}.get(status.value, f"early-{status.value.lower()}")
    gateway = simulated(f"{name}:times=1:seconds=10")
    request = gateway.pay()
    told = []
    for seconds in (0, 5.9, 0.1, 4.9, 0.1):
        gateway.advance(seconds)
        told.append((gateway.state_of(request).status, gateway.end(request)[0], len(gateway.truth["payouts"])))
    assert told[:2] == [(status, "AwaitingToSend", 0), (status, "Pending", 0)]
    assert told[2:] == [(RequestStatus.PENDING, "Pending", 0)] * 2 + [(RequestStatus.PROCESSED, "Processed", 1)]


def test_a_bad_payload_holds_up_those_behind_it_also_over_a_restart_and_they_go_on_in_order(simulated, tmp_path):
    gateway = simulated("queue-blocked:times=1:skip=1:seconds=10", state=tmp_path / "chain.db")
    first = gateway.pay()
    gateway.advance(0.6)
    second, third = (gateway.pay(gateway.params(ERA - 1, user=DAVE, payer=DAVE)) for _ in range(2))
    gateway.restart()
    fourth = gateway.pay(gateway.params(ERA - 2, user=BOB, payer=BOB))
    gateway.advance(10)
    assert [gateway.end(one)[0] for one in (first, second, third, fourth)] == ["Processed", *["AwaitingToSend"] * 3]
    gateway.advance(1)
    assert [gateway.end(one)[0] for one in (second, third, fourth)] == ["Processed", "Rejected", "Processed"]


def test_a_nonce_counts_a_pending_payout_for_a_while_and_goes_back(simulated):
    gateway = simulated("nonce-ahead", "slow-execution:times=1")

    def told():
        kinds = ((ALICE, NonceKind.STAKING), (CHARLIE, NonceKind.PAYMENT), (DAVE, NonceKind.PAYMENT))
        return [gateway.call(calls.nonce(signer.account, kind)) for signer, kind in kinds]

    gateway.pay()
    assert (told(), gateway.nonces(), gateway.plan.counts["nonce-ahead"]) == ([1, 1, 0], (0, 0), 2)
    gateway.advance(6)
    assert told() == [0, 0, 0]
    gateway.advance(55)
    assert (told(), gateway.nonces()) == ([1, 1, 0], (1, 1))


# --- rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        *[(wrong, "fault") for wrong in ("", "nothing", "any:fault=late", None, {"fault": ["late"]})],
        *[(f"late:seconds{wrong}", "seconds") for wrong in ("", "=1:seconds=2", "=nan", "=-1")],
        *[("late:second=1", "second"), ("late:by=1", "by"), ("fee-before:by=-1", "by")],
        *[(f"late:{name}=x", name) for name in ("times", "skip", "probability")],
        ({"fault": "late", "times": True}, "times"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused_by_field(rule, field):
    with pytest.raises(InvalidInput) as refused:
        FaultRule.of(rule)
    assert refused.value.field == field


def test_a_schedule_is_a_function_of_its_seed():
    rules = [FaultRule(ANY, probability=0.3), FaultRule("late", skip=2, times=3)]
    plans = [FaultPlan(rules, seed) for seed in (7, 7, 8)]
    same, again, other = ([plan.next("/send", "proxyPayoutstakers") for _ in range(40)] for plan in plans)
    assert same == again != other
