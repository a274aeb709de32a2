"""A demo as a program of its own, and the Airflow that it runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import psutil

from demo.api import AirflowApi
from demo.environment import airflow_environment
from demo.home import Secrets
from demo.stack import AirflowStack

PATIENCE = 600
"""Seconds. A busy machine needed two minutes from the start to the first paid era; nothing waits so long in vain."""
CONFIG = "include/staking.yaml"


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
