"""Where an executor spreads tasks over machines, nothing is paid from a ledger that is a file: the next machine has another."""

import asyncio
from collections import defaultdict

import pytest
from airflow.executors import executor_loader
from airflow.sdk import DAG
from names import ACCOUNTS, ERA, NETWORK, SIGNERS
from staking_commands import airflow
from tasks import Task

from staking_gateway.errors import InvalidInput
from staking_gateway_provider.deadlines import look_after_deadline
from staking_gateway_provider.executors import check_sharing, configured_executors
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator
from staking_gateway_provider.operators.era import EraReportOperator, PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator

FILE = "sqlite:////home/airflow/staking_ledger.db"
SERVER = "postgresql+psycopg2://user@host/ledger"
TEAMS = "LocalExecutor;blue=LocalExecutor,far:CeleryExecutor;red=KubernetesExecutor,near:LocalExecutor"
APART = [
    ("CeleryExecutor", None, "CeleryExecutor"),
    ("KubernetesExecutor", None, "KubernetesExecutor"),
    ("CeleryExecutor,LocalExecutor", None, "CeleryExecutor"),
    ("LocalExecutor,CeleryExecutor", "CeleryExecutor", "CeleryExecutor"),
    ("LocalExecutor, far:my.own.Executor", "far", "Executor"),
    ("LocalExecutor, far:CeleryExecutor", "far", "CeleryExecutor"),
    ("far:CeleryExecutor,LocalExecutor", None, "CeleryExecutor"),
    ("=CeleryExecutor", None, "CeleryExecutor"),
    ("LocalExecutor,my.own.Executor", "my.own.Executor", "Executor"),
    (TEAMS, None, "KubernetesExecutor"),  # a task may be any team's
    (TEAMS, "far", "CeleryExecutor"),
]
TOGETHER = [
    ("LocalExecutor", None),
    ("LocalExecutor,CeleryExecutor", None),
    ("CeleryExecutor,LocalExecutor", "LocalExecutor"),
    ("CeleryExecutor,near:airflow.executors.local_executor.LocalExecutor", "near"),
    ("near:LocalExecutor,CeleryExecutor", None),
    ("=near:LocalExecutor", None),
    (TEAMS, "near"),
]
with DAG("pay"):
    TASKS = [
        PreviousEraOperator(task_id="previous_era", network=NETWORK),
        PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=True),
        StakingStatusOperator(task_id="staking_status", network=NETWORK),
        EraReportOperator(task_id="report", network=NETWORK),
        CatchUpPlanOperator(task_id="plan", network=NETWORK),
        StakingAlertsOperator(task_id="alerts", network=NETWORK),
    ]


@pytest.mark.parametrize(("configured", "wanted", "named"), [*APART, *((*fit, None) for fit in TOGETHER)])
def test_a_file_is_refused_where_tasks_may_run_apart(monkeypatch, configured, wanted, named):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", configured)
    monkeypatch.setenv("AIRFLOW__CORE__MULTI_TEAM", str(";" in configured))
    check_sharing(SERVER, wanted)
    if named is None:
        check_sharing(FILE, wanted)
    else:
        with pytest.raises(InvalidInput, match=f"workers of the {named} do not share. Put the ledger into PostgreSQL"):
            check_sharing(FILE, wanted)


@pytest.mark.parametrize("teams", ["True", "False"])
def test_executors_are_read_as_airflow_reads_them(monkeypatch, teams):
    configured = f"LocalExecutor,far:my.own.Executor,my.other.Executor2;{TEAMS.partition(';')[2]}"
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", configured)
    monkeypatch.setenv("AIRFLOW__CORE__MULTI_TEAM", teams)
    monkeypatch.setattr(executor_loader, "_executor_names", [])
    for lookup in ("_alias_to", "_module_to", "_classname_to"):
        monkeypatch.setattr(executor_loader, f"{lookup}_executors_per_team", defaultdict(dict))
    monkeypatch.setattr(executor_loader, "_team_name_to_executors", defaultdict(list))
    theirs = defaultdict(dict)
    for name in executor_loader.ExecutorLoader.get_executor_names(validate_teams=False):
        class_name = name.module_path.rpartition(".")[2]
        theirs[name.team_name][name.alias or class_name] = class_name
    assert configured_executors() == list(theirs.values())
    assert len(theirs) == (3 if teams == "True" else 1)


def test_a_pod_of_its_own_is_a_machine_of_its_own_whatever_it_is_told(monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "LocalExecutor")
    monkeypatch.setenv("AIRFLOW_IS_K8S_EXECUTOR_POD", "True")
    with pytest.raises(InvalidInput, match="KubernetesExecutor"):
        check_sharing(FILE, None)


@pytest.mark.parametrize("operator", TASKS, ids=lambda operator: operator.task_id)
def test_every_task_that_needs_the_ledger_refuses_the_file(gateway, network, monkeypatch, no_ledger, operator):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    with pytest.raises(InvalidInput, match="ledger: is an SQLite file"):
        Task(operator, era=ERA).run()
    with pytest.raises(InvalidInput, match="ledger: is an SQLite file"):
        asyncio.run(look_after_deadline(NETWORK))
    assert "/send" not in gateway.control.truth()["calls"]["by_path"]
    assert not no_ledger.exists()


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
def test_no_command_pays_from_the_file_either(gateway, network, monkeypatch, no_ledger, words):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    with pytest.raises(SystemExit, match="ledger: is an SQLite file, which workers of the CeleryExecutor do not share"):
        airflow(*words)
    assert "/send" not in gateway.control.truth()["calls"]["by_path"]
    assert not no_ledger.exists()


def test_a_command_that_only_looks_may_look_into_the_file(gateway, network, monkeypatch, capsys):
    network()
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    airflow("plan", "--network", NETWORK)
    assert "To pay exactly this" in capsys.readouterr().out
