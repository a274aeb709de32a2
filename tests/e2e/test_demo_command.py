"""`python -m demo.run` as a program: what it refuses, and that it never leaves a process behind.

Each demo runs from a copy of the checkout, so that one that is running in the checkout itself is left alone.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress

import psutil
import pytest

from demo.api import AirflowApi
from demo.stack import ROOT

PATIENCE = 120


def environment(**variables):
    """This process's environment, without what another Airflow or another demo was told."""
    return {name: value for name, value in os.environ.items() if name not in ("ERAS", "KEEP")} | variables


class Demo:
    """A demo that was started and can be watched."""

    def __init__(self, checkout, output, **variables):
        self.output = output
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "demo.run"],
                cwd=checkout,
                env=environment(**variables),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        self.sessions = set()

    def text(self):
        return self.output.read_text()

    def wait_for(self, text):
        """Wait until it says something, and note the sessions it has started by then."""
        until = time.monotonic() + PATIENCE
        while text not in self.text():
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < until, self.text()
            time.sleep(0.02)
        self.note_sessions()

    def note_sessions(self):
        children = psutil.Process(self.process.pid).children()
        self.sessions |= {child.pid for child in children}
        return children

    def program_of(self, name):
        """A component's own process, once its keeper has started it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for keeper in self.note_sessions():
                if name in keeper.cmdline() and keeper.children():
                    return keeper.children()[0]
            time.sleep(0.02)
        raise AssertionError(f"no {name}")

    def signal(self, number):
        """Send a signal and wait for the end."""
        self.note_sessions()
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def left_behind(self):
        """Processes of the sessions it started."""
        found = []
        for process in psutil.process_iter():
            with suppress(ProcessLookupError, psutil.NoSuchProcess):
                if os.getsid(process.pid) in self.sessions and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process.cmdline())
        return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what the demo needs of the checkout."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("demo", "dags", "include/staking.yaml", "plugins/.airflowignore"):
        (folder / name).parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def start(checkout, tmp_path):
    """Starts demos; what still runs of them at the end of the test is ended."""
    demos = []

    def start(**variables):
        demos.append(Demo(checkout, tmp_path / f"demo-{len(demos)}.txt", **variables))
        return demos[-1]

    yield start
    for demo in demos:
        if demo.process.poll() is None:
            demo.process.terminate()
            demo.process.wait(PATIENCE)


def test_a_wrong_variable_is_refused_before_anything_starts(start, checkout):
    demo = start(ERAS="abc")

    assert demo.process.wait(PATIENCE) == 2
    assert "ERAS=abc is not a number of eras" in demo.text()
    assert not (checkout / ".airflow").exists()


def test_a_signal_at_the_very_first_program_leaves_nothing(start):
    demo = start()
    demo.wait_for("Metadata database ...")

    assert demo.signal(signal.SIGHUP) == 128 + signal.SIGHUP
    assert demo.left_behind() == []


def test_a_second_demo_is_refused_and_nothing_outlives_a_killed_one_or_one_with_a_dead_component(start, checkout):
    first = start()
    first.wait_for("api-server, scheduler, dag-processor, triggerer ...")

    second = start()
    assert second.process.wait(PATIENCE) == 2
    assert f"Already running in {checkout / '.airflow'}" in second.text()
    assert f"process {first.process.pid}" in second.text()

    first.program_of("triggerer")
    assert first.signal(signal.SIGKILL) == -signal.SIGKILL
    assert len(first.sessions) >= 4

    successor = start()
    successor.wait_for("api-server, scheduler, dag-processor, triggerer ...")
    assert first.left_behind() == []
    successor.program_of("triggerer").kill()
    assert successor.process.wait(PATIENCE) == 1
    assert "The triggerer has ended with status" in successor.text()
    assert str(checkout / ".airflow" / "components" / "triggerer.log") in successor.text()
    assert successor.left_behind() == []


def test_the_demo_pays_an_era_agrees_with_the_truth_and_ends_well_on_ctrl_c(start, checkout):
    demo = start(ERAS="1", KEEP="1")
    demo.wait_for("Ctrl-C ends it all")
    url, password = re.search(r"UI: +(\S+) +\(login admin, password (\S+)\)", demo.text()).groups()
    with closing(AirflowApi(url, "admin", password)) as api:
        api.log_in()
        (run, *_) = api.runs("staking_payout_devnet")

    assert demo.signal(signal.SIGINT) == 0
    assert run["state"] == "success"
    assert re.search(rf"{run['partition_key']}.*PAID.*[0-9a-f-]{{36}}.*0x[0-9a-f]{{64}}.* s .*6 .*0 ", demo.text())
    assert "simulator's truth: 1 payouts executed, 1 fees charged, 0 eras owed" in demo.text()
    assert demo.left_behind() == []
    private = ["secrets.json", "passwords.json", "airflow.cfg"]
    assert {(checkout / ".airflow" / name).stat().st_mode & 0o077 for name in private} == {0}
