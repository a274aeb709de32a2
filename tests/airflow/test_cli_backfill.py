"""`airflow staking backfill`: Airflow's own runs for chosen eras. A dry run makes none, and no second call makes one twice."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from airflow.api.common.delete_dag import delete_dag
from airflow.dag_processing.dagbag import sync_bag_to_db
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from dag_files import PAYOUT, parse
from names import ACTIVE, NETWORK, PARTY, hourly
from simulated_chain import sends
from staking_commands import airflow, as_json

from staking_gateway.ledger import Actor, PayoutState
from tests.support.ledgers import put

DAG_ID = f"staking_payout_{NETWORK}"
DEPTH = 9
FEE = 10**17
PAID = ACTIVE - 3
CHOSEN = f"{ACTIVE - 1}, {ACTIVE - 6}-{ACTIVE - 5}, {PAID}"
"""Three unpaid eras and a paid one; Airflow's own backfill has no list of eras."""
UNPAID = [ACTIVE - 6, ACTIVE - 5, ACTIVE - 1]


@pytest.fixture(autouse=True)
def prepared(airflow_db, gateway, network, ledger):
    """Airflow knows the payout DAG, which has no runs; one era is paid."""
    write(network)
    with create_session() as session:
        session.execute(sa.delete(DagRun))
        session.merge(DagBundleModel(name="dags-folder"))
    sync_bag_to_db(parse(PAYOUT), "dags-folder", None)
    dag(is_paused=False, is_stale=False)
    payout = ledger.plan(NETWORK, PAID, 0, **PARTY, actor=Actor("run 1"))
    put(ledger, payout, PayoutState.CONFIRMED, Actor("run 1"))
    yield
    delete_dag(DAG_ID)  # with its runs: later files of tests judge eras by them
    assert sends(gateway) == 0, "a command that makes runs sends nothing itself"


def write(network, **settings):
    network(**{"history_depth": DEPTH, "calendar": hourly(), **settings})


def dag(**columns):
    with create_session() as session:
        session.execute(sa.update(DagModel).where(DagModel.dag_id == DAG_ID).values(**columns))


def backfill(*words, eras=CHOSEN):
    airflow("backfill", "--network", NETWORK, f"--eras={eras}", *words)


def runs():
    """The runs of the payout DAG, in the order in which the scheduler starts them."""
    with create_session() as session:
        return list(session.scalars(sa.select(DagRun).where(DagRun.dag_id == DAG_ID).order_by(DagRun.run_after)))


def end_runs(state):
    with create_session() as session:
        session.execute(sa.update(DagRun).values(state=state))


def test_without_yes_each_era_is_shown_with_its_state_expiry_and_fee_and_no_run_is_made(capsys):
    told = as_json(capsys, "backfill", "--network", NETWORK, f"--eras={CHOSEN}")
    assert [(row["era"], row["action"], row["run"], row["eras_left"]) for row in told["eras"]] == [
        (ACTIVE - 6, "make", None, 3),
        (ACTIVE - 5, "make", None, 4),
        (ACTIVE - 1, "make", None, 8),
        (PAID, "paid", None, None),
    ]
    assert (told["fee"], told["dag_id"], told["made"]) == (str(FEE), DAG_ID, False)
    assert told["eras"][0]["why"] == "never attempted"
    backfill()
    printed = capsys.readouterr().out
    assert f"3 runs of {DAG_ID} would be made, at a fee of 100 000 000 000 000 000 planck a call" in printed
    assert "Nothing was made. To make these runs: the same command with --yes" in printed
    assert runs() == []


def test_yes_makes_one_run_for_each_unpaid_era_in_order_of_expiry_and_a_second_call_makes_none_twice(capsys):
    backfill("--yes")
    printed, made = capsys.readouterr().out, runs()
    assert [int(run.partition_key) for run in made] == UNPAID
    started = datetime.fromisoformat(hourly()["anchors"][0]["start"])
    for run in made:
        start = started - timedelta(hours=ACTIVE - int(run.partition_key))
        assert abs(run.partition_date - start) < timedelta(minutes=1)
        assert (run.state, run.run_type, run.triggered_by.value) == ("queued", "manual", "cli")
        assert run.run_id in printed

    told = as_json(capsys, "backfill", "--network", NETWORK, f"--eras={CHOSEN}", "--yes")
    assert [(row["action"], row["run"]) for row in told["eras"]] == [
        *(("under way", run.run_id) for run in made),
        ("paid", None),
    ]
    assert len(runs()) == 3

    end_runs("failed")
    backfill("--yes", eras=ACTIVE - 5)
    assert [int(run.partition_key) for run in runs()] == [*UNPAID, ACTIVE - 5], "a failed run has paid nothing"


def test_a_budget_leaves_the_eras_that_expire_last_and_says_so(capsys, network):
    for words in (["--max-eras", "2"], ["--max-fees", str(2 * FEE)]):
        told = as_json(capsys, "backfill", "--network", NETWORK, f"--eras={CHOSEN}", *words)
        assert [row["action"] for row in told["eras"]] == ["make", "make", "later", "paid"]
    write(network, catch_up={"max_eras": 2})
    with pytest.raises(SystemExit, match="left for the next call: 1 era"):
        backfill("--yes")
    assert [int(run.partition_key) for run in runs()] == UNPAID[:2]


def test_runs_that_could_not_pay_are_not_made(network):
    dag(is_stale=True)
    with pytest.raises(SystemExit, match=f"airflow staking: dag: Airflow does not know {DAG_ID}"):
        backfill("--yes")
    dag(is_stale=False)
    write(network, calendar=hourly(active=ACTIVE - 1))
    with pytest.raises(SystemExit, match=f"eras: era {ACTIVE - 1} has not ended by the calendar"):
        backfill("--yes")
    write(network, calendar=hourly(active=ACTIVE - 50))
    with pytest.raises(SystemExit, match=r"differ by more than calendar\.max_drift"):
        backfill("--yes")
    write(network, enabled=False)
    with pytest.raises(SystemExit, match=f"networks.{NETWORK}.enabled: is false"):
        backfill("--yes")
    assert runs() == []
