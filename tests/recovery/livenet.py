"""A live Airflow with several networks; each has a chain of its own, which lives on while Airflow is down."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone

import yaml

from demo.api import ApiRefused
from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.live import ACTIVE, RELAYER, STASH, LiveNetwork

PATIENCE = 180
"""Seconds; what takes so long on a machine with other things to do never happens."""
HOUR = timedelta(hours=1)
TEN_SECONDS = timedelta(seconds=10)
FAR_FUTURE = "2999-01-01T00:00:00+00:00"

STEADY = "steady"
"""Eras of an hour: the schedule stands still after its first run."""
NEWCOMER = "newcomer"
"""Eras of an hour too; disabled when the session begins."""
BRISK = ("brisk", "brisk_too")
"""Eras of ten seconds, for stops that last for eras; nothing runs, and there is no chain, before the first of these."""


class Settings:
    """`staking.yaml`, as somebody edits it.

    :param path: of the file.
    """

    def __init__(self, path):
        self.path = path
        self.networks = {}

    def add(self, name, era_length, **more):
        """Describe a network; era ACTIVE begins now."""
        start = datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * era_length
        self.networks[name] = {
            "gateway_conn_id": f"gateway_{name}",
            "user_signer_conn_id": f"user_{name}",
            "payer_signer_conn_id": f"payer_{name}",
            "relayer": RELAYER,
            "calendar": {
                "era_length": f"{era_length.total_seconds():.0f}s",
                "anchors": [{"era": 0, "start": start.isoformat()}],
            },
            "timing": {"poll_interval": "1s", "lease": "4s"},
            "accounts": [STASH],
            "catch_up": {"scheduled": False},
            **more,
        }

    def edit(self, name, **changes):
        """Change settings of a network in the file."""
        self.networks[name].update(changes)
        self.write()

    def append_anchor(self, name, era, start):
        """Append a line to the anchors of a network in the file."""
        self.networks[name]["calendar"]["anchors"].append({"era": era, "start": start.isoformat()})
        self.write()

    def write(self):
        """Write the file; a reader sees the old one or the new one."""
        fresh = self.path.with_suffix(".new")
        fresh.write_text(yaml.safe_dump({"networks": self.networks}))
        fresh.replace(self.path)


class Network(LiveNetwork):
    """One network: its Airflow DAG, and its chain, a simulator in this process.

    :param unpaid: eras before the active one that are owed when the chain is born.
    """

    def __init__(self, stack, settings, name, *, port, unpaid):
        super().__init__(stack, name, load_config(settings.path).network(name), port=port)
        self.settings = settings
        self.calendar = self.network.calendar
        self.catch_up_dag_id = f"staking_catch_up_{name}"
        anchor = self.calendar.anchors[0]
        rules = SimulatorSettings(
            anchor_era=anchor.era,
            anchor_time=anchor.start,
            era_length=anchor.length.total_seconds(),
            window=0,
            unpaid_eras=unpaid,
            relayers=(self.network.relayer,),
        )
        self.chain = RunningSimulator(rules, port=port)

    # --- runs --------------------------------------------------------------------------------------------------------

    def all_runs(self):
        """Every run there is, as the API tells it."""
        return self.stack.api.runs(self.dag_id)

    def runs_per_era(self):
        """How many runs each era has."""
        return Counter(int(run["partition_key"]) for run in self.all_runs())

    def finished(self, run_ids):
        """Wait for the end of runs; returns them, as the API tells them."""

        def look():
            runs = {run["dag_run_id"]: run for run in self.all_runs()}
            wanted = [runs[run_id] for run_id in run_ids]
            return wanted if {run["state"] for run in wanted} <= {"success", "failed"} else None

        return self.wait(look, PATIENCE, f"{run_ids} have finished")

    def deferred(self, run_id, task_id="wait_for_window"):
        """Wait until a task is deferred."""

        def look():
            tasks = self.stack.api.tasks(self.dag_id, run_id)
            return any(task["task_id"] == task_id and task["state"] == "deferred" for task in tasks)

        self.wait(look, PATIENCE, f"{task_id} of {run_id} is deferred")

    def pause(self):
        """Let the scheduler begin nothing any more."""
        self.stack.api.call("PATCH", f"dags/{self.dag_id}", {"is_paused": True}, update_mask="is_paused")

    def parse_again(self, file_of):
        """Have the DAG file read now, because `staking.yaml` has changed.

        :param file_of: id of an Airflow DAG the file holds already.
        """
        token = self.stack.api.dag(file_of)["file_token"]
        with contextlib.suppress(ApiRefused):  # it is to be read already
            self.stack.api.call("PUT", f"parseDagFile/{token}")

    def catch_up(self, **form):
        """Run the catch-up to its end; returns its state, and its report."""
        api, dag_id = self.stack.api, self.catch_up_dag_id
        api.unpause(dag_id)
        run_id = api.trigger(dag_id, **form)

        def look():
            state = api.run(dag_id, run_id)["state"]
            return state if state in ("success", "failed") else None

        return self.wait(look, PATIENCE, f"{run_id} of {dag_id} has finished"), api.xcom(
            dag_id, run_id, "report", "report"
        )

    # --- backfills -----------------------------------------------------------------------------------------------------

    def backfill(self, first, last, *options):
        """Backfill by command the eras that started between two eras' starts, or times, both included.

        :returns: ids of the runs made, in the order of their eras.
        """
        self.end_backfill()
        known = {run["dag_run_id"] for run in self.all_runs()}
        begin, end = (
            self.calendar.start(edge).isoformat() if isinstance(edge, int) else edge for edge in (first, last)
        )
        made = self.stack.run(
            "backfill", "create", "--dag-id", self.dag_id, "--from-date", begin, "--to-date", end, *options,
            timeout=PATIENCE,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout + made.stderr
        return self._backfilled(known)

    def _backfilled(self, known):
        made = [run for run in self.all_runs() if run["run_type"] == "backfill" and run["dag_run_id"] not in known]
        return [run["dag_run_id"] for run in sorted(made, key=lambda run: int(run["partition_key"]))]

    def end_backfill(self):
        """End a backfill whose runs have all come to their end: the scheduler looks only every half a minute."""
        for backfill in self.stack.api.call("GET", "backfills", dag_id=self.dag_id)["backfills"]:
            if not backfill["completed_at"]:
                assert {run["state"] for run in self.all_runs() if run["run_type"] == "backfill"} <= {
                    "success",
                    "failed",
                }
                with contextlib.suppress(ApiRefused):  # the scheduler has just looked
                    self.stack.api.call("PUT", f"backfills/{backfill['id']}/cancel")

    # --- the chain -----------------------------------------------------------------------------------------------------

    def active(self):
        """The active era."""
        return self.control.state()["active_era"]

    def executed(self):
        """How many payouts of each era the chain has executed."""
        return Counter(payout["era"] for payout in self.control.truth()["payouts"])

    def owing(self):
        """The eras nobody has paid."""
        return [era["era"] for era in self.control.truth()["owing"]]


class Livenet:
    """One Airflow, and all networks; a context manager.

    :param folder: for everything.
    """

    def __init__(self, folder):
        self.settings = Settings(folder / "staking.yaml")
        ports, given = {}, {}
        for name in (STEADY, NEWCOMER, *BRISK):
            ports[name] = free_port()
            keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
            accounts = {role: LocalSigner(key).account.address for role, key in keys.items()}
            given |= _connections(name, ports[name], keys, accounts)
            self.settings.add(name, TEN_SECONDS if name in BRISK else HOUR, enabled=name != NEWCOMER, **accounts)
        self.settings.write()
        self.stack = AirflowStack(folder / "home", config=self.settings.path, connections=given)
        self.networks = {
            name: Network(self.stack, self.settings, name, port=port, unpaid=_unpaid(name))
            for name, port in ports.items()
        }
        self.steady = self.networks[STEADY]
        self.newcomer = self.networks[NEWCOMER]
        self._exits: ExitStack

    def __enter__(self):
        with ExitStack() as exits:
            for network in (self.steady, self.newcomer):
                exits.enter_context(network.chain)
            exits.enter_context(self.stack)
            self.stack.migrate()
            self.start()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *raised):
        return self._exits.__exit__(*raised)

    def start(self):
        """Start Airflow, for the first time or again."""
        self.stack.start()
        wait, api = self.steady.wait, self.stack.api
        wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
        api.log_in()
        for name in (STEADY, *BRISK):
            dag_id = self.networks[name].dag_id
            wait(lambda dag_id=dag_id: api.dag(dag_id), PATIENCE, f"{dag_id} is known", api.import_errors)

    def stop(self):
        """Stop all of Airflow; the chains live on."""
        self.stack.services.stop()

    def give_birth(self, network):
        """Start the chain of a network; it ends with the session."""
        self._exits.enter_context(network.chain)


def _unpaid(name):
    return 1 if name in BRISK else 40


def _connections(name, port, keys, accounts):
    signers = {
        f"{role}_{name}": {"conn_type": "staking_signer", "login": accounts[role], "password": key}
        for role, key in keys.items()
    }
    gateway = {"conn_type": "staking_gateway", "host": f"http://127.0.0.1:{port}", "password": "simulator-token"}
    return {f"gateway_{name}": gateway, **signers}
