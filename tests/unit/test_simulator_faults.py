"""Every fault without a network: what the client reads, what the chain did, and that the truth is told all the same."""

import itertools
import json
from collections import Counter
from datetime import datetime, timezone

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from staking_gateway import errors
from staking_gateway.errors import Fate, GatewayError
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.gateway.protocol import Dialect, RawResponse, decode_response
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import ElectionWindow, NonceKind, RequestStatus
from staking_gateway_simulator.chain import Chain
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.events import from_json
from staking_gateway_simulator.fault_plan import ANY, FaultPlan, FaultRule
from staking_gateway_simulator.faults import FAULTS, Layer
from staking_gateway_simulator.faulty_gateway import UNKNOWN_STATUS, FaultyGateway
from staking_gateway_simulator.gateway import Call
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.simulation import Simulation
from staking_gateway_simulator.truth import tell_state, tell_truth

ALICE, BOB, CHARLIE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie"))
PROOFS = ProofMaker(ALICE, CHARLIE)
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ERA = 29
"""The newest era that can be paid at START."""


class World:
    """A chain, a gateway behind faults and a client, in one process. The chain's clock moves only when told."""

    def __init__(self, *rules, seed=0, token=None, state=None, **settings):
        self.real = START.timestamp()
        settings = {"manual_clock": True, "start_time": START, "unpaid_eras": 3, **settings}
        self.settings = SimulatorSettings(**settings)
        self.simulation = Simulation(self.settings, state, lambda: self.real)
        self.plan = FaultPlan([FaultRule.of(rule) for rule in rules], seed)
        self._gateway = FaultyGateway(self.simulation, self.plan)
        self._control = Control(self.simulation, self.plan)
        self._token = token or "simulator-token"
        self._ids = itertools.count(1)
        self.wire = Dialect()

    def call(self, call):
        number = next(self._ids)
        headers = {"Authorization": f"bearer {self._token}"}
        reply = self._gateway.respond(Call(call.path, headers, call.body(number)))
        lost = reply.fault.error(call.method) if reply.fault is not None else None
        if lost is not None:
            raise lost
        raw = RawResponse(reply.answer.status, reply.answer.body, reply.answer.headers.get("Retry-After"))
        return decode_response(call, number, raw)

    def answer(self, call):
        """The answer as it arrives, unread."""
        headers = {"Authorization": f"bearer {self._token}"}
        return json.loads(self._gateway.respond(Call(call.path, headers, call.body(1))).answer.body)

    def nonce(self, signer=ALICE, kind=NonceKind.STAKING):
        return self.call(self.wire.nonce(signer.account, kind))

    def sign(self, era=ERA):
        chain = self.simulation.chain
        return PROOFS.make(
            relayer=BOB.account,
            era=era,
            relayer_fee=chain.fee,
            staking_nonce=chain.account(ALICE.account.hex).staking_nonce,
            payment_nonce=chain.account(CHARLIE.account.hex).payment_nonce,
        )

    def payout(self, era=ERA, proofs=None):
        proofs = proofs or self.sign(era)
        return self.wire.payout_stakers(
            relayer=BOB.account,
            user=ALICE.account,
            payer=CHARLIE.account,
            era=era,
            proxy_signature=proofs.proxy_signature,
            fee_payment_signature=proofs.fee_payment_signature,
            payment_nonce=proofs.payment_nonce,
        )

    def pay(self, era=ERA, proofs=None):
        return self.call(self.payout(era, proofs))

    def state_of(self, request_id):
        return self.call(self.wire.request_state(request_id))

    def control(self, name, **fields):
        status, answer = self._control.respond("POST", name, json.dumps(fields).encode())
        assert status == 200, answer
        return answer

    def advance(self, seconds):
        self.control("advance", seconds=seconds)

    @property
    def truth(self):
        return tell_truth(self.simulation)

    @property
    def only_request(self):
        (request,) = self.truth["requests"]
        return request


# -- on the wire ----------------------------------------------------------------------------------------------------------

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
    assert {name for name in on_the_wire if not FAULTS[name].reached} == {
        *UNANSWERED,
        "refusal-internal-with-signature",
    }


@pytest.mark.parametrize(("name", "error"), (UNANSWERED | CARRIED_OUT).items())
def test_a_payout_that_meets_a_fault_was_accepted_just_when_its_meaning_says_so(name, error):
    world = World(f"{name}:times=1")
    proofs = world.sign()
    with pytest.raises(error) as raised:
        world.pay(proofs=proofs)
    assert type(raised.value) is error
    assert len(world.truth["requests"]) == (name in CARRIED_OUT)
    # A promise that nothing was accepted is never a false one.
    assert name in UNANSWERED or raised.value.fate is Fate.UNKNOWN
    assert world.plan.counts == {name: 1}
    # The same bytes again: accepted, and executed once.
    assert world.pay(proofs=proofs)
    world.advance(1)
    assert [payout["era"] for payout in world.truth["payouts"]] == [ERA]


@pytest.mark.parametrize(("name", "error"), (UNANSWERED | CARRIED_OUT).items())
def test_a_read_meets_the_same_fault_and_the_next_one_does_not(name, error):
    world = World(f"{name}:method=getNonce:times=1")
    with pytest.raises(error):
        world.nonce()
    assert world.nonce() == 0
    assert world.plan.counts == {name: 1}


def test_a_call_that_never_arrived_is_not_counted_as_a_call_of_the_gateway():
    world = World(*(f"{name}:times=1" for name in UNANSWERED))
    for _ in UNANSWERED:
        with pytest.raises(GatewayError):
            world.nonce()
    lost = {"refuse", "reset-before", "silence-before"}
    assert world.truth["calls"] == {"by_path": {"/query": len(UNANSWERED) - len(lost)}, "by_method": {}}


def test_too_many_requests_tells_when_to_come_back():
    with pytest.raises(errors.RateLimited) as raised:
        World("http-429:seconds=17").nonce()
    assert raised.value.retry_after == 17


def test_a_gateway_that_failed_tells_its_usual_words():
    world = World("rpc-32603-after")
    with pytest.raises(errors.RpcInternalError) as raised:
        world.nonce()
    assert (raised.value.code, raised.value.gateway_error) == (-32603, "failed to send proxy transaction")
    assert json.loads(raised.value.request)["method"] == "getNonce"


def test_a_result_of_the_wrong_type_is_of_another_one_each_time():
    world, shown = World("wrong-type"), set()
    for _ in range(5):
        with pytest.raises(errors.UnexpectedResult) as raised:
            world.call(world.wire.election_window())
        shown.add(str(raised.value).partition("result ")[2].partition(":")[0])
    assert shown == {"None", "True", "0.5", "[]", "{}"}


@pytest.mark.parametrize("name", ["rpc-32603-after", "wrong-type", "error-in-result"])
def test_an_answer_that_is_an_error_already_has_no_result_to_be_spoilt(name):
    world = World(name)
    world.control("window", state="open")
    with pytest.raises(errors.ElectionWindowOpen):
        world.pay()
    assert world.plan.counts == {}


@pytest.mark.parametrize(
    "name", ["wrong-id", "wrong-type", "error-in-result", *(name for name in FAULTS if name.startswith("rpc-"))]
)
def test_a_caller_without_a_good_token_is_turned_away_before_a_fault_of_json_rpc_can_happen(name):
    world = World(name, token="nonsense")
    with pytest.raises(errors.Forbidden):
        world.nonce()
    assert world.plan.counts == {}


@pytest.mark.parametrize("as_number", [False, True])
def test_era_zero_is_spelt_as_the_gateway_spells_eras(as_number):
    world = World("era-zero:times=1", era_as_number=as_number)
    with pytest.raises(errors.EraUnknown):
        world.call(world.wire.active_era())
    assert world.call(world.wire.active_era()) == ERA + 1


def test_a_nonce_is_told_as_it_was_a_while_ago():
    world = World("nonce-stale:seconds=10:method=getNonce")
    world.pay()
    world.advance(1)
    assert len(world.truth["payouts"]) == 1
    told = [(world.nonce(), world.nonce(CHARLIE, NonceKind.PAYMENT), world.nonce(BOB))]
    assert world.plan.counts == {"nonce-stale": 2}
    world.advance(10)
    told.append((world.nonce(), world.nonce(CHARLIE, NonceKind.PAYMENT), world.nonce(BOB)))
    assert told == [(0, 0, 0), (1, 1, 0)]
    assert world.plan.counts == {"nonce-stale": 2}


def test_a_refusal_tells_the_whole_fee_signature_and_nothing_is_accepted():
    world = World("refusal-internal-with-signature:times=1")
    proofs = world.sign()
    error = world.answer(world.payout(proofs=proofs))["error"]
    assert (error["code"], error["message"]) == (-32603, "Internal error")
    assert error["data"]["gatewayError"] == f"Error: invalid fee authorisation: {proofs.fee_payment_signature}"
    assert (world.truth["requests"], world.plan.counts) == ([], {"refusal-internal-with-signature": 1})
    assert world.pay(proofs=proofs)


# -- request states -------------------------------------------------------------------------------------------------------


def test_a_request_stays_pending_until_the_rule_is_lifted():
    world = World("state-pending")
    request = world.pay()
    world.advance(3600)
    state = world.state_of(request)
    assert (state.status, state.block_number) == (RequestStatus.PENDING, None)
    assert world.only_request["status"] == "Processed"
    assert world.nonce() == 1
    world.control("faults", rules=[])
    assert world.state_of(request).status is RequestStatus.PROCESSED


@pytest.mark.parametrize("name", ["state-not-found", "state-not-found-error"])
def test_a_request_is_not_found_and_then_found(name):
    world = World(f"{name}:times=2")
    request = world.pay()
    assert [world.state_of(request).status.value for _ in range(3)] == ["Transaction not found"] * 2 + [
        "AwaitingToSend"
    ]


def test_a_status_word_nobody_knows_is_no_end():
    world = World("state-unknown:times=1")
    request = world.pay()
    state = world.state_of(request)
    assert (state.status, state.wire_status) == (RequestStatus.UNRECOGNISED, UNKNOWN_STATUS)
    assert not state.status.succeeded | state.status.failed


def test_a_poll_fails_inside_the_gateway():
    world = World("poll-internal-error:times=1")
    poll = world.wire.request_state(world.pay())
    error = world.answer(poll)["error"]
    assert (error["code"], error["data"]["gatewayError"]) == (-32603, "failed to poll chain")
    assert world.answer(poll)["result"]["status"] == "AwaitingToSend"
    assert world.plan.counts == {"poll-internal-error": 1}


@pytest.mark.parametrize(
    ("rule_", "words"),
    [
        ("slow-execution:seconds=1:times=1", ["Pending", "Pending", "Processed"]),
        ("request-rejected:times=1", ["Pending", "Rejected", "Rejected"]),
    ],
)
def test_a_state_comes_as_one_word_of_the_oldest_version(rule_, words):
    world = World("poll-bare-word", rule_)
    poll = world.wire.request_state(world.pay())
    told = [world.answer(poll)["result"]]
    for _ in range(2):
        world.advance(1)
        told.append(world.answer(poll)["result"])
    assert told == words


@pytest.mark.parametrize("name", ["request-sending-failed", "request-payer-refused"])
def test_the_oldest_version_has_no_word_for_a_request_that_never_reached_the_chain(name):
    world = World("poll-bare-word", f"{name}:times=1")
    poll = world.wire.request_state(world.pay())
    world.advance(1)
    assert world.answer(poll)["result"]["status"] == world.only_request["status"]
    assert world.plan.counts == {name: 1}


@pytest.mark.parametrize(
    ("name", "told", "met"),
    [
        ("state-pending", "Pending", 1),
        ("state-not-found", "Transaction not found", 1),
        ("state-unknown", UNKNOWN_STATUS, 1),
        ("poll-bare-word", "Processed", 0),
    ],
)
def test_a_gateway_that_answers_with_one_word_stays_with_it_in_a_fault(name, told, met):
    world = World(name, poll_form="bare")
    request = world.answer(world.payout())["result"]
    world.advance(1)
    assert world.answer(world.wire.request_state(request))["result"] == told
    assert world.plan.counts[name] == met
    other = world.wire.request_state("6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a")
    assert world.answer(other)["result"] == "Transaction not found"
    assert world.plan.counts[name] == met


@pytest.mark.parametrize(
    "name",
    [
        "state-pending",
        "state-not-found-error",
        "state-unknown",
        "poll-internal-error",
        "poll-bare-word",
    ],
)
def test_a_request_nobody_sent_is_not_found_whatever_the_rules(name):
    world = World(name)
    assert world.state_of("6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a").status is RequestStatus.NOT_FOUND
    assert world.plan.counts == {}


# -- in the world ---------------------------------------------------------------------------------------------------------


def test_the_window_opens_exactly_when_a_payout_arrives_and_closes_again():
    world = World("window-opens:seconds=3:times=1")
    assert world.call(world.wire.election_window()) is ElectionWindow.CLOSED
    with pytest.raises(errors.ElectionWindowOpen):
        world.pay()
    state = tell_state(world.simulation)
    assert (state["window"], state["next_window_change_at"]) == ("open", "2026-01-01T00:10:03.000000+00:00")
    world.advance(2.999)
    assert world.call(world.wire.election_window()) is ElectionWindow.OPEN
    world.advance(0.001)
    assert world.call(world.wire.election_window()) is ElectionWindow.CLOSED
    assert world.pay()
    assert world.plan.counts == {"window-opens": 1}


def test_an_opened_window_goes_over_into_the_calendars_own_and_forcing_it_ends_it():
    world = World("window-opens:seconds=17")
    world.control("window", state="closed")
    with pytest.raises(errors.ElectionWindowOpen):
        world.pay()
    assert tell_state(world.simulation)["next_window_change_at"] == "2026-01-01T00:10:17.000000+00:00"
    assert world.control("window", state="auto")["window"] == "closed"
    with pytest.raises(errors.ElectionWindowOpen):
        world.pay()
    # Its own window is open from second 15 to 20.
    assert tell_state(world.simulation)["next_window_change_at"] == "2026-01-01T00:10:20.000000+00:00"
    assert world.control("window", state="closed")["window"] == "closed"


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("staking-nonce-before", "invalid proxy authorisation: "),
        ("payment-nonce-before", "invalid payment nonce: the payer's current one is 2, not 0"),
        ("fee-before", "invalid fee authorisation: "),
    ],
)
def test_what_changes_right_before_a_payout_is_checked_makes_it_refused(name, refusal):
    world = World(f"{name}:by=2:times=1")
    with pytest.raises(errors.RpcInvalidRequest) as raised:
        world.pay()
    assert raised.value.gateway_error.startswith(refusal)
    assert world.truth["requests"] == []
    assert (world.nonce(), world.nonce(CHARLIE, NonceKind.PAYMENT)) == (
        2 * name.startswith("staking"),
        2 * name.startswith("payment"),
    )
    assert world.simulation.chain.fee == 10**17 + 2 * name.startswith("fee")
    assert world.pay()


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
    world = World(f"{name}:times=1", confirm_seconds=confirm_seconds)
    request = world.pay()
    world.advance(confirm_seconds)
    state = world.state_of(request)
    assert state.status is RequestStatus.REJECTED
    assert state.block_number
    assert world.only_request["reason"].startswith(reason)
    assert world.truth["payouts"] == []
    assert world.truth["fees_charged"] == "0"
    assert world.pay()
    world.advance(confirm_seconds)
    assert len(world.truth["payouts"]) == 1


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("request-sending-failed", RequestStatus.SENDING_FAILED),
        ("request-payer-refused", RequestStatus.PAYER_REFUSED),
    ],
)
def test_a_request_that_never_reaches_the_chain_ends_without_a_block_and_its_bytes_can_be_sent_again(name, status):
    world = World(f"{name}:times=1")
    proofs = world.sign()
    request = world.pay(proofs=proofs)
    world.advance(0.999)
    assert world.state_of(request).status is RequestStatus.AWAITING_TO_SEND
    world.advance(0.001)
    state = world.state_of(request)
    assert (state.status, state.tx_hash, state.block_number) == (status, None, None)
    assert (world.nonce(), world.nonce(CHARLIE, NonceKind.PAYMENT)) == (0, 0)
    assert world.only_request["reason"]
    again = world.pay(proofs=proofs)
    world.advance(1)
    assert world.state_of(again).status is RequestStatus.PROCESSED
    assert world.state_of(request).status is status


def test_a_slow_request_is_executed_later_than_others_and_once():
    world = World("slow-execution:seconds=100:times=1")
    proofs = world.sign()
    slow = world.pay(proofs=proofs)
    world.advance(100.9)
    assert world.state_of(slow).status is RequestStatus.PENDING
    world.advance(0.1)
    assert world.state_of(slow).status is RequestStatus.PROCESSED
    assert world.truth["payouts"][0]["executed_at"] == "2026-01-01T00:11:41.000000+00:00"


def test_a_request_sent_after_a_slow_one_is_executed_before_it():
    world = World("slow-execution:seconds=10:times=1")
    proofs = world.sign()
    slow, quick = world.pay(proofs=proofs), world.pay(proofs=proofs)
    world.advance(11)
    assert world.state_of(quick).status is RequestStatus.PROCESSED
    assert world.state_of(slow).status is RequestStatus.REJECTED


def test_requests_are_executed_in_the_order_their_delays_leave_them_in():
    world = World("slow-execution:seconds=10:times=1", "slow-execution:seconds=50:times=1")
    sooner, later = world.pay(ERA - 1), world.pay(ERA)
    world.advance(11)
    assert world.state_of(sooner).status is RequestStatus.PROCESSED
    world.advance(40)
    # The staking nonce it was signed with is used by now.
    assert world.state_of(later).status is RequestStatus.REJECTED


def test_a_skewed_clock_forbids_tokens_that_callers_make_and_no_issued_ones():
    token = SelfMadeToken(ALICE, clock=START.timestamp).value()
    for rule_, struck in (("clock-skew", 1), ("clock-skew:seconds=-16", 1), ("clock-skew:seconds=599", 0)):
        world = World(rule_ + ":times=1", token=token)
        if struck:
            with pytest.raises(errors.Forbidden):
                world.nonce()
        assert world.nonce() == 0
        assert world.plan.counts["clock-skew"] == struck
    assert World("clock-skew").nonce() == 0


@pytest.mark.parametrize("name", [name for name, kind in FAULTS.items() if kind.scope.value == "payouts"])
def test_the_world_does_not_stumble_over_what_is_no_payout(name):
    world = World(name)
    for body in (b"", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"proxyPayoutstakers","params":[]}'):
        reply = world._gateway.respond(Call("/send", {"Authorization": "bearer simulator-token"}, body))
        assert reply.answer.status == 200
        assert reply.fault is None
    assert world.truth["requests"] == []


def test_numbers_that_cannot_rise_any_further_stay():
    world = World(
        "payment-nonce-before:by=1000000:times=1", "fee-before:by=1000000", fee=2**128 - 1, balance=2**128 - 1
    )
    world.control("nonce", account=CHARLIE.account.hex, kind="payment", by=2**64 - 1 - 2**32)
    assert world.pay()
    assert world.pay()
    assert world.plan.counts == {}


def test_an_accepted_payout_can_be_doomed_and_its_answer_lost():
    world = World("reset-after", "request-sending-failed")
    with pytest.raises(errors.ConnectionLost):
        world.pay()
    world.advance(1)
    assert world.only_request["status"] == "SendingFailed"
    assert world.plan.counts == {"reset-after": 1, "request-sending-failed": 1}


def test_what_faults_did_to_the_chain_outlives_the_process_and_the_faults_do_not(tmp_path):
    rules = ("request-sending-failed:times=1", "slow-execution:seconds=5:times=1", "window-opens:seconds=60")
    world = World(*rules, state=tmp_path / "s.db")
    requests = [world.pay(ERA - 1), world.pay()]
    with pytest.raises(errors.ElectionWindowOpen):
        world.pay(ERA - 2)
    truth, state = world.truth, tell_state(world.simulation)
    world.simulation.close()
    world = World(state=tmp_path / "s.db")
    assert (world.truth["requests"], tell_state(world.simulation)) == (truth["requests"], state)
    assert world.plan.counts == {}
    world.advance(6)
    assert [world.state_of(request).status.value for request in requests] == ["SendingFailed", "Processed"]
    world.simulation.close()


# -- whatever happens -----------------------------------------------------------------------------------------------------


class AnyFaults(RuleBasedStateMachine):
    """Any faults, two at a time, in any order: the truth is exact, and no final state is ever false."""

    @initialize(seed=st.integers(0, 2**64 - 1), confirm_seconds=st.sampled_from([0, 1, 7]))
    def begin(self, seed, confirm_seconds):
        self.world = World(
            {"fault": ANY, "probability": 0.6},
            {"fault": ANY, "probability": 0.6},
            {"fault": "slow-execution", "probability": 0.2, "seconds": 10},
            seed=seed,
            confirm_seconds=confirm_seconds,
            unpaid_eras=6,
        )
        self.sent = []
        self.known = []
        self.told = {}

    def try_to(self, action):
        """What the action returns, and the error it met."""
        try:
            return action(), None
        except GatewayError as error:
            return None, error

    @rule(back=st.integers(0, 3))
    def pay(self, back):
        era = self.world.simulation.chain.active_era(self.world.simulation.now) - 1 - back
        self.sent.append((era, self.world.sign(era)))
        self.replay(len(self.sent) - 1)

    @rule(which=st.integers(0, 50))
    def replay(self, which):
        if self.sent:
            era, proofs = self.sent[which % len(self.sent)]
            before = len(self.world.simulation.chain.requests)
            request, error = self.try_to(lambda: self.world.pay(era, proofs))
            accepted = len(self.world.simulation.chain.requests) - before
            if error is None:
                assert accepted == 1
                self.known.append(request)
            elif error.fate is Fate.NOT_ACCEPTED:
                assert accepted == 0, error

    @rule(which=st.integers(0, 50))
    def ask(self, which):
        requests = list(self.world.simulation.chain.requests)
        if requests:
            request = requests[which % len(requests)]
            state, _ = self.try_to(lambda: self.world.state_of(request))
            if state is not None and (state.status.succeeded or state.status.failed):
                ends = {entry["request_id"]: entry["status"] for entry in self.world.truth["requests"]}
                assert ends[request] == state.wire_status
                assert self.told.setdefault(request, state.wire_status) == state.wire_status

    @rule(seconds=st.sampled_from([0.5, 1, 7, 25]))
    def wait(self, seconds):
        self.world.advance(seconds)

    @invariant()
    def every_answered_request_is_one_of_the_chain(self):
        assert set(self.known) <= set(self.world.simulation.chain.requests)

    @invariant()
    def parts_payloads_and_fees_are_exact(self):
        truth = self.world.truth
        assert max(Counter((payout["era"], payout["part"]) for payout in truth["payouts"]).values(), default=1) == 1
        statuses = {entry["request_id"]: entry for entry in truth["requests"]}
        payloads = [statuses[payout["request_id"]]["payload"] for payout in truth["payouts"]]
        assert len(payloads) == len(set(payloads))
        processed = {request for request, entry in statuses.items() if entry["status"] == "Processed"}
        assert processed == {payout["request_id"] for payout in truth["payouts"]}
        assert int(truth["fees_charged"]) == sum(int(payout["fee"]) for payout in truth["payouts"])

    @invariant()
    def every_fault_counted_was_decided(self):
        described = self.world.plan.describe()
        assert sum(described["counts"].values()) <= sum(rule["struck"] for rule in described["rules"])

    def teardown(self):
        """The chain read back from its events is the same chain."""
        if hasattr(self, "world"):
            rows = self.world.simulation._file._database.execute("SELECT event FROM events ORDER BY sequence")
            again, chain = Chain(self.world.settings, [from_json(row[0]) for row in rows]), self.world.simulation.chain
            for name in ("accounts", "requests", "executed", "fee", "window_open_until", "_pending", "_last_block"):
                assert getattr(again, name) == getattr(chain, name), name
            self.world.simulation.close()


TestAnyFaults = AnyFaults.TestCase
TestAnyFaults.settings = hypothesis_settings(max_examples=80, stateful_step_count=30, deadline=None)
