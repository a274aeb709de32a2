"""Where an executor spreads tasks over machines, nothing is paid from a ledger that is a file: the next machine has another."""

import pytest
from airflow.sdk import DAG
from names import ACCOUNTS, ERA, NETWORK, SIGNERS
from staking_commands import airflow
from tasks import Task

from staking_gateway.errors import InvalidInput
from staking_gateway_provider.executors import check_sharing
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator

FILE = "sqlite:////home/airflow/staking_ledger.db"
SERVER = "postgresql+psycopg2://user@host/ledger"
APART = [
    ("CeleryExecutor", None, "CeleryExecutor"),
    ("KubernetesExecutor", None, "KubernetesExecutor"),
    ("CeleryExecutor,LocalExecutor", None, "CeleryExecutor"),
    ("LocalExecutor,CeleryExecutor", "CeleryExecutor", "CeleryExecutor"),
    ("LocalExecutor, my.own.Executor:far", "far", "Executor"),
    ("LocalExecutor,my.own.Executor", "my.own.Executor", "Executor"),
]
TOGETHER = [
    ("LocalExecutor", None),
    ("LocalExecutor,CeleryExecutor", None),
    ("CeleryExecutor,LocalExecutor", "LocalExecutor"),
    ("CeleryExecutor,airflow.executors.local_executor.LocalExecutor:near", "near"),
]
with DAG("pay"):
    TASKS = [
        PreviousEraOperator(task_id="previous_era", network=NETWORK),
        PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=True),
        StakingStatusOperator(task_id="staking_status", network=NETWORK),
        EraReportOperator(task_id="report", network=NETWORK),
        CatchUpPlanOperator(task_id="plan", network=NETWORK),
    ]


@pytest.mark.parametrize(("configured", "wanted", "named"), APART)
def test_a_file_is_refused_where_tasks_may_run_apart(monkeypatch, configured, wanted, named):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", configured)
    with pytest.raises(InvalidInput, match=f"workers of the {named} do not share. Put the ledger into PostgreSQL"):
        check_sharing(FILE, wanted)
    check_sharing(SERVER, wanted)


@pytest.mark.parametrize(("configured", "wanted"), TOGETHER)
def test_a_file_is_fit_where_tasks_run_together(monkeypatch, configured, wanted):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", configured)
    check_sharing(FILE, wanted)


def test_a_pod_of_its_own_is_a_machine_of_its_own_whatever_it_is_told(monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "LocalExecutor")
    monkeypatch.setenv("AIRFLOW_IS_K8S_EXECUTOR_POD", "True")
    with pytest.raises(InvalidInput, match="KubernetesExecutor"):
        check_sharing(FILE, None)


@pytest.mark.parametrize("operator", TASKS, ids=lambda operator: operator.task_id)
def test_every_task_that_needs_the_ledger_refuses_the_file(gateway, network, monkeypatch, tmp_path, operator):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    with pytest.raises(InvalidInput, match="ledger: is an SQLite file"):
        Task(operator, era=ERA).run()
    assert "/send" not in gateway.control.truth()["calls"]["by_path"]
    assert not (tmp_path / "ledger.db").exists()


def test_the_executor_of_the_task_itself_counts(gateway, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "LocalExecutor,CeleryExecutor")
    given = {"task_id": "payout", "era": ERA, "deferrable": True, "poll_interval": 0.1, **ACCOUNTS, **SIGNERS}
    with pytest.raises(InvalidInput, match="CeleryExecutor"):
        Task(PayoutStakersOperator(executor="CeleryExecutor", **given)).run()
    assert gateway.control.truth()["requests"] == []
    paid = Task(
        PayoutStakersOperator(executor="LocalExecutor", **given), on_wait=lambda _: gateway.control.advance(seconds=1)
    )
    assert paid.run()["outcome"] == "PAID"


PAYING = [
    ("pay", "--network", NETWORK, "--era", ERA),
    ("catch-up", "--network", NETWORK),
    ("plan", "--network", NETWORK, "--approve", "0" * 16),
]


@pytest.mark.parametrize("words", PAYING, ids=lambda words: words[0])
def test_no_command_pays_from_the_file_either(gateway, network, monkeypatch, tmp_path, words):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    with pytest.raises(SystemExit, match="ledger: is an SQLite file, which workers of the CeleryExecutor do not share"):
        airflow(*words)
    assert "/send" not in gateway.control.truth()["calls"]["by_path"]
    assert not (tmp_path / "ledger.db").exists()


def test_a_command_that_only_looks_may_look_into_the_file(gateway, network, monkeypatch, capsys):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    airflow("plan", "--network", NETWORK)
    assert "To pay exactly this" in capsys.readouterr().out
