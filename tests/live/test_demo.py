"""The demo: a whole Airflow that finds, waits for and pays eras by schedule, beside the simulator's truth.

Why live: it is what a newcomer starts first, and the shortest way through every program of Airflow.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress

import psutil
import pytest

from tests.live.stand import PATIENCE, ROOT
from tests.support.programs import plain_environment


class Demo:
    """`make demo` without make.

    :param variables: for its environment.
    """

    def __init__(self, folder, **variables):
        self.output = folder / "output.txt"
        environment = {**plain_environment(), "TMPDIR": str(folder), **variables}
        with self.output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "demo"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file
            )  # fmt: skip

    def told(self):
        return self.output.read_text()

    def left_behind(self, folder):
        """Command lines of the processes that were started for its folder."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if str(folder) in process.environ().get("AIRFLOW_HOME", "") and process.status() != "zombie":
                    found.append(process.cmdline())
        return found


def test_the_demo_pays_eras_agrees_with_the_truth_and_leaves_nothing_although_its_ports_are_taken(tmp_path):
    with ExitStack() as taken:
        for port in (8080, 8650):
            with suppress(OSError):  # another program has it
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
        demo = Demo(tmp_path, ERAS="2", KEEP="0", AIRFLOW__CORE__EXECUTOR="CeleryExecutor")  # of another Airflow
        status = demo.process.wait(3 * PATIENCE)
    assert status == 0, demo.told()
    assert len(re.findall(r"  era \d+  executed once .* 0x[0-9a-f]{64}$", demo.told(), re.MULTILINE)) >= 2
    assert "Executed by the simulator's chain: " in demo.told()
    assert "Traceback" not in demo.told()
    assert "Warning" not in demo.told()
    assert demo.left_behind(tmp_path) == []
    assert [*tmp_path.iterdir()] == [demo.output]


def test_a_demo_that_is_ended_early_leaves_nothing(tmp_path):
    demo = Demo(tmp_path)
    until = time.monotonic() + PATIENCE
    while not demo.left_behind(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.1)
    os.kill(demo.process.pid, signal.SIGTERM)
    assert demo.process.wait(PATIENCE) == 130, demo.told()
    assert demo.left_behind(tmp_path) == []


@pytest.mark.parametrize("variables", [{"ERAS": "abc"}, {"KEEP": "maybe"}])
def test_a_wrong_variable_is_refused_before_anything_starts(tmp_path, variables):
    demo = Demo(tmp_path, **variables)
    assert demo.process.wait(PATIENCE) == 2
    assert "must be" in demo.told()
    assert [*tmp_path.iterdir()] == [demo.output]
