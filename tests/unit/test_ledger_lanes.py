"""One payload in flight per user, one payload per staking nonce, and fees that were charged for nothing."""

from contextlib import closing
from datetime import timedelta

import pytest

from staking_gateway.errors import LedgerConflict
from staking_gateway.ledger import Actor, LaneBusy, Ledger, NonceSpent, PayoutState
from tests.support.ledgers import KINDS, NETWORK, NOW, RUN, account, assert_consistent, ledger_url, planned, signed

IN_FLIGHT = [state for state in PayoutState if state.in_flight]
NOT_IN_FLIGHT = [state for state in PayoutState if not state.in_flight]


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with ledger_url(request.param, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def ledger(url):
    with closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened
        assert_consistent(opened, url)


@pytest.mark.parametrize("state", IN_FLIGHT)
def test_a_user_has_one_payload_in_flight_and_other_users_and_networks_do_not_wait(ledger, state):
    """Each execution shows in its own user's staking nonce, so users of one payer do not exclude each other."""
    first, second = planned(ledger, 1), planned(ledger, 2)
    first = ledger.transition(first, state, "in flight", RUN, staking_nonce=1, payment_nonce=7)
    with pytest.raises(LaneBusy):
        signed(ledger, second, payer_key=account(9).hex)
    assert ledger.payout(NETWORK, 2, 0) == second
    assert (ledger.in_flight(NETWORK), len(ledger.events(second))) == ([first], 1)
    elsewhere = signed(ledger, planned(ledger, 1, network="other"))
    second = signed(ledger, second, user_key=account(9).hex, payment_nonce=7)
    assert (ledger.in_flight(NETWORK), ledger.in_flight("other")) == ([first, second], [elsewhere])
    assert ledger.in_flight("none") == []


@pytest.mark.parametrize("state", NOT_IN_FLIGHT)
def test_a_lane_is_free_again_when_its_payload_no_longer_can_execute(ledger, state):
    first, second = signed(ledger, planned(ledger, 1)), planned(ledger, 2)
    ledger.transition(first, state, "over", RUN)
    assert ledger.in_flight(NETWORK) == []
    assert ledger.in_flight(NETWORK) != [signed(ledger, second)] == ledger.in_flight(NETWORK)


def test_networks_of_one_chain_share_the_lane_of_their_user(ledger):
    signed(ledger, planned(ledger, 1), chain="one chain")
    with pytest.raises(LaneBusy):
        signed(ledger, planned(ledger, 2, network="other"), chain="one chain")


def test_a_payload_that_names_no_staking_nonce_takes_no_lane(ledger):
    """Ready-made proofs for a gateway that tells no nonces: nothing could ever show that the lane is free again."""
    signed(ledger, planned(ledger, 1), staking_nonce=None)
    signed(ledger, planned(ledger, 2), staking_nonce=None)
    assert len(ledger.in_flight(NETWORK)) == 2


def test_a_payload_may_be_replaced_in_its_own_lane(ledger):
    again = signed(ledger, signed(ledger, planned(ledger)), payment_nonce=7)
    assert ledger.in_flight(NETWORK) == [again]


def test_the_late_write_of_an_owner_whose_payload_was_taken_over_is_refused(ledger):
    stale = signed(ledger, planned(ledger), lease_owner="one", lease_until=NOW)
    lease = {"lease_owner": "other", "lease_until": NOW + timedelta(minutes=2)}
    taken = ledger.transition(stale, PayoutState.UNKNOWN, "found SIGNED, perhaps sent", Actor("other"), **lease)
    with pytest.raises(LedgerConflict, match="was changed by another process; read it again"):
        ledger.transition(stale, PayoutState.SUBMITTED, "accepted", Actor("one"), request_id="late")
    assert ledger.payout(NETWORK, 1392, 0) == taken
    assert [event.run for event in ledger.events(taken)] == [RUN.run, RUN.run, "other"]


# --- nonces ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [PayoutState.CONFIRMED, *IN_FLIGHT])
def test_a_staking_nonce_that_was_used_or_may_be_is_not_signed_again(ledger, state):
    first, second = planned(ledger, 1), planned(ledger, 2)
    first = ledger.transition(first, state, "", RUN, staking_nonce=2**64 - 1)
    # In flight, one more payload of this user would also be in its lane; which of the two is told does not matter.
    taken = NonceSpent if state is PayoutState.CONFIRMED else (NonceSpent, LaneBusy)
    with pytest.raises(taken):
        signed(ledger, second, staking_nonce=2**64 - 1)
    assert ledger.payout(NETWORK, 2, 0) == second
    assert signed(ledger, second, user_key=account(8).hex, staking_nonce=2**64 - 1).version == 2


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


def test_nonces_that_are_known_to_be_used(ledger):
    """Used are those of confirmed payloads, and those that were seen to be used."""
    nonces = iter((5, 12, 11, 10, 9, 8))
    for era, state in enumerate((PayoutState.CONFIRMED, *NOT_IN_FLIGHT)):
        by = "none" if era and state is PayoutState.CONFIRMED else "nonce"
        one = next(nonces)
        ledger.transition(
            planned(ledger, era), state, "", RUN, staking_nonce=one, payment_nonce=one + 1, confirmed_by=by
        )
    both = {"user": account(1), "payer": account(2)}
    assert ledger.nonces_confirmed(NETWORK, **both) == (5, 6)
    ledger.transition(ledger.payout(NETWORK, 3, 0), PayoutState.REJECTED, "used elsewhere", RUN, used_nonce=10)
    assert ledger.nonces_confirmed(NETWORK, **both) == (10, 6)
    assert ledger.nonces_confirmed(NETWORK, user=account(8), payer=account(2)) == (None, 6)
    assert ledger.nonces_confirmed("other", **both) == (None, None)


# --- fees charged for nothing ------------------------------------------------------------------------------------------


def charged(ledger, payout, **changes):
    """Sign a payload, and learn that its fee was charged for nothing."""
    payload = {"fee": 100, "payment_nonce": payout.version, "signed_by": RUN.run}
    sent = signed(ledger, payout, **{**payload, **changes})
    return ledger.transition(sent, PayoutState.REJECTED, "", RUN, charged=True, wasted=payout.wasted + 1)


def test_every_fee_that_was_charged_for_nothing_counts_once_for_its_payment_nonce_if_it_is_known(ledger):
    payout = charged(ledger, planned(ledger), fee=None)
    assert ledger.committed_fees(NETWORK, NOW) == 0, "ready-made proofs tell no fee"
    for _ in range(3):
        payout = charged(ledger, payout)
    payout = charged(ledger, payout, payment_nonce=payout.payment_nonce)
    assert payout.wasted == 5
    assert ledger.committed_fees(NETWORK, NOW) == ledger.fees_of_run(NETWORK, RUN.run) == 300
    payout = signed(ledger, payout, fee=7, payment_nonce=99, signed_by=RUN.run)
    assert ledger.committed_fees(NETWORK, NOW) == ledger.fees_of_run(NETWORK, RUN.run) == 307
    left_out = {"excluding": payout}
    assert ledger.committed_fees(NETWORK, NOW, **left_out) == ledger.fees_of_run(NETWORK, RUN.run, **left_out) == 300


def test_a_wasted_fee_counts_for_the_day_and_the_run_that_signed_it(ledger):
    charged(ledger, planned(ledger), signed_at=NOW - timedelta(days=1), signed_by="yesterday's run")
    assert ledger.committed_fees(NETWORK, NOW) == 0
    assert ledger.committed_fees(NETWORK, NOW - timedelta(days=1)) == 100
    assert ledger.fees_of_run(NETWORK, RUN.run) == ledger.committed_fees("other", NOW - timedelta(days=2)) == 0
    assert ledger.fees_of_run(NETWORK, "yesterday's run") == 100


def test_a_change_that_lost_the_race_keeps_no_fee(ledger):
    sent = signed(ledger, planned(ledger), fee=100, payment_nonce=7)
    ledger.transition(sent, PayoutState.UNKNOWN, "faster", RUN)
    with pytest.raises(LedgerConflict):
        ledger.transition(sent, PayoutState.REJECTED, "", RUN, charged=True)
    assert ledger.committed_fees(NETWORK, NOW) == 100, "of the payload in flight"
