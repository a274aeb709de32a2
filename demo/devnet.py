"""Airflow and the simulator, brought up together: the first era the scheduler pays is the first the simulator's chain owes."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from datetime import datetime, timezone
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

import requests

from demo.api import ApiRefused
from demo.environment import plain_environment
from demo.moment import Moment, Run
from demo.services import DemoFailed, quote
from staking_gateway_simulator.running import SimulatorControl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from demo.stack import AirflowStack
    from staking_gateway.config.models import NetworkConfig

    Stage = Callable[[str], AbstractContextManager[None]]

T = TypeVar("T")

_START_SECONDS = 120.0
_STEP_SECONDS = 0.25
_CALM_SECONDS = 4.0
"""So far from an era's end, the era to run next does not change under our hands."""


def connections(simulator_url: str, user_key: str, user: str, payer_key: str, payer: str) -> dict[str, dict[str, Any]]:
    """Airflow connections for a simulator: access tokens made with the user's key, and the keys of user and payer."""
    return {
        "staking_gateway_default": {
            "conn_type": "staking_gateway",
            "host": simulator_url,
            "extra": {"bearer_signer_conn_id": "staking_signer_user"},
        },
        "staking_signer_user": {"conn_type": "staking_signer", "login": user, "password": user_key},
        "staking_signer_payer": {"conn_type": "staking_signer", "login": payer, "password": payer_key},
    }


@contextlib.contextmanager
def _silently(_: str) -> Iterator[None]:
    yield


class Devnet:
    """One network of a stack's configuration, served by a simulator.

    :param stack: entered, not yet started.
    :param name: the network's name.
    :param network: its settings; the simulator follows their calendar.
    :param port: of the simulator.
    :param window_seconds: how long before an era's end the election window opens.
    """

    def __init__(
        self, stack: AirflowStack, name: str, network: NetworkConfig, *, port: int, window_seconds: float
    ) -> None:
        self.stack = stack
        self.name = name
        self.network = network
        self.dag_id = f"staking_payout_{name}"
        self.port = port
        self.control = SimulatorControl(f"http://127.0.0.1:{port}")
        self._window_seconds = window_seconds
        self._finished: dict[str, Run] = {}
        self._parsed_for: datetime | None = None

    def bring_up(self, stage: Stage = _silently) -> None:
        """Start everything and let the scheduler go.

        :param stage: shows what is going on.
        :raises DemoFailed: something did not start; names its log.
        """
        with stage("Metadata database"):
            self.stack.migrate()
        with stage("Airflow: api-server, scheduler, dag-processor, triggerer"):
            self.stack.start()
            self.wait(lambda: not self.stack.unhealthy(), _START_SECONDS, "Airflow is up", self.stack.unhealthy)
            self.stack.api.log_in()
        with stage(f"DAG {self.dag_id}"):
            self.wait(self._dag_is_ready, _START_SECONDS, f"{self.dag_id} is ready to run")
        with stage(f"Simulator at http://127.0.0.1:{self.port}"):
            self._start_simulator()
            self.wait(self._simulator_answers, _START_SECONDS, "the simulator answers")
        with stage("Scheduler on"):
            self.stack.api.unpause(self.dag_id)

    def wait(self, check: Callable[[], T], seconds: float, what: str, missing: Callable[[], object] | None = None) -> T:
        """Ask until the answer is true, or there is no hope.

        :param what: what the answer stands for, for the error.
        :param missing: tells what is still missing.
        :raises DemoFailed: a program died, or the time is up.
        """
        until = time.monotonic() + seconds
        while True:
            self.stack.services.check()
            answer = None
            with contextlib.suppress(requests.RequestException):
                answer = check()
            if answer:
                return answer
            if time.monotonic() >= until:
                rest = f", missing: {missing()}" if missing else ""
                raise DemoFailed(
                    f"Waited {seconds:.0f} s in vain: {what}{rest}.\n{quote(self.stack.log_of('scheduler'))}"
                )
            time.sleep(_STEP_SECONDS)

    def moment(self) -> Moment:
        """The chain and the runs as they are now."""
        runs = self.runs()
        return Moment.of(self.control.state(), runs)

    def runs(self) -> list[Run]:
        """The latest runs, oldest first; those that still run with their tasks."""
        found = []
        for fields in self.stack.api.runs(self.dag_id):
            run = self._finished.get(fields["dag_run_id"]) or self._run(fields)
            if run.finished:
                self._finished[run.run_id] = run
            found.append(run)
        return found

    def _run(self, fields: dict[str, Any]) -> Run:
        run_id, key = fields["dag_run_id"], fields["partition_key"]
        tasks = {}
        for task in self.stack.api.tasks(self.dag_id, run_id):
            index = f"[{task['map_index']}]" if task["map_index"] >= 0 else ""
            tasks[f"{task['task_id']}{index}"] = task["state"] or "none"
        return Run(run_id, fields["run_type"], int(key) if key else None, fields["state"], tasks)

    def check_runs(self, runs: Iterable[Run]) -> None:
        """See that none has failed.

        :raises DemoFailed: one has; quotes the log of its first failed task.
        """
        for run in runs:
            if run.state == "failed":
                task = next((name for name, state in run.tasks.items() if state == "failed"), None)
                where = task_log(self.stack.home, self.dag_id, run.run_id, task or "")
                detail = task_quote(where) if where else quote(self.stack.log_of("scheduler"))
                raise DemoFailed(f"Run {run.run_id} of {self.dag_id} has failed, first in task {task}.\n{detail}")

    def _dag_is_ready(self) -> bool:
        errors = self.stack.api.import_errors()
        if errors:
            text = str(errors[0]["stack_trace"]).strip().splitlines()[-12:]
            lines = "\n".join(f"  {line}" for line in text)
            log = self.stack.log_of("dag-processor")
            raise DemoFailed(f"Airflow cannot import {errors[0]['filename']} (log: {log}):\n{lines}")
        dag = self.stack.api.dag(self.dag_id)
        if dag is None or dag["next_dagrun_run_after"] is None:
            return False
        # Airflow settles the next era when it parses the file. Go only when that is the era that has just ended, for the
        # simulator is born owing that one, and when there is time to switch the scheduler on before the next one ends.
        now = datetime.now(timezone.utc)
        active = self.network.calendar.era_at(now - self.network.delay)
        due = self.network.calendar.start(active) + self.network.delay
        if _parse_time(dag["next_dagrun_run_after"]) != due:
            if due != self._parsed_for:
                self._parse_soon(dag["file_token"])
                self._parsed_for = due
            return False
        return (self.network.calendar.end(active) + self.network.delay - now).total_seconds() > _CALM_SECONDS

    def _parse_soon(self, file_token: str) -> None:
        try:
            self.stack.api.call("PUT", f"parseDagFile/{file_token}")
        except ApiRefused as refused:
            if refused.status != HTTPStatus.CONFLICT:  # an earlier request still waits
                raise

    def _start_simulator(self) -> None:
        anchor = self.network.calendar.anchors[-1]
        options = {
            "port": self.port,
            "state": self.stack.home / "simulator.db",
            "anchor-era": anchor.era,
            "anchor-time": anchor.start.isoformat(),
            "era-length": anchor.length.total_seconds(),
            "window": self._window_seconds,
            "unpaid-eras": 1,
            "history-depth": self.network.history_depth,
            "relayer": self.network.relayer,
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        self.stack.services.start(
            "simulator",
            [sys.executable, "-m", "staking_gateway_simulator", *arguments],
            plain_environment(),
            self.stack.log_of("simulator"),
        )

    def _simulator_answers(self) -> bool:
        return bool(self.control.state())


def _parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def task_log(home: Path, dag_id: str, run_id: str, task: str) -> Path | None:
    """The log of a task's last try, or None when it left none."""
    name, _, index = task.rstrip("]").partition("[")
    folder = home / "logs" / f"dag_id={dag_id}" / f"run_id={run_id}" / f"task_id={name}"
    logs = sorted((folder / f"map_index={index}" if index else folder).glob("attempt=[0-9]*.log"))
    logs = [log for log in logs if ".trigger." not in log.name]
    return logs[-1] if logs else None


def task_quote(log: Path, most: int = 12) -> str:
    """Name a task's log and quote what went wrong in it."""
    errors: list[str] = []
    others: list[str] = []
    for line in log.read_text(errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            others.append(line)
            continue
        wrong = entry.get("level") in ("error", "critical")
        (errors if wrong else others).append(f"{entry.get('level')}: {entry.get('event')}")
        errors += [f"  {part.get('exc_type')}: {part.get('exc_value')}" for part in entry.get("error_detail") or []]
    shown = errors or others
    return "\n".join([f"Its log is {log}; it says:", *(f"  {line[:300]}" for line in shown[-most:])])
