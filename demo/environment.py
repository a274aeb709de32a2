"""The environment Airflow's components run in: everything they are told, and nothing of the caller's Airflow."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from demo.home import Secrets

USERNAME = "admin"
_NOT_PASSED_ON = ("AIRFLOW", "STAKING_", "PYTHON", "FORCE_COLOR")
"""Beginnings of variables that would make it another stack. PYTHONDONTWRITEBYTECODE would also double its start-up time."""
_PROXIES = {"http_proxy", "https_proxy", "all_proxy", "ftp_proxy"}

_FIXED = {
    "CORE__EXECUTOR": "LocalExecutor",
    "CORE__LOAD_EXAMPLES": "False",
    "CORE__PARALLELISM": "8",
    "CORE__TEST_CONNECTION": "Enabled",
    "CORE__AUTH_MANAGER": "airflow.api_fastapi.auth.managers.simple.simple_auth_manager.SimpleAuthManager",
    "DATABASE__LOAD_DEFAULT_CONNECTIONS": "False",
    "USAGE_DATA_COLLECTION__ENABLED": "False",
    "API__INSTANCE_NAME": "Staking gateway",
    # The scheduler looks at its DAGs this often, so that an era's run begins within half a second of the era's end.
    "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.3",
    # A task's supervisor may miss the end of its process and look again only after this long. A task that has been deferred and
    # resumed meanwhile is then taken for a failed one, and tried again.
    "WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
    "DAG_PROCESSOR__REFRESH_INTERVAL": "10",
    "DAG_PROCESSOR__PARSING_PROCESSES": "1",
    "LOGGING__DAG_PROCESSOR_LOG_TARGET": "file",
}


def airflow_environment(
    home: Path,
    root: Path,
    *,
    port: int,
    config: Path,
    connections: Mapping[str, Mapping[str, Any]],
    secrets: Secrets,
) -> dict[str, str]:
    """Variables for every `airflow ...` of a stack.

    :param home: AIRFLOW_HOME.
    :param root: the checkout whose DAGs run.
    :param port: of the api-server.
    :param config: the `staking.yaml` to read.
    :param connections: connection id to its fields.
    """
    settings = {
        **_FIXED,
        "CORE__DAGS_FOLDER": str(root / "dags"),
        "CORE__PLUGINS_FOLDER": str(root / "plugins"),
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "CORE__FERNET_KEY": secrets.fernet_key,
        "CORE__SIMPLE_AUTH_MANAGER_USERS": f"{USERNAME}:admin",
        "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(home / "passwords.json"),
        "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'airflow.db'}",
        "LOGGING__BASE_LOG_FOLDER": str(home / "logs"),
        "API__BASE_URL": f"http://127.0.0.1:{port}",
        "API__HOST": "127.0.0.1",
        "API__PORT": str(port),
        "API__SECRET_KEY": secrets.api_secret_key,
        "API_AUTH__JWT_SECRET": secrets.jwt_secret,
    }
    return {
        **plain_environment(),
        "AIRFLOW_HOME": str(home),
        "STAKING_GATEWAY_CONFIG": str(config),
        **{f"AIRFLOW__{name}": value for name, value in settings.items()},
        **{f"AIRFLOW_CONN_{name.upper()}": json.dumps(fields) for name, fields in connections.items()},
    }


def plain_environment() -> dict[str, str]:
    """The caller's environment without its Airflow, its Python settings and its proxies."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_NOT_PASSED_ON) and name.lower() not in _PROXIES
    }
