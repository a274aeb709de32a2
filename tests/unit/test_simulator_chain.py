"""The rules of the simulated chain: its calendar, what it executes, and what its state file keeps."""

import contextlib
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from staking_gateway.errors import GatewayError, SendAnswer
from staking_gateway.types import RequestStatus
from staking_gateway_simulator.events import Doomed
from staking_gateway_simulator.fault_plan import ANY
from tests.support.simulated import ALICE, BOB, CHARLIE, DAVE, SimulatedGateway


@pytest.fixture
def gateway(simulated):
    return simulated()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "s.db"


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
            assert accepted == 0 or error is None or error.how.sent is SendAnswer.LOST

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
