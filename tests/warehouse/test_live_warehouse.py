"""An example warehouse on a live Airflow, filled through faults: every figure is the chain's, and every planted difference is found.

`make warehouse` fills 20 eras of two networks; `make warehouse ERAS=200` fills 200.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from benchmarks.databases import install_postgresql
from benchmarks.soak.course import HISTORY_DEPTH
from staking_gateway.books.verdict import SETTLED
from staking_gateway.eras.calendar import utc_now
from staking_gateway.ledger.views import VIEWS
from staking_gateway.topics import Topic
from staking_gateway_simulator.accounts import staker
from tests.warehouse.dbt_package import Package
from tests.warehouse.live_books import CHANCE, MOST_ERAS, WATCHED, Books, Filled, Filling, executed

TOTAL = int(os.environ.get("WAREHOUSE_ERAS") or 20)
NETWORKS = max(2, -(-TOTAL // MOST_ERAS))
COMPARED = "staking_reconciliation"


@dataclass
class Result:
    """The filled warehouse.

    :param eras: the eras whose figures are compared; later ones are paid too.
    :param green: a later era, which the ledger of the first network calls paid, and whose payout paid nobody.
    :param newest: the newest paid era by network.
    """

    books: Books
    filled: Filled
    faults: dict[str, int]
    eras: range
    green: int
    newest: dict[str, int]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    install_postgresql()
    course = Filling(eras=TOTAL, count=NETWORKS, accounts=4, chance=CHANCE)
    home = tmp_path_factory.mktemp("warehouse") / "home"
    with Books(home, course) as books:
        filled = Filled(books, course, tell)
        outcome = filled.run()
        filled.first.control.leave_unpaid()
        for network in books.networks:
            network.control.advance(eras=1)
        active = books.settle()
        newest = {name: era - 1 for name, era in active.items()}
        books.rest(newest)
        (green,) = (one for one in filled.first.control.truth()["payouts"] if not one["stakers_paid"])
        yield Result(books, filled, dict(outcome.faults), filled.first.eras, green["era"], newest)


def tell(line):
    print(f"{time.strftime('%H:%M:%S')}  {line}", flush=True)  # noqa: T201


def test_everything_is_paid_once_though_answers_got_lost_and_a_backfill_pays_what_was_left_out(result):
    assert sum(result.faults.values()) > 0
    dag_id, api = result.filled.first.payout_dag, result.books.stack.api
    assert {api.run(dag_id, run)["state"] for run in result.filled.backfilled.values()} == {"success"}
    for network in result.books.networks:
        _, times = executed(network.control.truth(), result.eras)
        assert dict(times) == dict.fromkeys(result.eras, 1)


def test_the_report_is_the_truth(result):
    for network in result.books.networks:
        told = result.books.command(
            "report", "--network", network.name, "--from", result.eras[0], "--to", result.eras[-1]
        )
        truth, rewards = network.control.truth(), network.control.rewards()
        payouts, _ = executed(truth, result.eras)
        assert {state: number for state, number in told["states"].items() if number} == {"PAID": len(payouts)}
        charged = [one for one in truth["requests"] if one["fee"] is not None and one["era"] in result.eras]
        fees, wasted = Counter(), Counter()
        for one in charged:
            fees[one["era"]] += int(one["fee"])
            wasted[one["era"]] += int(one["fee"]) * (one["status"] != "Processed")
        assert {one["era"]: int(one["fee"]) for one in told["eras"]} == fees
        assert {one["era"]: int(one["wasted"]) for one in told["eras"]} == wasted
        assert told["fee"] == {"known": str(fees.total()), "unknown_eras": 0}
        assert told["wasted"] == {"known": str(wasted.total()), "unknown_eras": 0}
        of_eras = {era: rewards["eras"][str(era)]["reward"] for era in result.eras}
        assert {one["era"]: one["reward"] for one in told["eras"]} == of_eras
        assert told["reward"] == {"known": str(sum(map(int, of_eras.values()))), "unknown_eras": 0}
        assert told["accounts"] == {"era": result.eras[-1], "staking": len(WATCHED), "not_staking": 1}
        assert {(one["staking"], one["not_staking"]) for one in told["eras"]} == {(len(WATCHED), 1)}
        assert told["lag"]["known_eras"] == len(result.eras)


def test_the_comparison_agrees_with_every_era(result):
    for network in result.books.networks:
        rows = result.books.command(
            "reconcile", "--network", network.name, "--from-era", result.eras[0], "--to-era", result.eras[-1]
        )
        # The chain went on while the last eras were paid, and forgot the first ones.
        kept = network.control.state()["active_era"] - HISTORY_DEPTH
        found = {(row["era"], row["subject"], row["result"]) for row in rows if row["result"] != "agrees"}
        assert {one for one in found if one[0] >= kept} == set()
        assert {result for *_, result in found} <= {"unknown"}
        subjects = ("amount", "execution", "fee", "nonces", "status")
        assert sorted((row["era"], row["subject"]) for row in rows) == [
            (era, one) for era in result.eras for one in subjects
        ]


@pytest.mark.parametrize("view", [view for view in VIEWS if view != COMPARED])
def test_the_files_of_the_example_have_the_rows_of_the_ledger(result, view):
    for network in result.books.networks:
        assert result.books.files(network, view, result.eras) == result.books.rows(network, view, result.eras)


def test_dbt_passes_on_an_export_to_parquet_and_its_amounts_are_the_truth(result, duckdb, tmp_path):
    books, export = result.books, tmp_path / "export"
    for network in books.networks:
        books.command(
            "export", "--network", network.name, "--from-era", result.eras[0], "--to-era", result.eras[-1],
            "--format", "parquet", "--target", export,
        )  # fmt: skip
    truths = {network.name: network.control.truth() for network in books.networks}
    fees = {name: [int(payout["fee"]) for payout in executed(truth, result.eras)[0]] for name, truth in truths.items()}
    settings = {
        "staking_export": str(export),
        "staking_accounts": dict.fromkeys(fees, len(WATCHED) + 1),
        "staking_max_fee": {name: str(max(of_network)) for name, of_network in fees.items()},
    }
    package = Package(tmp_path, "duckdb", settings)
    assert package.failed() == set()
    lowest = {name: str(max(of_network) - 1) for name, of_network in fees.items()}
    assert package.failed(staking_max_fee=lowest) == {"fee_within_limit_fct_eras_"}
    for network in books.networks:
        shares = network.control.rewards()["accounts"]
        rows = duckdb.sql(
            f"SELECT era, account_key, amount FROM read_parquet('{export}/{network.name}/staking_rewards/*.parquet') "
            "WHERE account_key IS NOT NULL"
        ).fetchall()
        assert sorted(rows) == sorted(
            (era, staker(place), shares[staker(place)]) for era in result.eras for place in WATCHED
        )


def test_planted_differences_are_found_and_no_others(result):
    books, (twice, elsewhere, *others) = result.books, result.books.networks
    own, other = twice.config(), result.newest[elsewhere.name] + 1
    # The comparison reports nonces without a record at the era of the last payout.
    newest = max(twice.control.truth()["payouts"], key=lambda payout: payout["staking_nonce"])["era"]
    twice.control.pay_elsewhere(result.eras[-1], user=own.user, payer=own.payer)
    elsewhere.control.advance(eras=1)
    elsewhere.control.pay_elsewhere(other)
    wanted = {
        twice.name: {
            (result.green, "execution", "unpaid_green"),
            (result.green, "amount", "amount_differs"),
            (newest, "fee", "fee_differs"),
            (newest, "nonces", "paid_twice"),
        },
        elsewhere.name: {(other, "execution", "paid_elsewhere")},
        **{network.name: set() for network in others},
    }
    # A payout of the last minutes is unknown, because a node may lag.
    time.sleep(max(0.0, (books.paid_at(twice, result.green) + SETTLED - utc_now()).total_seconds() + 1))
    for network in books.networks:
        planted = wanted[network.name]
        rows = books.command("reconcile", "--network", network.name, status=1 if planted else 0)
        assert {(row["era"], row["subject"], row["finding"]) for row in rows if row["result"] == "differs"} == planted
        eras = sorted({era for era, *_ in planted})
        told = books.command("report", "--network", network.name)["differences"]
        assert {(one["era"], one["subject"]) for one in told} == {(era, subject) for era, subject, _ in planted}
        causes = [cause for cause in books.overview(network)["causes"] if cause["topic"] == Topic.BOOKS.anchor]
        assert [sorted(cause["eras"]) for cause in causes] == ([eras] if eras else [])
    told = {
        row["network"]: sorted(row["blocks"])
        for row in books.command("state")
        if (row["cause"] or "").startswith(Topic.BOOKS.heading)
    }
    assert told == {name: sorted({era for era, *_ in planted}) for name, planted in wanted.items() if planted}


def test_the_catch_up_finds_a_planted_difference_too_and_its_run_stays_green(result):
    books, green = result.books, result.filled.first
    books.pause(green.catch_up_dag, paused=False)
    api, dag_id = books.stack.api, green.catch_up_dag
    run = api.trigger(dag_id)
    books.wait(lambda: api.run(dag_id, run)["state"] in ("success", "failed"), "the catch-up has ended")
    assert api.run(dag_id, run)["state"] == "success"
    assert {task["task_id"]: task["state"] for task in api.tasks(dag_id, run)}["reconcile"] == "failed"
