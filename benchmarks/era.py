"""What an era costs Airflow with the shipped payout DAG, beside the leanest DAG for the same four tasks on the same Airflow.

Airflow is a whole one, `airflow standalone` with the LocalExecutor and SQLite.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import requests

from benchmarks.harness import ROOT, Line, MeasurementFailed, environment
from benchmarks.leanest import ACCOUNTS, GATEWAY
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

ROUNDS, PATIENCE = 4, 900
OURS, LEANEST = "staking_payout_devnet", "leanest"
LENGTH = 864_000.0  # seconds of an era: none ends by itself meanwhile
PROCESSOR, ROWS, WALL = "processor time of Airflow", "rows in Airflow's database", "from the window's close to green"
SETTLED = 3.0  # seconds after a run in which its last processes end


def measure() -> list[Line]:
    """Pay eras in turn with both DAGs. The first run of each is not counted."""
    with tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder:
        settings = SimulatorSettings(era_length=LENGTH, window=0, unpaid_eras=1, confirm_seconds=1)
        with RunningSimulator(settings) as simulator, closing(Airflow(Path(folder), simulator)) as airflow:
            airflow.start()
            rounds = [(airflow.pay(OURS), airflow.pay(LEANEST)) for _ in range(ROUNDS)]
    return [
        Line(f"an era: {what}", "leanest DAG", [(ours[what], leanest[what]) for ours, leanest in rounds], what != ROWS)
        for what in (PROCESSOR, ROWS, WALL)
    ]


def wait_for(look: Callable[[], Any], what: str) -> Any:
    """Look until there is something to see; return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        if time.monotonic() > deadline:
            raise MeasurementFailed(f"{what}: not within {PATIENCE} seconds")
        time.sleep(0.2)
    return found


class Airflow:
    """An Airflow in a folder, with the shipped staking.yaml but for longer eras."""

    def __init__(self, folder: Path, simulator: RunningSimulator) -> None:
        self.folder = folder
        self.control = simulator.control
        self.headers: dict[str, str] = {}
        self.idle = 0.0
        config = (ROOT / "include" / "staking.yaml").read_text().replace("max_drift: 10 ", "max_drift: 1000 ")
        config = config.replace("era_length: 20s", f"era_length: {LENGTH:.0f}s")
        (folder / "staking.yaml").write_text(config)
        (folder / "dags").mkdir()
        shutil.copy(ROOT / "dags" / "staking_payout.py", folder / "dags")
        shutil.copy(ROOT / "benchmarks" / "leanest.py", folder / "dags")
        connections = {
            "GATEWAY_DEFAULT": {"conn_type": "stakinggateway", "host": simulator.url, "password": simulator.token},
            "SIGNER_USER": {"conn_type": "stakingsigner", "password": "//Alice"},
            "SIGNER_PAYER": {"conn_type": "stakingsigner", "password": "//Charlie"},
        }
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        settings = {
            "CORE__LOAD_EXAMPLES": False,
            "CORE__DAGS_ARE_PAUSED_AT_CREATION": False,
            "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": True,
            "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": 0.3,
            "API__PORT": port,
            "API__BASE_URL": self.url,
            "WORKERS__EXECUTION_API_TIMEOUT": 60,
        }
        self.environment = environment(
            AIRFLOW_HOME=str(folder),
            STAKING_GATEWAY_CONFIG=str(folder / "staking.yaml"),
            **{f"AIRFLOW_CONN_STAKING_{name}": json.dumps(fields) for name, fields in connections.items()},
            **{f"AIRFLOW__{name}": str(value) for name, value in settings.items()},
            **{GATEWAY: simulator.url, ACCOUNTS: ",".join(re.findall(r"{account: (\w+)", config))},
        )

    def start(self) -> None:
        """Start Airflow, let each DAG run once, and see what it uses while idle."""
        command = [sys.executable, "-m", "airflow", "standalone"]
        with (self.folder / "standalone.log").open("w") as log:
            self._program = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        self.headers = {"Authorization": f"Bearer {wait_for(self._token, 'the API server answers')}"}
        wait_for(lambda: len(self.query("SELECT 1 FROM dag")) == 2, "both DAGs are known")
        # The schedule makes one run, of the era before the active one.
        wait_for(lambda: self.query("SELECT 1 FROM dag_run WHERE end_date IS NOT NULL"), "the scheduled run has ended")
        for dag_id in (OURS, LEANEST):
            self.pay(dag_id)
        before, began = self._processor(), time.monotonic()
        time.sleep(20)
        self.idle = (self._processor() - before) / (time.monotonic() - began)

    def pay(self, dag_id: str) -> dict[str, float]:
        """End an era, and pay it with a DAG; returns what it cost. The run waits for the window first."""
        era = self.control.advance(eras=1)["active_era"] - 1
        self.control.window("open")
        rows, used, began = self._rows(), self._processor(), time.monotonic()
        body = {"logical_date": None, "conf": {"era": era} if dag_id == OURS else {}}
        answer = requests.post(f"{self.url}/api/v2/dags/{dag_id}/dagRuns", json=body, headers=self.headers, timeout=60)
        answer.raise_for_status()
        run_id = answer.json()["dag_run_id"]
        waiting = "SELECT 1 FROM task_instance WHERE run_id = ? AND task_id = 'wait_for_window' AND state = 'deferred'"
        wait_for(lambda: self.query(waiting, run_id), f"{run_id} waits for the window")
        time.sleep(SETTLED)
        closed = time.monotonic()
        self.control.window("closed")
        ended = "SELECT state FROM dag_run WHERE run_id = ? AND end_date IS NOT NULL"
        ((state,),) = wait_for(lambda: self.query(ended, run_id), f"{run_id} has ended")
        wall = time.monotonic() - closed
        time.sleep(SETTLED)
        if state != "success" or [payout["era"] for payout in self.control.truth()["payouts"]].count(era) != 1:
            raise MeasurementFailed(f"{run_id} of era {era} is {state}")
        processor = self._processor() - used - self.idle * (time.monotonic() - began)
        return {PROCESSOR: processor, ROWS: float(self._rows() - rows), WALL: wall}

    def close(self) -> None:
        """End all programs."""
        processes = self._processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in psutil.wait_procs(processes, 60)[1]:
            process.kill()

    def query(self, text: str, *values: str) -> list[Any]:
        """Read Airflow's database. The API server is left alone: its work would count."""
        with closing(sqlite3.connect(f"file:{self.folder}/airflow.db?mode=ro", uri=True, timeout=60)) as connection:
            return connection.execute(text, values).fetchall()

    def _token(self) -> str:
        with suppress(requests.ConnectionError):
            answer = requests.get(f"{self.url}/auth/token", timeout=60)
            return str(answer.json()["access_token"]) if answer.ok else ""
        return ""

    def _rows(self) -> int:
        names = [name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return sum(self.query(f'SELECT count(*) FROM "{name}"')[0][0] for name in names)  # noqa: S608 - Airflow's tables

    def _processes(self) -> list[psutil.Process]:
        program = psutil.Process(self._program.pid)
        return [program, *program.children(recursive=True)]

    def _processor(self) -> float:
        total = 0.0
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                total += sum(process.cpu_times()[:4])  # with those of its children that have ended
        return total
