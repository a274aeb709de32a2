"""What one era costs Airflow with the shipped DAG, beside the leanest DAG with the same four tasks on the same Airflow."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil  # type: ignore[import-untyped]
import sqlalchemy as sa

from benchmarks.leanest import VARIABLE
from benchmarks.results import Line, MeasurementFailed, Scale, at_most, duration, number
from staking_gateway_simulator.settings import DEFAULT_TOKEN
from tests.live.network import ACTIVE, STASH, Network
from tests.live.stand import PROGRAMS, ROOT, Stand
from tests.support.programs import ProgramFailed

if TYPE_CHECKING:
    from collections.abc import Callable

_ROW, _NAME, _LEANEST = "era", "benchmark", "leanest"
_WAIT = "wait_for_window"
_WAITING_SECONDS = 5.0
"""From the start of a run to the close of its window: long enough that the wait has begun."""
_SETTLED_SECONDS = 3.0
"""After a run, until all its processes have ended."""
_STARTED = re.compile(
    r"Received executor event with state (?!queued)\w+ for task instance TaskInstanceKey\(.*?run_id='([^']+)'"
)
"""The scheduler writes this line once per start of a worker: after the first part of a task, and after each resumed one."""
_WHY_ROWS = (
    "Airflow writes five rows per started task (instance, rendered fields, two of its log, result). The report is a task more; the rest are "
    "the events of both assets"
)
LOCAL, CELERY = "LocalExecutor, SQLite", "CeleryExecutor, PostgreSQL"


@dataclass(frozen=True)
class Cost:
    """What one era came to.

    :param starts: of workers: tasks that started, and tasks that resumed.
    :param tasks: task instances.
    :param rows: of Airflow's database, by table.
    :param processor: seconds of all programs of Airflow, without what they take when idle.
    :param wall: seconds from the close of the window to the end of the run.
    """

    starts: int
    tasks: int
    rows: dict[str, int]
    processor: float
    wall: float


def per_era(scale: Scale) -> list[Line]:
    """Pay eras in turn with both DAGs, with each executor."""
    try:
        return [line for executor in (LOCAL, CELERY) for line in _with_executor(executor, scale)]
    except (AssertionError, ProgramFailed) as error:  # of the stand
        raise MeasurementFailed(str(error)) from error


def _with_executor(executor: str, scale: Scale) -> list[Line]:
    with ExitStack() as exits:
        folder = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-")))
        net = _Network(_NAME, chain={"unpaid-eras": 1}, timing={"poll_interval": "1s"})
        net.settings["calendar"]["max_drift"] = 1000
        (folder / "dags").mkdir()
        for dag in ("dags/staking_payout.py", "benchmarks/dags/leanest.py"):
            shutil.copy(ROOT / dag, folder / "dags")
        kind, database = ("celery", "postgresql") if executor == CELERY else ("local", "sqlite")
        exits.enter_context(Stand(folder, [net], executor=kind, database=database, dags=folder / "dags"))
        net.start_both()
        for dag_id in (net.dag_id, _LEANEST):
            net.pay(dag_id)  # warms up, and is not counted
        idle = net.idle()
        pairs = [(net.pay(net.dag_id, idle), net.pay(_LEANEST, idle)) for _ in range(scale.of(5, 1))]
    ours, peer = [one for one, _ in pairs], [other for _, other in pairs]
    starts, least = max(one.starts for one in ours), max(one.starts for one in peer)
    told = f"{ours[0].tasks} and {peer[0].tasks} task instances"
    rows = [(float(sum(one.rows.values())), float(sum(other.rows.values()))) for one, other in pairs]
    lines = [
        Line(_ROW, "worker starts", str(starts), str(least), float(starts), at_most(6, ""), told),
        _line("processor time", [(one.processor, other.processor) for one, other in pairs], 1.3, duration),
        _line("window closed to green", [(one.wall, other.wall) for one, other in pairs], 1.5, duration),
        replace(_line("database rows", rows, 1.3), growth=_tables(ours[0], peer[0]), reason=_WHY_ROWS),
    ]
    return [replace(line, against=f"{executor}: {line.against}") for line in lines]


def _line(what: str, pairs: list[tuple[float, float]], most: float, shown: Callable[[float], str] = number) -> Line:
    ours, peer = (statistics.median(figures) for figures in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    return Line(_ROW, f"{what}, leanest DAG", shown(ours), shown(peer), ratio, at_most(most))


def _tables(ours: Cost, peer: Cost) -> str:
    names = sorted({*ours.rows, *peer.rows}, key=lambda name: peer.rows.get(name, 0) - ours.rows.get(name, 0))
    return "rows by table: " + ", ".join(
        f"{name} {ours.rows.get(name, 0)} and {peer.rows.get(name, 0)}" for name in names
    )


class _Network(Network):
    """A network whose eras end when the benchmark wants it, and both DAGs."""

    database: sa.Engine

    def connections(self) -> dict[str, Any]:
        """Both DAGs get an issued token."""
        given: dict[str, Any] = super().connections()
        given[f"gateway_{self.name}"] |= {"password": DEFAULT_TOKEN, "extra": {}}
        return given

    def start_both(self) -> None:
        stand = self.stand
        told = {
            "url": f"http://127.0.0.1:{self.port}",
            "token": DEFAULT_TOKEN,
            "relayer": self.settings["relayer"],
            **self.keys,
            "accounts": [STASH],
        }
        stand.environment |= {
            "PYTHONPATH": os.pathsep.join([stand.environment["PYTHONPATH"], str(ROOT)]),
            VARIABLE: json.dumps(told),
        }
        url = stand.database_url
        if url.startswith("sqlite"):
            url = f"sqlite:///file:{stand.home / 'airflow.db'}?mode=ro&uri=true"
        self.database = sa.create_engine(url, poolclass=sa.NullPool)
        stand.start(self.name, *(name for name in PROGRAMS[stand.executor] if not name.endswith("-2")))
        stand.wait_until_up(self.dag_id, _LEANEST)
        self.control.window("open")
        for dag_id in (self.dag_id, _LEANEST):
            self.api.unpause(dag_id)
        # The schedule makes one run, of the era before the active one.
        self.control.window("closed")
        self.finished(self.run_of(ACTIVE - 1))

    def pay(self, dag_id: str, idle: float = 0.0) -> Cost:
        """End an era, and pay it with a DAG. The run waits for the window first.

        :param idle: processor seconds per second of an idle Airflow.
        """
        era = self.control.advance(eras=1)["active_era"] - 1
        self.control.window("open")
        rows, used, began = self._rows(), self._processor_seconds(), time.monotonic()
        run_id = self.api.trigger(dag_id, **({"era": era} if dag_id == self.dag_id else {}))
        self.wait(lambda: self._state(run_id, _WAIT) == "deferred", f"{run_id} waits")
        time.sleep(max(0.0, began + _WAITING_SECONDS - time.monotonic()))
        closed = datetime.now(timezone.utc)
        self.control.window("closed")
        ended = self.wait(lambda: self._ended(run_id), f"{run_id} has ended") or ("", closed)
        time.sleep(_SETTLED_SECONDS)
        if ended[0] != "success" or self.executed()[era] != 1:
            raise MeasurementFailed(f"{run_id} of era {era} is {ended[0]}: {self.unfinished(run_id)}")
        seconds, after = time.monotonic() - began, self._rows()
        return Cost(
            starts=_STARTED.findall(self._scheduler_log()).count(run_id),
            tasks=after["task_instance"] - rows["task_instance"],
            rows={name: more for name in after if (more := after[name] - rows[name])},
            processor=self._processor_seconds() - used - idle * seconds,
            wall=(ended[1] - closed).total_seconds(),
        )

    def idle(self, seconds: float = 20.0) -> float:
        """Processor seconds per second while there is nothing to do."""
        time.sleep(_SETTLED_SECONDS)
        before = self._processor_seconds()
        time.sleep(seconds)
        return (self._processor_seconds() - before) / seconds

    def _processor_seconds(self) -> float:
        total = 0.0
        for name in self.stand.programs.names():
            if name != self.name:
                program = psutil.Process(self.stand.programs.pid(name))
                for one in [program, *program.children(recursive=True)]:
                    try:
                        total += sum(one.cpu_times()[:4])  # with those of its children that have ended
                    except psutil.NoSuchProcess:
                        continue
        return total

    def _scheduler_log(self) -> str:
        return "".join(path.read_text() for path in (self.stand.home / "components").glob("scheduler*.log"))

    def _query(self, text: str, **values: str) -> list[Any]:
        """Read Airflow's database. The API server is left alone: its work would count."""
        with self.database.connect() as connection:
            return list(connection.execute(sa.text(text), values))

    def _rows(self) -> dict[str, int]:
        names = sa.inspect(self.database).get_table_names()
        return {name: self._query(f'SELECT count(*) FROM "{name}"')[0][0] for name in names}  # noqa: S608 - Airflow's tables

    def _state(self, run_id: str, task_id: str) -> str | None:
        found = self._query(
            "SELECT state FROM task_instance WHERE run_id = :run AND task_id = :task", run=run_id, task=task_id
        )
        return found[0][0] if found else None

    def _ended(self, run_id: str) -> tuple[str, datetime] | None:
        ((state, end),) = self._query("SELECT state, end_date FROM dag_run WHERE run_id = :run", run=run_id)
        ended = datetime.fromisoformat(end) if isinstance(end, str) else end  # SQLite has no type for it, and no zone
        return (state, ended if ended.tzinfo else ended.replace(tzinfo=timezone.utc)) if ended else None
