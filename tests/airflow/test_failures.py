"""The log of a failed task, in a process that Airflow supervises: what failed, the retry, the help page, and last the remedy."""

import pytest
from names import NETWORK
from supervised import Supervised

from staking_gateway.topics import Topic
from staking_gateway_provider.help import help_line

POST = "::group::Post Execute"
MISSING = "gateway_conn_id: The conn_id `staking_gateway_default` isn't defined"
DAG_FILE = """
from airflow.sdk import DAG, RetryDecision, RetryPolicy
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

class OwnPolicy(RetryPolicy):
    def evaluate(self, exception, try_number, max_tries, context=None):
        return RetryDecision.fail("we have seen enough")

    def serialize(self):
        return {}

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
    """The lines between the start of the task and Airflow's last group, and those after it without the ends of groups."""
    texts = [line["event"] for line in done.lines]
    assert [line["error_detail"] for line in done.lines if "error_detail" in line] == []
    start, end = texts.index("::endgroup::") + 1, texts.index(POST)
    return texts[start:end], [text for text in texts[end + 1 :] if text != "::endgroup::"]


def test_a_missing_connection_ends_with_its_remedy_and_without_traceback(run):
    done = run(ERA)
    lines, after = end_of(done)
    topic = Topic.CONNECTION_MISSING
    assert lines == [
        f"Task failed: {MISSING}",
        "Airflow retries this task after try 1 of 3",
        f"Cause: {topic.heading}",
        help_line(topic),
        topic.remedy,
    ]
    assert after == []
    assert done.state == "up_for_retry"
    assert {line["level"] for line in done.lines if line["event"] in lines} == {"error"}


def test_the_failure_is_noted_in_the_ledger_also_when_the_log_has_its_remedy(run, network, connect, ledger, tmp_path):
    network()
    connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "ledger.db"))
    with_network = f"PreviousEraOperator(task_id='task', network='{NETWORK}', ledger_conn_id='test_ledger')"
    lines, after = end_of(run(with_network))
    assert (lines[0], after) == (f"Task failed: {MISSING}", [])
    assert lines[-1].startswith(
        f"{Topic.CONNECTION_MISSING.remedy}. Connection `staking_gateway_default` needs the type "
    )
    (failure,) = ledger.journal.failures(NETWORK).values()
    assert (failure.era, failure.topic, failure.text) == (5, Topic.CONNECTION_MISSING.anchor, MISSING)


def test_the_last_try_says_that_it_was_the_last(run):
    done = run(ERA, try_number=3)
    assert end_of(done)[0][1] == "Airflow does not retry this task: try 3 was the last of 3"
    assert done.state == "failed"


def test_a_refused_value_is_not_retried_and_airflow_adds_no_line(run):
    done = run(PAYOUT)
    lines, after = end_of(done)
    assert lines == [
        "Task failed: network: is not given, nor are relayer, user and payer",
        "Airflow does not retry this task: the input has to be corrected first",
        f"Cause: {Topic.INPUT.heading}",
        help_line(Topic.INPUT),
        "Pass one or the other",
    ]
    assert after == []
    assert done.state == "failed"


EVENTS = [
    (
        PAYOUT,
        {"status": "failed", "message": "Connection 'gw', host: is empty", "remedy": "Set Host to the URL"},
        "connection: Connection 'gw', host: is empty",
        Topic.CONNECTION_INVALID,
        "Set Host to the URL",
        "failed",
    ),
    (
        SENSOR,
        {"status": "failed", "message": MISSING, "missing": True},
        MISSING,
        Topic.CONNECTION_MISSING,
        Topic.CONNECTION_MISSING.remedy,
        "up_for_retry",
    ),
    (
        SENSOR,
        {"status": "timeout", "message": "the time to wait is over"},
        "The era could not be paid in time: the time to wait is over",
        Topic.HELD_WINDOW,
        "Clear this task when the election window has closed, or start the catch-up",
        "failed",
    ),
]


@pytest.mark.parametrize(
    ("task", "event", "what", "topic", "remedy", "state"), EVENTS, ids=["connection", "missing", "timeout"]
)
def test_an_event_of_a_trigger_ends_in_the_same_lines(run, task, event, what, topic, remedy, state):  # noqa: PLR0917
    done = run(task, resumed=("execute_complete", {"event": event}))
    lines, after = end_of(done)
    assert (lines[0], lines[-2], lines[-1]) == (f"Task failed: {what}", help_line(topic), remedy)
    assert after == []
    assert done.state == state


def test_a_silent_triggerer_is_named(run):
    lines, _ = end_of(run(PAYOUT, resumed=("__fail__", {"error": "Trigger timeout"})))
    topic = Topic.TRIGGERER_DEAD
    assert (lines[0], lines[-1]) == (f"Task failed: {topic.heading}", topic.remedy)


def test_an_unexpected_error_keeps_its_traceback(run):
    done = run(PAYOUT, resumed=("execute_complete", {"event": {"status": "success"}}))
    (failed,) = [line for line in done.lines if "error_detail" in line]
    assert failed["event"] == "Task failed with exception"
    assert failed["error_detail"][0]["exc_type"] == "ValueError"
    assert [frame["name"] for frame in failed["error_detail"][0]["frames"]][-1] == "read_event"


def test_airflow_writes_the_decision_of_a_policy_that_is_code(run):
    done = run(ERA.replace("retries=2", "retries=2, retry_policy=OwnPolicy()"))
    lines, after = end_of(done)
    topic = Topic.CONNECTION_MISSING
    assert lines == [f"Task failed: {MISSING}", f"Cause: {topic.heading}", help_line(topic), topic.remedy]
    assert after == ["Retry policy decision"]
    assert done.state == "failed"
