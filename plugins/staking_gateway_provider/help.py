"""Addresses of the runbook's sections and of the Staking page, for task logs, links, alerts, commands and the doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from airflow.sdk import conf

from staking_gateway_provider.ui import URL_PREFIX

if TYPE_CHECKING:
    from staking_gateway.problem import Topic


def help_address(topic: Topic | None = None) -> str:
    """Address of a topic's section in the runbook that the API server shows, or of its first line.

    Begins with `api.base_url` of Airflow. When Airflow has none: with its port on this machine, as Airflow itself assumes.
    """
    link = help_link(topic)
    return link if "://" in link else f"http://localhost:{conf.get('api', 'port', fallback='8080')}{link}"


def help_link(topic: Topic | None = None) -> str:
    """The same for a link on a page of Airflow, where a path is enough."""
    return f"{_api_server()}{URL_PREFIX}/help{'' if topic is None else f'#{topic.anchor}'}"


def help_line(topic: Topic) -> str:
    """One line for the end of an error, an alert or a finding."""
    return f"Help: {help_address(topic)}"


def page_link(dag_id: str, run_id: str) -> str:
    """Link to the Staking page, opened at the network and the era of a run, for a page of Airflow."""
    return f"{_api_server()}{URL_PREFIX}/?{urlencode({'dag_id': dag_id, 'run_id': run_id})}"


def _api_server() -> str:
    return (conf.get("api", "base_url", fallback="") or "").rstrip("/")
