"""As much of Airflow's REST API as the demo and the end-to-end tests need."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import requests

_TIMEOUT = 30.0
_ATTEMPTS = 8
_PAUSE = 0.5
"""On SQLite the api-server can lock itself out: it writes its audit log on the event loop while a task's write holds the lock
and needs that loop to be finished. After five seconds it gives up with status 500, before anything was done.
"""


class ApiRefused(Exception):
    """The API answered with an error.

    :param status: HTTP status.
    :param body: what it said.
    """

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"HTTP {status}: {body[:500]}")
        self.status = status
        self.body = body


class AirflowApi:
    """Calls the API as one user.

    :param url: base URL of the api-server.
    """

    def __init__(self, url: str, username: str, password: str) -> None:
        self._url = url
        self._login = {"username": username, "password": password}
        self._session = requests.Session()
        self._session.trust_env = False

    def close(self) -> None:
        self._session.close()

    def health(self) -> dict[str, str | None]:
        """Status of each component; empty while nobody answers."""
        try:
            answer = self._session.get(f"{self._url}/api/v2/monitor/health", timeout=2)
            answer.raise_for_status()
            return {name: (part or {}).get("status") for name, part in answer.json().items()}
        except (requests.RequestException, ValueError):
            return {}

    def log_in(self) -> None:
        """Get a token for the calls to come."""
        answer = self._session.post(f"{self._url}/auth/token", json=self._login, timeout=_TIMEOUT)
        self._session.headers["Authorization"] = f"Bearer {_accepted(answer)['access_token']}"

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """One call below /api/v2.

        :raises ApiRefused: the answer is an error.
        """
        url = f"{self._url}/api/v2/{path}"
        for _ in range(_ATTEMPTS):
            answer = self._session.request(method, url, json=body, params=query, timeout=_TIMEOUT)
            if answer.status_code != 500:
                break
            time.sleep(_PAUSE)
        return _accepted(answer)

    def page(self, path: str) -> bytes:
        """What the server answers at a path of its own, also where that is an error."""
        return self._session.get(f"{self._url}{path}", timeout=_TIMEOUT).content

    def import_errors(self) -> list[dict[str, Any]]:
        """DAG files that could not be imported."""
        return list(self.call("GET", "importErrors")["import_errors"])

    def dag(self, dag_id: str) -> dict[str, Any] | None:
        """A DAG, or None while the API does not know it."""
        try:
            return dict(self.call("GET", f"dags/{dag_id}"))
        except ApiRefused as refused:
            if refused.status == 404:
                return None
            raise

    def unpause(self, dag_id: str) -> None:
        """Let the scheduler run a DAG."""
        self.call("PATCH", f"dags/{dag_id}", {"is_paused": False}, update_mask="is_paused")

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """The latest runs of a DAG, oldest first."""
        answer = self.call("GET", f"dags/{dag_id}/dagRuns", limit=100, order_by="-run_after")
        return list(reversed(answer["dag_runs"]))

    def run(self, dag_id: str, run_id: str) -> dict[str, Any]:
        return dict(self.call("GET", f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}"))

    def trigger(self, dag_id: str, partition_key: str | None = None, **form: Any) -> str:
        """Start a run and return its id.

        :param form: what the form of the DAG is filled in with.
        """
        body = {
            "logical_date": None,
            "conf": form,
            **({} if partition_key is None else {"partition_key": partition_key}),
        }
        return str(self.call("POST", f"dags/{dag_id}/dagRuns", body)["dag_run_id"])

    def tasks(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances"
        return list(self.call("GET", path, limit=100)["task_instances"])

    def xcom(self, dag_id: str, run_id: str, task_id: str, key: str) -> Any:
        """A value a task left, or None."""
        path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances/{task_id}/xcomEntries/{key}"
        try:
            return self.call("GET", path, deserialize=True)["value"]
        except ApiRefused as refused:
            if refused.status == 404:
                return None
            raise


def _accepted(answer: requests.Response) -> Any:
    if not answer.ok:
        raise ApiRefused(answer.status_code, answer.text)
    return answer.json()
