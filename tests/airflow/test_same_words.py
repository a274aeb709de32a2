"""One cause, the same words: what stops a payout has one heading and one remedy in log, ledger, page, commands, doctor and alert."""

from __future__ import annotations

import json
import warnings
from contextlib import suppress

import pytest
from broken_set_ups import BROKEN, World, paid
from names import ACTIVE, NETWORK, hourly
from staking_commands import airflow
from structlog.testing import capture_logs
from tasks import Task
from test_doctor import changed, healthy, metadata, proxy, tls_server

from staking_gateway.errors import StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway_provider.failure_notes import note_failure
from staking_gateway_provider.help import help_address, help_line
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Airflow's own imports
    from staking_gateway_provider.ui.service import Service

FIXTURES = (changed, healthy, metadata, proxy, tls_server)
STOPS = {
    "no connection": Topic.CONNECTION_MISSING,
    "nobody answers": Topic.GATEWAY_UNREACHABLE,
    "token": Topic.TOKEN_REFUSED,
    "no key": Topic.CONNECTION_MISSING,
    "another's key": Topic.WRONG_KEY,
    "silent signer": Topic.SIGNER,
}
"""Rows of BROKEN that stop every payout, and their section of the runbook."""
ERA = ACTIVE - 1


@pytest.mark.parametrize(("name", "topic"), STOPS.items(), ids=STOPS)
def test_log_page_commands_doctor_and_alert_agree(  # noqa: PLR0917 - fixtures
    request, network, ledger, capsys, tmp_path, name, topic
):
    request.getfixturevalue("gateway")
    request.getfixturevalue("metadata")
    for era in range(ACTIVE - 3, ERA):
        paid(ledger, era)
    told = tmp_path / "told"
    notifier = {"class": "tests.support.notifiers.FileNotifier", "path": str(told), "text": "{{ staking_alert.text }}"}
    limits = {"max_fee_per_payout": 10**25, "max_fee_per_day": 10**26}
    network(history_depth=3, calendar=hourly(minutes=45), payout=limits, alerts={"notifiers": [notifier]})
    BROKEN[name][0](World(request))

    log = log_of_payout()
    assert log[1:3] == [f"Cause: {topic.heading}", help_line(topic)]
    remedy = log[3]

    (failure,) = ledger.journal.failures(NETWORK).values()
    assert (failure.era, failure.problem.topic.anchor) == (ERA, topic.anchor)
    cause = Service().overview(NETWORK, 84).data["causes"][0]
    assert (cause["topic"], cause["heading"]) == (topic.anchor, topic.heading)
    assert cause["remedy"].startswith(remedy)
    for words in (("state",), ("why", "--era", ERA)):
        shown = output(capsys, *words)
        assert shown["cause"].startswith(topic.heading), words
        assert shown["remedy"] == cause["remedy"], words
    first = output(capsys, "doctor", "--network", NETWORK)
    assert (first["level"], first["help"]) == ("error", help_address(topic)), first
    Task(StakingAlertsOperator(task_id="alerts", network=NETWORK), era=ERA).run()
    assert topic.heading in told.read_text()
    assert remedy in told.read_text()


def output(capsys, *words):
    """The first entry of a command's output, whatever its exit status."""
    with suppress(SystemExit):
        airflow(*words, "--output", "json")
    shown = json.loads(capsys.readouterr().out)
    return shown[0] if isinstance(shown, list) else shown


def log_of_payout():
    """The last lines that a failed payout writes to its log; the failure is then noted, as the worker does."""
    task = Task(PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=False), era=ERA)
    with capture_logs() as entries, pytest.raises(StakingGatewayError) as caught:
        task.run()
    note_failure({**task.context, "task": task.operator}, caught.value)
    lines = [
        entry["event"] % (entry.get("positional_args") or ()) for entry in entries if entry["log_level"] == "error"
    ]
    return lines[-4:]
