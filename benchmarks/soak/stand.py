"""A live Airflow over PostgreSQL and the chains it pays, each program of which can be killed and started again."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections import Counter
from contextlib import ExitStack, closing
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import psutil  # type: ignore[import-untyped]
import requests
import sqlalchemy as sa
import yaml

from benchmarks.databases import postgresql
from benchmarks.results import MeasurementFailed
from benchmarks.soak.course import PROGRAMS
from benchmarks.soak.memory import DATABASE
from benchmarks.soak.network import ALERTS_CONN_ID, PAYOUT_DAG, Network
from benchmarks.soak.pace import Work
from demo.environment import plain_environment
from demo.receiver import Receiver
from demo.services import quote
from demo.stack import COMPONENTS, AirflowStack
from staking_gateway.alerts.alert_facts import CALENDAR_TOPIC
from staking_gateway.ledger import Ledger
from staking_gateway.payout.standing import is_paid
from staking_gateway_provider.networks import LEDGER_FILE
from staking_gateway_provider.ui import URL_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from benchmarks.soak.course import Course
    from demo.services import Service

T = TypeVar("T")

_START_SECONDS = 300.0
_HEAD_START = timedelta(seconds=60)
"""From the start of the programs to the first era: about as long as they take to be up. An era that ends sooner is caught up with."""
_STEP_SECONDS = 0.5
_PAGE_SECONDS = 30.0

_QUICK = {
    # What is dead is noticed after seconds where it is otherwise after minutes, since eras last seconds too.
    "TRIGGERER__JOB_HEARTBEAT_SEC": "2",
    "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "10",
    "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "15",
    "SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "15",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "30",
    "SCHEDULER__TASK_QUEUED_TIMEOUT": "120",
    # Tasks outlive the restart of the api-server, through which they speak.
    "WORKERS__EXECUTION_API_RETRIES": "10",
    "WORKERS__EXECUTION_API_RETRY_WAIT_MAX": "5",
}


class Stand:
    """Everything a soak needs, alive; a context manager.

    :param home: AIRFLOW_HOME; emptied.
    :param network: what makes the networks.
    """

    def __init__(self, home: Path, course: Course, network: type[Network] = Network) -> None:
        self.course = course
        self.receiver = Receiver()
        start = datetime.now(timezone.utc).replace(microsecond=0) + _HEAD_START
        self.networks = [
            network.make(name, course, start + index * timedelta(seconds=course.pace))
            for index, name in enumerate(course.networks)
        ]
        connections = {ALERTS_CONN_ID: {"conn_type": "http", "host": self.receiver.url}}
        for one in self.networks:
            connections |= one.connections()
        self.stack = AirflowStack(home, config=home / "staking.yaml", connections=connections)
        self.database_url = ""
        self.births: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self._running: dict[str, Service] = {}
        self._exits = ExitStack()

    def __enter__(self) -> Stand:
        """Make a database server, and an Airflow that is not started yet."""
        with ExitStack() as exits:
            exits.enter_context(self.receiver)
            self.database_url = exits.enter_context(postgresql())()
            exits.enter_context(self.stack)
            settings = {
                "DATABASE__SQL_ALCHEMY_CONN": self._sqlalchemy_url,
                **_QUICK,
            }
            self.stack.environment.update({f"AIRFLOW__{name}": value for name, value in settings.items()})
            networks = {network.name: network.settings() for network in self.networks}
            (self.stack.home / "staking.yaml").write_text(yaml.safe_dump({"networks": networks}))
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # The server waits for the last connection to be closed.
        self.engine.dispose()
        self._exits.__exit__(kind, error, traceback)

    @cached_property
    def engine(self) -> sa.Engine:
        """Airflow's metadata database, to be read."""
        return sa.create_engine(self._sqlalchemy_url)

    @property
    def _sqlalchemy_url(self) -> str:
        return self.database_url.replace("postgresql://", "postgresql+psycopg2://")

    @property
    def names(self) -> list[str]:
        """All programs, the simulators among them."""
        return [*PROGRAMS, *(f"simulator {network.name}" for network in self.networks)]

    @property
    def ledger_file(self) -> Path:
        """The ledger, where it is unless told otherwise."""
        return self.stack.home / LEDGER_FILE

    @property
    def ledger_url(self) -> str:
        return f"sqlite:///{self.ledger_file}"

    def bring_up(self) -> None:
        """Start everything; the DAGs are known then, and paused.

        :raises DemoFailed: a program has ended; names its log.
        :raises MeasurementFailed: something does not come up; says what.
        """
        log = self.stack.log_of("db-migrate")
        migration = self.stack.services.start(
            "db-migrate", self.stack.command("db", "migrate"), self.stack.environment, log
        )
        if self.stack.services.finish(migration, _START_SECONDS) != 0:
            raise MeasurementFailed(f"The metadata database could not be made.\n{quote(log)}")
        for name in self.names:
            self.start(name)
        self.wait(lambda: not self.stack.unhealthy(), "Airflow is up")
        self.stack.api.log_in()
        for network in self.networks:
            self.wait(network.control.state, f"the simulator of {network.name} answers")
            for dag_id in (network.payout_dag, network.catch_up_dag):
                self.wait(lambda dag_id=dag_id: self.stack.api.dag(dag_id), f"{dag_id} is known")  # type: ignore[misc]

    def wait(self, check: Callable[[], T], what: str, seconds: float = _START_SECONDS) -> T:
        """Ask until the answer is true.

        :param what: what the answer stands for, for the error.
        :raises MeasurementFailed: the time is up.
        """
        until = time.monotonic() + seconds
        while True:
            self.stack.services.check()
            with contextlib.suppress(requests.RequestException):
                if answer := check():
                    return answer
            if time.monotonic() >= until:
                raise MeasurementFailed(f"Waited {seconds:.0f} s in vain: {what}; see the logs in {self.stack.home}")
            time.sleep(_STEP_SECONDS)

    # --- programs ----------------------------------------------------------------------------------------------------

    def network(self, name: str) -> Network:
        return next(network for network in self.networks if network.name == name)

    def start(self, name: str) -> None:
        """Start a program, for the first time or again."""
        if name in COMPONENTS:
            port = ["--port", str(self.stack.port)] if name == "api-server" else []
            command, environment = self.stack.command(*COMPONENTS[name], *port), self.stack.environment
        else:
            network = self.network(name.removeprefix("simulator "))
            command, environment = network.simulator(self.stack.home, self.births[name]), plain_environment()
        self.births[name] += 1
        log = self.stack.log_of(name.replace(" ", "-"))
        self._running[name] = self.stack.services.start(name, command, environment, log)

    def kill(self, name: str) -> None:
        """SIGKILL a program and all its children, wait for their end, and start it again."""
        if name.startswith("simulator "):
            # It forgets its counts, but not the chain.
            self.count_faults(self.network(name.removeprefix("simulator ")))
        service = self._running[name]
        for victim in psutil.Process(service.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
        self.stack.services.finish(service, _START_SECONDS)
        self.start(name)

    def count_faults(self, network: Network) -> None:
        """Add up what a simulator has counted since its start."""
        self.faults.update(network.control.faults()["counts"])

    def program(self, name: str) -> psutil.Process | None:
        """The main process of a program; None while it is not there."""
        if name == DATABASE:
            # Airflow's programs have keepers, which are children too.
            return next((child for child in psutil.Process().children() if child.name() == "postgres"), None)
        with contextlib.suppress(psutil.NoSuchProcess):
            children = psutil.Process(self._running[name].pid).children()
            return children[0] if children else None
        return None

    # --- DAGs --------------------------------------------------------------------------------------------------------

    def pause(self, dag_id: str, *, paused: bool) -> None:
        """Let the scheduler begin no more runs of a DAG, or go on."""
        body = {"is_paused": paused}
        self.wait(
            lambda: self.stack.api.call("PATCH", f"dags/{dag_id}", body, update_mask="is_paused"),
            f"{dag_id} is {'paused' if paused else 'going'}",
        )

    def count_runs(self) -> Counter[str]:
        """Runs of all DAGs, by state."""
        with self.engine.connect() as connection:
            found = connection.execute(sa.text("SELECT state, count(*) FROM dag_run GROUP BY state"))
            return Counter({str(state): int(count) for state, count in found})

    def work(self, active: Mapping[str, int]) -> Work:
        """What Airflow has to do.

        :param active: the active era of each network.
        """
        ready = "SELECT count(*) FROM task_instance WHERE state IN ('scheduled', 'queued', 'running')"
        runs = (
            "SELECT dag_run.dag_id, partition_key FROM dag_run JOIN dag ON dag.dag_id = dag_run.dag_id "
            "WHERE state = 'running' AND partition_key IS NOT NULL AND NOT is_paused"
        )
        with self.engine.connect() as connection:
            tasks = int(connection.execute(sa.text(ready)).scalar() or 0)
            found = connection.execute(sa.text(runs)).all()
        eras = [
            (row.dag_id.removeprefix(PAYOUT_DAG), int(row.partition_key))
            for row in found
            if row.dag_id.startswith(PAYOUT_DAG)
        ]
        return Work(tasks, Counter(name for name, era in eras if era < active[name]))

    def look_at_page(self, network: Network) -> bool:
        """Ask for what the Staking page shows of a network; whether it was answered."""
        login = {"username": self.stack.username, "password": self.stack.password}
        with requests.Session() as session:
            session.trust_env = False
            token = session.post(f"{self.stack.url}/auth/token", json=login, timeout=_PAGE_SECONDS)
            if not token.ok:
                return False
            headers = {"Authorization": f"Bearer {token.json()['access_token']}"}
            url = f"{self.stack.url}{URL_PREFIX}/api/networks/{network.name}/overview"
            return session.get(url, headers=headers, timeout=_PAGE_SECONDS).ok

    # --- the ledger ----------------------------------------------------------------------------------------------------

    def ledger_bytes(self) -> int:
        """Size of the ledger, whether it is in its file yet or in the log beside it."""
        if not self.ledger_file.exists():
            return 0
        with closing(sqlite3.connect(f"file:{self.ledger_file}?mode=ro", uri=True)) as connection:
            pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages * size)

    def is_settled(self, network: Network) -> bool:
        """Whether the ledger says that all eras are paid, and everything about them was told."""
        with closing(Ledger(self.ledger_url)) as ledger:
            records = ledger.payouts_of(network.name, network.eras)
            alerts = ledger.journal.alerts
            # The calendar goes on while the chain catches up with it; what is said of that may come later.
            untold = [
                one
                for one in alerts.open(network.name)
                if one.topic != CALENDAR_TOPIC and (one.era is None or one.era in network.eras)
            ]
            paid = all(is_paid(records.get(era, ()), 1) for era in network.eras)
            return paid and not untold and not alerts.unsent(network.name)
