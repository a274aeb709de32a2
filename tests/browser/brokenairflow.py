"""One live Airflow with many networks, each of which fails in its own way, and what it says of each failure."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, closing
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from failures import ACTIVE, ERA, FEE, LOST, STASH

from benchmarks.databases import install_postgresql, postgresql
from demo.receiver import Receiver
from demo.stack import COMPONENTS, AirflowStack, free_port
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.signing import LocalSigner
from staking_gateway.topics import Topic
from staking_gateway_provider.operators.watch import ALL_NETWORKS
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from tests.support.live import RELAYER, LiveNetwork

ERA_LENGTH = timedelta(hours=6)
PATIENCE = 900
DEAD_AFTER = 30
"""Seconds without a sign of life. Under load, a program that lives may be silent for half of them."""
NEVER_READ = {"bad_settings"}
"""Networks without DAGs, because of a mistake in their settings."""
SETTLED = ("success", "failed", "skipped", "upstream_failed", "up_for_retry")


class Elsewhere:
    """A server on this machine's own address in a network instead of 127.0.0.1."""

    def __init__(self, server, address):
        self._server, self._address = server, address

    async def start(self, host, port):
        del host
        return await self._server.start(self._address, port)

    async def stop(self):
        await self._server.stop()


class ChainElsewhere(RunningSimulator):
    """A simulator that Airflow reaches as if on another machine."""

    @property
    def url(self):
        return f"http://{own_address()}:{self.port}"

    def _make_server(self):
        return Elsewhere(super()._make_server(), own_address())


def own_address():
    """The address of this machine that is not loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


def key_of(name, role):
    """The key of a network's user or payer. All chains have the same name, so each network has accounts of its own."""
    return f"//{name}//{role}"


def accounts_of(name):
    """User and payer of a network."""
    return {role: LocalSigner(key_of(name, role)).account for role in ("user", "payer")}


class Website(BaseHTTPRequestHandler):
    """A web server that has never heard of a gateway."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b"<html><body>It works!</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class BrokenAirflow:
    """Airflow, a simulator for each network, and a receiver of alerts. A context manager.

    :param folder: for everything.
    :param failures: of the networks.
    :ivar runs: by network, the run of `ERA`.
    """

    relayer = RELAYER
    era_length = ERA_LENGTH

    def __init__(self, folder, failures):
        self.failures = {failure.name: failure for failure in failures}
        self.start = datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * ERA_LENGTH - ERA_LENGTH / 3
        self.chains = {name: self._chain(failure) for name, failure in self.failures.items()}
        self.receiver = Receiver()
        self.website = ThreadingHTTPServer(("127.0.0.1", 0), Website)
        # Remedies name this path, so pictures show it.
        self._settings = tempfile.TemporaryDirectory(prefix="airflow-")
        self.config = Path(self._settings.name) / "staking.yaml"
        self.settings = {"networks": {name: self._network(failure) for name, failure in self.failures.items()}}
        self.write_settings()
        self.stack = AirflowStack(folder / "home", config=self.config, connections={})
        self.runs = {}
        self._programs = LiveNetwork(self.stack, "none", None, port=0)
        self._programs.patience = PATIENCE
        self._exits = ExitStack()

    def __enter__(self):
        with ExitStack() as exits:
            exits.enter_context(self._settings)
            exits.enter_context(self.receiver)
            threading.Thread(target=self.website.serve_forever, daemon=True).start()
            exits.callback(self.website.shutdown)
            for name, chain in self.chains.items():
                exits.callback(chain.stop)
                if self.failures[name].chain is not None:
                    chain.start()
            install_postgresql()
            database = exits.enter_context(postgresql())()
            exits.enter_context(self.stack)
            # All networks begin at once: more writers than SQLite bears.
            self._programs.set_airflow(
                CORE__PARALLELISM=4,
                DATABASE__SQL_ALCHEMY_CONN=database.replace("postgresql:", "postgresql+psycopg2:"),
                TRIGGERER__JOB_HEARTBEAT_SEC=1,
                TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD=DEAD_AFTER,
                SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD=DEAD_AFTER,
            )
            with closing(Ledger(self._ledger)) as ledger:
                ledger.newest_paid_era("expired")
            if "expired" in self.failures:
                self._write_history("expired")
            migrated = self.stack.run("db", "migrate", timeout=PATIENCE)
            assert migrated.returncode == 0, migrated.stderr
            for name in COMPONENTS:
                self._programs.start(name)
            names = [name for name in self.failures if name not in NEVER_READ]
            dag_ids = [f"staking_{kind}_{name}" for kind in ("payout", "catch_up") for name in names]
            self.wait(lambda: not self.stack.unhealthy(), "Airflow is up", self.stack.unhealthy)
            self.stack.api.log_in()
            for dag_id in (*dag_ids, "staking_watch"):
                self.wait(lambda dag_id=dag_id: self.stack.api.dag(dag_id), f"{dag_id} is known")
            self._connect()
            self._fail()
            self.wait(self._alerted, "every alert has arrived", self._silent)
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *raised):
        return self._exits.__exit__(*raised)

    def _fail(self):
        """Cause the failures, let the runs begin, and wait until each has failed."""
        for name, failure in self.failures.items():
            failure.cause(self, name)
            if name not in NEVER_READ:
                self.stack.api.unpause(f"staking_catch_up_{name}")
            if name not in {"paused", *NEVER_READ}:
                self.stack.api.unpause(f"staking_payout_{name}")
        for name, failure in self.failures.items():
            if name not in {"paused", *NEVER_READ}:
                self._await_failure(failure)

    # --- the set-up ----------------------------------------------------------------------------------------------------

    @property
    def _ledger(self):
        return f"sqlite:///{self.stack.home / 'staking_ledger.db'}"

    def _chain(self, failure, **changes):
        given = {**(failure.chain or {}), **changes}
        behind = given.pop("behind", 0)
        rules = {
            "anchor_era": 0,
            "anchor_time": self.start + behind * ERA_LENGTH,
            "era_length": ERA_LENGTH.total_seconds(),
            "window": 0,
            "unpaid_eras": 1,
            "confirm_seconds": 0.5,
            "balance": 50 * FEE,
            "fee": FEE,
            "relayers": (self.relayer,),
            **given,
        }
        make = ChainElsewhere if (failure.gateway or {}).get("host") == "elsewhere" else RunningSimulator
        return make(SimulatorSettings(**rules), port=free_port())

    def _network(self, failure):
        first = LOST if failure.name == "expired" else ERA
        return {
            "relayer": self.relayer,
            **{role: account.address for role, account in accounts_of(failure.name).items()},
            "user_signer_conn_id": f"user_{failure.name}",
            "payer_signer_conn_id": f"payer_{failure.name}",
            "gateway_conn_id": f"gateway_{failure.name}",
            "calendar": {"era_length": "6h", "anchors": [{"era": 0, "start": self.start.isoformat()}]},
            "start_date": (self.start + first * ERA_LENGTH).isoformat(),
            "timing": {"poll_interval": "3s", "lease": "4s"},
            "catch_up": {"scheduled": False},
            "alerts": {"webhook_conn_id": "receiver", "paid_within": "20s", "held_after": "20s"},
            "accounts": [{"account": STASH, "label": "alice-stash", "expect": "any"}],
            **failure.settings,
        }

    def write_settings(self):
        self.config.write_text(yaml.safe_dump(self.settings, sort_keys=False))

    def edit_network(self, name, **settings):
        """Change `staking.yaml`."""
        self.settings["networks"][name].update(settings)
        self.write_settings()

    def gateway(self, name):
        """The fields of a network's gateway connection."""
        given = dict(self.failures[name].gateway or {})
        where = {"website": f"http://127.0.0.1:{self.website.server_address[1]}"}.get(given.pop("host", ""))
        extra = {"bearer_signer_conn_id": f"user_{name}"}
        if where is None:
            where = self.chains[name].url
        return {
            "connection_id": f"gateway_{name}",
            "conn_type": "staking_gateway",
            "host": where,
            "extra": extra,
            **given,
        }

    def _connect(self):
        made = [{"connection_id": "receiver", "conn_type": "http", "host": self.receiver.url}]
        for name, failure in self.failures.items():
            for role, account in accounts_of(name).items():
                made.append(_signer(f"{role}_{name}", login=account.address, password=key_of(name, role)))
            if failure.gateway is not None:
                made.append(self.gateway(name))
        nowhere, payer = f"http://127.0.0.1:{free_port()}", accounts_of("no_signer")["payer"].address
        made.append(_signer("remote_signer", host=nowhere, login=payer, password="unknown"))
        created = {"action": "create", "entities": [_as_sent(fields) for fields in made]}
        done = self.stack.api.call("PATCH", "connections", {"actions": [created]})
        assert done["create"]["errors"] == [], done

    def add_connection(self, fields):
        """What a person does in Admin > Connections."""
        self.stack.api.call("POST", "connections", _as_sent(fields))

    def edit_connection(self, conn_id, **changes):
        """The same with an existing connection."""
        fields = _as_sent({"connection_id": conn_id, "conn_type": "staking_gateway", **changes})
        self.stack.api.call("PATCH", f"connections/{conn_id}", fields, update_mask=list(changes))

    def start_chain(self, name):
        self.chains[name].start()

    def restart_chain(self, name, **changes):
        """Another chain at the same address."""
        port = self.chains[name].port
        self.chains[name].stop()
        self.chains[name] = self._chain(self.failures[name], **changes)
        self.chains[name].port = port
        self.chains[name].start()
        self._exits.callback(self.chains[name].stop)

    def _write_history(self, name):
        """All eras but `LOST` are paid."""
        accounts = {**accounts_of(name), "relayer": LocalSigner("//Bob").account}
        for era in (LOST - 1, *range(LOST + 1, ERA)):
            now = self.start + (era + 1) * ERA_LENGTH + timedelta(minutes=1)
            actor = Actor(f"staking_payout_{name}/scheduled__era-{era}")
            with closing(Ledger(self._ledger, clock=lambda now=now: now)) as ledger:
                payout = ledger.plan(name, era, 0, **accounts, actor=actor)
                facts = {"fee": FEE, "tx_hash": f"0x{era:064x}", "confirmed_by": "request_state"}
                ledger.transition(payout, PayoutState.CONFIRMED, "confirmed", actor, confirmed_at=now, **facts)

    # --- programs and runs ---------------------------------------------------------------------------------------------

    def wait(self, check, what, missing=None):
        return self._programs.wait(check, PATIENCE, what, missing)

    def kill(self, component):
        """SIGKILL a component, and wait until Airflow knows that it is dead."""
        self._programs.kill(component)
        self.wait(lambda: component in self.stack.unhealthy(), f"the {component} is dead")

    def revive(self, component):
        """Start a component again."""
        self._programs.start(component)
        self.wait(lambda: component not in self.stack.unhealthy(), f"the {component} is up")

    def begin(self, name):
        """Unpause the DAGs of a network once Airflow knows them."""
        for dag_id in (f"staking_catch_up_{name}", f"staking_payout_{name}"):
            self.wait(lambda dag_id=dag_id: self.stack.api.dag(dag_id), f"{dag_id} is known")
            self.stack.api.unpause(dag_id)

    def _await_failure(self, failure):
        api, dag_id = self.stack.api, f"staking_payout_{failure.name}"
        run_id = self.wait(
            lambda: next((run["dag_run_id"] for run in api.runs(dag_id) if run["partition_key"] == str(ERA)), None),
            f"{dag_id} runs",
        )
        self.runs[failure.name] = run_id

        def states():
            return {task["task_id"]: task["state"] for task in api.tasks(dag_id, run_id)}

        if failure.task is None:
            self.wait(lambda: api.run(dag_id, run_id)["state"] in SETTLED, f"{run_id} of {dag_id} ends", states)
            return
        wanted = ("deferred", *SETTLED) if failure.waits else SETTLED
        # Airflow itself fails a try of a task when the machine has too much to do; such a try names no cause.
        self.wait(
            lambda: states().get(failure.task) in wanted and self.log_end(failure),
            f"{failure.task} of {dag_id}",
            states,
        )

    def _alerted(self):
        """Watch once more, and say whether each failure has its alert: no alert is sent while a payout may be in progress."""
        self.watch()
        return not self._silent()

    def _silent(self):
        return [name for name, failure in self.failures.items() if failure.alerts and not self.alerts(failure)]

    def watch(self):
        """Run the watch DAG once, and wait for its end."""
        api = self.stack.api
        api.unpause("staking_watch")
        run_id = api.trigger("staking_watch")
        self.wait(lambda: api.run("staking_watch", run_id)["state"] in SETTLED, "the watch has ended")
        self.runs["watch"] = run_id

    # --- what it says --------------------------------------------------------------------------------------------------

    def log_end(self, failure):
        """What the task's first try that names a cause says of it: the facts, the cause, the help and the remedy; empty without one."""
        watched = failure.task == "watch"
        dag_id = "staking_watch" if watched else f"staking_payout_{failure.name}"
        run = (
            self.stack.home / "logs" / f"dag_id={dag_id}" / f"run_id={self.runs['watch' if watched else failure.name]}"
        )
        for log in sorted((run / f"task_id={failure.task}").glob("attempt=?.log*")):
            said = _events(log)
            cause = next(
                (at for at, line in enumerate(said) if line.startswith(f"Cause: {failure.topic.heading}")), None
            )
            if cause is not None:
                begins = ("Task failed: ", "A request failed")
                first = max((at for at, line in enumerate(said[:cause]) if line.startswith(begins)), default=cause - 1)
                return said[first : cause + 3]
        return []

    def log_of_alert(self, alert):
        """The lines about an alert in the log of the task that sent it, and the task."""
        text = alert["text"].splitlines()
        for log in sorted(self.stack.home.glob("logs/dag_id=*/run_id=*/task_id=*/*.log")):
            said = _events(log)
            if text[0] in said:
                return log.parent.name.removeprefix("task_id="), said[said.index(text[0]) :][: len(text)]
        return "", []

    def alerts(self, failure):
        """The alerts about the cause of a failure, oldest first. A mistake of the whole file concerns all networks."""
        anchor = failure.topic.anchor
        about = ALL_NETWORKS if failure.topic is Topic.CONFIGURATION and failure.shown_on else failure.network
        return [
            message
            for message in self.receiver.messages
            if (message["network"], message["phase"]) == (about, "raised")
            and anchor in (message["runbook"], *(condition.get("runbook") for condition in message["conditions"]))
        ]

    def commands(self, *lines):
        """Status and output of commands, each a list of words after `airflow`."""
        made = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.support.commands"],
            env={**self.stack.environment, "PYTHONPATH": os.pathsep.join(sys.path)},
            input=json.dumps(lines),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)


def _events(log):
    """The lines of a task's log."""
    return [json.loads(line).get("event", "") for line in log.read_text().splitlines() if line.startswith("{")]


def _signer(conn_id, **fields):
    return {"connection_id": conn_id, "conn_type": "staking_signer", **fields}


def _as_sent(fields):
    extra = fields.get("extra")
    return fields if extra is None else {**fields, "extra": json.dumps(extra)}
