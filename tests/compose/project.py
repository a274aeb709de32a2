"""docker-compose.yml, started from a copy of what a user has: a live Airflow in containers, and the simulator's word on it."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from pathlib import Path

from engine import run

from tests.support.airflow_api import AirflowApi
from tests.support.programs import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900
"""Seconds; what takes so long on a machine with other things to do never happens."""
PAYOUT = "staking_payout_devnet"
FILES = ("docker-compose.yml", ".env.example", "deploy", "dags", "include/staking.yaml")
_ASK = "import json, sys\nfrom staking_gateway_simulator.running import SimulatorControl\nname, given, fields = json.loads(sys.argv[1])\nprint(json.dumps(getattr(SimulatorControl('http://127.0.0.1:8650'), name)(*given, **fields)))"


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


class Control:
    """A `SimulatorControl` that is called inside of the simulator's container: it answers nowhere else.

    :param project: the one whose simulator it is.
    """

    def __init__(self, project):
        self._project = project

    def __getattr__(self, name):
        def call(*given, **fields):
            asked = json.dumps([name, given, fields])
            return json.loads(self._project.execute("simulator", "python", "-c", _ASK, asked))

        return call


class Project:
    """One project of Docker Compose.

    :param engine: where it runs.
    :param name: of the project.
    :param folder: a `checkout`.
    :param settings: lines of .env to set.
    """

    def __init__(self, engine, name, folder, **settings):
        self.engine, self.name, self.folder = engine, name, folder
        self.port, self.flower_port = free_port(), free_port()
        settings = {"AIRFLOW_PORT": self.port, "FLOWER_PORT": self.flower_port, **settings}
        file = folder / ".env"
        kept = [line for line in file.read_text().splitlines() if line.partition("=")[0] not in settings]
        file.write_text("\n".join([*kept, *(f"{key}={value}" for key, value in settings.items())]) + "\n")
        self.control = Control(self)

    # --- Compose and Docker --------------------------------------------------------------------------------------------

    def compose(self, *arguments, profiles=("demo", "flower", "tools"), **more):
        """Run Compose with some profiles."""
        options = [option for profile in profiles for option in ("--profile", profile)]
        return run(*self.engine.compose, "--project-name", self.name, *options, *arguments, cwd=self.folder, **more)

    def up(self, *services, profiles=("demo", "flower"), check=True):
        """Start everything, or some services, with two workers."""
        options = ("up", "--detach", "--no-build", "--scale", "worker=2")
        return self.compose(*options, *services, profiles=profiles, timeout=PATIENCE, check=check)

    def down(self):
        """Take everything down, the volumes too."""
        self.compose("down", "--volumes", "--remove-orphans", timeout=PATIENCE)

    def left_over(self):
        """Ids of containers, volumes and networks of the project."""
        label = ("--filter", f"label=com.docker.compose.project={self.name}")
        return [
            *self.engine.ids("container", "--all", *label),
            *self.engine.ids("volume", *label),
            *self.engine.ids("network", *label),
        ]

    def containers(self, service=None, *, running=False):
        """What Docker tells of the containers of the project, or of one of its services."""
        labels = [f"com.docker.compose.project={self.name}"] + (
            [f"com.docker.compose.service={service}"] if service else []
        )
        filters = [option for label in labels for option in ("--filter", f"label={label}")]
        return self.engine.inspect(*self.engine.ids("container", *([] if running else ["--all"]), *filters))

    def container(self, service):
        """The one running container of a service."""
        (found,) = self.containers(service, running=True)
        return found

    def execute(self, service, *command):
        """Run a command in the container of a service; returns what it prints."""
        return self.engine.docker("exec", self.container(service)["Id"], *command).stdout

    def secrets(self):
        """All secrets there are, by where they are."""
        found = {}
        for path in sorted((self.folder / "secrets").iterdir()):
            text = path.read_text().strip()
            if path.suffix != ".json":
                found[path.name] = text
        for name, password in json.loads((self.folder / "secrets" / "ui_passwords.json").read_text()).items():
            found[f"ui_passwords.json, {name}"] = password
        return found

    # --- waiting -------------------------------------------------------------------------------------------------------

    def wait(self, check, what, seconds=PATIENCE):
        """Ask until the answer is true; returns it."""
        until = time.monotonic() + seconds
        while True:
            answer = check()
            if answer:
                return answer
            assert time.monotonic() < until, f"Waited {seconds} s in vain: {what}.\n{self.story()}"
            time.sleep(1)

    def story(self):
        """The state of each container, and the end of the logs of those that do not work."""
        lines = []
        for found in self.containers():
            state = found["State"]
            health = state.get("Health", {}).get("Status", "-")
            lines.append(f"{found['Name']}: {state['Status']} {state['ExitCode']} {health}")
            if health == "unhealthy" or (state["Status"] == "exited" and state["ExitCode"]):
                ended = self.engine.docker("logs", "--tail", "30", found["Id"])
                lines.append(ended.stdout + ended.stderr)
        return "\n".join(lines)

    def healthy(self, service=None):
        """Whether every container that has to work does."""
        states = [found["State"] for found in self.containers(service, running=True)]
        return bool(states) and all(state["Health"]["Status"] == "healthy" for state in states)

    # --- Airflow and the chain -----------------------------------------------------------------------------------------

    def api(self):
        """Airflow's API, as the admin."""
        password = json.loads((self.folder / "secrets" / "ui_passwords.json").read_text())["admin"]
        api = AirflowApi(f"http://127.0.0.1:{self.port}", "admin", password)
        api.log_in()
        return api

    def executed(self):
        """How many payouts of each era the chain has executed."""
        return Counter(payout["era"] for payout in self.control.truth()["payouts"])
