"""The stand of all live tests: one Airflow in one folder, on loopback, with a simulated network for each that it pays.

Entering a `Stand` makes its files and its database; `start` starts Airflow and the simulators. Each program can be killed and started
again. Leaving it ends all of them. Every wait has a deadline.
"""

from __future__ import annotations

import base64
import json
import secrets
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import requests
import sqlalchemy as sa
import yaml

from staking_gateway.ledger import Ledger
from tests.support import servers
from tests.support.airflow_api import AirflowApi, ApiRefused
from tests.support.programs import ProgramFailed, Programs, free_port, plain_environment, quote

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PATIENCE = 600
"""Seconds; what takes so long on a machine with other things to do never happens."""

WORKERS = ("worker-1", "worker-2")
SCHEDULERS = ("scheduler-1", "scheduler-2")
PROGRAMS = {
    "local": ("api-server", "dag-processor", "triggerer", "scheduler"),
    "celery": ("api-server", "dag-processor", "triggerer", *SCHEDULERS, *WORKERS),
}
_COMMANDS = {
    "api-server": ["api-server", "--host", "127.0.0.1", "--workers", "1"],
    "dag-processor": ["dag-processor"],
    "triggerer": ["triggerer", "--skip-serve-logs"],
    "scheduler": ["scheduler", "--skip-serve-logs"],
    "worker": ["celery", "worker", "--skip-serve-logs"],
}
_SETTINGS = {
    "CORE__EXECUTOR": "LocalExecutor",
    "CORE__LOAD_EXAMPLES": "False",
    "CORE__PARALLELISM": "8",
    "CORE__TEST_CONNECTION": "Enabled",
    "CORE__AUTH_MANAGER": "airflow.api_fastapi.auth.managers.simple.simple_auth_manager.SimpleAuthManager",
    "CORE__SIMPLE_AUTH_MANAGER_USERS": "admin:admin",
    "DATABASE__LOAD_DEFAULT_CONNECTIONS": "False",
    "USAGE_DATA_COLLECTION__ENABLED": "False",
    "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.3",
    # A task's supervisor may miss the end of its process and look again only after this long. A task that has been deferred and
    # resumed meanwhile is then taken for a failed one, and tried again.
    "WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
    "WORKERS__EXECUTION_API_TIMEOUT": "20",  # an API server on a busy machine is slow
    "DAG_PROCESSOR__REFRESH_INTERVAL": "10",
    "DAG_PROCESSOR__PARSING_PROCESSES": "1",
    "LOGGING__DAG_PROCESSOR_LOG_TARGET": "file",
    # Seconds after which a new triggerer takes over what a dead one held, and between signs of life.
    "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "6",
    "TRIGGERER__JOB_HEARTBEAT_SEC": "1",
}
_CELERY = {
    "CORE__EXECUTOR": "CeleryExecutor",
    "CORE__HOSTNAME_CALLABLE": "machine.name",
    "CELERY__WORKER_CONCURRENCY": "2",
    "CELERY__OPERATION_TIMEOUT": "10",
    # A dead worker's tasks are tried again after this, and what was lost with the broker is sent again. In seconds, and far
    # shorter than by default; yet longer than a busy machine holds a living task up.
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "2",
    "SCHEDULER__TASK_QUEUED_TIMEOUT": "40",
    "SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "5",
    # A dead scheduler's tasks are adopted by the other one after this.
    "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "10",
    "SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
    "SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
    "SCHEDULER__JOB_HEARTBEAT_SEC": "1",
}


class Stand:
    """One Airflow. A context manager.

    :param folder: for everything.
    :param networks: the networks that its `staking.yaml` describes.
    :param executor: `local`, or `celery`: two schedulers, two workers, a Redis, and programs that are started again when they end.
    :param database: `sqlite`, or `postgresql` for Airflow's tables and the ledger.
    :param faults: rules of every simulator from its start.
    :param dags: folder of the DAG files.
    :param connections: more connections, by id.
    :param settings: more settings of Airflow, each named as in its environment, without the `AIRFLOW__`.
    """

    def __init__(
        self, folder, networks, executor="local", database="sqlite", faults=(), *,
        dags=ROOT / "dags", connections=None, settings=None,
    ):  # fmt: skip
        self.folder, self.home = folder, folder / "home"
        self.config = folder / "staking.yaml"
        self.networks = {network.name: network for network in networks}
        self.faults = faults
        self.executor, self._postgresql = executor, database == "postgresql"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.password = secrets.token_urlsafe(12)
        self.api = AirflowApi(self.url, "admin", self.password)
        self.programs = Programs(again=self._start if executor == "celery" else None)
        self.fernet_key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
        self.database_url = f"sqlite:///{self.home / 'airflow.db'}"
        self.ledger_url = f"sqlite:///{self.home / 'staking_ledger.db'}"
        self._given, self._settings, self._dags = connections or {}, settings or {}, dags
        self._exits = ExitStack()

    def __enter__(self):
        self.home.mkdir(parents=True)
        with ExitStack() as exits:
            self._start_servers(exits)
            exits.callback(self.api.close)
            exits.callback(self.programs.stop)
            for network in self.networks.values():
                network.join(self)
            self.write_settings()
            self.write_passwords({"admin": self.password})
            self.environment = self._environment()
            self._migrate()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *raised):
        return self._exits.__exit__(*raised)

    def write_settings(self):
        """Write `staking.yaml`; a reader sees the old one or the new one."""
        fresh = self.config.with_suffix(".new")
        networks = {name: network.settings for name, network in self.networks.items()}
        ledger = {"ledger_conn_id": "staking_ledger"} if self._postgresql else {}
        fresh.write_text(yaml.safe_dump({"networks": networks, **ledger}))
        fresh.replace(self.config)

    def write_passwords(self, passwords):
        """Write the passwords of Airflow's users."""
        path = self.home / "passwords.json"
        path.touch(mode=0o600)
        path.write_text(json.dumps(passwords))

    def ledger(self):
        """The ledger, to be closed."""
        return closing(Ledger(self.ledger_url))

    def query(self, statement):
        """Rows of Airflow's database, in PostgreSQL."""
        return servers.execute(sa.make_url(self.database_url), statement)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def _start_servers(self, exits):
        if self._postgresql or self.executor == "celery":
            servers.install()
        if self._postgresql:
            self.postgresql = exits.enter_context(servers.PostgreSQL())
            urls = [self.postgresql.database(name) for name in ("airflow", "ledger")]
            self.database_url, self.ledger_url = (url.render_as_string(hide_password=False) for url in urls)
            ledger = urls[1]
            self._given["staking_ledger"] = {
                "conn_type": "postgres", "host": ledger.host, "port": ledger.port, "schema": ledger.database,
                "login": ledger.username, "password": ledger.password,
            }  # fmt: skip
        if self.executor == "celery":
            self.redis = exits.enter_context(servers.Redis())

    def _environment(self):
        """Variables for every `airflow ...`."""
        settings = {
            **_SETTINGS,
            "CORE__DAGS_FOLDER": self._dags,
            "CORE__PLUGINS_FOLDER": ROOT / "plugins",
            "CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "CORE__FERNET_KEY": self.fernet_key,
            "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": self.home / "passwords.json",
            "DATABASE__SQL_ALCHEMY_CONN": self.database_url,
            "LOGGING__BASE_LOG_FOLDER": self.home / "logs",
            "API__BASE_URL": self.url,
            "API__HOST": "127.0.0.1",
            "API__PORT": self.port,
            "API__SECRET_KEY": secrets.token_urlsafe(32),
            "API_AUTH__JWT_SECRET": secrets.token_urlsafe(64),
        }
        if self.executor == "celery":
            settings |= {**_CELERY, "CELERY__BROKER_URL": self.redis.url}
        connections = {}
        for network in self.networks.values():
            connections |= network.connections()
        return {
            **plain_environment(),
            "AIRFLOW_HOME": str(self.home),
            "STAKING_GATEWAY_CONFIG": str(self.config),
            "PYTHONPATH": str(HERE / "machines"),
            "MACHINE": "beside",
            **{f"AIRFLOW__{name}": str(value) for name, value in {**settings, **self._settings}.items()},
            **{f"AIRFLOW_CONN_{name.upper()}": json.dumps(fields) for name, fields in {**connections, **self._given}.items()},
        }  # fmt: skip

    _migrated = None
    """An SQLite database with Airflow's empty tables, made once for all stands."""

    def _migrate(self):
        sqlite = not self._postgresql
        if not (sqlite and Stand._migrated):
            environment = {**self.environment, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": self.database_url}
            self.programs.run(self.command("db", "migrate"), environment, self.log_of("db-migrate"), PATIENCE)
            if sqlite:
                Stand._migrated = self.folder / "empty.db"
                shutil.copy(self.home / "airflow.db", Stand._migrated)
        else:
            shutil.copy(Stand._migrated, self.home / "airflow.db")

    # --- programs ----------------------------------------------------------------------------------------------------

    def start(self, *names):
        """Start programs, for the first time or again; without names all of Airflow and the simulators, and wait for them."""
        wanted = names or [
            name for name in (*self.networks, *PROGRAMS[self.executor]) if name not in self.programs.names()
        ]
        for name in wanted:
            if name.startswith("scheduler") and "api-server" in wanted:  # its first tasks call it
                self.wait(lambda: "api_server" not in self.api.unhealthy(), "the API server answers")
            self._start(name)
        if not names:
            for network in self.networks.values():
                self.wait(network.control.state, f"the simulator of {network.name} answers")
            self.wait_until_up(*[one.dag_id for one in self.networks.values() if one.settings.get("enabled", True)])

    def _start(self, name):
        if name in self.networks:
            command, environment = self.networks[name].program(), plain_environment()
        else:
            component = name.rpartition("-")[0] if name in (*SCHEDULERS, *WORKERS) else name
            more = {"api-server": ["--port", str(self.port)], "worker": ["--celery-hostname", name]}.get(component, [])
            command = self.command(*_COMMANDS[component], *more)
            environment = {**self.environment, "MACHINE": name}
            if component == "worker":
                environment["AIRFLOW_HOME"] = str(self.home / name)
                (self.home / name).mkdir(exist_ok=True)
        self.programs.start(name, command, environment, self.log_of(name))

    def wait_until_up(self, *dag_ids):
        """Wait for Airflow, log in, and wait for DAGs."""
        self.wait(lambda: not self.api.unhealthy(), "Airflow is up", self.api.unhealthy)
        self.api.log_in()
        for dag_id in dag_ids:
            self.wait(lambda dag_id=dag_id: self.api.import_errors() or self.api.dag(dag_id), f"{dag_id} is known")
        assert self.api.import_errors() == []

    def kill(self, name):
        """SIGKILL a program and all its children, and wait for their end."""
        self.programs.kill(name)

    def stop_airflow(self):
        """End all of Airflow; the chains live on."""
        self.programs.stop(*(name for name in self.programs.names() if name not in self.networks))

    def command(self, *words):
        """The command line of `airflow ...`."""
        return [sys.executable, "-m", "airflow", *words]

    def run(self, *words, **variables):
        """Run `airflow ...` beside the components and wait for it.

        :param variables: for its environment.
        """
        return subprocess.run(
            self.command(*words), env={**self.environment, **variables}, cwd=self.home, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def log_of(self, name):
        """Where a program writes; a simulator does so outside of Airflow's home."""
        return (self.folder / "simulators" if name in self.networks else self.home / "components") / f"{name}.log"

    def wait(self, check, what, missing=None, seconds=PATIENCE):
        """Ask until the answer is true, and return it.

        :param what: what the answer stands for, for the error.
        :param missing: tells what is still missing.
        :raises ProgramFailed: a program died, or the time is up.
        """
        until = time.monotonic() + seconds
        while True:
            self.programs.check()
            answer = None
            try:
                answer = check()
            except requests.RequestException:
                pass
            except ApiRefused as refused:  # an API that cannot read its database just now has no answer yet
                if refused.status < 500:
                    raise
            if answer:
                return answer
            if time.monotonic() >= until:
                rest = f", missing: {missing()}" if missing else ""
                raise ProgramFailed(f"Waited {seconds:.0f} s: {what}{rest}. {quote(self.log_of('scheduler'))}")
            time.sleep(0.25)
