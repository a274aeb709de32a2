"""`airflow staking ledger prune`, and its operator: nothing leaves the ledger that is not in a file."""

from __future__ import annotations

import csv
import re
from datetime import datetime, timedelta, timezone

import pytest
from names import ALICE_STASH, BOB_STASH, NETWORK, PARTY, hourly
from staking_commands import airflow, as_json
from tasks import Task

from staking_gateway.errors import ExportError, InvalidInput
from staking_gateway.ledger import AccountReward, Actor, EraFacts, Ledger, PayoutState
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider import exporting
from staking_gateway_provider.operators.export import LedgerPruneOperator

ACTIVE, DEPTH = 100, 5
PAYABLE = ACTIVE - DEPTH
OLD = range(80, PAYABLE)
AT = datetime.now(timezone.utc) - timedelta(days=3)
STASHES = [AccountId.parse(account) for account in (ALICE_STASH, BOB_STASH)]


@pytest.fixture(autouse=True)
def books(gateway, network, tmp_path):
    """Each era was paid, with two statuses, a reward and its total. Era 82 is held, which a person has to look at."""
    network(calendar=hourly(active=ACTIVE), history_depth=DEPTH)
    opened = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}", clock=lambda: AT)
    for era in range(OLD.start, ACTIVE):
        payout = opened.plan(NETWORK, era, 0, **PARTY, actor=Actor("r"))
        signed = opened.transition(payout, PayoutState.SIGNED, "", Actor("r"), signed_at=AT, staking_nonce=era)
        opened.transition(signed, PayoutState.HELD if era == 82 else PayoutState.CONFIRMED, "", Actor("r"))
        noted = {"network": NETWORK, "era": era, "noted_at": AT, "run": "r"}
        opened.facts.note_era(EraFacts(**noted, reward=9, reward_source="storage"))
        reward = {"account_key": STASHES[0].hex, "address": ALICE_STASH, "amount": 5, "source": "events"}
        opened.facts.note_rewards([AccountReward(**noted, **reward)])
        opened.record_statuses(NETWORK, era, [(stash, StakingStatus.IS_STAKING) for stash in STASHES])
    yield opened
    opened.close()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "archive"


def prune(target, *words, before=PAYABLE):
    airflow("ledger", "prune", "--network", NETWORK, "--before", before, "--target", target, "--format", "csv", *words)


def in_files(target):
    """Number of rows by view and era."""
    found = {}
    for path in target.rglob("*.csv"):
        with path.open(newline="") as stream:
            found[path.parent.name, int(path.stem.removeprefix("era="))] = len(list(csv.DictReader(stream)))
    return found


def left(books):
    return [era for era in range(OLD.start, ACTIVE) if books.pruning.count(NETWORK, era)]


WHOLE = {(view, era): 2 for view in ("staking_statuses", "staking_rewards") for era in OLD if era != 82}
KEPT = [82, *range(PAYABLE, ACTIVE)]


def test_rows_are_only_counted_until_the_person_says_yes(books, target, capsys):
    prune(target)
    assert (
        "42 rows of 14 eras of testnet can be exported and removed. Nothing was done; add --yes"
        in capsys.readouterr().err
    )
    assert left(books) == [*range(OLD.start, ACTIVE)]
    assert not target.exists()


def test_removed_rows_are_in_files_which_no_later_export_replaces(books, target, capsys):
    prune(target, "--yes")
    assert "42 rows of 14 eras of testnet are in" in capsys.readouterr().err
    assert (in_files(target), left(books)) == (WHOLE, KEPT)
    airflow("export", "--network", NETWORK, "--target", target, "--format", "csv")
    found = in_files(target)
    assert {key: found[key] for key in WHOLE} == WHOLE
    assert found["staking_statuses", 82] == 2
    words = [
        "ledger",
        "prune",
        "--network",
        NETWORK,
        "--before",
        PAYABLE,
        "--target",
        target,
        "--format",
        "csv",
        "--yes",
    ]
    assert as_json(capsys, *words) == {"network": NETWORK, "target": str(target), "eras": 0, "rows": 0, "removed": True}
    assert in_files(target) == found


def test_a_prune_that_stops_half_way_loses_nothing_and_the_next_goes_on(books, target, monkeypatch):
    for stop, what in ((3, "remove"), (2, "export")):
        with monkeypatch.context() as killed:
            owner, name = (type(books.pruning), "remove") if what == "remove" else (exporting.Exporter, "write")
            work, calls = getattr(owner, name), []

            def die(self, *given, work=work, calls=calls, stop=stop, **named):
                calls.append(1)
                if len(calls) == stop:
                    raise KeyboardInterrupt
                return work(self, *given, **named)

            killed.setattr(owner, name, die)
            with pytest.raises(SystemExit, match="stopped"):
                prune(target, "--yes")
        removed = {era for era in OLD if not books.pruning.count(NETWORK, era)}
        assert removed
        assert all(in_files(target)[view, era] == 2 for view, era in WHOLE if era in removed)
    prune(target, "--yes")
    assert (in_files(target), left(books)) == (WHOLE, KEPT)


@pytest.fixture
def meanwhile(books, monkeypatch):
    """Does something once, just before an export reads the rows of a view and era."""

    def plan(view, era, action):
        rows, done = type(books.views).rows, []

        def read(self, *asked):
            if not done and asked[0] == view and era in asked[2]:
                done.append(True)
                action()
            return rows(self, *asked)

        monkeypatch.setattr(type(books.views), "rows", read)
        return done

    return plan


@pytest.mark.parametrize(("view", "era"), [("staking_eras", 80), ("staking_rewards", 81)])
def test_an_export_during_a_prune_keeps_the_files_of_removed_rows(target, meanwhile, view, era):
    pruned = meanwhile(view, era, lambda: prune(target, "--yes"))
    airflow("export", "--network", NETWORK, "--target", target, "--format", "csv")
    found = in_files(target)
    assert pruned
    assert {key: found[key] for key in WHOLE} == WHOLE


def test_two_prunes_at_once_remove_each_row_once_and_keep_all_files(books, target, meanwhile, capsys):
    meanwhile("staking_statuses", 81, lambda: prune(target, "--yes"))
    prune(target, "--yes")
    assert (in_files(target), left(books)) == (WHOLE, KEPT)
    first, second = re.findall(r"(\d+) rows of", capsys.readouterr().err)
    assert int(first) + int(second) == 42


def test_an_export_keeps_the_file_of_statuses_that_have_meanwhile_begun_to_leave(
    books, target, network, meanwhile, monkeypatch
):
    network(calendar=hourly(active=ACTIVE), history_depth=DEPTH, statuses={"keep_eras": 10})
    airflow("export", "--network", NETWORK, "--target", target, "--format", "csv")
    before = in_files(target)
    monkeypatch.setattr("staking_gateway.ledger.store._FORGOTTEN_AT_ONCE", 2 * len(range(80, 89)) + 1)
    newer = [(STASHES[0], StakingStatus.IS_STAKING)]
    meanwhile("staking_eras", 80, lambda: books.record_statuses(NETWORK, ACTIVE, newer, keep_from=90))
    airflow("export", "--network", NETWORK, "--target", target, "--format", "csv")
    assert len(books.statuses(NETWORK, 89)) == 1
    assert in_files(target) == before


def test_nothing_is_removed_when_the_files_cannot_be_written(books, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit, match="cannot be written"):
        prune(tmp_path / "file", "--yes")
    assert left(books) == [*range(OLD.start, ACTIVE)]


def test_eras_that_may_not_have_expired_are_refused_with_what_they_are_judged_by(books, target, network):
    for calendar, limit, why in (
        (ACTIVE, PAYABLE, f"era {ACTIVE} is active by the calendar"),
        (ACTIVE - 5, PAYABLE - 5, f"era {ACTIVE - 5} is active by the calendar"),
        (ACTIVE + 50, PAYABLE, f"era {ACTIVE - 1} is the newest paid era, though era {ACTIVE + 50} is active"),
    ):
        network(calendar=hourly(active=calendar), history_depth=DEPTH)
        told = f"before: era {limit} may not have expired yet: {why}.*history_depth is {DEPTH}. Write {limit} or less"
        with pytest.raises(SystemExit, match=told):
            prune(target, "--yes", before=limit + 1)
        prune(target, before=limit)
    assert left(books) == [*range(OLD.start, ACTIVE)]


def test_a_report_counts_the_pruned_eras(books, target, capsys):
    prune(target, "--yes")
    airflow("report", "--network", NETWORK, "--output", "plain")
    assert re.search(r"^differences +not compared; 14 further eras pruned$", capsys.readouterr().out, re.MULTILINE)


def test_statuses_that_leave_the_ledger_by_and_by_are_left_to_it(books, target, network):
    """Some statuses of an era must not replace the file of all of them."""
    network(calendar=hourly(active=ACTIVE), history_depth=DEPTH, statuses={"keep_eras": 10})
    prune(target, "--yes")
    oldest_kept = ACTIVE - 1 - 10
    assert {era for view, era in in_files(target) if view == "staking_statuses"} == {*range(oldest_kept, PAYABLE)}
    assert len(books.statuses(NETWORK, OLD.start)) == 2


class TestOperator:
    def run(self, target, **arguments):
        arguments = {"target": f"file://{target}", "format": "csv", **arguments}
        return Task(LedgerPruneOperator(task_id="prune", network=NETWORK, **arguments)).run()

    def test_removes_the_rows_of_all_eras_that_can_no_longer_be_paid_or_of_earlier_ones(self, books, target):
        assert self.run(target, before="82") == {"eras": 2, "rows": 6}
        assert self.run(target) == {"eras": 12, "rows": 36}
        assert (in_files(target), left(books)) == (WHOLE, KEPT)

    def test_fails_by_name(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(InvalidInput, match="before: era 98 may not have expired yet"):
            self.run(tmp_path, before=99)
        with pytest.raises(ExportError):
            self.run(tmp_path / "file")
