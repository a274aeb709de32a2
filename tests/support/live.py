"""One network on a live Airflow: its settings, its connections, and what its runs and its chain have come to.

Airflow and its programs are those of `demo`: each in a process group of its own, ended together, and no wait without a deadline.
"""

from __future__ import annotations

import contextlib
import secrets
import sys
from datetime import datetime, timedelta, timezone

import psutil
import yaml

from demo import devnet
from demo.environment import plain_environment
from demo.stack import COMPONENTS, AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner

RELAYER = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
STASH = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
ERA_LENGTH = timedelta(hours=1)
ACTIVE = 1000
"""The era that begins when the settings are written."""
QUICK_TRIGGERER = {"TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "6", "TRIGGERER__JOB_HEARTBEAT_SEC": "1"}
"""Seconds after which a new triggerer takes over what a dead one held, and between signs of life."""


def network_settings(accounts, era_length=ERA_LENGTH, **more):
    """What `staking.yaml` says of a network whose era `ACTIVE` begins now.

    :param accounts: addresses of `user` and `payer`.
    :param more: settings to add.
    """
    start = datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * era_length
    return {
        "relayer": RELAYER,
        **accounts,
        "calendar": {
            "era_length": f"{era_length.total_seconds():.0f}s",
            "anchors": [{"era": 0, "start": start.isoformat()}],
        },
        "timing": {"poll_interval": "1s"},
        "accounts": [STASH],
        **more,
    }


class LiveNetwork(devnet.Devnet):
    """A network of an Airflow, each program of which can be killed and started again.

    :param stack: entered by whoever uses it; nothing is started here.
    :ivar patience: seconds; what takes so long on a machine with other things to do never happens.
    """

    patience: float = 180
    unpaid_eras = 40
    """How many eras before the active one can be paid."""

    def __init__(self, stack, name, network, *, port):
        super().__init__(stack, name, network, port=port, window_seconds=0)
        self._programs = {}

    @classmethod
    def alone(cls, folder, name, *, more=None, **settings):
        """The only network of a new Airflow, with new keys.

        :param more: connections to add.
        :param settings: what `network_settings` takes.
        """
        port = free_port()
        keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
        accounts = {role: LocalSigner(key).account.address for role, key in keys.items()}
        config = folder / "staking.yaml"
        config.write_text(yaml.safe_dump({"networks": {name: network_settings(accounts, **settings)}}))
        connections = devnet.connections(
            f"http://127.0.0.1:{port}", keys["user"], accounts["user"], keys["payer"], accounts["payer"]
        )
        stack = AirflowStack(folder / "home", config=config, connections={**connections, **(more or {})})
        return cls(stack, name, load_config(config).network(name), port=port)

    # --- programs ------------------------------------------------------------------------------------------------------

    def start(self, name):
        """Start a component of Airflow or the simulator, for the first time or again."""
        command, environment = self.program(name)
        self._programs[name] = self.stack.services.start(name, command, environment, self.stack.log_of(name))

    def program(self, name):
        """Command line and environment of a program."""
        if name not in COMPONENTS:
            arguments = [
                text for option, value in self.simulator_options().items() for text in (f"--{option}", str(value))
            ]
            return [sys.executable, "-m", "staking_gateway_simulator", *arguments], plain_environment()
        port = ["--port", str(self.stack.port)] if name == "api-server" else []
        return self.stack.command(*COMPONENTS[name], *port), self.stack.environment

    def kill(self, name):
        """SIGKILL a program and all its children, and wait for their end."""
        service = self._programs.pop(name)
        victims = psutil.Process(service.pid).children(recursive=True)
        assert victims
        for victim in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
        assert self.stack.services.finish(service, 10) == 256 - 9

    def simulator_options(self):
        """Options of the simulator."""
        calendar = self.network.calendar
        return {
            "port": self.port,
            "state": self.stack.home / "simulator.db",
            "anchor-time": calendar.start(0).isoformat(),
            "era-length": calendar.anchors[0].length.total_seconds(),
            "window": 0,
            "unpaid-eras": self.unpaid_eras,
            "confirm-seconds": 1,
            "relayer": self.network.relayer,
        }

    def start_all(self):
        """Start Airflow and the simulator, for the first time or again, and wait for both and for the DAG."""
        for name in [*COMPONENTS, "simulator"]:
            self.start(name)
        self.wait(self.control.state, self.patience, "the simulator answers")
        self.wait_until_up()

    def set_airflow(self, **values):
        """Change settings of Airflow, each named as in its environment, without the `AIRFLOW__`."""
        self.stack.environment.update({f"AIRFLOW__{name}": str(value) for name, value in values.items()})

    def wait_until_up(self, *dag_ids):
        """Wait for Airflow, log in, and wait for its DAGs: this network's unless others are named."""
        api = self.stack.api
        self.wait(lambda: not self.stack.unhealthy(), self.patience, "Airflow is up", self.stack.unhealthy)
        api.log_in()
        for dag_id in dag_ids or (self.dag_id,):
            self.wait(
                lambda dag_id=dag_id: api.import_errors() or api.dag(dag_id),
                self.patience,
                f"{dag_id} is known",
            )
        assert api.import_errors() == []

    # --- runs ----------------------------------------------------------------------------------------------------------

    def trigger(self, era):
        """Start a manual run of an era; returns its id."""
        return self.stack.api.trigger(self.dag_id, str(era))

    def scheduled_run(self):
        """The id of the run that the scheduler has made, once it has."""

        def look():
            runs = self.stack.api.runs(self.dag_id)
            return next((run["dag_run_id"] for run in runs if run["run_type"] == "scheduled"), None)

        return self.wait(look, self.patience, "the scheduler has made a run") or ""

    def task(self, run_id, task_id="payout"):
        """One task instance of a run."""
        tasks = self.stack.api.tasks(self.dag_id, run_id)
        return next((task for task in tasks if task["task_id"] == task_id), None)

    def states(self, run_id):
        """The state of each task of a run."""
        return {task["task_id"]: task["state"] for task in self.stack.api.tasks(self.dag_id, run_id)}

    def deferred(self, run_id, task_id="payout"):
        """Wait until a task is deferred, and return it."""

        def look():
            assert self.stack.api.run(self.dag_id, run_id)["state"] != "failed"
            task = self.task(run_id, task_id)
            return task if task and task["state"] == "deferred" else None

        return self.wait(look, self.patience, f"{task_id} of {run_id} is deferred", missing=lambda: self.states(run_id))

    def finished(self, *run_ids):
        """Wait for the end of runs; returns the state of each."""

        def look():
            states = [self.stack.api.run(self.dag_id, run_id)["state"] for run_id in run_ids]
            return states if {*states} <= {"success", "failed"} else None

        return self.wait(look, self.patience, f"{run_ids} have finished", lambda: self.unfinished(*run_ids)) or []

    def unfinished(self, *run_ids):
        """Tasks of runs that have not succeeded, each in a few words."""
        return [
            f"{run_id} {task['task_id']}[{task['map_index']}] {task['state']}, try {task['try_number']} on {task['hostname']}"
            for run_id in run_ids
            for task in self.stack.api.tasks(self.dag_id, run_id)
            if task["state"] != "success"
        ]

    def outcome(self, run_id):
        """What the payout of a run came to."""
        return str(self.stack.api.xcom(self.dag_id, run_id, "payout", "outcome")["outcome"])

    # --- the chain -----------------------------------------------------------------------------------------------------

    def executed(self, era):
        """Payouts of an era the chain has executed."""
        return [payout for payout in self.control.truth()["payouts"] if payout["era"] == era]

    def requested(self, era):
        """Payouts of an era the gateway has accepted."""
        return [request for request in self.control.truth()["requests"] if request["era"] == era]

    def sends(self):
        """How often /send was called."""
        return int(self.control.truth()["calls"]["by_path"].get("/send", 0))
