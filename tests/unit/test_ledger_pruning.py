"""A prune removes what no payout rule reads. The answers to payouts, plans and the state of each era stay the same."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from staking_gateway.catch_up.survey import survey, write_notices
from staking_gateway.eras.expiry import Depths
from staking_gateway.errors import LedgerConflict
from staking_gateway.health.eras import judge_era
from staking_gateway.health.facts import LiveFacts
from staking_gateway.health.overview import situation_of
from staking_gateway.ledger import AccountReward, EraFacts, Ledger, PayoutState, Reconciliation
from staking_gateway.ledger.pruning import PRUNED
from staking_gateway.ledger.tables import SEEN_PAID, era_notices, metadata
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import StakingStatus
from tests.support.alerting import NAME
from tests.support.growth import statements
from tests.support.ledgers import KINDS, NETWORK, NOW, PAYER, RUN, USER, connected, ledger_url, planned, signed
from tests.unit.test_ledger_growth import DEPTH, Grown

OLD = 20
"""Eras with rows to remove."""
LATER = NOW + timedelta(hours=1)
VIEWS_AND_TABLES = {*PRUNED, *(table.name for table in PRUNED.values())}


@pytest.fixture(params=KINDS)
def ledger(request, tmp_path):
    with ledger_url(request.param, tmp_path) as url, closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened


def note_all(ledger, era, network=NETWORK, *, agrees=True, at=NOW):
    """A row in each table that is pruned, and the facts that stay."""
    noted = {"network": network, "era": era, "noted_at": at, "run": "r"}
    ledger.facts.note_era(EraFacts(**noted, reward=9, reward_source="storage"))
    reward = {"account_key": USER.hex, "address": USER.address, "amount": 5, "source": "events"}
    ledger.facts.note_rewards([AccountReward(**noted, **reward)])
    compared = {"network": network, "era": era, "checked_at": at, "run": "r", "text": "as told"}
    finding = "agrees" if agrees else "unpaid_green"
    ledger.facts.note_reconciliation([Reconciliation(**compared, subject="execution", agrees=agrees, finding=finding)])
    ledger.record_statuses(network, era, [(USER, StakingStatus.IS_STAKING)])


def exported(ledger, era, network=NETWORK):
    return {view: len(list(ledger.views.rows(view, network, range(era, era + 1)))) for view in PRUNED}


def remove(ledger, era, network=NETWORK, **arguments):
    arguments = {"since": LATER, "note": "there", "at": LATER, "actor": RUN, **arguments}
    return ledger.pruning.remove(network, era, exported(ledger, era, network), **arguments)


def contents(url):
    """All rows of all tables that a prune must leave alone; notices without its own."""
    with connected(url) as connection:
        found = {
            table.name: connection.execute(sa.select(table).order_by(*table.primary_key.columns)).all()
            for table in metadata.sorted_tables
            if table.name not in VIEWS_AND_TABLES
        }
    found[era_notices.name] = [row for row in found[era_notices.name] if row.kind != "pruned"]
    return found


class TestSafety:
    @pytest.fixture
    def world(self, tmp_path):
        world = Grown(tmp_path, 200)
        for era in range(world.first - OLD, world.first + 8):
            note_all(world.ledger, era, world.terms.network)
        world.catch_up()
        yield world
        world.close()

    def prune(self, world):
        name = world.terms.network
        eras = world.ledger.pruning.prunable(name, range(world.first))
        assert eras == [*range(world.first - OLD, world.first)]
        for era in eras:
            remove(world.ledger, era, name, since=world.now() + timedelta(days=1))
        assert world.ledger.pruning.prunable(name, range(world.first)) == []
        assert not any(sum(exported(world.ledger, era, name).values()) > 1 for era in eras), "the total of an era stays"

    def test_a_payout_or_a_plan_reads_of_these_tables_only_which_eras_the_chain_was_seen_to_have_paid(self, world):
        with statements() as seen:
            assert world.ledger.busy_chain(NAME) is None
            assert world.ledger.known_chain(NAME)
            world.pay_in_every_way()
            world.catch_up()
        assert len(seen) > 50
        read = [text for text, _ in seen if any(name in text for name in VIEWS_AND_TABLES)]
        assert [text for text in read if SEEN_PAID.text not in text] == []

    def test_every_other_table_is_left_as_it_was(self, world):
        before = contents(world.ledger_url)
        self.prune(world)
        assert contents(world.ledger_url) == before

    def test_plans_and_the_state_of_each_era_stay_the_same_and_every_era_can_still_be_paid(self, world):
        def answers():
            plan = survey(world.terms, world.gateway, world.ledger, kept=Depths(DEPTH), clock=world.now)
            live = LiveFacts(active=world.era + 1, at=world.now())
            situation = situation_of(world.terms.network, world.settings(), world.ledger, live, now=world.now())
            records = world.ledger.payouts_of(world.terms.network, range(world.era + 1))
            judged = {
                era: judge_era(era, records.get(era, ()), situation) for era in range(world.first - 200, world.era)
            }
            return plan.as_dict(), write_notices(plan, world.ledger, RUN), judged

        before = answers()
        self.prune(world)
        assert answers() == before
        world.pay_in_every_way()
        assert world.drive(world.first - 1).outcome is Outcome.ALREADY_PAID


@pytest.mark.parametrize(
    ("state", "agrees", "prunable"),
    [
        (None, True, True),
        (None, None, True),
        (None, False, False),
        (PayoutState.CONFIRMED, True, True),
        (PayoutState.CONFIRMED, False, False),
        (PayoutState.EMPTY, True, True),
        (PayoutState.PLANNED, True, False),
        (PayoutState.SIGNED, True, False),
        (PayoutState.UNKNOWN, True, False),
        (PayoutState.HELD, True, False),
        (PayoutState.REJECTED, True, False),
    ],
)
def test_an_era_with_something_open_keeps_all_its_rows(ledger, state, agrees, prunable):
    note_all(ledger, 1392, agrees=agrees)
    if state is not None:
        payout = planned(ledger)
        if state is not PayoutState.PLANNED:
            payout = signed(ledger, payout)
            ledger.transition(payout, state, "", RUN)
    assert ledger.pruning.prunable(NETWORK, range(2000)) == ([1392] if prunable else [])
    assert ledger.pruning.prunable(NETWORK, range(1392)) == []
    assert ledger.pruning.prunable("another", range(2000)) == []


@pytest.mark.parametrize(
    ("state", "prunable"), [(None, False), (PayoutState.CONFIRMED, True), (PayoutState.EMPTY, True)]
)
def test_an_era_that_only_a_comparison_shows_as_paid_keeps_all_its_rows(ledger, state, prunable):
    note_all(ledger, 1392)
    (row,) = ledger.facts.reconciliations(NETWORK, range(1392, 1393))
    ledger.facts.note_reconciliation([replace(row, chain_says="paid")])
    if state is not None:
        ledger.transition(signed(ledger, planned(ledger)), state, "", RUN)
    assert ledger.pruning.prunable(NETWORK, range(2000)) == ([1392] if prunable else [])


def test_a_pruned_era_is_not_pruned_again(ledger):
    note_all(ledger, 7)
    assert ledger.pruning.count(NETWORK, 7) == remove(ledger, 7) == 3
    assert ledger.pruning.count(NETWORK, 7) == 0
    note_all(ledger, 7)
    assert remove(ledger, 7) == 0
    assert ledger.pruning.count(NETWORK, 7) == 3
    assert ledger.pruning.prunable(NETWORK, range(10)) == []
    assert ledger.pruning.pruned(NETWORK, range(10)) == {7}
    assert ledger.journal.notices(NETWORK, "pruned")[0].text == "there"


@pytest.mark.parametrize("change", ["a new row", "a newer row", "a row less"])
def test_rows_that_have_changed_during_the_export_are_not_removed(ledger, change):
    note_all(ledger, 7)
    counts, since = exported(ledger, 7), LATER
    if change == "a new row":
        ledger.record_statuses(NETWORK, 7, [(PAYER, StakingStatus.IS_STAKING)])
    elif change == "a newer row":
        since = NOW
    else:
        counts["staking_rewards"] += 1
    before = exported(ledger, 7)
    with pytest.raises(LedgerConflict, match=r"of era 7 of testnet in staking_.* have changed during the export"):
        ledger.pruning.remove(NETWORK, 7, counts, since=since, note="", at=LATER, actor=RUN)
    assert exported(ledger, 7) == before
    assert ledger.pruning.pruned(NETWORK, range(10)) == set()


def test_tables_that_were_not_exported_are_left_alone(ledger):
    note_all(ledger, 7)
    counts = exported(ledger, 7)
    del counts["staking_statuses"]
    assert ledger.pruning.remove(NETWORK, 7, counts, since=LATER, note="", at=LATER, actor=RUN) == 2
    assert len(ledger.statuses(NETWORK, 7)) == 1
