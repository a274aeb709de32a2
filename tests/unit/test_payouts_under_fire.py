"""Whatever happens, in whatever order: at most one executed payout per part, nothing green unpaid, nothing lost."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from staking_gateway.errors import GatewayError, InvalidEra
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.payout.outcomes import EraOutcome, Outcome
from tests.support.world import ALICE, CHARLIE, NETWORK, START, Crash, World

UNPAID_ERAS = 3
FAULTS = ("before", "after", "refused", "crash")


class MortalLedger(Ledger):
    """Lets its process die before or after a change when told to."""

    doom: tuple[int, bool] | None = None

    def transition(self, *args, **changes):
        before = self._strike(after=False)
        if before:
            raise Crash
        result = super().transition(*args, **changes)
        if self._strike(after=True):
            raise Crash
        return result

    def _strike(self, *, after):
        if self.doom is None:
            return False
        countdown, when_after = self.doom
        if when_after is not after:
            return False
        self.doom = (countdown - 1, when_after) if countdown > 1 else None
        return countdown == 1


class PayoutsUnderFire(RuleBasedStateMachine):
    stakers = 100
    foreign_staking_nonces = True

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.world = World(self.folder, unpaid_eras=UNPAID_ERAS, stakers=self.stakers, history_depth=10_000)
        self.lag, self._nonce = 0, self.world.gateway.nonce
        self.world.gateway.nonce = self.tell_nonce
        self.world.ledger.close()
        self.ledger = self.world.ledger = MortalLedger(self.world.ledger_url, clock=self.world.now)
        self.newest = self.world.era
        self.eras = list(range(self.newest - UNPAID_ERAS + 1, self.newest + 1))
        self.engines = {}
        self.green = set()

    def teardown(self):
        try:
            self.heal()
        finally:
            self.world.close()
            shutil.rmtree(self.folder)

    def tell_nonce(self, account, kind):
        """A gateway is several machines, and the one that answers may be behind."""
        world = self.world
        since = world.simulation.now - self.lag * 1_000_000
        return self._nonce(account, kind) - world.simulation.chain.nonces_used_since(account.hex, kind, since)

    def heal(self):
        """The faults end; every era is run again, as the next runs and retries would, and must end paid, once."""
        self.world.gateway.lose.clear()
        self.lag = 0
        self.ledger.doom = None
        self.world.control("window", state="closed")
        for era in self.eras:
            outcome = self.world.drive(era, self.world.engine(f"healed {era}"), patience=400)
            if outcome.parts[0].hold == "charged":
                outcome = self.ask_a_person(era, outcome)
            assert outcome.outcome.is_green, outcome
        for era in self.eras:
            assert len(self.world.executed(era)) == 1, era
        committed, charged = self.ledger.committed_fees(NETWORK, START), int(self.world.truth()["fees_charged"])
        assert committed >= charged, "every fee that was charged counts"

    def ask_a_person(self, era, outcome):
        """Fees were charged and nothing was paid: nothing more is signed before somebody has looked."""
        (part,) = outcome.parts
        assert (outcome.outcome, part.state) == (Outcome.REJECTED, PayoutState.HELD)
        assert part.wasted >= self.world.terms.max_fees_for_nothing
        assert f"--era {era} --again" in outcome.reason
        terms = replace(self.world.terms, again=True)
        return self.world.drive(era, self.world.engine("a person", terms=terms), patience=400)

    def tells_its_fee(self, record):
        """Whether one fee alone can have been charged for a part: no copy of another fee was out, and none was wasted."""
        events = self.ledger.events(record)
        again = any(
            before.to_state.in_flight and after.to_state is PayoutState.SIGNED for before, after in pairwise(events)
        )
        return record.state is PayoutState.CONFIRMED and not record.wasted and not again

    @rule(era=st.integers(0, UNPAID_ERAS - 1), process=st.integers(0, 2))
    def advance(self, era, process):
        key = (era, process)
        engine = self.engines.get(key) or self.world.engine(f"process {process}")
        self.engines[key] = engine
        try:
            step = engine.advance(self.eras[era])
        except Crash:
            del self.engines[key]
        except (GatewayError, InvalidEra):
            pass
        else:
            if isinstance(step, EraOutcome) and step.outcome.is_green:
                self.green.add(self.eras[era])

    @rule(fault=st.sampled_from(FAULTS))
    def lose_the_next_send(self, fault):
        self.world.gateway.lose.append(fault)

    @rule(countdown=st.integers(1, 3), after=st.booleans())
    def die_at_a_write(self, countdown, after):
        self.ledger.doom = (countdown, after)

    @rule(seconds=st.sampled_from((0.3, 1, 6, 70, 150, 4000)))
    def time_passes(self, seconds):
        self.world.elapse(seconds)

    @rule(seconds=st.sampled_from((0, 0, 12, 24)))
    def reads_lag_behind(self, seconds):
        self.lag = seconds

    @rule(state=st.sampled_from(("open", "closed")))
    def the_window_moves(self, state):
        self.world.control("window", state=state)

    @rule(amount=st.integers(1, 5))
    def the_fee_changes(self, amount):
        self.world.control("fee", amount=str(amount))

    @rule(kind=st.sampled_from(("staking", "payment")))
    def somebody_else_uses_nonces(self, kind):
        """Two of the user's, so that it can be told from our own use; see rule 6 of `payout.decide`."""
        if kind == "staking" and not self.foreign_staking_nonces:
            return
        account, by = (ALICE, 2) if kind == "staking" else (CHARLIE, 1)
        self.world.control("nonce", account=str(account.account), kind=kind, by=by)

    @invariant()
    def no_part_is_executed_twice(self):
        for era in self.eras:
            assert len(self.world.executed(era)) <= 1

    @invariant()
    def nothing_green_is_unpaid(self):
        for era in self.green:
            assert len(self.world.executed(era)) == 1, f"era {era} is green and unpaid"

    @invariant()
    def one_payload_in_flight(self):
        assert len(self.ledger.in_flight(NETWORK)) <= 1


class SeveralBatches(PayoutsUnderFire):
    """No gateway says "already paid": a call too many is executed, and seen. Only this ledger uses the user's nonces, for with a
    second signer no witness tells whose payload was executed.
    """

    stakers = 1000
    foreign_staking_nonces = False


TestPayoutsUnderFire, TestSeveralBatches = PayoutsUnderFire.TestCase, SeveralBatches.TestCase
TestPayoutsUnderFire.settings = TestSeveralBatches.settings = settings(
    max_examples=150, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
