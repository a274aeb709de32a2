"""The notifiers of docs/alerts.md: each of Airflow's own sends a message as `staking.yaml` says."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from airflow.sdk.execution_time.context import ConnectionAccessor
from airflow.sdk.log import redact

from staking_gateway.config.models import AlertSettings
from staking_gateway_provider.alerting import configured_receivers, make_notifier

EXAMPLES = Path(__file__).parents[1] / "docs_snippets" / "notifiers.yaml"
CONTEXT = {"conn": ConnectionAccessor()}
ALERT = {
    "id": "ab" * 16,
    "network": "mainnet",
    "phase": "raised",
    "kind": "blocked",
    "severity": "critical",
    "title": "[mainnet] The gateway does not answer: nothing is paid",
    "text": "[mainnet] The gateway does not answer: nothing is paid.\nCause: refused.\nNext: Start the gateway.",
}


def examples():
    return AlertSettings.model_validate(yaml.safe_load(EXAMPLES.read_text())["alerts"])


def send(kind):
    """Send the message with one of the examples."""
    settings = examples()
    (entry,) = [one for one in settings.notifiers if one["class"].endswith(f".{kind}")]
    (receiver,) = configured_receivers(
        {"mainnet": settings.model_copy(update={"notifiers": (entry,)})}, CONTEXT
    ).values()
    receiver(dict(ALERT))


def test_all_examples_are_valid():
    for entry in examples().notifiers:
        make_notifier("networks.mainnet", entry)


def test_a_webhook_gets_the_text_at_a_path_that_no_error_shows(broken, connect):
    """The path is in the connection's password, which Airflow masks."""
    broken.script = [lambda exchange: exchange.answer(b"{}")]
    connect("alerts_webhook", conn_type="http", host=broken.url, password="services/T0-a-Secret")
    send("HttpNotifier")
    (request,) = broken.requests
    assert (request.verb, request.target, request.json) == ("POST", "/services/T0-a-Secret", {"text": ALERT["text"]})
    broken.close()
    with pytest.raises(Exception, match="url: /services/T0-a-Secret") as failed:
        send("HttpNotifier")
    assert "url: /***" in redact(str(failed.value))
