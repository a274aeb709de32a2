"""A comparison saw an era paid on the chain, and the ledger did not pay it: every judge counts it as paid, and nobody pays or mourns it."""

from unittest.mock import Mock

import pytest

from staking_gateway.catch_up import survey, write_notices
from staking_gateway.health.overview import Overview, era_timeline
from staking_gateway.health.state import LiveFacts, NetworkState, State
from staking_gateway.ledger import PayoutState
from staking_gateway.ledger.records import Reconciliation
from staking_gateway.payout.terms import terms_of
from tests.support.alerting import HOUR, NAME, RUN, watched

HELD, REJECTED, CONFIRMED, UNKNOWN = (PayoutState(name) for name in ("HELD", "REJECTED", "CONFIRMED", "UNKNOWN"))
SEEN = "paid by something else; seen on the chain"
EXPIRED, UNPAID = 75, 95
"""An era that has left the chain's history of 20 eras, and one that has not."""


@pytest.fixture
def net(tmp_path):
    """Era 100 is active, and this installation pays since era 60."""
    paid = [era for era in range(60, 100) if era not in (EXPIRED, UNPAID)]
    with watched(tmp_path, paid=paid) as watching:
        yield watching


def compared(net, *eras, chain="paid", agrees=False, finding="paid_elsewhere", subject="execution"):
    """Store comparisons, with what the chain says."""
    for era in eras:
        row = Reconciliation(
            network=NAME,
            era=era,
            subject=subject,
            agrees=agrees,
            finding=finding,
            ledger_says="no payout",
            chain_says=chain,
            text=f"era {era}: they differ",
            checked_at=net.now,
            run=str(RUN),
        )
        net.ledger.facts.note(row)


def judged(net, era):
    return NetworkState(NAME, net.network, net.ledger, LiveFacts(at=net.now), now=net.now, also=[era]).cells[era]


def reported(net, era):
    """The state in a report, which reads the view."""
    (told,) = net.ledger.views.report(NAME, range(era, era + 1), since=60).eras
    return told.state


def plan(net):
    gateway = Mock()
    gateway.active_era.return_value, gateway.pays_by_itself.return_value = net.active, False
    gateway.relayer_fee.return_value = 1
    return survey(terms_of(NAME, net.network), gateway, net.ledger, net.network, clock=lambda: net.now)


@pytest.mark.parametrize("state", [None, HELD, REJECTED])
@pytest.mark.parametrize("era", [EXPIRED, UNPAID])
def test_such_an_era_is_paid(net, era, state):
    if state is not None:
        net.pay(era, state=state)
    before = judged(net, era).state
    assert before is not State.PAID
    compared(net, era, chain="unpaid", agrees=True, finding="agrees")
    compared(net, era, subject="amount")
    assert judged(net, era).state is before
    assert reported(net, era) != "ALREADY_PAID"
    compared(net, era)
    assert (judged(net, era).state, judged(net, era).reason) == (State.PAID, SEEN)
    assert reported(net, era) == "ALREADY_PAID", "the view has a row also where only the comparison knows the era"
    compared(net, era, chain="unpaid", agrees=True, finding="agrees")
    assert judged(net, era).state is before, "the newest comparison counts"


@pytest.mark.parametrize(("state", "word"), [(UNKNOWN, State.UNKNOWN), (CONFIRMED, State.PAID)])
def test_a_payload_in_flight_stays_in_flight_and_a_paid_era_stays_paid(net, state, word):
    net.pay(UNPAID, state=state)
    compared(net, UNPAID)
    net.now += HOUR / 2
    assert (judged(net, UNPAID).state, judged(net, UNPAID).reason == SEEN) == (word, False)
    assert (UNPAID in plan(net).eras) is (state is UNKNOWN), "a payload in flight is settled"


def test_a_catch_up_neither_pays_nor_reports_it(net):
    assert (UNPAID in plan(net).eras, UNPAID in plan(net).paid) == (True, False)
    compared(net, UNPAID, EXPIRED)
    assert (UNPAID in plan(net).eras, UNPAID in plan(net).paid) == (False, True)
    assert write_notices(plan(net), net.ledger) == []


def test_page_timeline_and_alerts_tell_it_as_paid(net):
    net.pay(UNPAID, state=REJECTED)
    assert any(title.startswith(f"Era {UNPAID}:") for title in net.look())
    compared(net, UNPAID)
    assert {f"Era {UNPAID}: paid", f"Era {UNPAID}: ledger and chain disagree"} <= {*net.look()}
    compared(net, UNPAID, agrees=True)
    assert net.look() == [f"Era {UNPAID}: in agreement again"]
    shown = Overview(NetworkState(NAME, net.network, net.ledger, LiveFacts(), now=net.now))
    cells = {cell["era"]: cell for cell in shown.data["grid"]["cells"]}
    assert (cells[UNPAID]["state"], cells[UNPAID]["reason"]) == ("P", SEEN)
    assert (shown.data["owed"]["count"], UNPAID in shown.data["expired"]) == (0, False)
    steps = era_timeline(UNPAID, shown.state)
    assert {step["state"] for step in steps} == {"done"}
    assert steps[-1]["detail"] == SEEN
