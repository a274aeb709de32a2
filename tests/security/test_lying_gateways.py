"""A lying gateway costs a known amount: at most `max_fee_per_day` of a network for the payment nonces first signed on a UTC day.

Counted is what the payer's key signed, never what the ledger remembers: whatever was signed may still be charged.
"""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.errors import ConnectionLost, StakingGatewayError
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout import PayoutEngine, PayoutTerms, Wait
from staking_gateway.signing import LocalSigner, MessageKind, ProofMaker
from staking_gateway.types import ElectionWindow, NonceKind, RequestState, RequestStatus
from tests.support.failed import refusal
from tests.support.ledgers import sqlite_url

ALICE, BOB, CHARLIE = (LocalSigner(f"//{name}") for name in ("Alice", "Bob", "Charlie"))
START = datetime(2026, 6, 1, tzinfo=timezone.utc)
FEE = 10**17
DAY_LIMIT = 10 * FEE
ACTIVE = 1000
DEPTH = 84
METHOD = "proxyPayoutstakers"


class CountingSigner:
    """The payer's key. `days` has the highest fee of each payment nonce, by the UTC day of the nonce's first signature."""

    account = CHARLIE.account

    def __init__(self, clock):
        self._clock, self._first = clock, {}
        self.days = defaultdict(lambda: defaultdict(int))

    def check(self):
        """The key is here."""

    def sign(self, kind, message):
        assert kind is MessageKind.FEE_PAYMENT
        fee, nonce = (int.from_bytes(part, "little") for part in (message[193:209], message[209:]))
        fees = self.days[self._first.setdefault(nonce, self._clock().date())]
        fees[nonce] = max(fees[nonce], fee)
        return CHARLIE.sign(kind, message)


class LyingGateway:
    """Answers each send with one of its lies, by chance."""

    def __init__(self, lies, seed=0):
        self.lies, self._chance = lies, random.Random(seed)
        self.nonces = {NonceKind.STAKING: 5, NonceKind.PAYMENT: 7}
        self.active, self.fee, self._states = ACTIVE, FEE, []

    def payout_stakers(self, **_payload):
        return self._chance.choice(self.lies)(self)

    def active_era(self):
        return self.active

    def election_window(self):
        return ElectionWindow.CLOSED

    def pays_by_itself(self):
        return False

    def nonce(self, _account, kind):
        return self.nonces[kind]

    def relayer_fee(self, _relayer, _payer):
        return self.fee

    def request_state(self, request_id):
        status = self._states[int(request_id)]
        return RequestState(status, status.value)

    # --- the lies ------------------------------------------------------------------------------------------------------

    def _raise(self, *kinds):
        for kind in kinds:
            self.nonces[kind] += 1

    def refuse(self, words="try again"):
        self._raise(*NonceKind)
        raise refusal(words)

    def refuse_as_paid(self):
        self.refuse("era already paid")

    def refuse_until_the_fee_is_highest(self):
        """It asks for more at the same payment nonce, and begins anew with the next one."""
        self.fee = self.fee + FEE if self.fee < 5 * FEE else FEE
        self._raise(*([NonceKind.PAYMENT] if self.fee == FEE else []))
        raise refusal("invalid fee")

    def lose(self):
        self._raise(NonceKind.PAYMENT)
        raise ConnectionLost("reset", method=METHOD)

    def _accept(self, status, *kinds):
        self._raise(*kinds)
        self._states.append(status)
        return str(len(self._states) - 1)

    def reject(self):
        return self._accept(RequestStatus.REJECTED, *self._chance.sample(list(NonceKind), self._chance.randrange(3)))

    def accept(self):
        return self._accept(RequestStatus.PROCESSED, *NonceKind)


LIAR = LyingGateway
EVERY_LIE = [
    LIAR.refuse, LIAR.refuse_as_paid, LIAR.refuse_until_the_fee_is_highest, LIAR.lose, LIAR.reject, LIAR.accept
]  # fmt: skip


class Installation:
    """A ledger, a clock and new engines; a step that waits lets time pass."""

    def __init__(self, folder, gateway):
        self.now, self._gateway = START, gateway
        self.signer = CountingSigner(self._clock)
        self._ledger = Ledger(sqlite_url(folder), clock=self._clock)
        self._terms = PayoutTerms(
            "testnet", BOB.account, ALICE.account, CHARLIE.account,
            max_fee_per_payout=5 * FEE, max_fee_per_day=DAY_LIMIT, needs_limits=True, history_depth=DEPTH,
        )  # fmt: skip

    def _clock(self):
        return self.now

    def close(self):
        self._ledger.close()

    def attempt(self, era, run, number, patience=12):
        """One try of a run: until it ends, fails, or is no longer waited for."""
        proofs, actor = ProofMaker(ALICE, self.signer), Actor(run, number)
        engine = PayoutEngine(self._terms, self._gateway, proofs, self._ledger, actor, clock=self._clock)
        for _ in range(patience):
            try:
                step = engine.advance(era)
            except StakingGatewayError:
                return
            if not isinstance(step, Wait):
                return
            self.now += step.retry_in

    def check_sums(self):
        """Each day has cost at most its limit, whatever the chain still charges; and something was signed."""
        sums = {str(day): sum(fees.values()) / FEE for day, fees in self.signer.days.items()}
        assert sums
        assert {day: fees for day, fees in sums.items() if fees * FEE > DAY_LIMIT} == {}


@pytest.fixture
def install(tmp_path):
    made = []

    def install(gateway):
        made.append(Installation(tmp_path, gateway))
        return made[-1]

    yield install
    for each in made:
        each.close()


@pytest.mark.parametrize("lies", [[LIAR.refuse], [LIAR.refuse_until_the_fee_is_highest], EVERY_LIE])
def test_a_gateway_that_refuses_and_keeps_what_was_signed_costs_the_days_limit(install, lies):
    """Six eras, a try of each in every hour of a day; then everything is executed, and the eras are paid already."""
    gateway = LyingGateway(lies)
    installation = install(gateway)
    for hour in range(30):
        if hour == 24:
            gateway.lies = [LIAR.refuse_as_paid]
        installation.now = max(installation.now, START + timedelta(hours=hour))
        for era in range(ACTIVE - 6, ACTIVE):
            installation.attempt(era, f"scheduled era {era}", hour + 1)
    installation.check_sums()


@pytest.mark.parametrize("lies", [[LIAR.refuse_as_paid], EVERY_LIE])
def test_a_gateway_that_invents_eras_costs_the_days_limit(install, lies):
    """The active era leaps ahead before each catch-up, and every era that is within the depth then is asked for."""
    gateway = LyingGateway(lies)
    installation = install(gateway)
    for number, gateway.active in enumerate((ACTIVE, 10**6, 2 * 10**9)):
        for era in range(gateway.active - DEPTH, gateway.active):
            installation.attempt(era, f"catch-up {number}", 1)
    installation.check_sums()
