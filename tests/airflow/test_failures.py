"""The log of a failed task, in a process that Airflow supervises: what failed, the cause, the help page, and last the remedy."""

import pytest
from names import NETWORK
from supervised import Supervised

from staking_gateway.problem import Topic
from staking_gateway_provider.reporting import help_line

POST = "::group::Post Execute"
MISSING = "gateway_conn_id: The conn_id `staking_gateway_default` isn't defined"
DAG_FILE = """
from airflow.sdk import DAG
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

with DAG("one", schedule=None):
    %s
"""
ERA = 'PreviousEraOperator(task_id="task", retries=2)'
PAYOUT = 'PayoutStakersOperator(task_id="task", retries=2)'
SENSOR = 'ElectionWindowClosedSensor(task_id="task", retries=2, deferrable=True)'


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://airflow.example/")

    def run_task(task, **options):
        return Supervised(tmp_path, monkeypatch, DAG_FILE % task, **options)

    return run_task


def end_of(done):
    """The lines about the failure, which come before the traceback and before Airflow's last group, which its page shows collapsed."""
    texts = [line["event"] for line in done.lines]
    end = texts.index("Task failed with exception")
    assert end < texts.index(POST)
    start = next((number for number, text in enumerate(texts) if text.startswith("Task failed: ")), end)
    return texts[start:end]


def test_a_missing_connection_is_named_with_cause_help_and_remedy(run):
    done = run(ERA)
    topic = Topic.CONNECTION_MISSING
    assert end_of(done) == [f"Task failed: {MISSING}", f"Cause: {topic.heading}", help_line(topic), topic.remedy]
    assert done.state == "up_for_retry"
    assert {line["level"] for line in done.lines if line["event"] in end_of(done)} == {"error"}


def test_the_failure_is_noted_in_the_ledger_also_when_the_log_has_its_remedy(  # noqa: PLR0917 - fixtures
    run, network, connect, ledger, tmp_path, monkeypatch
):
    network()
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "ledger.db"))
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "test_ledger")
    lines = end_of(run(f"PreviousEraOperator(task_id='task', network='{NETWORK}')"))
    assert lines[0] == f"Task failed: {MISSING}"
    assert lines[-1].startswith(
        f"{Topic.CONNECTION_MISSING.remedy}. The connection `staking_gateway_default` needs the type "
    )
    (failure,) = ledger.journal.failures(NETWORK).values()
    assert (failure.era, failure.problem.topic, failure.problem.facts) == (5, Topic.CONNECTION_MISSING, MISSING)


def test_a_refused_value_is_not_retried(run):
    done = run(PAYOUT)
    assert end_of(done) == [
        "Task failed: relayer, user, payer: not given, nor is a network",
        f"Cause: {Topic.INPUT.heading}",
        help_line(Topic.INPUT),
        "Pass one or the other",
    ]
    assert done.state == "failed"


def test_a_time_out_of_a_trigger_ends_in_the_same_lines(run):
    event = {"status": "timeout", "message": "the time to wait is over"}
    done = run(SENSOR, resumed=("execute_complete", {"event": event}))
    lines, topic = end_of(done), Topic.HELD_WINDOW
    assert lines[0] == "Task failed: The era could not be paid in time: the time to wait is over"
    assert lines[-2] == help_line(topic)
    assert lines[-1].startswith("Clear this task when the election window has closed")
    assert done.state == "failed"


def test_a_silent_triggerer_is_named(run):
    lines = end_of(run(PAYOUT, resumed=("__fail__", {"error": "Trigger timeout"})))
    topic = Topic.TRIGGERER_DEAD
    assert (lines[0], lines[-1]) == (f"Task failed: {topic.heading}", topic.remedy)


def test_an_unexpected_error_has_only_its_traceback(run):
    done = run(PAYOUT, resumed=("execute_complete", {"event": {"status": "success"}}))
    assert end_of(done) == []
    (failed,) = [line for line in done.lines if "error_detail" in line]
    assert failed["error_detail"][0]["exc_type"] == "ValueError"
    assert [frame["name"] for frame in failed["error_detail"][0]["frames"]][-1] == "read_event"
