"""One task in a process of its own, supervised as the executors do it, and the file its log goes to."""

import gc
import json
import warnings
from datetime import datetime, timezone
from importlib import import_module
from uuid import uuid4

from airflow.dag_processing.bundles import manager
from airflow.executors.workloads.base import BundleInfo
from airflow.sdk.api.client import Client
from airflow.sdk.api.datamodels._generated import TaskInstance
from airflow.sdk.execution_time.supervisor import supervise_task
from airflow.sdk.serde import serialize

HTTPX = import_module(Client.__base__.__module__.partition(".")[0])
"""The library of Airflow's client: httpx, and httpx2 since Airflow 3.4."""
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc).isoformat()


class Supervised:
    """A finished try of a task.

    :param dag_file: a DAG `one` with a task `task`.
    :param resumed: method and arguments with which a deferred task goes on.
    :ivar lines: the log, parsed.
    :ivar state: how the try ended.
    """

    def __init__(self, folder, monkeypatch, dag_file, *, try_number=1, resumed=None):
        (folder / "dags").mkdir(exist_ok=True)
        (folder / "dags" / "one.py").write_text(dag_file)
        bundle = {"name": "here", "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle"}
        bundle["kwargs"] = {"path": str(folder / "dags"), "refresh_interval": 300}
        monkeypatch.setenv("AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST", json.dumps([bundle]))
        if (remembered := getattr(manager, "_load_bundle_config_snapshot", None)) is not None:  # since Airflow 3.4
            monkeypatch.setattr(manager, remembered.__name__, remembered.__wrapped__)
        monkeypatch.setenv("AIRFLOW__LOGGING__BASE_LOG_FOLDER", str(folder / "logs"))
        self.try_number, self.resumed, self.state = try_number, resumed, None
        self.variables: list[str] = []
        instance = TaskInstance(
            id=uuid4(), dag_version_id=uuid4(), task_id="task", dag_id="one", run_id="run", try_number=try_number
        )
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", ResourceWarning
            )  # the supervisor leaves its sockets to the garbage collector
            supervise_task(
                ti=instance,
                bundle_info=BundleInfo(name="here"),
                dag_rel_path="one.py",
                token="",
                client=Client(base_url="http://airflow", token="", transport=HTTPX.MockTransport(self._answer)),
                log_path=f"{uuid4()}.log",
            )
            gc.collect()
        (file,) = (folder / "logs").glob("*.log")
        self.lines = [json.loads(line) for line in file.read_text().splitlines()]

    def _answer(self, request):
        if request.url.path.endswith("/run"):
            run = {"dag_id": "one", "run_id": "run", "start_date": NOW, "run_type": "manual", "run_after": NOW}
            unset = ("logical_date", "data_interval_start", "data_interval_end", "end_date")
            run |= {"consumed_asset_events": [], "partition_key": "5", "state": "running", **dict.fromkeys(unset)}
            retries = {"max_tries": 2, "should_retry": self.try_number <= 2}
            method, arguments = self.resumed or (None, None)
            resumed = {} if method is None else {"next_method": method, "next_kwargs": serialize(arguments)}
            return HTTPX.Response(200, json={"dag_run": run, **retries, **resumed})
        if request.url.path.endswith("/state"):
            self.state = json.loads(request.content)["state"]
        if request.url.path.endswith("/variables/keys"):
            return HTTPX.Response(200, json={"keys": self.variables, "total_entries": len(self.variables)})
        if request.method == "PUT" and "/variables/" in request.url.path:
            self.variables.append(request.url.path.rpartition("/")[2])
        if "/connections/" in request.url.path or (request.method == "GET" and "/xcoms/" in request.url.path):
            return HTTPX.Response(404, json={"detail": {"reason": "not_found", "message": "there is none"}})
        return HTTPX.Response(200, json={})
