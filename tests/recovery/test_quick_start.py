"""Whoever follows the quick start literally reaches a paid era: its commands are run as they stand, in an Airflow that has only the wheel."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import venv
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

import pytest

from demo.environment import plain_environment
from demo.stack import free_port
from staking_gateway.ledger import Ledger
from staking_gateway.types import AccountId
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.signer.policy import SigningPolicy
from staking_gateway_simulator.signer.running import RunningSigner

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "tests" / "docs_snippets"
COMMANDS = (SNIPPETS / "quick_start.sh").read_text()
PATIENCE = 240
OURS = ("airflow_provider_staking_gateway", "_airflow_provider_staking_gateway", "__editable__")


def section(name):
    return re.search(rf"# --8<-- \[start:{name}\]\n(.*?)# --8<-- \[end:{name}\]", COMMANDS, re.DOTALL)[1]


def make_environment(folder):
    """A virtual environment with Airflow in it, and nothing of this project: what somebody who comes here has."""
    home = folder / "venv"
    venv.create(home, with_pip=True)
    airflow, packages = home / "airflow", next(home.glob("lib/python*/site-packages"))
    airflow.mkdir()
    for path in Path(next(path for path in sys.path if path.endswith("site-packages"))).iterdir():
        if not path.name.startswith((*OURS, "pip")) and path.suffix != ".pth":
            (airflow / path.name).symlink_to(path)
    (packages / "airflow.pth").write_text(f"{airflow}\n")
    script = home / "bin" / "airflow"
    script.write_text(f"#!{home / 'bin' / 'python'}\nimport sys\nfrom airflow.__main__ import main\nsys.exit(main())\n")
    script.chmod(0o755)
    return home


class Terminal:
    """A home folder, and shells with the variables of the quick start."""

    def __init__(self, folder):
        self.home = folder
        self.ui_port = free_port()
        ui = f"http://127.0.0.1:{self.ui_port}"
        ports = {
            "API__PORT": self.ui_port,
            "API__BASE_URL": ui,
            "CORE__EXECUTION_API_SERVER_URL": f"{ui}/execution/",
            "LOGGING__WORKER_LOG_SERVER_PORT": free_port(),
            "LOGGING__TRIGGER_LOG_SERVER_PORT": free_port(),
            # Only to be done sooner.
            "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": 3,
            "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": 0.3,
            "USAGE_DATA_COLLECTION__ENABLED": False,
        }
        self.environment = {
            **plain_environment(),
            **{f"AIRFLOW__{name}": str(value) for name, value in ports.items()},
            "HOME": str(folder),
            "PATH": f"{make_environment(folder) / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "NO_PROXY": "127.0.0.1,localhost",
            "PYTHONWARNINGS": "ignore",
        }

    @property
    def airflow_home(self):
        return self.home / "airflow"

    def words(self, name):
        return ["bash", "-euo", "pipefail", "-c", section("environment") + section(name)]

    def run(self, name, *, folder=ROOT, check=True):
        """Run a section to its end."""
        words, output = self.words(name), self.home / f"{name}.txt"
        with output.open("w") as file:
            running = subprocess.Popen(
                words, cwd=folder, env=self.environment, stdout=file, stderr=file, start_new_session=True
            )
            try:
                status = running.wait(PATIENCE)
            finally:
                end(running, signal.SIGTERM)
        assert not check or status == 0, f"{section(name)}\n{output.read_text()}"
        return status, output.read_text()

    def until_it_goes_well(self, name):
        """Again and again, as the page says."""
        wait_for(lambda: self.run(name, check=False)[0] == 0, section(name))

    @contextmanager
    def second(self, name, ready):
        """A command in a terminal of its own, from when it is ready until the end of the block."""
        log = self.home / f"{name}.log"
        with log.open("w") as output:
            words = self.words(name)
            running = subprocess.Popen(
                words, cwd=ROOT, env=self.environment, stdout=output, stderr=output, start_new_session=True
            )
            try:
                wait_for(lambda: ready in log.read_text() or running.poll() is not None, f"{name}: {ready}")
                assert running.poll() is None, log.read_text()
                yield
            finally:
                end(running, signal.SIGINT)


def end(running, number):
    """End a command and all it has started."""
    with suppress(ProcessLookupError):
        os.killpg(running.pid, number)
    try:
        running.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def wait_for(check, what):
    deadline, moment = time.monotonic() + PATIENCE, threading.Event()
    while not check():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        moment.wait(0.5)


@pytest.fixture(scope="module")
def terminal(tmp_path_factory):
    return Terminal(tmp_path_factory.mktemp("home"))


def paid_by(terminal, network, run):
    """Eras that runs of a DAG or a command have paid."""
    ledger = Ledger(f"sqlite:///{terminal.airflow_home / 'staking_ledger.db'}")
    try:
        found = ledger.payouts_of(network, range(2**31))
        return [
            era for era, parts in found.items() for part in parts if part.tx_hash and part.settled_by.startswith(run)
        ]
    finally:
        ledger.close()


def test_whoever_follows_the_quick_start_reaches_a_paid_era_by_airflow_and_by_hand(terminal):
    terminal.run("install")
    terminal.run("demo")
    with terminal.second("airflow", "Airflow is ready"):
        wait_for(lambda: paid_by(terminal, "devnet", "staking_payout_devnet/scheduled"), "a scheduled run paid an era")
        terminal.until_it_goes_well("look")
        real_gateway(terminal)
    terminal.run("end")


def real_gateway(terminal):
    """Step 3, with a gateway and a remote signer that stand for the real ones, on the day of the page."""
    day = datetime(2026, 11, 20, tzinfo=timezone.utc)
    settings = SimulatorSettings(
        anchor_era=1392, anchor_time=day, era_length=86400.0, start_time=day.replace(hour=12), unpaid_eras=1
    )
    written = (SNIPPETS / "mainnet.yaml").read_text()
    assert "poll_interval: 1m" in written
    (terminal.airflow_home / "include" / "staking.yaml").write_text(
        written.replace("poll_interval: 1m", "poll_interval: 1s")
    )
    with RunningSimulator(settings) as gateway, signer() as remote:
        given = json.loads((SNIPPETS / "connections.json").read_text())
        given["staking_gateway_mainnet"].update(host=gateway.url, password=gateway.token)
        given["staking_signer_mainnet_user"].update(password="//Dave")
        given["staking_signer_mainnet_payer"].update(host=remote.url, password=remote.token)
        (terminal.home / "connections.json").write_text(json.dumps(given))
        terminal.run("real_connections", folder=terminal.home)
        assert not (terminal.home / "connections.json").exists()
        told = terminal.run("real_look", check=False)[1]
        # The page's day is long ago, and its DAGs stay paused for now.
        problems = re.findall(r"^(?:error|warning) +\|[^|]*\|[^|]*\| ([^:]+)", told, re.MULTILINE)
        assert set(problems) == {"The payout DAG is paused", "Calendar and chain disagree about the active era"}, told
        assert "CONFIRMED" in terminal.run("real_pay")[1]
        assert [payout["era"] for payout in gateway.control.truth()["payouts"]] == [1391]
        terminal.until_it_goes_well("real_run")


def signer():
    bob = AccountId.parse("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
    return RunningSigner(SigningPolicy(frozenset({bob}), 10**18), keys=["//Eve"], token="token-of-the-signer")
