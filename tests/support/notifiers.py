"""Entries of `alerts.notifiers` for tests: a webhook, and a file."""

from pathlib import Path
from typing import Any

from airflow.sdk import BaseNotifier


def webhook(conn_id: str = "hook") -> dict[str, Any]:
    """Airflow's HTTP notifier; it posts the text and the whole message as JSON."""
    return {
        "class": "airflow.providers.http.notifications.http.HttpNotifier",
        "http_conn_id": conn_id,
        "headers": {"Content-Type": "application/json"},
        "data": "{{ {'text': staking_alert.text, 'staking_alert': staking_alert} | tojson }}",
        "extra_options": {"timeout": 10},
    }


class FileNotifier(BaseNotifier):
    """Appends a text to a file."""

    template_fields = ("text",)

    def __init__(self, path: str, text: str = "") -> None:
        super().__init__()
        self.path = path
        self.text = text

    def notify(self, context: Any) -> None:
        del context
        with Path(self.path).open("a") as file:
            file.write(f"{self.text}\n")
