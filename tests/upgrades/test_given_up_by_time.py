"""Version 0.1.0 gave payloads up by time. After the upgrade each such era is paid, exactly once, wherever the chain had got to."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from staking_gateway.ledger import Ledger, PayoutState, upgrade_schema
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import AccountId
from tests.support.ledgers import KINDS, assert_consistent, connected
from tests.support.world import ALICE, CHARLIE, ready_made_proofs
from tests.upgrades.left_behind import found_again
from tests.upgrades.old_ledgers import put_back, rows

BY_TIME = "it was never executed and no longer can be"
"""What 0.1.0 wrote."""
LAST_RUN = "staking_payout_testnet/the run that gave it up"
BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""


class Left:
    """A ledger of 0.1.0, the chain of one of its networks, and what 0.1.0 would have written next."""

    def __init__(self, old, network, folder, *, stakers=100):
        (folder / "chain").mkdir()
        self.network, self.lane, self.url = network, f"chain of {network}", old.url
        told = old.stories[network]
        told = {**told, "options": {**told["options"], "stakers": stakers}}
        # With a ledger of its own, so that the old one is not upgraded before its rows are made.
        self.world = found_again(folder / "chain", f"sqlite:///{folder / 'chain.db'}", network, told)
        (self.era,) = [row["era"] for row in rows(old.url)["payouts"] if self.is_in_flight(row)]
        self.other = self.era - 3
        assert self.other in range(self.world.era - 8, self.world.era)

    def is_in_flight(self, row):
        return row["network"] == self.network and row["state"] in ("SIGNED", "SUBMITTED", "UNKNOWN")

    def execute(self, *statements, **values):
        values = {"network": self.network, "era": self.era, "other": self.other, "run": LAST_RUN, **values}
        with connected(self.url) as ledger:
            for statement in statements:
                ledger.execute(sa.text(statement), {name: values[name] for name in values if f":{name}" in statement})

    def give_up(self, era=None, state="REJECTED", cause=BY_TIME, reason=BY_TIME):
        """`LedgerWriter.release` of 0.1.0."""
        self.execute(
            "INSERT INTO payout_events (payout_id, at, from_state, to_state, version, cause, run, try_number) "
            "SELECT id, updated_at, state, :state, version + 1, :cause, :run, 1 FROM payouts "
            "WHERE network = :network AND era = :era",
            "UPDATE payouts SET state = :state, version = version + 1, reason = :reason, unanswered = 0, "
            "unanswered_at = NULL, lease_owner = NULL, lease_until = NULL WHERE network = :network AND era = :era",
            state=state, cause=cause, reason=reason, era=era or self.era,
        )  # fmt: skip

    def sign_other(self, state, *, sent=False):
        """Another era signed with the same nonces, as 0.1.0 did once the first payload was given up.

        :param sent: whether the payload reaches the gateway.
        """
        row = next(row for row in rows(self.url)["payouts"] if (row["network"], row["era"]) == (self.network, self.era))
        tell = self.world.gateway.nonce
        self.world.gateway.nonce = lambda _, kind: int(row[f"{kind.value}_nonce"])
        proofs = ready_made_proofs(self.world, self.other)
        self.world.gateway.nonce = tell
        self.execute(
            "INSERT INTO payouts (network, chain, era, part, state, version, user_key, payer_key, relayer_key, staking_nonce, "
            "payment_nonce, fee, proxy_signature, fee_payment_signature, plans, unanswered, unanswered_at, created_at, "
            "updated_at, signed_at) SELECT network, chain, :other, 0, 'SIGNED', 2, user_key, payer_key, relayer_key, "
            "staking_nonce, payment_nonce, fee, :proxy, :fee_payment, 1, 0, NULL, created_at, updated_at, signed_at "
            "FROM payouts WHERE network = :network AND era = :era",
            *(
                "INSERT INTO payout_events (payout_id, at, from_state, to_state, version, cause, run, try_number) "
                f"SELECT id, updated_at, {before}, '{after}', {version}, 'a cause', :run, 1 FROM payouts "
                "WHERE network = :network AND era = :other"
                for version, before, after in ((1, "NULL", "PLANNED"), (2, "'PLANNED'", "SIGNED"))
            ),
            proxy=proofs.proxy_signature, fee_payment=proofs.fee_payment_signature,
        )  # fmt: skip
        if sent:
            accounts = {name: AccountId.parse(row[f"{name}_key"]) for name in ("relayer", "user", "payer")}
            self.world.gateway.payout_stakers(
                **accounts,
                era=self.other,
                proxy_signature=proofs.proxy_signature,
                fee_payment_signature=proofs.fee_payment_signature,
                payment_nonce=proofs.payment_nonce,
            )
            self.world.gateway.sent.clear()
        if state != "SIGNED":
            self.give_up(self.other, state, "sent, no usable answer", "lost")
        if state == "UNKNOWN":
            self.execute(
                "UPDATE payouts SET unanswered = 1, unanswered_at = updated_at WHERE network = :network AND era = :other"
            )

    def upgraded(self):
        """The same, opened by this version."""
        self.world.ledger.close()
        self.world.ledger = Ledger(self.url, clock=self.world.now)
        return self.world

    def payout(self, era=None):
        return self.world.ledger.payout(self.network, era or self.era, 0)

    def pay(self, *eras):
        """The outcome of each era, paid by its own run."""
        return [self.world.drive(era, self.world.scheduled(era)).outcome for era in eras]

    def executed(self, *eras):
        self.world.elapse(5)
        return [len(self.world.executed(era)) for era in eras]


@pytest.fixture(params=KINDS)
def leave(request, tmp_path):
    made = []
    with put_back("0003", request.param, tmp_path) as old:

        def of(network, **options):
            made.append(Left(old, network, tmp_path, **options))
            return made[-1]

        yield of
        for left in made:
            assert_consistent(left.world.ledger, left.world.ledger_url, [left.lane])
            left.world.close()


# --- alone ------------------------------------------------------------------------------------------------------------

WHAT_BECAME_OF_IT = {
    "signed": "its first byte never left",
    "lost": "it got lost on its way",
    "sent": "the gateway has it, the chain does not yet",
    "accepted": "the gateway has it, and said so",
    "executed": "the chain executed it, and nobody looked",
    "unanswered": "the chain executed it, and the answer got lost",
}


@pytest.mark.parametrize("stakers", [100, BATCHES], ids=["one batch", "several batches"])
@pytest.mark.parametrize("network", WHAT_BECAME_OF_IT)
def test_a_payload_that_was_given_up_is_in_flight_again_and_is_executed_exactly_once(leave, network, stakers):
    left = leave(network, stakers=stakers)
    left.give_up()
    world = left.upgraded()
    assert (left.payout().state, left.payout().copies_out, left.payout().given_up_by) == (
        PayoutState.UNKNOWN,
        True,
        None,
    )
    signature = left.payout().proxy_signature
    assert left.pay(left.era) == [Outcome.PAID]
    assert left.executed(left.era) == [1]
    assert {sent["proxy_signature"] for sent in world.gateway.sent} <= {signature}, "signed anew"


@pytest.mark.parametrize("network", WHAT_BECAME_OF_IT)
def test_it_is_paid_by_the_next_run_of_its_user_when_its_own_never_comes_back(leave, network):
    left = leave(network, stakers=BATCHES)
    left.give_up()
    left.upgraded()
    assert left.pay(left.other) == [Outcome.PAID]
    assert left.payout().state is PayoutState.CONFIRMED
    assert left.executed(left.other, left.era) == [1, 1]


@pytest.mark.parametrize("then", ["HELD", "PLANNED"])
def test_what_was_held_or_planned_after_it_was_given_up_is_in_flight_again_too(leave, then):
    left = leave("unanswered", stakers=BATCHES)
    left.give_up()
    left.give_up(state=then, cause="the election window is open", reason="the election window is open")
    left.upgraded()
    assert (left.payout().state, left.payout().hold) == (PayoutState.UNKNOWN, None)
    assert left.pay(left.era) == [Outcome.PAID]
    assert left.executed(left.era) == [1]


def test_one_that_was_signed_anew_after_it_was_given_up_stays_as_it_is(leave):
    left = leave("lost")
    left.give_up()
    left.give_up(state="SIGNED", cause="signed", reason=None)
    left.give_up(cause="refused", reason="refused")
    left.upgraded()
    assert (left.payout().state, left.payout().given_up_by) == (PayoutState.REJECTED, None)
    assert left.pay(left.era) == [Outcome.PAID]
    assert left.executed(left.era) == [1]


def test_an_era_that_expired_meanwhile_gives_its_lane_back(leave):
    left = leave("lost")
    left.give_up()
    world = left.upgraded()
    world.control("advance", eras=100)
    world.real += 100 * 20
    assert left.pay(left.era) == [Outcome.EXPIRED]
    newest = world.era
    assert left.pay(newest) == [Outcome.PAID]
    assert left.executed(left.era, newest) == [0, 1]


# --- beside another payload of the same user and the same staking nonce ------------------------------------------------


@pytest.mark.parametrize("order", ["given up first", "given up last"])
@pytest.mark.parametrize("state", ["SIGNED", "UNKNOWN"])
@pytest.mark.parametrize(("network", "sent"), [("lost", False), ("lost", True), ("unanswered", False), ("sent", False)])
def test_of_two_payloads_with_one_nonce_neither_era_is_lost_and_none_is_executed_twice(
    leave, network, sent, state, order
):
    """One of the two has used the nonce, or will; both eras end green."""
    left = leave(network)
    left.give_up()
    left.sign_other(state, sent=sent)
    world = left.upgraded()
    assert left.payout().state is PayoutState.REJECTED, "a lane holds one"
    assert left.payout().given_up_by == LAST_RUN
    assert world.ledger.was_given_up_elsewhere(left.payout(left.other))
    eras = (left.era, left.other) if order == "given up first" else (left.other, left.era)
    outcomes = left.pay(*eras)
    assert all(outcome.is_green for outcome in outcomes), outcomes
    assert left.executed(*eras) == [1, 1]


def test_a_nonce_that_a_given_up_payload_used_confirms_no_other_era(leave):
    """F2 of the engine of 0.1.0: the late payload executes first, and the other era is called paid."""
    left = leave("unanswered")
    left.give_up()
    left.sign_other("UNKNOWN")
    world = left.upgraded()
    step = world.scheduled(left.other).advance(left.other)
    assert left.payout(left.other).state is not PayoutState.CONFIRMED, step
    assert left.pay(left.other) == [Outcome.PAID]
    assert left.executed(left.other, left.era) == [1, 1]


def test_a_given_up_payload_whose_nonce_another_era_was_confirmed_with_does_not_stop_the_upgrade(leave):
    left = leave("lost")
    left.give_up()
    left.sign_other("UNKNOWN", sent=True)
    left.world.elapse(5)
    left.give_up(left.other, "CONFIRMED", "the nonces moved past the signed ones", None)
    left.execute("UPDATE payouts SET confirmed_by = 'nonce' WHERE network = :network AND era = :other")
    left.upgraded()
    assert (left.payout().state, left.payout().given_up_by) == (PayoutState.REJECTED, LAST_RUN)
    assert left.pay(left.era) == [Outcome.PAID]
    assert left.executed(left.era, left.other) == [1, 1]


def test_of_several_that_were_given_up_the_newest_is_in_flight_again(leave):
    left = leave("lost")
    left.give_up()
    left.sign_other("UNKNOWN", sent=True)
    left.give_up(left.other)
    left.upgraded()
    states = {era: left.payout(era).state for era in (left.era, left.other)}
    assert sorted(state.value for state in states.values()) == ["REJECTED", "UNKNOWN"]
    outcomes = left.pay(left.era, left.other)
    assert all(outcome.is_green for outcome in outcomes), outcomes
    assert left.executed(left.era, left.other) == [1, 1]


# --- what was not given up by time --------------------------------------------------------------------------------------


def test_a_payload_that_was_refused_is_not_sent_again_even_when_its_fee_is_right_again(leave):
    """Its bytes are not dead: two payloads of one era would be out at once."""
    left = leave("lost", stakers=BATCHES)
    left.give_up(cause="refused", reason="refused")
    world = left.upgraded()
    old = left.payout()
    assert (old.state, old.asked, old.given_up_by, old.used_nonce) == (PayoutState.REJECTED, True, None, None)
    assert left.pay(left.era) == [Outcome.PAID]
    assert old.proxy_signature not in {sent["proxy_signature"] for sent in world.gateway.sent}
    assert left.executed(left.era) == [1]


@pytest.mark.parametrize(
    ("cause", "staking", "payment", "facts"),
    [
        # Whether it was asked if the era is paid, whether the payload may have executed, whether its nonce is used.
        ("its staking nonce was used by another payload", 2, 2, (False, True, True)),
        ("the payment nonce has moved, and the staking nonce has not", 0, 1, (False, False, False)),
        ("the staking nonce has moved, and the payment nonce has not", 1, 0, (True, False, True)),
        ("request 0f14d0ab is Rejected", 0, 0, (True, False, False)),
    ],
)
def test_what_nonces_told_of_a_payload_is_kept(leave, cause, staking, payment, facts):
    left = leave("lost")
    left.give_up(cause=cause, reason=cause)
    for kind, by, signer in (("staking", staking, ALICE), ("payment", payment, CHARLIE)):
        if by:
            left.world.control("nonce", account=str(signer.account), kind=kind, by=by)
    left.upgraded()
    old = left.payout()
    assert (old.asked, old.given_up_by is not None, old.used_nonce is not None) == facts
    assert left.pay(left.era) == [Outcome.PAID]
    assert left.executed(left.era) == [1]


def test_an_era_that_was_told_paid_while_its_own_payload_may_have_executed_confirms_no_other(leave):
    """F1 of the engine of 0.1.0: EMPTY freed the nonces, and another era was signed with them."""
    left = leave("unanswered")
    left.give_up(state="EMPTY", cause="already paid", reason=None)
    left.execute("UPDATE payouts SET unanswered = 1 WHERE network = :network AND era = :era")
    left.sign_other("UNKNOWN")
    left.upgraded()
    assert left.payout().given_up_by == LAST_RUN
    assert left.pay(left.other, left.era) == [Outcome.PAID, Outcome.ALREADY_PAID]
    assert left.executed(left.other, left.era) == [1, 1]


def test_an_era_that_was_told_paid_at_its_only_send_shares_no_nonce(leave):
    left = leave("lost")
    left.give_up(state="EMPTY", cause="already paid", reason=None)
    left.upgraded()
    assert left.payout().given_up_by is None


def test_an_upgrade_twice_changes_nothing_more(leave):
    left = leave("lost")
    left.give_up()
    upgrade_schema(left.url)
    before = rows(left.url)
    upgrade_schema(left.url)
    assert rows(left.url) == before
