"""A whole Airflow of one's own, in one folder and on loopback: for the demo and for the end-to-end tests."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.api import AirflowApi
from demo.environment import USERNAME, airflow_environment
from demo.home import HomeLock, Secrets, clear, write_private
from demo.services import DemoFailed, Services, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""
COMPONENTS = {
    "api-server": ["api-server", "--host", "127.0.0.1", "--workers", "1"],
    "scheduler": ["scheduler", "--skip-serve-logs"],
    "dag-processor": ["dag-processor"],
    "triggerer": ["triggerer", "--skip-serve-logs"],
}
_HEALTHY = ("metadatabase", "scheduler", "triggerer", "dag_processor")
_MIGRATION_SECONDS = 120.0


def free_port(wanted: int = 0) -> int:
    """The wanted port of 127.0.0.1 if nobody listens there, else any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class AirflowStack:
    """Scheduler, dag-processor, triggerer and api-server over SQLite, each a process of its own, fresh at every start.

    Use it as a context manager: entering takes the folder and empties it, `start` runs the components, leaving ends all that
    was started, its other `services` too.

    :param home: AIRFLOW_HOME; made when missing.
    :param config: the `staking.yaml` the DAGs read.
    :param connections: connection id to its fields, handed over in the environment.
    :param ui_port: wanted port of the UI; another one is taken when somebody listens there, see `url`.
    :param shield: see `Services`; it is also around the end.
    :param hurried: see `Services.stop`.
    """

    def __init__(
        self,
        home: Path,
        *,
        config: Path,
        connections: Mapping[str, Mapping[str, Any]],
        ui_port: int = 0,
        shield: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
        hurried: Callable[[], bool] = bool,
    ) -> None:
        self.home = home.resolve()
        self.services: Services
        self.username = USERNAME
        self._shield = shield
        self._hurried = hurried
        self._config = config
        self._connections = connections
        self.port = free_port(ui_port)
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment: dict[str, str]
        self.password: str
        self.api: AirflowApi
        self._lock: HomeLock

    def __enter__(self) -> AirflowStack:
        """Take the folder and make it as new.

        :raises AlreadyRunning: another stack has it.
        """
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = HomeLock(self.home)
        self._lock.take()
        self._lock.say()
        clear(self.home)
        self.services = Services(self._shield, kept_open=[self._lock.descriptor])
        secrets = Secrets.of(self.home)
        self.password = secrets.password
        self.api = AirflowApi(self.url, self.username, self.password)
        self.environment = airflow_environment(
            self.home, ROOT, port=self.port, config=self._config, connections=self._connections, secrets=secrets
        )
        write_private(self.home / "passwords.json", json.dumps({self.username: self.password}))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._shield():
            self.services.stop(self._hurried)
            self.api.close()
            self._lock.release()

    def log_of(self, component: str) -> Path:
        """Where a program of this stack writes."""
        return self.home / "components" / f"{component}.log"

    def migrate(self) -> bool:
        """Make the metadata database.

        The migrations run once for each version of Airflow; later starts copy the empty database they left.

        :returns: whether they had to run.
        :raises DemoFailed: they failed.
        """
        empty = self.home / f"empty-{version('apache-airflow-core')}.db"
        missing = not empty.exists()
        if missing:
            fresh = self.home / "migrating.db"
            environment = {**self.environment, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{fresh}"}
            log = self.log_of("db-migrate")
            program = self.services.start("db-migrate", self.command("db", "migrate"), environment, log)
            if self.services.finish(program, _MIGRATION_SECONDS) != 0:
                raise DemoFailed(f"The database could not be made.\n{quote(log)}")
            fresh.replace(empty)
        shutil.copy(empty, self.home / "airflow.db")
        return missing

    def start(self) -> None:
        """Start the components; `health` tells when they are up."""
        for name, arguments in COMPONENTS.items():
            more = ["--port", str(self.port)] if name == "api-server" else []
            self.services.start(name, self.command(*arguments, *more), self.environment, self.log_of(name))
        self._lock.say(ui=self.url)

    def unhealthy(self) -> list[str]:
        """Names of the components that are not up yet, as the API tells them."""
        health = self.api.health()
        return [name for name in _HEALTHY if health.get(name) != "healthy"]

    def command(self, *arguments: str) -> list[str]:
        """The command line of `airflow ...`."""
        return [sys.executable, "-m", "airflow", *arguments]

    def run(self, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run `airflow ...` beside the components and wait for it."""
        return subprocess.run(  # noqa: S603 - our own program
            self.command(*arguments),
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
