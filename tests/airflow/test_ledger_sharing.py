"""One ledger or none: nothing is paid from a ledger, nor shown of it, while Airflow records another one as the one that pays."""

import asyncio
import re
import shutil

import pytest
import sqlalchemy as sa
from airflow.models.variable import Variable
from airflow.sdk import DAG
from airflow.utils.session import create_session
from dag_files import PAYOUT, dags_of, run_dag
from names import ERA, NETWORK
from simulated_chain import a_second_passes, sends
from staking_commands import airflow
from tasks import Task

from staking_gateway.errors import LedgerError
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.schema import identity_of
from staking_gateway_provider.ledger_identity import LedgerMismatch
from staking_gateway_provider.networks import open_ledger
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.ui.service import Service
from tests.support.airflow_home import forget_variables
from tests.support.ledgers import sqlite_url

OTHER = "ab" * 16
ANOTHER = f"staking_ledger.test_ledger.{OTHER}"
MISMATCH = f"the ledger that pays has abababab .*airflow variables delete {ANOTHER}"
with DAG("pay"):
    TASKS = [
        PreviousEraOperator(task_id="previous_era", network=NETWORK),
        PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=True),
        StakingStatusOperator(task_id="staking_status", network=NETWORK),
        EraReportOperator(task_id="report", network=NETWORK),
        CatchUpPlanOperator(task_id="plan", network=NETWORK),
    ]


@pytest.fixture
def another_pays(gateway):
    """Airflow records another file."""
    Variable.set(ANOTHER, "sqlite:////elsewhere/ledger.db")


def recorded():
    with create_session() as session:
        return sorted(session.scalars(sa.select(Variable.key).where(Variable.key.startswith("staking_ledger"))))


def test_the_tasks_of_a_dag_record_their_ledger_and_refuse_another(airflow, gateway, network, connect, tmp_path):
    """Through the API for tasks, which cannot read Airflow's database."""
    network()
    dag = dags_of(PAYOUT)[f"staking_payout_{NETWORK}"]
    assert run_dag(dag, era=ERA, retries=0, before=a_second_passes(gateway)).state == "success"
    assert recorded() == [f"staking_ledger.test_ledger.{identity_of(sqlite_file(tmp_path))}"]
    sent = sends(gateway)
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "other.db"))
    assert run_dag(dag, era=ERA - 1, retries=0, before=a_second_passes(gateway)).state == "failed"
    assert sends(gateway) == sent
    assert not (tmp_path / "other.db").exists()
    forget_variables()
    assert run_dag(dag, era=ERA - 1, retries=0, before=a_second_passes(gateway)).state == "success"
    assert recorded() == [f"staking_ledger.test_ledger.{identity_of(sqlite_file(tmp_path, 'other.db'))}"]


def sqlite_file(folder, name="ledger.db"):
    return f"sqlite:///{folder / name}"


@pytest.mark.parametrize("operator", TASKS, ids=lambda operator: operator.task_id)
def test_every_task_that_needs_the_ledger_refuses_the_file(gateway, network, no_ledger, another_pays, operator):
    network()
    with pytest.raises(LedgerMismatch, match=MISMATCH):
        Task(operator, era=ERA).run()
    assert sends(gateway) == 0
    assert not no_ledger.exists()


COMMANDS = [
    ("pay", "--network", NETWORK, "--yes"),
    ("pay", "--network", NETWORK, "--approve", "0" * 16),
    ("pay", "--network", NETWORK, "--dry-run"),
    ("status",),
    ("eras", "--network", NETWORK),
    ("why", "--network", NETWORK, "--era", str(ERA)),
    ("accounts", "--network", NETWORK),
    ("ledger", "stop", "--why", "none"),
    ("export", "--network", NETWORK, "--target", "/exports"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_names_the_mismatch_instead_of_an_empty_ledger(
    gateway, network, no_ledger, another_pays, *, words, capsys, monkeypatch, tmp_path
):
    network()
    monkeypatch.chdir(tmp_path)
    said = ""
    try:
        airflow(*words)
    except SystemExit as ended:
        said = str(ended)
    assert re.search(MISMATCH, said + capsys.readouterr().out, re.DOTALL)
    assert sends(gateway) == 0
    assert not no_ledger.exists()


def test_the_page_names_the_mismatch_also_when_it_began_before_the_first_payment(gateway, network):
    network()
    page = Service()
    assert page.ledger().oldest_era(NETWORK) is None
    Variable.set(ANOTHER, "sqlite:////elsewhere/ledger.db")
    with pytest.raises(LedgerMismatch, match=MISMATCH):
        page.ledger()
    (strip,) = asyncio.run(page.strips([NETWORK]))
    assert strip["level"] == "danger"
    assert "abababab" in strip["cause"]["detail"]
    assert f"airflow variables delete {ANOTHER}" in strip["cause"]["remedy"]


def test_two_processes_that_record_their_files_at_the_same_time_both_stop(gateway, tmp_path, monkeypatch):
    first, name = Variable.set, f"staking_ledger.test_ledger.{identity_of(sqlite_file(tmp_path))}"

    def another_was_faster(*arguments):
        first(ANOTHER, "sqlite:////elsewhere/ledger.db")
        first(*arguments)

    monkeypatch.setattr(Variable, "set", another_was_faster)
    for _ in range(2):
        with pytest.raises(LedgerMismatch, match=MISMATCH) as refused:
            open_ledger(pays=True)
        assert f"(Airflow's Variable {ANOTHER})" in refused.value.problem.facts
    assert recorded() == sorted([ANOTHER, name])


def test_only_a_process_that_pays_records_the_file_and_a_moved_file_is_the_same_ledger(gateway, connect, tmp_path):
    open_ledger().close()
    assert recorded() == []
    for _ in range(2):
        open_ledger(pays=True).close()
    assert len(recorded()) == 1
    (tmp_path / "ledger.db").rename(tmp_path / "moved.db")
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "moved.db"))
    open_ledger(pays=True).close()
    sqlite_url(tmp_path, "moved.db", fill=lambda url: Ledger(url).close())
    with pytest.raises(LedgerMismatch):
        open_ledger(pays=True)


@pytest.mark.parametrize("words", [("pay", "--yes"), ("eras",)], ids=lambda words: words[0])
def test_a_shell_without_the_setting_of_the_services_uses_no_second_ledger(
    gateway, network, airflow_home, monkeypatch, words
):
    network()
    open_ledger(pays=True).close()
    (record,) = recorded()
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID")
    with pytest.raises(SystemExit) as ended:
        airflow(*words, "--network", NETWORK)
    said = str(ended.value)
    assert f"the ledger that pays has {record[-32:-24]} (Airflow's Variable {record})" in said
    assert "name its connection as ledger_conn_id in staking.yaml" in said
    assert sends(gateway) == 0
    assert not (airflow_home / "staking_ledger.db").exists()
    open_ledger("test_ledger").close()  # the owner may name its connection


def test_a_copy_of_the_file_pays_nothing(gateway, connect, tmp_path):
    """Nor does a restored backup: it does not know the newest payloads."""
    open_ledger(pays=True).close()
    shutil.copy(tmp_path / "ledger.db", tmp_path / "copy.db")
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "copy.db"))
    for pays in (True, False):
        with pytest.raises(LedgerMismatch, match="airflow variables delete"):
            open_ledger(pays=pays)


def test_a_record_that_cannot_be_read_stops_everything(gateway, network, monkeypatch):
    network()

    def away():
        raise OSError("the database is away")

    monkeypatch.setattr("airflow.utils.session.create_session", away)
    for pays in (True, False):
        with pytest.raises(LedgerError, match=r"cannot be read or written \(OSError\)"):
            open_ledger(pays=pays)
