"""docker-compose.yml, started from a copy of what a user has: a live Airflow in containers, and the simulator's truth."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter

import pytest
from composition import ROOT
from engine import run

from tests.support.airflow_api import AirflowApi
from tests.support.programs import free_port

PATIENCE = 900
"""Seconds; what takes so long on a machine with other things to do never happens."""
FILES = ("docker-compose.yml", ".env.example", "deploy", "dags", "include/staking.yaml")
_ASK = """
import json, sys
from staking_gateway_simulator.running import SimulatorControl
print(json.dumps(getattr(SimulatorControl("http://127.0.0.1:8650"), sys.argv[1])()))
"""


def checkout(folder):
    """Copy what `docker compose up` reads, and make .env and the secrets as a user does."""
    for name in FILES:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    run("deploy/compose/prepare", cwd=folder)
    return folder


class Project:
    """One project of Docker Compose in a `checkout`, with lines of .env to set."""

    def __init__(self, engine, name, folder, **settings):
        self.engine, self.name, self.folder = engine, name, folder
        self.port, self.flower_port = free_port(), free_port()
        settings = {"AIRFLOW_PORT": self.port, "FLOWER_PORT": self.flower_port, **settings}
        file = folder / ".env"
        kept = [line for line in file.read_text().splitlines() if line.partition("=")[0] not in settings]
        file.write_text("\n".join([*kept, *(f"{key}={value}" for key, value in settings.items())]) + "\n")

    def compose(self, *arguments, profiles=("demo", "flower", "tools")):
        """Run Compose with some profiles."""
        options = ["--project-name", self.name, *(word for one in profiles for word in ("--profile", one))]
        return run(*self.engine.compose, *options, *arguments, cwd=self.folder, timeout=PATIENCE)

    def up(self, *options):
        """Start the demo with two workers."""
        self.compose("up", "--detach", "--no-build", "--scale", "worker=2", *options, profiles=("demo", "flower"))

    def down(self):
        """Take everything down, the volumes too."""
        self.compose("down", "--volumes", "--remove-orphans")

    def containers(self, service=None, *, running=False):
        """What Docker shows of the containers of the project, or of one of its services."""
        options = [] if running else ["--all"]
        for label, value in (("project", self.name), ("service", service)):
            options += ["--filter", f"label=com.docker.compose.{label}={value}"] if value else []
        return self.engine.inspect(*self.engine.docker("container", "ls", "--quiet", *options).stdout.split())

    def container(self, service):
        """The one running container of a service."""
        (found,) = self.containers(service, running=True)
        return found

    def execute(self, service, *command):
        """Run a command in the container of a service; returns what it prints."""
        return self.engine.docker("exec", self.container(service)["Id"], *command).stdout

    def secrets(self):
        """All secrets there are, by where they are."""
        files = sorted((self.folder / "secrets").iterdir())
        return {path.name: path.read_text().strip() for path in files if path.suffix != ".json"} | self._logins()

    def _logins(self):
        return json.loads((self.folder / "secrets" / "ui_passwords.json").read_text())

    def wait(self, check, what):
        """Ask until the answer is true; returns it."""
        until = time.monotonic() + PATIENCE
        while not (answer := check()):
            if time.monotonic() > until:
                states, logs = self.compose("ps", "--all").stdout, self.compose("logs", "--tail", "20").stdout
                pytest.fail(f"Waited {PATIENCE} s in vain: {what}.\n{states}{logs}")
            time.sleep(1)
        return answer

    def healthy(self, service=None):
        """Whether every container that has to work does."""
        states = [found["State"] for found in self.containers(service, running=True)]
        return bool(states) and all(state["Health"]["Status"] == "healthy" for state in states)

    def api(self):
        """Airflow's API, as the admin."""
        api = AirflowApi(f"http://127.0.0.1:{self.port}", "admin", self._logins()["admin"])
        api.log_in()
        return api

    def simulator(self, name):
        """What a method of `SimulatorControl` returns in the simulator's container: the simulator answers nowhere else."""
        return json.loads(self.execute("simulator", "python", "-c", _ASK, name))

    def executed(self):
        """How many payouts of each era the chain has executed."""
        return Counter(payout["era"] for payout in self.simulator("truth")["payouts"])
