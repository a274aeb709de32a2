"""A notifier of Airflow that writes each message into a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airflow.sdk import BaseNotifier


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
