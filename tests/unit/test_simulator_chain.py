"""The rules of the simulated chain: its calendar, what it executes, and what its state file keeps."""

import contextlib
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from staking_gateway.errors import Fate, GatewayError
from staking_gateway.types import RequestStatus
from staking_gateway_simulator.events import Doomed
from staking_gateway_simulator.fault_plan import ANY
from staking_gateway_simulator.truth import tell_rewards
from tests.support.simulated import ACTIVE, ALICE, BOB, CHARLIE, DAVE, ERA, FEE, SimulatedGateway


@pytest.fixture
def gateway(simulated):
    return simulated()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "s.db"


# --- the calendar --------------------------------------------------------------------------------------------------------


def test_the_active_era_and_the_window_follow_the_clock_or_control(gateway):
    """Eras last 20 seconds, and the window is open for the last 5."""
    told = []
    for seconds in (14.999999, 0.000001, 5):
        state = gateway.advance(seconds)
        told.append((state["active_era"], state["window"], state["next_window_change_at"][17:19]))
    assert told == [(ACTIVE, "closed", "15"), (ACTIVE, "open", "20"), (ACTIVE + 1, "closed", "35")]
    assert gateway.control("window", state="open")["window_forced"]
    assert gateway.control("advance", eras=3)["window"] == "open"
    gateway.control("window", state="closed")
    assert gateway.advance(16)["window"] == "closed"
    assert gateway.control("window", state="auto")["window"] == "open"


# --- what is executed ----------------------------------------------------------------------------------------------------


def test_an_execution_moves_both_nonces_the_fee_and_the_stakers(gateway):
    before = gateway.simulation.chain.balance(BOB.account.hex)
    request = gateway.pay()
    told = [gateway.state_of(request).status]
    for _ in range(2):
        gateway.advance(0.5)
        told.append(gateway.state_of(request).status)
    assert told == [RequestStatus.AWAITING_TO_SEND, RequestStatus.PENDING, RequestStatus.PROCESSED]
    assert (gateway.nonces(), gateway.nonces(CHARLIE, ALICE)) == ((1, 1), (0, 0))
    assert (gateway.charged(), gateway.simulation.chain.balance(BOB.account.hex)) == (FEE, before + FEE)
    (payout,) = gateway.truth["payouts"]
    assert {name: payout[name] for name in ("era", "part", "request_id", "fee", "stakers_paid", "executed_at")} == {
        "era": ERA,
        "part": 0,
        "request_id": request,
        "fee": str(FEE),
        "stakers_paid": 100,
        "executed_at": "2026-01-01T00:10:01.000000+00:00",
    }
    assert gateway.truth["fees_charged"] == str(FEE)
    assert [owed["era"] for owed in gateway.truth["owing"]] == [27, 28]


def test_payouts_of_others_and_payouts_that_pay_nobody_outlive_a_restart_beside_pending_ones(simulated, file):
    gateway = simulated(state=file)
    pending = gateway.pay(gateway.params(28))
    gateway.control("payout", era=ERA)
    gateway.control("payout", era=ERA)
    gateway.control("unpaid", payouts=1)
    truth, rewards = gateway.truth, tell_rewards(gateway.simulation)
    gateway.restart()
    assert (gateway.truth, tell_rewards(gateway.simulation)) == (truth, rewards)
    gateway.advance(1)
    assert gateway.state_of(pending).status == RequestStatus.PROCESSED
    gateway.execute(gateway.params(28))
    assert [(payout["era"], payout["part"], payout["stakers_paid"]) for payout in gateway.truth["payouts"]] == [
        (ERA, 0, 100),
        (ERA, 1, 0),
        (28, 0, 0),
        (28, 0, 100),
    ]
    assert int(gateway.truth["fees_charged"]) == 4 * FEE == 2 * int(gateway.truth["fees_for_nothing"])


# --- the state file ------------------------------------------------------------------------------------------------------


def test_a_restart_forgets_nothing_but_faults(simulated, file):
    gateway = simulated(
        "request-sending-failed:skip=1:times=1", "slow-execution:seconds=5:skip=1:times=1", state=file, stakers=300
    )
    paid = gateway.execute(gateway.params(28))
    requests = [gateway.pay(), gateway.pay()]
    gateway.control("staking", account=DAVE.account.address, staking=False)
    gateway.control("nonce", account=DAVE.account.address, kind="payment", by=3)
    gateway.control("window", state="closed")
    truth, state = gateway.truth, gateway.state
    gateway.restart(after=1000)
    assert (gateway.truth, gateway.state, gateway.plan.counts) == (truth, state, {})
    assert gateway.nonces(DAVE, DAVE) == (0, 3)
    assert not gateway.simulation.chain.is_staking(DAVE.account.hex)
    gateway.advance(6)
    assert [gateway.end(request)[0] for request in (paid, *requests)] == ["Processed", "SendingFailed", "Processed"]


# --- whatever happens ----------------------------------------------------------------------------------------------------


class AnyHistory(RuleBasedStateMachine):
    """Payouts, replays, jumps, foreign nonces, changed fees and any faults, in any order: the truth stays exact."""

    @initialize(
        seed=st.integers(0, 2**64 - 1),
        faulty=st.booleans(),
        stakers=st.integers(1, 5),
        checks=st.booleans(),
        fee_on_failure=st.booleans(),
    )
    def begin(self, seed, faulty, stakers, checks, fee_on_failure):
        rules = [{"fault": ANY, "probability": 0.6}] * 2 if faulty else []
        self.folder = tempfile.TemporaryDirectory()
        self.gateway = SimulatedGateway(
            *rules,
            seed=seed,
            state=Path(self.folder.name) / "s.db",
            stakers=stakers,
            batch=2,
            history_depth=4,
            confirm_seconds=3.0,
            door_checks=checks,
            fee_on_failure=fee_on_failure,
        )
        self.parts = -(-stakers // 2)
        self.sent, self.ended = [], {}
        self.gateway.control("window", state="closed")

    @rule(user=st.sampled_from([ALICE, CHARLIE]), payer=st.sampled_from([ALICE, DAVE]), back=st.integers(0, 5))
    def pay(self, user, payer, back):
        self.sent.append(self.gateway.params(self.gateway.state["active_era"] - back, user=user, payer=payer))
        self.replay(-1)

    @rule(which=st.integers(0, 100))
    def replay(self, which):
        """What a client is told of a payout is never a false promise."""
        if self.sent:
            before, error = len(self.gateway.truth["requests"]), None
            try:
                self.gateway.pay(self.sent[which % len(self.sent)])
            except GatewayError as met:
                error = met
            accepted = len(self.gateway.truth["requests"]) - before
            assert accepted == 1 or error is not None
            assert accepted == 0 or error is None or error.fate is Fate.UNKNOWN

    @rule(which=st.integers(0, 100))
    def ask(self, which):
        """No final state that a client is told is a false one."""
        requests = self.gateway.truth["requests"]
        if requests:
            entry = requests[which % len(requests)]
            with contextlib.suppress(GatewayError):
                told = self.gateway.state_of(entry["request_id"])
                assert told.wire_status == entry["status"] or not (told.status.succeeded or told.status.failed)

    @rule(seconds=st.sampled_from([0.5, 1, 3, 3, 7, 20]))
    def wait(self, seconds):
        self.gateway.advance(seconds)

    @rule(signer=st.sampled_from([ALICE, CHARLIE]), kind=st.sampled_from(["staking", "payment"]))
    def use_a_nonce(self, signer, kind):
        self.gateway.control("nonce", account=signer.account.address, kind=kind)

    @rule(amount=st.integers(0, 2**60))
    def change_the_fee(self, amount):
        self.gateway.control("fee", amount=str(amount))

    @rule(which=st.integers(0, 100), status=st.sampled_from(["Rejected", "SendingFailed", "PayerRefused"]))
    def doom(self, which, status):
        pending = [one["request_id"] for one in self.gateway.truth["requests"] if one["status"] == "Pending"]
        if pending:
            self.gateway.simulation.happen(Doomed(pending[which % len(pending)], status, "doomed"))

    @invariant()
    def every_part_and_every_payload_is_executed_once_at_most(self):
        truth = self.gateway.truth
        parts = Counter((payout["era"], payout["part"]) for payout in truth["payouts"])
        assert all(count == 1 and part < self.parts for (_, part), count in parts.items())
        requests = {entry["request_id"]: entry for entry in truth["requests"]}
        executed = [payout["request_id"] for payout in truth["payouts"]]
        assert len(executed) == len({requests[request]["payload"] for request in executed})
        assert {name for name, entry in requests.items() if entry["status"] == "Processed"} == set(executed)

    @invariant()
    def an_end_is_an_end(self):
        for entry in self.gateway.truth["requests"]:
            if RequestStatus(entry["status"]).succeeded or RequestStatus(entry["status"]).failed:
                assert self.ended.setdefault(entry["request_id"], entry["status"]) == entry["status"]

    @invariant()
    def fees_are_those_of_the_executions_and_of_the_failures_that_cost_a_fee(self):
        truth, chain = self.gateway.truth, self.gateway.simulation.chain
        lost = sum(int(one["fee"]) for one in truth["requests"] if one["fee"] and one["status"] == "Rejected")
        assert self.gateway.settings["fee_on_failure"] or not lost
        assert int(truth["fees_for_nothing"]) == lost
        assert int(truth["fees_charged"]) == sum(int(one["fee"]) for one in truth["payouts"]) + lost
        moved = [chain.account(signer.account.hex).moved for signer in (ALICE, BOB, CHARLIE, DAVE)]
        assert (sum(moved), moved[1]) == (0, int(truth["fees_charged"]))

    @invariant()
    def every_staker_is_paid_owed_or_expired(self):
        truth, chain = self.gateway.truth, self.gateway.simulation.chain
        expired = sum(chain.stakers_left(era) for first, last in truth["expired"] for era in range(first, last + 1))
        paid = sum(payout["stakers_paid"] for payout in truth["payouts"])
        owed = sum(owing["stakers_left"] for owing in truth["owing"])
        assert paid + owed + expired == (truth["active_era"] - chain.born.first_payable) * chain.born.stakers

    def teardown(self):
        """The chain read back from its file is the same chain."""
        if hasattr(self, "gateway"):
            before = self.gateway.truth, self.gateway.state
            self.gateway.restart()
            assert (self.gateway.truth, self.gateway.state) == before
            self.gateway.close()
            self.folder.cleanup()


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = hypothesis_settings(max_examples=12, stateful_step_count=25, deadline=None)
