"""The notifiers of docs/alerts.md, of Airflow's own providers: each sends a message as `staking.yaml` says."""

from __future__ import annotations

import json
from email import message_from_string
from email.policy import default
from pathlib import Path

import pytest
import yaml

from staking_gateway.config.models import AlertSettings
from staking_gateway_provider.alerting import configured_receivers
from staking_gateway_provider.notifications.configured import check_notifiers
from tests.contract.broken_server import BrokenServer
from tests.support.mail_server import mail_server

pytestmark = pytest.mark.usefixtures("other_providers")
EXAMPLES = Path(__file__).parents[1] / "docs_snippets" / "notifiers.yaml"
ALERT = {
    "id": "ab" * 16,
    "network": "mainnet",
    "phase": "raised",
    "kind": "blocked",
    "severity": "critical",
    "title": "[mainnet] The gateway does not answer: nothing is paid",
    "text": "[mainnet] The gateway does not answer: nothing is paid.\nCause: refused.\nNext: Start the gateway.",
}


@pytest.fixture
def server():
    """Receives what the notifiers send."""
    made = BrokenServer()
    yield made
    made.close()


@pytest.fixture
def connect(monkeypatch):
    """Sets an Airflow connection."""

    def set_to(conn_id, **fields):
        monkeypatch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps(fields))

    return set_to


def examples():
    return AlertSettings.model_validate(yaml.safe_load(EXAMPLES.read_text())["alerts"])


def send(kind):
    """Send the message with one of the examples."""
    settings = examples()
    (entry,) = [one for one in settings.notifiers if one["class"].endswith(f".{kind}")]
    (receiver,) = configured_receivers({"mainnet": settings.model_copy(update={"notifiers": (entry,)})}, {}).values()
    receiver(dict(ALERT))


def test_all_examples_are_valid():
    check_notifiers("mainnet", examples())


def test_slack_gets_the_text_in_its_channel(server, connect):
    server.script = [lambda exchange: exchange.answer(b'{"ok": true}')]
    connect("slack_api_default", conn_type="slack", password="xoxb-1", extra={"base_url": f"{server.url}/api/"})
    send("SlackNotifier")
    (request,) = server.requests
    assert (request.verb, request.target) == ("POST", "/api/chat.postMessage")
    assert request.header("Authorization") == ["Bearer xoxb-1"]
    assert (request.json["channel"], request.json["text"]) == ("#staking", ALERT["text"])


def test_pagerduty_gets_an_event_with_the_id_as_key(server, connect, monkeypatch):
    import pagerduty

    server.script = [lambda exchange: exchange.answer(b'{"status": "success", "dedup_key": "k"}', "202 Accepted")]
    # The client refuses other addresses than those with https.
    monkeypatch.setattr(pagerduty.EventsApiV2Client, "url", property(lambda _: server.url, lambda *_: None))
    connect("pagerduty_events_default", conn_type="pagerduty_events", password="0" * 32)
    send("PagerdutyNotifier")
    (request,) = server.requests
    assert (request.verb, request.target) == ("POST", "/v2/enqueue")
    event = request.json
    assert (event["event_action"], event["dedup_key"], event["routing_key"]) == ("trigger", ALERT["id"], "0" * 32)
    assert event["payload"] == {
        "summary": ALERT["title"],
        "severity": "critical",
        "source": "mainnet",
        "custom_details": ALERT["text"],
    }


def test_opsgenie_gets_an_alert_with_the_id_as_alias(server, connect):
    server.script = [
        lambda exchange: exchange.answer(b'{"result": "ok", "took": 0.1, "requestId": "1"}', "202 Accepted")
    ]
    connect("opsgenie_default", conn_type="opsgenie", host=server.url, password="a-key")
    send("OpsgenieNotifier")
    (request,) = server.requests
    assert (request.verb, request.target) == ("POST", "/v2/alerts")
    assert request.json == {
        "message": ALERT["title"],
        "alias": ALERT["id"],
        "description": ALERT["text"],
        "priority": "P1",
        "source": "mainnet",
    }


def test_a_mail_arrives_with_the_title_as_its_subject(connect):
    with mail_server() as (port, mails):
        connect(
            "smtp_default",
            conn_type="smtp",
            host="127.0.0.1",
            port=port,
            extra={"disable_ssl": True, "disable_tls": True},
        )
        send("SmtpNotifier")
    (mail,) = [message_from_string(one, policy=default) for one in mails]
    assert (mail["Subject"], mail["To"]) == (ALERT["title"], "me@example.org")
    assert "Cause: refused." in mail.get_body().get_content()
