"""The demo as a program of its own, from a copy of the checkout, and what its Airflow and its simulator tell."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
import yaml

from demo.api import AirflowApi
from demo.devnet import Devnet, connections
from demo.environment import airflow_environment
from demo.home import Secrets
from demo.run import NETWORK, PAYER_KEY, USER_KEY, WINDOW_SECONDS
from demo.stack import ROOT, AirflowStack
from staking_gateway.config.loader import load_config

PATIENCE = 120
"""Seconds; what takes so long on an idle machine never happens."""
CONFIG = "include/staking.yaml"
ERA_LENGTH = "12s"
IDLE = "0x02" + "01" * 31
"""A public key whose account does not stake, by the simulator's rule: its second byte is odd."""


class Demo:
    """A demo that was started and can be watched.

    :param checkout: where it runs.
    :param output: the file of what it prints.
    :param variables: for its environment.
    """

    def __init__(self, checkout, output, **variables):
        self.output = output
        kept = {name: value for name, value in os.environ.items() if name not in ("ERAS", "KEEP")}
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "demo.run"],
                cwd=checkout,
                env={**kept, **variables},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self._sessions = set()

    def text(self):
        return self.output.read_text()

    def check(self):
        """See that it runs."""
        assert self.process.poll() is None, self.text()

    def wait_for(self, text):
        """Wait until it says something, and note the sessions it has started by then."""
        self._until(lambda: text in self.text())
        self.sessions()

    def sessions(self):
        """The sessions of all that it has started, as far as they were seen."""
        with suppress(psutil.NoSuchProcess):
            self._sessions |= {child.pid for child in psutil.Process(self.process.pid).children()}
        return self._sessions

    def program_of(self, name):
        """The process of a program it runs, once its keeper has started it."""

        def look():
            keepers = psutil.Process(self.process.pid).children()
            return [keeper.children()[0] for keeper in keepers if name in keeper.cmdline() and keeper.children()]

        (found,) = self._until(look)
        self.sessions()
        return found

    def signal(self, number):
        """Send a signal and wait for the end."""
        self.sessions()
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def left_behind(self):
        """Processes of the sessions it started."""
        found = []
        for process in psutil.process_iter():
            with suppress(ProcessLookupError, psutil.NoSuchProcess):
                if os.getsid(process.pid) in self._sessions and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process.cmdline())
        return found

    def _until(self, check):
        until = time.monotonic() + PATIENCE
        while not (answer := check()):
            self.check()
            assert time.monotonic() < until, self.text()
            time.sleep(0.02)
        return answer


class StackOfDemo(AirflowStack):
    """The Airflow of a demo that runs.

    :param demo: the demo, once it has said where its Airflow is.
    """

    def __init__(self, demo, checkout, connections):
        super().__init__(checkout / ".airflow", config=checkout / CONFIG, connections=connections)
        self.url, self.password = re.search(r"UI: +(\S+) +\(login admin, password (\S+)\)", demo.text()).groups()
        self.port = int(self.url.rpartition(":")[2])
        self.services = demo
        self.api = AirflowApi(self.url, self.username, self.password)
        secrets = Secrets.of(self.home)
        self.environment = airflow_environment(
            self.home, checkout, port=self.port, config=checkout / CONFIG, connections=connections, secrets=secrets
        )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what the demo needs of the checkout; eras are shorter, and one account does not stake."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("demo", "dags", CONFIG, "plugins/.airflowignore"):
        (folder / name).parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    settings = yaml.safe_load((folder / CONFIG).read_text())
    network = settings["networks"][NETWORK]
    network["calendar"]["era_length"] = ERA_LENGTH
    network["statuses"]["chunk_size"] = 2
    network["accounts"] = [*network["accounts"][:2], {"account": IDLE, "label": "idle", "expect": "not_staking"}]
    (folder / CONFIG).write_text(yaml.safe_dump(settings))
    return folder


@pytest.fixture(scope="module")
def start(checkout, tmp_path_factory):
    """Starts demos; what still runs of them at the end is ended."""
    demos, folder = [], tmp_path_factory.mktemp("output")

    def start(**variables):
        demos.append(Demo(checkout, folder / f"demo-{len(demos)}.txt", **variables))
        return demos[-1]

    yield start
    for demo in demos:
        if demo.process.poll() is None:
            demo.signal(signal.SIGTERM)


@pytest.fixture(scope="module")
def demo(start):
    """A demo that has paid an era, and goes on. Not for the whole session: it keeps a processor busy."""
    demo = start(ERAS="1", KEEP="1")
    demo.wait_for("Ctrl-C ends it all")
    return demo


@pytest.fixture(scope="module")
def devnet(demo, checkout):
    """The network of the demo: its Airflow, and its simulator."""
    port = int(re.search(r"Simulator at http://127\.0\.0\.1:(\d+)", demo.text())[1])
    network = load_config(checkout / CONFIG).network(NETWORK)
    given = connections(f"http://127.0.0.1:{port}", USER_KEY, network.user, PAYER_KEY, network.payer)
    stack = StackOfDemo(demo, checkout, given)
    stack.api.log_in()
    yield Devnet(stack, NETWORK, network, port=port, window_seconds=WINDOW_SECONDS)
    stack.api.close()
