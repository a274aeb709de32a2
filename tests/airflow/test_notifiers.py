"""The notifiers of docs/alerts.md: each of Airflow's own sends a message as `staking.yaml` says."""

import threading
from pathlib import Path

import pytest
import yaml
from airflow.sdk import DAG
from airflow.sdk.execution_time.context import ConnectionAccessor
from airflow.sdk.log import redact

from staking_gateway.config.models import AlertSettings
from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider import alerting
from staking_gateway_provider.alerting import configured_receivers, make_notifier, with_help
from tests.support.notifiers import webhook

EXAMPLES = Path(__file__).parents[1] / "docs_snippets" / "notifiers.yaml"
CONTEXT = {"conn": ConnectionAccessor(), "dag": DAG("staking_payout_mainnet", render_template_as_native_obj=True)}
ALERT = {
    "id": "ab" * 16,
    "network": "mainnet",
    "phase": "raised",
    "kind": "blocked",
    "severity": "critical",
    "title": "[mainnet] The gateway does not answer: nothing is paid",
    "text": "[mainnet] The gateway does not answer: nothing is paid.\nCause: refused.\nNext: Start the gateway.",
    "runbook": "gateway-unreachable",
}
TOLD = with_help(ALERT)


def examples():
    return AlertSettings.model_validate(yaml.safe_load(EXAMPLES.read_text())["alerts"])


def send(kind):
    """Send the message with one of the examples."""
    (entry,) = [one for one in examples().notifiers if one["class"].endswith(f".{kind}")]
    send_with(entry)


def send_with(entry):
    settings = examples().model_copy(update={"notifiers": (entry,)})
    (receiver,) = configured_receivers({"mainnet": settings}, CONTEXT).values()
    receiver(dict(ALERT))


def test_all_examples_are_valid():
    for entry in examples().notifiers:
        make_notifier("networks.mainnet", entry)


def test_a_receiver_that_never_answers_holds_up_neither_the_others_nor_the_task(monkeypatch):
    monkeypatch.setattr(alerting, "PATIENCE", 0.1)
    monkeypatch.setattr(alerting, "make_notifier", lambda path, entry: lambda context: threading.Event().wait())
    with pytest.raises(StakingGatewayError, match=r"not ended within 0\.1 s"):
        send("HttpNotifier")


def test_a_webhook_gets_the_text_at_a_path_that_no_error_shows(broken, connect):
    """The path is in the connection's password, which Airflow masks."""
    broken.script = [lambda exchange: exchange.answer(b"{}")]
    connect("alerts_webhook", conn_type="http", host=broken.url, password="services/T0-a-Secret")
    send("HttpNotifier")
    (request,) = broken.requests
    assert (request.verb, request.target, request.json) == ("POST", "/services/T0-a-Secret", {"text": TOLD["text"]})
    broken.close()
    with pytest.raises(Exception, match="url: /services/T0-a-Secret") as failed:
        send("HttpNotifier")
    assert "url: /***" in redact(str(failed.value))


def test_json_of_a_template_is_sent_as_it_stands_although_the_dag_renders_native_values(broken, connect):
    broken.script = [lambda exchange: exchange.answer(b"{}")]
    connect("hook", conn_type="http", host=broken.url)
    send_with(webhook())
    assert broken.requests[0].json["staking_alert"] == TOLD
    assert CONTEXT["dag"].render_template_as_native_obj
