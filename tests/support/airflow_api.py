"""As much of Airflow's REST API as the live tests need."""

import time
from urllib.parse import quote

import requests

_TIMEOUT = 30
_ATTEMPTS, _PAUSE = 8, 0.5
"""On SQLite the API server can lock itself out: its audit log waits on the event loop for a task's write, which needs that loop.
After five seconds it answers with status 500, before anything was done.
"""


class ApiRefused(Exception):
    """The API answered with an error: `status` and `body`."""

    def __init__(self, status, body):
        super().__init__(f"HTTP {status}: {body[:500]}")
        self.status = status
        self.body = body


class AirflowApi:
    """Calls the API as one user."""

    def __init__(self, url, username, password):
        self._url = url
        self._login = {"username": username, "password": password}
        self._session = requests.Session()
        self._session.trust_env = False

    def close(self):
        self._session.close()

    def unhealthy(self):
        """The components that are not up."""
        wanted = ("metadatabase", "scheduler", "triggerer", "dag_processor")
        try:
            health = self._session.get(f"{self._url}/api/v2/monitor/health", timeout=2).json()
            return [name for name in wanted if (health.get(name) or {}).get("status") != "healthy"]
        except (requests.RequestException, ValueError):
            return ["api_server"]

    def log_in(self):
        """Get a token for the calls to come."""
        answer = self._session.post(f"{self._url}/auth/token", json=self._login, timeout=_TIMEOUT)
        self._session.headers["Authorization"] = f"Bearer {_accepted(answer)['access_token']}"

    def call(self, method, path, body=None, **query):
        """One call below /api/v2.

        :raises ApiRefused: the answer is an error.
        """
        for _ in range(_ATTEMPTS):
            answer = self._session.request(
                method, f"{self._url}/api/v2/{path}", json=body, params=query, timeout=_TIMEOUT
            )
            if answer.status_code != 500:
                break
            time.sleep(_PAUSE)
        return _accepted(answer)

    def find(self, path, **query):
        """What there is at a path; None where there is nothing."""
        try:
            return self.call("GET", path, **query)
        except ApiRefused as refused:
            if refused.status == 404:
                return None
            raise

    def page(self, path):
        """What the server answers at any path, also where that is an error."""
        return self._session.get(f"{self._url}{path}", timeout=_TIMEOUT).content

    def import_errors(self):
        """DAG files that could not be imported."""
        return self.call("GET", "importErrors")["import_errors"]

    def dag(self, dag_id):
        """A DAG, or None while the API does not know it."""
        return self.find(f"dags/{dag_id}")

    def pause(self, dag_id, paused=True):
        """Stop the scheduler from starting runs of a DAG, or let it go on."""
        self.call("PATCH", f"dags/{dag_id}", {"is_paused": paused}, update_mask="is_paused")

    def unpause(self, dag_id):
        """Let the scheduler run a DAG."""
        self.pause(dag_id, paused=False)

    def runs(self, dag_id):
        """The latest runs of a DAG, oldest first."""
        answer = self.call("GET", f"dags/{dag_id}/dagRuns", limit=100, order_by="-run_after")
        return answer["dag_runs"][::-1]

    def run(self, dag_id, run_id):
        return self.call("GET", f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}")

    def trigger(self, dag_id, partition_key=None, **form):
        """Start a run and return its id.

        :param form: what the form of the DAG is filled in with.
        """
        key = {} if partition_key is None else {"partition_key": partition_key}
        return self.call("POST", f"dags/{dag_id}/dagRuns", {"logical_date": None, "conf": form, **key})["dag_run_id"]

    def tasks(self, dag_id, run_id):
        path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances"
        return self.call("GET", path, limit=100)["task_instances"]

    def xcom(self, dag_id, run_id, task_id, key):
        """A value a task left, or None."""
        path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances/{task_id}/xcomEntries/{key}"
        return (self.find(path, deserialize=True) or {"value": None})["value"]


def _accepted(answer):
    if not answer.ok:
        raise ApiRefused(answer.status_code, answer.text)
    return answer.json()
