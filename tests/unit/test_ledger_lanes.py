"""One payload in flight per user and per payer, and one process that sends it."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest

from staking_gateway.errors import LedgerConflict
from staking_gateway.ledger import Actor, LaneBusy, Ledger, NonceSpent, PayoutState
from staking_gateway.ledger.writer import LedgerWriter
from tests.support.ledgers import KINDS, NETWORK, NOW, RUN, account, assert_consistent, fresh_url, planned, signed

IN_FLIGHT = [state for state in PayoutState if state.in_flight]
NOT_IN_FLIGHT = [state for state in PayoutState if not state.in_flight]


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with fresh_url(request.param, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def ledger(url):
    with closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened
        assert_consistent(opened)


@pytest.mark.parametrize("state", IN_FLIGHT)
@pytest.mark.parametrize("shared", ["user", "payer"])
def test_a_user_and_a_payer_have_one_payload_in_flight(ledger, state, shared):
    first, second = planned(ledger, 1), planned(ledger, 2)
    first = ledger.transition(first, state, "in flight", RUN)
    other = {"payer_key" if shared == "user" else "user_key": account(9).hex}
    with pytest.raises(LaneBusy):
        signed(ledger, second, **other)
    assert ledger.payout(NETWORK, 2, 0) == second
    assert ledger.in_flight(NETWORK) == [first]
    assert len(ledger.events(second)) == 1


@pytest.mark.parametrize("state", NOT_IN_FLIGHT)
def test_a_lane_is_free_again_when_its_payload_no_longer_can_execute(ledger, state):
    first, second = signed(ledger, planned(ledger, 1)), planned(ledger, 2)
    ledger.transition(first, state, "over", RUN)
    assert ledger.in_flight(NETWORK) == []
    assert ledger.in_flight(NETWORK) != [signed(ledger, second)] == ledger.in_flight(NETWORK)


def test_other_users_with_other_payers_and_other_networks_do_not_wait(ledger):
    signed(ledger, planned(ledger, 1))
    signed(ledger, planned(ledger, 2), user_key=account(8).hex, payer_key=account(9).hex)
    signed(ledger, planned(ledger, 1, network="other"))
    assert [len(ledger.in_flight(network)) for network in (NETWORK, "other", "none")] == [2, 1, 0]


def test_a_payload_may_be_replaced_in_its_own_lane(ledger):
    again = signed(ledger, signed(ledger, planned(ledger)), staking_nonce=7)
    assert ledger.in_flight(NETWORK) == [again]


# --- nonces ------------------------------------------------------------------------------------------------------------


OTHER_LANE = {"user_key": account(8).hex, "payer_key": account(9).hex}


@pytest.mark.parametrize("state", [PayoutState.CONFIRMED, *IN_FLIGHT])
@pytest.mark.parametrize(("nonce", "owner"), [("staking_nonce", "user_key"), ("payment_nonce", "payer_key")])
def test_a_nonce_that_was_used_or_may_be_is_not_signed_again(ledger, state, nonce, owner):
    first, second = planned(ledger, 1), planned(ledger, 2)
    first = ledger.transition(first, state, "", RUN, **{nonce: 2**64 - 1})
    # In flight, one more payload of this owner would also be in its lane; which of the two is told does not matter.
    taken = NonceSpent if state is PayoutState.CONFIRMED else (NonceSpent, LaneBusy)
    with pytest.raises(taken):
        signed(ledger, second, **{**OTHER_LANE, owner: getattr(first, owner), nonce: 2**64 - 1})
    assert ledger.payout(NETWORK, 2, 0) == second
    assert signed(ledger, second, **{**OTHER_LANE, nonce: 2**64 - 1}).version == 2


@pytest.mark.parametrize("state", [state for state in NOT_IN_FLIGHT if state is not PayoutState.CONFIRMED])
def test_a_nonce_is_free_again_when_its_payload_no_longer_can_execute(ledger, state):
    nonces = {"staking_nonce": 7, "payment_nonce": 8}
    first, second = signed(ledger, planned(ledger, 1), **nonces), planned(ledger, 2)
    ledger.transition(first, state, "", RUN)
    assert signed(ledger, second, **nonces).staking_nonce == 7


def test_what_nobody_confirmed_takes_no_nonce(ledger):
    nonces = {"staking_nonce": 7, "payment_nonce": 8}
    ledger.transition(planned(ledger, 1), PayoutState.CONFIRMED, "", RUN, **nonces, confirmed_by="none")
    assert signed(ledger, planned(ledger, 2), **nonces).staking_nonce == 7


def test_a_network_may_be_called_after_a_nonce(ledger):
    network = "of_payouts.user_key_and_nonce"
    signed(ledger, planned(ledger, 1, network=network))
    with pytest.raises(LaneBusy):
        signed(ledger, planned(ledger, 2, network=network))


# --- leases ----------------------------------------------------------------------------------------------------


class Leases:
    """Two writers on one ledger, and a clock that moves only when told."""

    def __init__(self, url):
        self.now = NOW
        self.ledger = Ledger(url, clock=lambda: self.now)
        self.one, self.other = (
            LedgerWriter(self.ledger, Actor(run), timedelta(minutes=2), lambda: self.now) for run in ("one", "other")
        )


@pytest.fixture
def leases(url):
    both = Leases(url)
    yield both
    assert_consistent(both.ledger)
    both.ledger.close()


def test_a_lease_keeps_others_away_until_it_ends(leases):
    payout = leases.one.lease(planned(leases.ledger), PayoutState.SIGNED, "signed", plans=1)
    assert (payout.state, payout.plans, payout.lease_until) == (PayoutState.SIGNED, 1, NOW + timedelta(minutes=2))
    assert leases.one.leased_by_another(payout) is None
    leases.now += timedelta(seconds=119)
    assert leases.other.leased_by_another(payout) == timedelta(seconds=1)
    leases.now += timedelta(seconds=1)
    assert leases.other.leased_by_another(payout) is None


def test_the_late_write_of_an_owner_whose_lease_was_taken_over_is_refused(leases):
    stale = leases.one.lease(planned(leases.ledger), PayoutState.SIGNED, "signed")
    leases.now += timedelta(minutes=3)
    taken = leases.other.lease(stale, PayoutState.UNKNOWN, "found signed, perhaps sent")
    assert leases.one.leased_by_another(taken) == timedelta(minutes=2)
    with pytest.raises(LedgerConflict, match="was changed by somebody else; read it again"):
        leases.one.move(stale, PayoutState.SUBMITTED, "accepted", request_id="late")
    assert leases.ledger.payout(NETWORK, 1392, 0) == taken
    assert [event.run for event in leases.ledger.events(taken)] == [RUN.run, "one", "other"]


def test_a_move_gives_up_the_lease(leases):
    held = leases.one.lease(planned(leases.ledger), PayoutState.SIGNED, "signed")
    payout = leases.one.move(held, PayoutState.SUBMITTED, "accepted", request_id="id")
    assert (payout.lease_owner, payout.lease_until, payout.request_id) == (None, None, "id")
    assert leases.other.leased_by_another(payout) is None


def test_a_send_nobody_answered_is_counted_and_dated(leases):
    payout = leases.one.lease(planned(leases.ledger), PayoutState.SIGNED, "signed")
    for sends in (1, 2):
        leases.now += timedelta(seconds=5)
        payout = leases.one.lose(payout, "no answer", leases.now - timedelta(seconds=1), reason="lost")
        assert (payout.state, payout.unanswered, payout.reason) == (PayoutState.UNKNOWN, sends, "lost")
        assert payout.unanswered_at == leases.now - timedelta(seconds=1)
        assert payout.lease_owner is None


def test_a_release_tells_why_and_forgets_unanswered_sends(leases):
    payout = leases.one.lose(planned(leases.ledger), "no answer", NOW)
    payout = leases.one.release(payout, PayoutState.REJECTED, "refused")
    assert (payout.state, payout.reason) == (PayoutState.REJECTED, "refused")
    assert (payout.unanswered, payout.unanswered_at) == (0, None)
    assert leases.ledger.events(payout)[-1].cause == "refused"


def test_a_settled_payout_names_who_settled_it(leases):
    held = leases.one.move(planned(leases.ledger), PayoutState.HELD, "held", reason="held")
    payout = leases.other.settle(held, PayoutState.CONFIRMED, "paid", tx_hash="0x01")
    assert (payout.settled_by, payout.reason, payout.tx_hash) == ("other#1", None, "0x01")
