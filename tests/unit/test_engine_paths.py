"""Paths on which the engine of 0.1.0 broke its promise, replayed step by step.

Each test sends an era down one path. The engine, the ledger and the simulated chain are real; the clock moves only when told. The
promise: each era is executed exactly once, nobody is told that an era is paid before it is, at most two fees are charged for nothing
and the daily limit holds, and each era ends in bounded time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.errors import GatewayError, GatewayTimeout
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.signing import LocalSigner, ProofMaker, Proofs
from staking_gateway_simulator.events import Delayed
from staking_gateway_simulator.settings import WINDOW_IS_OPEN, to_micros
from tests.support.world import ALICE, BOB, CHARLIE, NETWORK, START, ready_made_proofs

DAVE = LocalSigner("//Dave")
FEE = 6
LAG = 24
"""Seconds by which a stale read lags behind the chain."""
GAP = 901
"""Seconds: just longer than `settle_within`."""
BATCHES = 600
"""Stakers of three calls: a call too many is executed, and seen."""
SOON = timedelta(minutes=5)
A_WHILE = timedelta(minutes=20)
JUDGED_BY_THE_CHAIN = {"door_checks": False, "fee_on_failure": True}
"""The gateway accepts what the chain refuses, and the chain charges the fee of a payout that fails."""
DROPPED = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"


class Path:
    """A world whose window is closed, and what goes wrong in it.

    `lag`: nonces are as old as this, in seconds. `late`: how much later, in seconds, the next payload of an era executes. `faults`:
    what happens to the next sends of an era, see `InProcessGateway.lose`; "drop" accepts and forgets. `failing_polls`: so many calls
    for a request's state fail. `reads` counts the nonces that were read, and `after_reads` is called when that many were.
    """

    def __init__(self, world):
        self.world, self.lag, self.late, self.faults, self.failing_polls = world, 0, {}, {}, 0
        self.reads, self.after_reads, self.errors, self.sends = 0, {}, [], Counter()
        self._submit, world.simulation.submit = world.simulation.submit, self._accept
        self._deliver, world.gateway.payout_stakers = world.gateway.payout_stakers, self._send
        self._tell, world.gateway.nonce = world.gateway.nonce, self._nonce
        self._poll, world.gateway.request_state = world.gateway.request_state, self._state
        world.control("window", state="closed")
        world.control("fee", amount=str(FEE))

    def _accept(self, call):
        request_id = self._submit(call)
        self.world.simulation.happen(Delayed(request_id, to_micros(self.late.pop(call.era, 0))))
        return request_id

    def _send(self, **params):
        self.sends[params["era"]] += 1
        faults = self.faults.get(params["era"], [])
        fault = faults.pop(0) if faults else None
        if fault == "drop":
            return DROPPED
        self.world.gateway.lose = [fault]
        return self._deliver(**params)

    def _nonce(self, account, kind):
        self.after_reads.pop(self.reads, lambda: None)()
        self.reads += 1
        simulation = self.world.simulation
        told = self._tell(account, kind)
        return told - simulation.chain.nonces_used_since(account.hex, kind, simulation.now - to_micros(self.lag))

    def _state(self, request_id):
        if self.failing_polls:
            self.failing_polls -= 1
            raise GatewayTimeout("not now", method="requestState")
        return self._poll(request_id)

    def look(self, era, engine):
        """One call of the engine. A failed call is made again, as Airflow does; None then."""
        try:
            step = engine.advance(era)
        except GatewayError as error:
            self.errors.append(error)
            return None
        if not isinstance(step, Wait) and step.outcome.is_green:
            assert self.world.executed(era), f"era {era} is told {step.outcome.value}, and was never paid"
        return step

    def finish(self, era, engine=None, *, within=SOON):
        """Look until the era has an outcome."""
        engine, begun = engine or self.world.engine(), self.world.now()
        while self.world.now() - begun <= within:
            step = self.look(era, engine)
            if step is not None and not isinstance(step, Wait):
                return step
            self.world.elapse(6)
        raise AssertionError(f"era {era} is stuck: {step or self.errors[-1]!r}")

    def wasted(self):
        """Fees that were charged for nothing."""
        return int(self.world.truth()["fees_for_nothing"]) // FEE

    def assert_kept(self, *eras):
        """Each era was executed once, and fees for nothing are few."""
        for era in eras:
            assert len(self.world.executed(era)) == 1, f"era {era} was not executed once"
        assert self.wasted() <= 2


@pytest.fixture
def make_path(make_world):
    def make(**options):
        return Path(make_world(**{"history_depth": 100_000, "unpaid_eras": 2, **options}))

    return make


def two_eras(path):
    return path.world.era - 1, path.world.era


# --- F1 to F7 ------------------------------------------------------------------------------------------------------------


def test_f1_a_stale_nonce_after_an_early_answer_never_confirms_another_era(make_path):
    """An era is told paid while its nonces are still told as unused; the next era must not be confirmed by these nonces."""
    path = make_path()
    older, newer = two_eras(path)
    path.late, path.faults = {older: 20}, {older: ["after"], newer: ["before"]}
    first, second = path.world.engine("first"), path.world.engine("second")
    path.look(older, first)
    path.world.elapse(31)
    assert len(path.world.executed(older)) == 1, "it executed while nobody looked"
    path.lag = LAG
    path.look(older, first)
    path.look(newer, second)
    path.world.elapse(30)
    path.lag = 0
    assert path.finish(newer, second).outcome.is_green
    assert path.finish(older, first).outcome.is_green
    path.assert_kept(older, newer)


@pytest.mark.parametrize("place", ["before the lease is looked at", "before the first byte leaves"])
def test_f2_a_payload_that_leaves_late_never_confirms_another_era(make_path, place):
    """A process stands still after it wrote that it would send. Its payload arrives late and executes before the next era's."""
    path = make_path()
    world, (older, newer) = path.world, two_eras(path)
    write, other = world.ledger.transition, world.engine("other")

    def stand_still():
        world.ledger.transition, world.gateway.before_send = write, None
        world.elapse(GAP)
        path.late = {newer: 60}
        for _ in range(5):
            if not path.sends[newer]:
                path.look(newer, other)
                world.elapse(0 if path.sends[newer] else 6)
        assert path.sends[newer], "the other run reached its own payload while the process stood still"

    def write_and_stand_still(*args, **changes):
        written = write(*args, **changes)
        if written.state is PayoutState.SIGNED:
            stand_still()
        return written

    if place == "before the lease is looked at":
        world.ledger.transition = write_and_stand_still
    else:
        world.gateway.before_send = stand_still
    frozen = world.engine("frozen")
    path.look(older, frozen)
    world.elapse(3)
    path.failing_polls = 1
    assert path.finish(newer, other).outcome.is_green
    assert path.finish(older, frozen).outcome.is_green
    path.assert_kept(older, newer)


@pytest.mark.parametrize("delay", [GAP + 10, GAP + 60, GAP + 600])
def test_f2_a_payload_that_executes_late_never_confirms_another_era(make_path, delay):
    """A payload was accepted, and nobody heard of it. It executes after a quarter of an hour, before the next era's."""
    path = make_path()
    world, (older, newer) = path.world, two_eras(path)
    path.late, path.faults = {older: delay, newer: delay}, {older: ["after"]}
    path.look(older, world.engine("gone"))
    world.elapse(GAP)
    other = world.engine("other")
    path.look(newer, other)
    world.elapse(delay - GAP + 2)
    path.failing_polls = 1
    assert path.finish(newer, other, within=A_WHILE).outcome.is_green
    assert path.finish(older, world.engine("gone")).outcome.is_green
    path.assert_kept(older, newer)


@pytest.mark.parametrize("reads", range(6))
def test_f3_a_payload_that_executes_between_two_reads_is_not_paid_again(make_path, reads):
    """An accepted payload executes while its own run looks at it again, after a quarter of an hour. More batches are left."""
    path = make_path(stakers=BATCHES)
    world, era = path.world, path.world.era
    path.late, path.faults = {era: GAP + 5}, {era: ["after"]}
    run = world.engine()
    path.look(era, run)
    world.elapse(GAP)
    path.after_reads = {path.reads + reads: lambda: world.elapse(10)}
    assert path.finish(era, run).outcome.is_green
    world.elapse(60)
    path.assert_kept(era)


@pytest.mark.parametrize(
    ("terms", "outcomes"),
    [
        pytest.param({}, {Outcome.REJECTED}, id="another tool paid"),
        pytest.param({"parts": 2}, {Outcome.HELD_FEE}, id="two calls, one batch"),
        pytest.param({"parts": None}, {Outcome.PAID, Outcome.ALREADY_PAID}, id="until nothing is left"),
    ],
)
def test_f4_an_era_of_which_nothing_is_left_costs_two_fees_at_most_and_no_more_than_a_day_may(
    make_path, terms, outcomes
):
    """The gateway accepts what the chain refuses, and the chain charges each of these payloads."""
    path = make_path(simulator=JUDGED_BY_THE_CHAIN, max_fee_per_day=2 * FEE, **terms)
    world, era, before = path.world, path.world.era, 0
    if not terms:
        tool = Ledger(f"{world.ledger_url}.tool", clock=world.now)
        path.finish(era, world.engine("tool", ledger=tool))
        tool.close()
        before = FEE
    told = {path.finish(era, world.engine(run)).outcome for run in ("run", "run", "run", "another")}
    assert path.wasted() <= 2, f"{path.wasted()} fees were charged for nothing"
    assert int(world.truth()["fees_charged"]) - before <= 2 * FEE
    assert world.ledger.committed_fees(NETWORK, START) == int(world.truth()["fees_charged"]) - before
    assert told == outcomes
    world.gateway.era_paid = lambda _: True
    assert path.finish(era).outcome.is_green, "a node of the chain says that the era is paid"
    path.assert_kept(era)


def test_f5_a_network_that_never_comes_back_does_not_stop_another_one_of_the_same_payer(make_path):
    """The payload of one network was accepted and dropped, and the fee has changed since, so it is refused for good."""
    path = make_path()
    world, (older, newer) = path.world, two_eras(path)
    one = replace(world.terms, network="one", chain="the chain")
    other = replace(one, network="other", user=DAVE.account)
    path.faults = {older: ["drop"]}
    path.look(older, world.engine("one", terms=one))
    world.control("fee", amount=str(FEE + 1))
    engine = world.engine("other", terms=other, proofs=ProofMaker(DAVE, CHARLIE))
    assert path.finish(newer, engine, within=A_WHILE).outcome.is_green
    assert path.finish(older, world.engine("one", terms=one)).outcome.is_green, "it comes back after all"
    path.assert_kept(older, newer)


@pytest.mark.parametrize("dropped", [True, False], ids=["unknown request", "executed"])
@pytest.mark.parametrize("form", ["object", "bare", "error"])
def test_f6_a_poll_answer_in_any_form_stops_no_era_and_is_no_error(make_path, form, dropped):
    """The gateway forgets an accepted payload, and tells requests as one word, or unknown ones as an internal error."""
    path = make_path(simulator={"poll_form": form})
    world, (older, newer) = path.world, two_eras(path)
    path.faults = {older: ["drop"] * dropped}
    path.look(older, world.engine("gone"))
    assert path.finish(newer, world.engine("other"), within=A_WHILE).outcome.is_green
    assert path.finish(older, world.engine("gone")).outcome.is_green
    assert path.errors == []
    path.assert_kept(older, newer)


@pytest.mark.parametrize("charged", [True, False])
@pytest.mark.parametrize("parts", [1, None])
def test_f7_a_request_that_is_told_processed_is_not_green_unless_it_was_executed(make_path, parts, charged):
    """The window opens before the payload executes: the payout inside the transaction fails, and the gateway tells Processed."""
    settings = {"door_checks": False, "fee_on_failure": charged, "inner_failure_status": "Processed"}
    path = make_path(simulator=settings, parts=parts, max_fee_per_day=3 * FEE)
    world, era = path.world, path.world.era
    run = world.engine()
    path.look(era, run)
    world.control("window", state="open")
    world.elapse(2)
    world.control("window", state="closed")
    assert world.executed(era) == []
    assert path.wasted() == charged
    # That nothing is left is learnt from a fee alone, on a gateway that never refuses.
    wanted = Outcome.PAID if parts or charged else Outcome.REJECTED
    assert path.finish(era, run).outcome is wanted
    assert int(world.truth()["fees_charged"]) <= 3 * FEE
    path.assert_kept(era)


# --- smaller ones --------------------------------------------------------------------------------------------------------


def test_a_wrong_fee_proof_told_as_an_internal_error_is_a_refusal_and_leaves_no_signature(make_path, caplog):
    path = make_path(simulator={"internal_refusals": True})
    world, era = path.world, path.world.era
    fees = iter((FEE + 1, FEE + 2))
    world.gateway.before_send = lambda: world.control("fee", amount=str(next(fees, FEE + 2)))
    assert path.finish(era).outcome.is_green
    history = world.ledger.events(world.ledger.payout(NETWORK, era, 0))
    states = [event.to_state for event in history]
    assert (states.count(PayoutState.REJECTED), PayoutState.UNKNOWN in states) == (2, False)
    told = " ".join(event.cause for event in history) + caplog.text
    assert [sent["fee_payment_signature"] for sent in world.gateway.sent if sent["fee_payment_signature"] in told] == []
    path.assert_kept(era)


@pytest.mark.parametrize(
    ("relayer", "reason"), [(BOB, "invalid fee authorisation"), (CHARLIE, "could not get relayer fee")]
)
def test_a_part_that_stays_refused_by_internal_errors_is_rejected_and_quotes_no_signature(make_path, relayer, reason):
    path = make_path(simulator={"internal_refusals": True, "relayers": (str(relayer.account),)})
    era = path.world.era
    proofs = ProofMaker(ALICE, CHARLIE).make(
        relayer=BOB.account, era=era, relayer_fee=FEE + 1, staking_nonce=0, payment_nonce=0
    )
    outcome = path.finish(era, path.world.engine(proofs=proofs))
    (part,) = outcome.parts
    assert (outcome.outcome, part.state) == (Outcome.REJECTED, PayoutState.REJECTED)
    assert reason in part.reason
    assert proofs.fee_payment_signature not in f"{outcome.reason} {part.reason}"


@pytest.mark.parametrize("in_message", [False, True])
@pytest.mark.parametrize("text", [f"Error: {WINDOW_IS_OPEN}", f"{WINDOW_IS_OPEN}.", WINDOW_IS_OPEN])
def test_a_window_told_in_other_words_uses_up_no_signature_of_the_try(make_path, text, in_message):
    path = make_path(simulator={"window_text": text, "window_in_message": in_message})
    world, era = path.world, path.world.era
    run = world.engine()
    for _ in range(world.terms.max_replans + 2):
        world.control("window", state="closed")
        world.gateway.before_send = lambda: world.control("window", state="open")
        step = path.look(era, run)
        assert isinstance(step, Wait)
        assert (step.reason, step.abandoned) == (WaitFor.WINDOW, Outcome.HELD_WINDOW)
    world.gateway.before_send = None
    world.control("window", state="closed")
    assert path.finish(era, run).outcome is Outcome.PAID
    path.assert_kept(era)


def test_what_was_accepted_without_a_witness_is_not_called_paid(make_path):
    path = make_path()
    world, era = path.world, path.world.era
    full = ready_made_proofs(world, era)
    world.gateway.missing = {"getActiveEra", "getEraElectionStatus", "getNonce", "getRelayerFees", "requestState"}
    path.faults = {era: ["drop"]}
    proofs = Proofs(full.proxy_signature, full.fee_payment_signature, full.payment_nonce)
    assert path.finish(era, world.engine(proofs=proofs)).outcome is Outcome.UNKNOWN


def test_paid_is_told_to_the_run_that_signed_although_another_run_settled_it(make_path):
    path = make_path()
    world, (older, newer) = path.world, two_eras(path)
    path.look(older, world.engine("signs"))
    assert path.finish(newer, world.engine("settles")).outcome is Outcome.PAID
    assert path.finish(older, world.engine("settles")).outcome is Outcome.ALREADY_PAID
    assert path.finish(older, world.engine("signs")).outcome is Outcome.PAID
    path.assert_kept(older, newer)


def test_giving_up_before_anything_was_signed_is_not_tried(make_path):
    path = make_path()
    world, (older, newer) = path.world, two_eras(path)
    path.look(older, world.engine("in the way"))
    engine = world.engine()
    outcome = engine.abandon(newer, path.look(newer, engine))
    assert (outcome.outcome.value, outcome.parts[0].plans) == ("NOT_TRIED", 0)
