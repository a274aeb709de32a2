"""The report of a range of eras: sums of what is known, and the number of eras whose value is unknown."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.ledger import EraFacts, Ledger, PayoutState, Reconciliation
from staking_gateway.ledger.range_report import Total
from staking_gateway.types import StakingStatus
from tests.support.ledgers import NETWORK, NOW, PAYER, RUN, USER, judged, planned, signed

MOST = 2**128 - 1
FACTS = EraFacts(
    network=NETWORK,
    era=7,
    ended_at=NOW,
    reward=MOST,
    reward_source="storage",
    symbol="UNIT",
    decimals=12,
    noted_at=NOW,
    run="r",
)


@pytest.fixture
def ledger(url):
    with closing(Ledger(url)) as opened:
        yield opened


def paid(ledger, era, fee, *, after):
    judged(ledger, signed(ledger, planned(ledger, era), fee=fee), confirmed_at=NOW + after)


def test_sums_count_what_is_known_and_name_the_number_of_unknown_eras(ledger):
    """Era 5 has no record; 6 is in flight; 7 to 9 are paid."""
    for era, after in ((7, timedelta(hours=1)), (8, timedelta(hours=3)), (9, timedelta(hours=2))):
        paid(ledger, era, era * 10, after=after)
        ledger.facts.note_era(replace(FACTS, era=era, reward=MOST if era < 9 else None))
    ledger.record_statuses(
        NETWORK, 8, [(USER, StakingStatus.IS_STAKING), (PAYER, StakingStatus.IS_NOT_STAKING)], keep_from=0
    )
    same = Reconciliation(
        network=NETWORK, era=8, subject="fee", agrees=True, finding="agrees", text="equal", checked_at=NOW, run="r"
    )
    differs = replace(same, subject="amount", agrees=False, finding="amount_differs", text="1 is not 2")
    ledger.facts.note_reconciliation([same, differs, replace(same, era=9, agrees=None, finding="unknown")])
    paid(ledger, 10, 10**6, after=timedelta(days=9))  # outside of the range
    signed(ledger, planned(ledger, 6), fee=1, payment_nonce=60, staking_nonce=11)

    found = ledger.reports.report(NETWORK, 5, 9).as_dict()
    eras = found.pop("eras")
    assert found == {
        "network": NETWORK,
        "first": 5,
        "last": 9,
        "begins": 6,
        "symbol": "UNIT",
        "decimals": 12,
        "states": {"PAID": 3, "ALREADY_PAID": 0, "IN_FLIGHT": 1, "HELD": 0, "UNPAID": 0, "EXPIRED": 0, "UNKNOWN": 1},
        "fee": {"known": "240", "unknown_eras": 2},
        "wasted": {"known": "0", "unknown_eras": 2},
        "reward": {"known": str(2 * MOST), "unknown_eras": 3},
        "lag": {"median_seconds": 7200, "worst_seconds": 10800, "worst_era": 8, "known_eras": 3},
        "accounts": {"era": 8, "staking": 1, "not_staking": 1},
        "compared_eras": 1,
        "differences": [{"era": 8, "subject": "amount", "text": "1 is not 2"}],
    }
    unknown = {"fee": None, "wasted": None, "reward": None, "lag_seconds": None, "staking": None, "not_staking": None}
    assert eras[0] == {**unknown, "era": 5, "state": "UNKNOWN"}
    assert eras[1] == {**unknown, "era": 6, "state": "IN_FLIGHT"}
    assert eras[3] == {
        "era": 8, "state": "PAID", "fee": "80", "wasted": "0", "reward": str(MOST), "lag_seconds": 10800,
        "staking": 1, "not_staking": 1,
    }  # fmt: skip
    assert ledger.reports.bounds(NETWORK) == (6, 10)


@pytest.mark.parametrize(
    ("since", "payable_from", "states"),
    [
        (None, 0, {4: "UNKNOWN", 5: "HELD", 6: "IN_FLIGHT", 7: "UNKNOWN", 8: "HELD", 9: "PAID", 10: "UNKNOWN"}),
        (7, 0, {4: "UNKNOWN", 5: "HELD", 6: "IN_FLIGHT", 7: "UNPAID", 8: "HELD", 9: "PAID", 10: "UNPAID"}),
        (4, 8, {4: "EXPIRED", 5: "EXPIRED", 6: "IN_FLIGHT", 7: "EXPIRED", 8: "HELD", 9: "PAID", 10: "UNPAID"}),
        (5, 99, {4: "UNKNOWN", 5: "EXPIRED", 6: "IN_FLIGHT", 7: "EXPIRED", 8: "EXPIRED", 9: "PAID", 10: "EXPIRED"}),
    ],
)
def test_an_era_without_a_payout_is_unpaid_then_expired_and_unknown_only_before_the_installation(
    ledger, since, payable_from, states
):
    """Eras 4 and 10 have no row, and 7 has facts only."""
    for number, era in enumerate((5, 8)):
        ledger.transition(signed(ledger, planned(ledger, era), payment_nonce=50 + number), PayoutState.HELD, "", RUN)
    paid(ledger, 9, 1, after=timedelta(hours=1))
    signed(ledger, planned(ledger, 6), fee=1, payment_nonce=60, staking_nonce=11)
    ledger.facts.note_era(FACTS)
    found = ledger.reports.report(NETWORK, 4, 10, since=since, payable_from=payable_from)
    assert {era.era: era.state for era in found.eras} == states
    assert found.begins == min(5, since or 5)


def test_a_wasted_fee_is_reported_also_while_its_era_is_in_flight(ledger):
    wasted = judged(ledger, signed(ledger, planned(ledger, 7), fee=5), PayoutState.REJECTED)
    paid(ledger, 8, 20, after=timedelta(hours=1))
    signed(ledger, wasted, fee=6, payment_nonce=9, staking_nonce=9)
    found = ledger.reports.report(NETWORK, 7, 8)
    assert (found.fee, found.wasted) == (Total(25, 1), Total(5, 1))
    assert [(era.fee, era.wasted) for era in found.eras] == [(None, 5), (20, 0)]


def test_nothing_known_is_no_zero(ledger):
    found = ledger.reports.report(NETWORK, 1, 2)
    assert ledger.reports.bounds(NETWORK) is None
    assert (found.fee.known, found.wasted.known, found.reward.known, found.median_lag, found.token) == (None,) * 5
    assert found.states["UNKNOWN"] == found.fee.unknown_eras == 2
    assert found.as_dict()["accounts"] is None
