"""Why a task has failed: in the ledger, under the right era, and in the same words everywhere."""

import logging
import warnings
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import pytest
import sqlalchemy as sa
from airflow.jobs.job import Job, JobState
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.sdk import DAG
from airflow.utils.session import create_session
from names import ALICE, BOB, ERA, NETWORK
from tasks import Task

from staking_gateway.errors import EraNotPaid, Failed, GatewayError, LedgerError
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Topic
from staking_gateway_provider.operators.catch_up import CatchUpPlanOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import note_failure
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor
from tests.support.airflow_home import forget_runs

with warnings.catch_warnings():
    # Airflow's own imports warn of one another.
    warnings.simplefilter("ignore")
    from staking_gateway_provider.ui.runs import airflow_facts, dead_programs

MISSING = "AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT"


def fail(operator, *, era=None, error=None):
    """Let a task fail as it does, or with a given error; then note that as the worker does."""
    task = Task(operator, era=era)
    if error is None:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the task meets
            task.run()
        error = caught.value
    note_failure({**task.context, "task": operator}, error)
    return error


def payout(**arguments):
    return PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=False, **arguments)


@pytest.fixture
def notes(gateway, network, ledger):
    """What the ledger has of the network's failures."""
    network()
    return lambda: ledger.journal.failures(NETWORK)


@pytest.mark.parametrize(
    ("arguments", "partition", "era"),
    [({}, ERA, ERA), ({"era": ERA - 1}, ERA, ERA - 1), ({"era": str(ERA - 2)}, None, ERA - 2)],
    ids=["partition key", "argument", "a template's text"],
)
def test_a_missing_connection_is_noted_under_the_era_of_the_task(notes, monkeypatch, arguments, partition, era):
    monkeypatch.delenv(MISSING)
    fail(payout(**arguments), era=partition)
    ((noted, failure),) = notes().items()
    assert (noted, failure.problem.topic.anchor, failure.run) == (era, "connection-missing", "pay/manual__1")
    assert failure.problem.facts == "gateway_conn_id: The conn_id `staking_gateway_default` isn't defined"


def test_a_key_of_another_account_is_noted_and_a_later_payout_forgets_it(notes, connect):
    connect("staking_signer_user", conn_type="stakingsigner", password="//Bob")
    error = fail(payout(), era=ERA)
    failure = notes()[ERA]
    assert (failure.problem.topic.anchor, failure.problem.facts) == ("wrong-key", error.problem.facts)
    assert f"belongs to {BOB}, not to {ALICE}" in failure.problem.facts
    assert "//Bob" not in failure.problem.facts
    connect("staking_signer_user", conn_type="stakingsigner", login=ALICE, password="//Alice")
    fail(payout(max_fee_per_payout=1), era=ERA)
    assert (notes()[ERA].problem.topic.anchor, "max_fee_per_payout" in notes()[ERA].problem.facts) == ("held_fee", True)


def test_a_plan_of_a_catch_up_is_noted_apart_and_the_next_plan_forgets_it(notes, monkeypatch):
    plan = CatchUpPlanOperator(task_id="plan", network=NETWORK, dag=DAG("catch_up"))
    with monkeypatch.context() as patch:
        patch.delenv(MISSING)
        fail(plan, era=ERA)
    assert [(era, failure.problem.topic.anchor) for era, failure in notes().items()] == [(None, "connection-missing")]
    Task(plan).run()
    assert notes() == {}


@pytest.mark.parametrize(
    ("operator", "partition", "error"),
    [
        (payout(), ERA, LedgerError("the ledger is gone")),
        (payout(), None, ValueError("x")),
        (payout(), "abc", ValueError("x")),
        (payout(era="a typing error"), ERA, ValueError("x")),
        (StakingStatusOperator(task_id="statuses", network=NETWORK), ERA, ValueError("x")),
        (ElectionWindowClosedSensor(task_id="window"), ERA, ValueError("x")),
    ],
    ids=["the ledger's own", "no era", "a bad key", "a bad argument", "keeps nothing unpaid", "no network"],
)  # fmt: skip
def test_what_says_nothing_about_an_unpaid_era_is_not_noted(notes, operator, partition, error):
    fail(operator, era=partition, error=error)
    assert notes() == {}


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if not outcome.is_green], ids=lambda one: one.value)
def test_each_red_outcome_is_noted_with_its_reason_alone(notes, outcome):
    told = {"network": NETWORK, "era": ERA, "outcome": outcome.value, "reason": "the facts"}
    fail(payout(), era=ERA, error=EraNotPaid({**told, "topic": outcome.topic.anchor}))
    assert (notes()[ERA].problem.topic.anchor, notes()[ERA].problem.facts) == (outcome.topic.anchor, "the facts")


@pytest.mark.parametrize("broken", ["test_ledger", "nowhere"], ids=["not a database", "no connection"])
def test_a_ledger_that_cannot_be_written_only_warns(notes, connect, monkeypatch, caplog, broken):
    connect("test_ledger", conn_type="sqlite", host="/")
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", broken)
    with caplog.at_level(logging.WARNING):
        fail(payout(), era=ERA, error=GatewayError("no connection", method="m", how=Failed.UNREACHABLE))
    assert "The ledger has no note of this failure" in caplog.text
    assert notes() == {}


# --- Airflow's own facts ----------------------------------------------------------------------------------------------------

NET = "net_of_facts"
NOW = datetime.now(timezone.utc)


@pytest.fixture
def metadata(airflow_db):
    """A session of the metadata database without runs and jobs."""
    forget_runs()
    with create_session() as session:
        session.merge(DagBundleModel(name="facts"))
        yield session
        session.execute(sa.delete(DagModel).where(DagModel.dag_id.endswith(NET)))
    forget_runs()


def beat(session, program, *, age, state=JobState.RUNNING):
    session.add(Job(job_type=program, state=state, start_date=NOW - timedelta(hours=1), latest_heartbeat=NOW - age))
    session.commit()


def test_a_program_without_a_sign_of_life_is_dead(metadata):
    assert dead_programs(metadata) == {Topic.SCHEDULER_DEAD: None, Topic.TRIGGERER_DEAD: None}
    beat(metadata, "SchedulerJob", age=timedelta(0))
    beat(metadata, "TriggererJob", age=timedelta(hours=1))
    assert airflow_facts(NET, ()).dead == {Topic.TRIGGERER_DEAD: NOW - timedelta(hours=1)}
    beat(metadata, "TriggererJob", age=timedelta(0))
    assert airflow_facts(NET, ()).dead == {}


@pytest.mark.parametrize(
    ("checks", "dead"),
    [
        ((), False),
        ([("up_for_retry", None), ("failed", None)], True),
        ([("failed", None, "wait_for_window"), ("failed", None, "wait_for_window")], False),
        ([("failed", None)], False),
        ([("failed", None), ("failed", None)], True),
        ([("failed", None), ("failed", 4711)], False),
        ([("failed", None), ("failed", None), ("success", 4711)], False),
        ([("failed", None), ("failed", None), ("queued", None)], True),
    ],
)
@pytest.mark.parametrize("dag_id", ["staking_watch", f"staking_payout_{NET}"])
def test_two_newest_tries_that_no_worker_has_started_show_that_workers_start_nothing(metadata, checks, dead, dag_id):
    for program in ("SchedulerJob", "TriggererJob"):
        beat(metadata, program, age=timedelta(0))
    for number, (state, pid, *names) in enumerate(checks):
        run = {"dag_id": dag_id, "run_id": f"w{number}"}
        metadata.add(DagRun(run_type="scheduled", state="running", **run))
        metadata.flush()
        task = {"task_id": (*names, "watch")[0], "state": state, "map_index": -1, "pid": pid, "pool": "default_pool"}
        metadata.execute(sa.insert(TaskInstance).values(id=uuid4(), pool_slots=1, **run, **task))
    metadata.commit()
    assert airflow_facts(NET, ()).dead == ({Topic.WORKERS: None} if dead else {})


@pytest.mark.parametrize(
    ("columns", "known", "paused"),
    [
        (None, False, False),
        ({"is_paused": False, "is_stale": False}, True, False),
        ({"is_paused": True, "is_stale": False}, True, True),
        ({"is_paused": True, "is_stale": True}, False, False),
    ],
)
def test_a_payout_dag_is_known_and_may_be_paused(metadata, columns, known, paused):
    if columns is not None:
        metadata.merge(DagModel(dag_id=f"staking_payout_{NET}", bundle_name="facts", **columns))
        metadata.commit()
    facts = airflow_facts(NET, ())
    assert (facts.known, facts.paused) == (known, paused)
    assert facts.halted
