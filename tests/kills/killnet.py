"""A live Airflow and a simulator whose programs can be killed and started again, and payouts told where to die."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import psutil

from demo.devnet import Devnet
from demo.environment import plain_environment
from demo.stack import COMPONENTS

HERE = Path(__file__).parent
NETWORK = "killnet"
ERA_LENGTH = timedelta(hours=1)
ACTIVE = 1000
"""The era of the whole session: the eras before it are owed, and the schedule stands still after its first run."""
UNPAID = 40
PATIENCE = 180
"""Seconds; what takes so long on a machine with other things to do never happens."""

CONFIG = """
networks:
  killnet:
    relayer: 5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty
    user: {user}
    payer: {payer}
    calendar:
      era_length: 1h
      anchors:
        - {{era: 0, start: "{start}"}}
    timing:
      poll_interval: 1s
      lease: 4s
    accounts:
      - {{account: 5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY, label: alice-stash, expect: staking}}
"""
QUICK = {
    # A new triggerer takes over what a dead one held once the dead one has been silent for so many seconds.
    "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "6",
    "TRIGGERER__JOB_HEARTBEAT_SEC": "1",
}


def first_start() -> datetime:
    """The start of era 0 that makes era ACTIVE begin now."""
    return datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * ERA_LENGTH


class Killnet(Devnet):
    """The network of these tests; `stack` is entered, nothing is started yet."""

    patience = PATIENCE

    def __init__(self, stack, network, *, port, name=NETWORK):
        super().__init__(stack, name, network, port=port, window_seconds=0)
        self._deaths = stack.home / "deaths"
        self._programs = {}

    def bring_up(self):
        """Start everything but the schedule: the DAG is paused."""
        api, environment = self.stack.api, self.stack.environment
        self._deaths.mkdir()
        environment.update({f"AIRFLOW__{name}": value for name, value in QUICK.items()})
        environment["AIRFLOW__CORE__DAGS_FOLDER"] = str(HERE / "dags")
        environment["KILLS_FOLDER"] = str(self._deaths)
        self.stack.migrate()
        environment["PYTHONPATH"] = str(HERE / "deadly")
        for name in [*COMPONENTS, "simulator"]:
            self.start(name)
        self.wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
        api.log_in()
        self.wait(self.control.state, PATIENCE, "the simulator answers")
        self.wait(lambda: api.import_errors() or api.dag(self.dag_id), PATIENCE, "the DAG is known", api.import_errors)

    # --- programs ----------------------------------------------------------------------------------------------------

    def start(self, name):
        """Start a component of Airflow or the simulator, for the first time or again."""
        command, environment = self.program(name)
        self._programs[name] = self.stack.services.start(name, command, environment, self.stack.log_of(name))

    def program(self, name):
        """Command line and environment of a program."""
        if name not in COMPONENTS:
            return self._simulator(), plain_environment()
        port = ["--port", str(self.stack.port)] if name == "api-server" else []
        return self.stack.command(*COMPONENTS[name], *port), self.stack.environment

    def kill(self, name):
        """SIGKILL a program and all its children, and wait for their end."""
        service = self._programs.pop(name)
        victims = psutil.Process(service.pid).children(recursive=True)
        assert victims
        for victim in victims:
            victim.kill()
        assert self.stack.services.finish(service, 10) == 256 - 9

    def chain(self):
        """What the simulator is told."""
        return {
            "port": self.port,
            "state": self.stack.home / "simulator.db",
            "anchor-time": self.network.calendar.start(0).isoformat(),
            "era-length": ERA_LENGTH.total_seconds(),
            "window": 0,
            "unpaid-eras": UNPAID,
            "confirm-seconds": 1,
            "relayer": self.network.relayer,
        }

    def _simulator(self):
        arguments = [text for name, value in self.chain().items() for text in (f"--{name}", str(value))]
        return [sys.executable, "-m", "staking_gateway_simulator", *arguments]

    # --- deaths of payouts ---------------------------------------------------------------------------------------------

    def arm(self, era, *points):
        """Let the payout of an era die at these points, once at each; see `deadly/sitecustomize.py`."""
        for point in points:
            (self._deaths / f"{era} {point}.armed").touch()

    def fired(self, era):
        """The points the payout of an era has died at."""
        return {path.stem.partition(" ")[2] for path in self._deaths.glob(f"{era} *.fired")}

    # --- runs and what they paid -------------------------------------------------------------------------------------

    def trigger(self, era):
        """Start a manual run of an era; returns its id."""
        return self.stack.api.trigger(self.dag_id, str(era))

    def task(self, run_id, task_id="payout"):
        """One task instance of a run."""
        tasks = self.stack.api.tasks(self.dag_id, run_id)
        return next((task for task in tasks if task["task_id"] == task_id), None)

    def deferred(self, run_id, task_id="payout"):
        """Wait until a task is deferred, and return it."""

        def look():
            assert self.stack.api.run(self.dag_id, run_id)["state"] != "failed"
            task = self.task(run_id, task_id)
            return task if task and task["state"] == "deferred" else None

        return self.wait(look, self.patience, f"{task_id} of {run_id} is deferred")

    def finished(self, *run_ids):
        """Wait for the end of runs; returns the state of each."""

        def look():
            states = [self.stack.api.run(self.dag_id, run_id)["state"] for run_id in run_ids]
            return states if {*states} <= {"success", "failed"} else None

        return self.wait(look, self.patience, f"{run_ids} have finished")

    def outcome(self, run_id):
        """What the payout of a run came to."""
        return self.stack.api.xcom(self.dag_id, run_id, "payout", "outcome")["outcome"]

    def executed(self, era):
        """Payouts of an era the chain has executed."""
        return [payout for payout in self.control.truth()["payouts"] if payout["era"] == era]

    def requested(self, era):
        """Payouts of an era the gateway has accepted."""
        return [request for request in self.control.truth()["requests"] if request["era"] == era]

    def sends(self):
        """How often /send was called."""
        return self.control.truth()["calls"]["by_path"].get("/send", 0)
