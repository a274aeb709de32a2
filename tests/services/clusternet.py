"""An Airflow of several machines: two Celery workers, two schedulers, PostgreSQL and Redis, and everything can be killed.

Each program is told which machine it is on. All are looked after as by a service manager: what has ended by itself is started again.
The chain's clock is the test's: an era is over when it says so, though by the calendar, and so for the schedulers, all are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import yaml
from servers import execute

from demo.api import ApiRefused
from demo.services import DemoFailed, Services, quote
from demo.stack import COMPONENTS, AirflowStack
from staking_gateway.ledger import Ledger
from staking_gateway.types import AccountId
from tests.support.live import QUICK_TRIGGERER, LiveNetwork

HERE = Path(__file__).parent
NETWORK = "cluster"
PATIENCE = 480
"""Seconds; what takes so long on a machine with other things to do never happens."""
ERA_LENGTH = timedelta(hours=12)
ERAS = range(990, 1000)
"""The eras of the session: all are over by the calendar when it begins, none on the chain."""
CHUNK = 250
ACCOUNTS = [AccountId.parse("0x" + hashlib.sha256(b"%d" % number).hexdigest()) for number in range(2000)]
"""Some of them stake, others do not, see `staking_gateway_simulator.accounts.stakes_by_default`."""
WORKERS = ("worker-1", "worker-2")
SLOTS = 2 * len(WORKERS)
SCHEDULERS = ("scheduler-1", "scheduler-2")
OTHERS = ("api-server", "dag-processor", "triggerer")
AIRFLOW = (*OTHERS, *SCHEDULERS, *WORKERS)
_MOST_ENDS = 8
"""A program that ends more often by itself will not do any better."""

QUICK = {
    # A dead worker's tasks are tried again after this, and what was lost with the broker is sent again. In seconds, and far
    # shorter than by default, see docs/deploy.md; yet longer than a busy machine holds a living task up.
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "2",
    "SCHEDULER__TASK_QUEUED_TIMEOUT": "40",
    "SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "5",
    # A dead scheduler's tasks are adopted by the other one after this.
    "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "10",
    "SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
    "SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
    "SCHEDULER__JOB_HEARTBEAT_SEC": "1",
    **QUICK_TRIGGERER,
}


def settings(user, payer):
    """`staking.yaml`: the first era of the session is the first that is owed, and the last one has just ended."""
    start = datetime.now(timezone.utc).replace(microsecond=0) - ERAS.stop * ERA_LENGTH
    network = {
        "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty",
        "user": user,
        "payer": payer,
        "calendar": {
            "era_length": f"{ERA_LENGTH.total_seconds():.0f}s",
            "anchors": [{"era": 0, "start": start.isoformat()}],
        },
        "start_date": (start + ERAS.start * ERA_LENGTH).isoformat(),
        "catchup": True,
        "timing": {"poll_interval": "1s", "lease": "10s"},
        "statuses": {"chunk_size": CHUNK},
        "catch_up": {"scheduled": False},
        "accounts": [account.address for account in ACCOUNTS],
    }
    return yaml.safe_dump({"networks": {NETWORK: network}, "ledger_conn_id": "staking_ledger"})


class Supervised(Services):
    """Programs that are started again when they have ended by themselves.

    :ivar again: starts one, by its name.
    :ivar ended: how often each has ended by itself.
    """

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.ended = Counter()
        self.again = None

    def check(self):
        for service in [running for running in self._running if running.keeper.poll() is not None]:
            status = self.finish(service, 0)
            self.ended[service.name] += 1
            if self.ended[service.name] > _MOST_ENDS:
                raise DemoFailed(f"The {service.name} keeps ending, with status {status}.\n{quote(service.log)}")
            self.again(service.name)


class ClusterStack(AirflowStack):
    """Airflow with the CeleryExecutor.

    :param database: SQLAlchemy URL of the metadata database.
    :param broker: URL of the broker.
    """

    def __init__(self, home, *, database, broker, **options):
        super().__init__(home, **options)
        self.database = database
        self.broker = broker

    def __enter__(self):
        super().__enter__()
        self.services = Supervised(self._shield, kept_open=[self._lock.descriptor])
        given = {
            **QUICK,
            "CORE__EXECUTOR": "CeleryExecutor",
            "CORE__HOSTNAME_CALLABLE": "machine.name",
            "DATABASE__SQL_ALCHEMY_CONN": self.database.render_as_string(hide_password=False),
            "CELERY__BROKER_URL": self.broker,
            "CELERY__WORKER_CONCURRENCY": str(SLOTS // len(WORKERS)),
            "CELERY__OPERATION_TIMEOUT": "10",
        }
        self.environment.update({f"AIRFLOW__{name}": value for name, value in given.items()})
        self.environment.update(PYTHONPATH=str(HERE / "machines"), MACHINE="beside")
        return self

    def migrate(self):
        log = self.log_of("db-migrate")
        program = self.services.start("db-migrate", self.command("db", "migrate"), self.environment, log)
        if self.services.finish(program, PATIENCE) != 0:
            raise DemoFailed(f"The database could not be made.\n{quote(log)}")
        return True


class Clusternet(LiveNetwork):
    """The network of these tests; `stack` is entered, nothing is started yet.

    :param postgresql: the server of both databases.
    :param redis: the broker.
    :param ledger: SQLAlchemy URL of the ledger.
    """

    patience = PATIENCE

    def __init__(self, stack, network, *, port, postgresql, redis, ledger):
        super().__init__(stack, NETWORK, network, port=port)
        self.postgresql = postgresql
        self.redis = redis
        self._ledger = ledger
        stack.services.again = self.start

    def bring_up(self):
        self.stack.migrate()
        self.start("simulator")
        for name in AIRFLOW:
            self.start(name)
        self.wait(self.control.state, PATIENCE, "the simulator answers")
        self.wait_until_up()
        self.stack.api.unpause(self.dag_id)

    def wait(self, check, seconds, what, missing=None):
        """As before, and an API that cannot read its database just now has no answer yet."""

        def patiently():
            try:
                return check()
            except ApiRefused as refused:
                if refused.status < 500:
                    raise
                return None

        return super().wait(patiently, seconds, what, missing)

    # --- programs ----------------------------------------------------------------------------------------------------

    def program(self, name):
        if name == "simulator":
            return super().program(name)
        component = name.rpartition("-")[0] if name in (*SCHEDULERS, *WORKERS) else name
        environment = {**self.stack.environment, "MACHINE": name}
        if component in COMPONENTS:
            command, _ = super().program(component)
            return command, environment
        home = self.stack.home / name
        home.mkdir(exist_ok=True)
        command = self.stack.command("celery", "worker", "--celery-hostname", name, "--skip-serve-logs")
        return command, {**environment, "AIRFLOW_HOME": str(home)}

    def simulator_options(self):
        calendar = self.network.calendar
        return {
            **super().simulator_options(),
            "clock": "manual",
            "start-time": (calendar.start(ERAS.start) + ERA_LENGTH / 2).isoformat(),
            "unpaid-eras": 0,
            "confirm-seconds": 0,
        }

    def scheduler_of(self, task):
        """Which scheduler has queued a task."""
        ((name,),) = execute(
            self.stack.database,
            f"SELECT job.hostname FROM job JOIN task_instance ON task_instance.queued_by_job_id = job.id WHERE task_instance.id = '{task['id']}'",
        )
        return name

    # --- eras --------------------------------------------------------------------------------------------------------

    def end_era(self, era):
        """Let the chain go on to the next era; returns the id of the run that waits for that."""
        assert self.control.state()["active_era"] == era

        def look():
            runs = self.stack.api.runs(self.dag_id)
            return next((run["dag_run_id"] for run in runs if run["partition_key"] == str(era)), None)

        run_id = self.wait(look, PATIENCE, f"a scheduler has made the run of era {era}")
        self.deferred(run_id, "wait_for_window")
        assert self.control.advance(eras=1)["active_era"] == era + 1
        return run_id

    def held(self, era, run_id):
        """Wait until the gateway holds a payout's call, whose task waits for the answer; returns that task."""
        self.wait(lambda: self.requested(era), PATIENCE, f"the gateway has the payout of era {era}")
        task = self.task(run_id)
        assert task["state"] == "running"
        return task

    def chunks(self, run_id, *states):
        """The tasks of a run that check accounts, those in these states."""
        tasks = self.stack.api.tasks(self.dag_id, run_id)
        return [task for task in tasks if task["task_id"] == "staking_status" and task["state"] in states]

    def ledger(self):
        """The ledger, to be closed."""
        return closing(Ledger(self._ledger.render_as_string(hide_password=False)))
