"""A network of a stand: its settings and connections, its runs in Airflow, and its chain, a simulator."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone

from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.running import SimulatorControl
from tests.support.airflow_api import ApiRefused
from tests.support.programs import free_port
from tests.support.settings import load_config

ACTIVE = 1000
"""The era that begins when the network is made."""
HOUR = timedelta(hours=1)
RELAYER = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
STASH = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
ENDED = {"success", "failed"}


class Network:
    """One network. Its simulator follows the calendar of its settings.

    :param era_length: of each era; era `ACTIVE` begins now.
    :param chain: options of the simulator that differ, each named as on its command line.
    :param settings: of `staking.yaml`, those that differ.
    :ivar start: when era `ACTIVE` begins.
    :ivar control: the simulator's control interface.
    :ivar stand: the stand, once it has been entered.
    """

    def __init__(self, name, *, era_length=HOUR, chain=None, **settings):
        self.name = name
        self.dag_id = f"staking_payout_{name}"
        self.catch_up_dag_id = f"staking_catch_up_{name}"
        self.port = free_port()
        self.control = SimulatorControl(f"http://127.0.0.1:{self.port}")
        self.keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
        self.start = datetime.now(timezone.utc).replace(microsecond=0)
        start = self.start - ACTIVE * era_length
        self.settings = {
            "gateway_conn_id": f"gateway_{name}",
            "user_signer_conn_id": f"user_{name}",
            "payer_signer_conn_id": f"payer_{name}",
            "relayer": RELAYER,
            **{role: LocalSigner(key).account.address for role, key in self.keys.items()},
            "calendar": {
                "era_length": f"{era_length.total_seconds():.0f}s",
                "anchors": [{"era": 0, "start": start.isoformat()}],
            },
            "timing": {"poll_interval": "1s", "lag": "1s", "finalized_within": "1s"},
            "accounts": [STASH],
            "catch_up": {"scheduled": False},
            **settings,
        }
        self._chain = {
            "anchor-time": start.isoformat(), "era-length": era_length.total_seconds(), "window": 0, "unpaid-eras": 40,
            "relayer": RELAYER, **(chain or {}),
        }  # fmt: skip

    def join(self, stand):
        """Become a network of a stand."""
        self.stand, self.api, self.wait = stand, stand.api, stand.wait

    def connections(self):
        """Its connections: access tokens made with the user's key, and the keys of user and payer."""
        signers = {
            f"{role}_{self.name}": {"conn_type": "stakingsigner", "login": self.settings[role], "password": key}
            for role, key in self.keys.items()
        }
        extra = {"bearer_signer_conn_id": f"user_{self.name}", "read_timeout": 25}
        gateway = {"conn_type": "stakinggateway", "host": f"http://127.0.0.1:{self.port}", "extra": extra}
        return {f"gateway_{self.name}": gateway, **signers}

    def program(self):
        """The command line of its simulator, which forgets nothing when it is killed."""
        folder = self.stand.folder / "simulators"
        options = {"port": self.port, "state": folder / f"{self.name}.db", **self._chain}
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        if self.stand.faults:
            words += ["--faults", ",".join(self.stand.faults)]
        return [sys.executable, "-m", "staking_gateway_simulator", *words]

    @property
    def config(self):
        """Its settings, as read from the file."""
        return load_config(self.stand.config).network(self.name)

    @property
    def calendar(self):
        return self.config.calendar

    # --- runs --------------------------------------------------------------------------------------------------------

    def trigger(self, era=None):
        """Start a manual run, of an era; returns its id."""
        return self.api.trigger(self.dag_id, None if era is None else str(era))

    def runs(self):
        """The latest runs, oldest first."""
        return self.api.runs(self.dag_id)

    def runs_per_era(self):
        """How many runs each era has."""
        return Counter(int(run["partition_key"]) for run in self.runs())

    def run_of(self, era, kind="scheduled"):
        """Wait for the run of an era; returns its id."""

        def look():
            found = (run for run in self.runs() if (run["partition_key"], run["run_type"]) == (str(era), kind))
            return next((run["dag_run_id"] for run in found), None)

        return self.wait(look, f"there is a {kind} run of era {era}")

    def task(self, run_id, task_id="payout"):
        """One task instance of a run."""
        return next((task for task in self.api.tasks(self.dag_id, run_id) if task["task_id"] == task_id), None)

    def states(self, run_id):
        """The state of each task of a run."""
        return {task["task_id"]: task["state"] for task in self.api.tasks(self.dag_id, run_id)}

    def deferred(self, run_id, task_id="payout"):
        """Wait until a task is deferred, and return it."""

        def look():
            assert self.api.run(self.dag_id, run_id)["state"] != "failed"
            task = self.task(run_id, task_id)
            return task if task and task["state"] == "deferred" else None

        return self.wait(look, f"{task_id} of {run_id} is deferred", lambda: self.states(run_id))

    def finished(self, *run_ids):
        """Wait for the end of runs; returns the runs."""

        def look():
            runs = [self.api.run(self.dag_id, run_id) for run_id in run_ids]
            return runs if {run["state"] for run in runs} <= ENDED else None

        return self.wait(look, f"{run_ids} have finished", lambda: self.unfinished(*run_ids)) if run_ids else []

    def ended(self, *run_ids):
        """Wait for the end of runs; returns the state of each."""
        return [run["state"] for run in self.finished(*run_ids)]

    def unfinished(self, *run_ids):
        """Tasks of runs that have not succeeded, each in a few words."""
        return [
            f"{run_id} {task['task_id']}[{task['map_index']}] {task['state']}, try {task['try_number']} on {task['hostname']}"
            for run_id in run_ids
            for task in self.api.tasks(self.dag_id, run_id)
            if task["state"] != "success"
        ]

    def outcome(self, run_id):
        """The outcome of the payout of a run."""
        return self.api.xcom(self.dag_id, run_id, "payout", "outcome")["outcome"]

    def catch_up(self, **form):
        """Run the catch-up to its end; returns its state, and its report."""
        self.api.unpause(self.catch_up_dag_id)
        run_id = self.api.trigger(self.catch_up_dag_id, **form)

        def look():
            state = self.api.run(self.catch_up_dag_id, run_id)["state"]
            return state if state in ENDED else None

        state = self.wait(look, f"{run_id} of {self.catch_up_dag_id} has finished")
        return state, self.api.xcom(self.catch_up_dag_id, run_id, "report", "report")

    def parse_again(self):
        """Have the file of its Airflow DAG read now, because `staking.yaml` has changed."""
        with contextlib.suppress(ApiRefused):  # it is to be read already
            self.api.call("PUT", f"parseDagFile/{self.api.dag(self.dag_id)['file_token']}")

    def backfill(self, first, last):
        """Backfill by command the eras between two eras' starts, or times, both included; the runs made, by era."""
        self._end_backfill()
        known = {run["dag_run_id"] for run in self.runs()}
        begin, end = (
            self.calendar.start(edge).isoformat() if isinstance(edge, int) else edge for edge in (first, last)
        )
        made = self.stand.run(
            "backfill", "create", "--dag-id", self.dag_id, "--from-date", begin, "--to-date", end
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        runs = [run for run in self.runs() if run["run_type"] == "backfill" and run["dag_run_id"] not in known]
        return [run["dag_run_id"] for run in sorted(runs, key=lambda run: int(run["partition_key"]))]

    def _end_backfill(self):
        """End a backfill whose runs have all ended: the scheduler looks only every half a minute."""
        for backfill in self.api.call("GET", "backfills", dag_id=self.dag_id)["backfills"]:
            if not backfill["completed_at"]:
                assert {run["state"] for run in self.runs() if run["run_type"] == "backfill"} <= ENDED
                with contextlib.suppress(ApiRefused):  # the scheduler has just looked
                    self.api.call("PUT", f"backfills/{backfill['id']}/cancel")

    # --- the chain ---------------------------------------------------------------------------------------------------

    def active(self):
        """The active era."""
        return self.control.state()["active_era"]

    def executed(self):
        """How many payouts of each era the chain has executed."""
        return Counter(payout["era"] for payout in self.control.truth()["payouts"])

    def requested(self, era):
        """Payouts of an era that the gateway has accepted."""
        return [request for request in self.control.truth()["requests"] if request["era"] == era]

    def owing(self):
        """The eras nobody has paid."""
        return [era["era"] for era in self.control.truth()["owing"]]

    def sends(self):
        """How often /send was called."""
        return self.control.truth()["calls"]["by_path"].get("/send", 0)
