"""Ledgers of every earlier schema are brought up to date with all they hold, and paying goes on where it was."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from staking_gateway.eras.expiry import Depths
from staking_gateway.errors import InvalidInput, PlanChanged
from staking_gateway.ledger import Ledger, PayoutState, schema, schema_state, upgrade_schema
from staking_gateway.ledger.schema import HEAD, VERSION_TABLE
from staking_gateway.ledger.tables import metadata
from staking_gateway.payout.outcomes import Outcome
from tests.support.ledgers import EXPRESSIONS, KINDS, Processes, assert_consistent, connected, start, together
from tests.upgrades.left_behind import STORIES, found_again
from tests.upgrades.old_ledgers import put_back, rows, schemas

OLD = [(revision, kind) for kind in KINDS for revision in schemas(kind)]
NAMES = [f"{revision}-{kind}" for revision, kind in OLD]
IN_FLIGHT = ("accepted", "executed", "lost", "sent", "signed", "unanswered")
BATCHES = 1000
"""Stakers of four calls: a call too many is executed, and seen."""


@pytest.fixture(params=OLD, ids=NAMES)
def old(request, tmp_path):
    with put_back(*request.param, tmp_path) as ledger:
        yield ledger


@pytest.fixture
def opened(old):
    """The same, opened by this version."""
    with closing(Ledger(old.url)) as ledger:
        yield ledger


def chain_of(old, network, folder, **options):
    """The chain of a network as it was when the old version stopped.

    :param options: of the world, in place of the recorded ones.
    """
    (folder / network).mkdir()
    told = old.stories[network]
    return found_again(folder / network, old.url, network, {**told, "options": {**told["options"], **options}})


def test_there_is_a_ledger_of_every_schema():
    """A new migration comes with a ledger of its own, for the versions after it: see CONTRIBUTING.md."""
    migrations = ScriptDirectory(Path(schema.__file__).parent / "migrations")
    known = sorted(script.revision for script in migrations.walk_revisions())
    assert schemas("sqlite") == schemas("postgresql") == known


def test_an_old_ledger_holds_payouts_in_every_state_and_all_its_tables_are_filled(old):
    assert schema_state(old.url).current == old.schema
    found = rows(old.url)
    assert {row["state"] for row in found["payouts"]} == {state.value for state in PayoutState}
    assert {row["network"] for row in found["payouts"]} == set(STORIES) == set(old.stories)
    assert all(found.values())


RENAMED = {"staking_statuses": "account_statuses"}


def kept(before, after):
    """The rows of an upgraded ledger with only the tables and columns it had before."""
    columns = {table: set(found[0]) for table, found in before.items()}
    shown = {
        table: [
            {name: value for name, value in row.items() if name in names} for row in after[RENAMED.get(table, table)]
        ]
        for table, names in columns.items()
    }
    return {table: sorted(found, key=repr) for table, found in shown.items()}


@EXPRESSIONS
def test_an_upgrade_keeps_every_row_and_makes_the_tables_of_this_version(old):
    before = rows(old.url)
    assert upgrade_schema(old.url).current == HEAD
    after = rows(old.url)
    assert kept(before, after) == before
    assert set(after) == set(metadata.tables)
    with connected(old.url) as database:
        options = {"compare_type": True, "version_table": VERSION_TABLE}
        assert compare_metadata(MigrationContext.configure(database, opts=options), metadata) == []


@pytest.mark.parametrize("old", [one for one in OLD if one[0] < "0004"], indirect=True)
@pytest.mark.parametrize("quoted", ["0x" + "ab" * 64, "AB" * 64], ids=["0x", "bare"])
def test_a_signature_that_a_gateway_quoted_is_not_kept_in_a_reason(old, quoted):
    with connected(old.url) as database:
        reason = f"proxyPayoutstakers: invalid fee authorisation: {quoted}, of 12"
        database.execute(sa.text("UPDATE payouts SET reason = :reason WHERE state = 'REJECTED'"), {"reason": reason})
    upgrade_schema(old.url)
    (row,) = (row for row in rows(old.url)["payouts"] if row["state"] == "REJECTED")
    assert quoted not in row["reason"]
    assert row["reason"].startswith("proxyPayoutstakers: invalid fee authorisation: ")
    assert row["reason"].endswith(", of 12")


def test_whoever_comes_first_upgrades_and_the_others_find_it_done(old):
    before = rows(old.url)
    assert {state.current for state in together(upgrade_schema, [old.url] * 8)} == {HEAD}
    assert kept(before, rows(old.url)) == before


def open_at_once(url, _):
    start()
    with closing(Ledger(url)) as ledger:
        return assert_consistent(ledger, url)


@pytest.fixture(scope="module")
def processes():
    with closing(Processes()) as made:
        yield made


def test_processes_that_open_an_old_ledger_at_once_all_find_every_payout(old, processes):
    found = processes.race(open_at_once, old.url, range(Processes.COUNT))
    assert found == [len(rows(old.url)["payouts"])] * Processes.COUNT


def test_what_must_not_be_forgotten_cannot_be_deleted_after_an_upgrade_either(old):
    upgrade_schema(old.url)
    with connected(old.url) as database:
        for table in ("payouts", "payout_events"):
            with pytest.raises(sa.exc.DBAPIError, match=r"never deleted|append-only"):
                database.exec_driver_sql(f"DELETE FROM {table}")
        with pytest.raises(sa.exc.DBAPIError, match="append-only"):
            database.exec_driver_sql("UPDATE payout_events SET cause = 'another'")


@pytest.mark.parametrize("stakers", [100, BATCHES], ids=["one batch", "several batches"])
@pytest.mark.parametrize("network", IN_FLIGHT)
def test_a_payout_in_flight_goes_on_and_is_executed_exactly_once(old, opened, network, stakers, tmp_path):
    with closing(chain_of(old, network, tmp_path, stakers=stakers)) as world:
        (payout,) = opened.in_flight(f"chain of {network}")
        outcome = world.drive(payout.era, world.scheduled(payout.era))
        assert outcome.outcome is Outcome.PAID
        assert len(world.executed(payout.era)) == 1
        assert {sent["proxy_signature"] for sent in world.gateway.sent} <= {payout.proxy_signature}, "signed anew"
        assert assert_consistent(opened, old.url, [f"chain of {network}"]) == len(rows(old.url)["payouts"])


@pytest.mark.parametrize("network", IN_FLIGHT)
def test_a_payout_in_flight_whose_run_never_comes_back_is_executed_by_the_next_run_of_its_user(
    old, opened, network, tmp_path
):
    with closing(chain_of(old, network, tmp_path, stakers=BATCHES)) as world:
        (payout,) = opened.in_flight(f"chain of {network}")
        another = world.era - 3
        assert world.drive(another, world.scheduled(another)).outcome is Outcome.PAID
        assert opened.payout(network, payout.era, 0).state is PayoutState.CONFIRMED
        assert world.drive(payout.era, world.scheduled(payout.era)).outcome is Outcome.PAID, "it has signed it"
        assert [len(world.executed(era)) for era in (another, payout.era)] == [1, 1]
        assert_consistent(opened, old.url, [f"chain of {network}"])


@pytest.mark.parametrize("network", ["executed", "unanswered"])
def test_what_was_executed_meanwhile_is_not_sent_again(old, opened, network, tmp_path):
    with closing(chain_of(old, network, tmp_path)) as world:
        (payout,) = opened.in_flight(f"chain of {network}")
        assert world.drive(payout.era, world.scheduled(payout.era)).outcome is Outcome.PAID
        assert world.gateway.sent == []


def test_eras_that_were_held_refused_or_only_planned_are_paid_once(old, opened, tmp_path):
    with closing(chain_of(old, "quiet", tmp_path)) as world:
        world.control("window", state="closed")
        eras = range(world.era - 4, world.era + 1)
        waiting = [opened.payout("quiet", era, 0) for era in eras]
        assert [payout.state.value for payout in waiting] == ["CONFIRMED", "HELD", "REJECTED", "PLANNED", "HELD"]
        outcomes = [world.drive(era, world.scheduled(era)).outcome for era in eras]
        assert outcomes == 5 * [Outcome.PAID]
        assert [len(world.executed(era)) for era in eras] == [1] * 5


@pytest.mark.parametrize("network", STORIES)
def test_what_was_paid_before_is_paid_and_nothing_is_sent(old, opened, network, tmp_path):
    with closing(chain_of(old, network, tmp_path)) as world:
        paid = [
            era
            for era, parts in opened.payouts_of(network, range(world.era - 10, world.era + 1)).items()
            if all(part.state.settled for part in parts)
        ]
        assert bool(paid) is (network != "lost")
        for era in paid:
            executed = len(world.executed(era))
            assert world.drive(era, world.scheduled(era)).outcome is Outcome.PAID, "it has signed it"
            assert world.drive(era, world.engine("another run")).outcome is Outcome.ALREADY_PAID
            assert len(world.executed(era)) == executed
        assert world.gateway.sent == []


def test_a_worker_of_the_old_version_that_still_sends_is_left_alone_until_its_lease_ends(old, opened, tmp_path):
    with closing(chain_of(old, "signed", tmp_path)) as world:
        (payout,) = opened.in_flight("chain of signed")
        assert payout.lease_until > world.now()
        step = world.scheduled(payout.era).advance(payout.era)
        assert "being sent by another process" in step.message
        assert world.gateway.sent == []
        left = payout.lease_until - world.now() + timedelta(seconds=1)
        world.elapse(left.total_seconds())
        world.drive(payout.era, world.scheduled(payout.era))
        assert len(world.executed(payout.era)) == 1


# --- what the tables of later schemas hold -----------------------------------------------------------------------------------


def since(first):
    """Ledgers whose schema has what came with a migration."""
    found = [(revision, kind) for revision, kind in OLD if revision >= first]
    return pytest.mark.parametrize("old", found, ids=[f"{one}-{kind}" for one, kind in found], indirect=True)


@since("0002")
def test_a_plan_made_before_the_upgrade_can_be_approved_after_it_or_is_refused_with_the_difference(
    old, opened, tmp_path
):
    from staking_gateway.catch_up.plan import check_approval
    from staking_gateway.catch_up.survey import survey

    with closing(chain_of(old, "quiet", tmp_path)) as world:
        (known,) = rows(old.url)["catch_up_plans"]
        plan = survey(world.terms, world.gateway, opened, kept=Depths(84), clock=world.now)
        check_approval(opened.journal, known["hash"], plan)
        world.control("window", state="closed")
        world.drive(plan.eras[0], world.scheduled(plan.eras[0]))
        changed = survey(world.terms, world.gateway, opened, kept=Depths(84), clock=world.now)
        with pytest.raises(PlanChanged, match=f"pay: no longer {plan.eras[0]}"):
            check_approval(opened.journal, known["hash"], changed)
        with pytest.raises(InvalidInput, match="there is no plan"):
            check_approval(opened.journal, "0" * 16, changed)


@since("0002")
def test_notices_and_anchors_of_before_the_upgrade_still_count(old, opened):
    from staking_gateway.eras.calendar import EraAnchor, EraCalendar
    from staking_gateway.errors import ConfigError
    from staking_gateway.ledger import Actor

    (notice,) = opened.journal.notices("quiet", "expired")
    assert not opened.journal.note_once("quiet", notice.era, "expired", "again", Actor("another run"))
    with connected(old.url) as database:
        known = database.execute(sa.select(metadata.tables["calendar_anchors"])).all()
    anchors = [EraAnchor(row.era, row.start, timedelta(microseconds=row.length_microseconds)) for row in known]
    assert opened.journal.check_calendar("quiet", EraCalendar(tuple(anchors))) == []
    moved = [anchors[0], EraAnchor(anchors[1].era, anchors[1].start, anchors[1].length * 2)]
    with pytest.raises(ConfigError, match=r"anchors\[1\].*when runs were created with it"):
        opened.journal.check_calendar("quiet", EraCalendar(tuple(moved)))


@since("0003")
def test_alerts_told_before_the_upgrade_are_not_told_again_and_unsent_ones_are_sent(old, opened):
    from staking_gateway.alerts.delivery import deliver

    book = opened.journal.alerts
    assert [alert.kind for alert in book.open("quiet")] == ["held"]
    said = []
    deliver("quiet", book, {"operator": said.append})
    assert [(message["kind"], message["phase"]) for message in said] == [("not_paid", "cleared")], "it is over by now"
    assert book.unsent("quiet") == []
