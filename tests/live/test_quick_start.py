"""The commands of the quick start, as they stand, in an Airflow that has only the wheel: they reach a paid era, by schedule and by hand.

Why live: they are the whole of what a reader does, from `pip install` to a run that pays.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import venv
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path

from staking_gateway.ledger import Ledger
from staking_gateway.signing import LocalSigner
from staking_gateway.types import AccountId
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.signer import RunningSigner
from staking_gateway_simulator.signing_policy import SigningPolicy
from tests.live.network import RELAYER
from tests.live.stand import PATIENCE, ROOT
from tests.support.programs import Programs, free_port, plain_environment

SNIPPETS = ROOT / "tests" / "docs_snippets"
COMMANDS = (SNIPPETS / "quick_start.sh").read_text()
OURS = ("airflow_provider_staking_gateway", "_airflow_provider_staking_gateway", "__editable__", "pip")


def section(name):
    return re.search(rf"# --8<-- \[start:{name}\]\n(.*?)# --8<-- \[end:{name}\]", COMMANDS, re.DOTALL)[1]


def make_environment(folder):
    """A virtual environment with Airflow in it, and nothing of this project; the folder of its programs."""
    home = folder / "venv"
    venv.create(home, with_pip=True)
    airflow, packages = home / "airflow", next(home.glob("lib/python*/site-packages"))
    airflow.mkdir()
    for path in Path(next(path for path in sys.path if path.endswith("site-packages"))).iterdir():
        if not path.name.startswith(OURS) and path.suffix != ".pth":
            (airflow / path.name).symlink_to(path)
    (packages / "airflow.pth").write_text(f"{airflow}\n")
    script = home / "bin" / "airflow"
    script.write_text(f"#!{home / 'bin' / 'python'}\nimport sys\nfrom airflow.__main__ import main\nsys.exit(main())\n")
    script.chmod(0o755)
    return home / "bin"


class Terminal:
    """A home folder, and shells with the variables of the quick start."""

    def __init__(self, folder):
        self.home, self.airflow_home = folder, folder / "airflow"
        ui_port = free_port()
        settings = {
            "API__PORT": ui_port,
            "API__BASE_URL": f"http://127.0.0.1:{ui_port}",
            "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{ui_port}/execution/",
            "LOGGING__WORKER_LOG_SERVER_PORT": free_port(),
            "LOGGING__TRIGGER_LOG_SERVER_PORT": free_port(),
            # Only to be done sooner.
            "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": 3,
            "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": 0.3,
            "USAGE_DATA_COLLECTION__ENABLED": False,
        }
        self._environment = {
            **plain_environment(),
            **{f"AIRFLOW__{name}": str(value) for name, value in settings.items()},
            "HOME": str(folder),
            "PATH": f"{make_environment(folder)}{os.pathsep}{os.environ['PATH']}",
            "NO_PROXY": "127.0.0.1,localhost",
            "PYTHONWARNINGS": "ignore",
        }

    def _words(self, name):
        return ["bash", "-euo", "pipefail", "-c", section("environment") + section(name)]

    def run(self, name, *, folder=ROOT, check=True):
        """Run a section to its end; its exit status and its output."""
        done = subprocess.run(
            self._words(name), cwd=folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, f"{section(name)}\n{done.stdout}"
        return done.returncode, done.stdout

    def until_it_goes_well(self, name):
        """Again and again, as the page says."""
        until = time.monotonic() + PATIENCE
        while (done := self.run(name, check=False))[0] != 0:
            assert time.monotonic() < until, f"{section(name)}\n{done[1]}"

    @contextmanager
    def second(self, name, ready):
        """A command in a terminal of its own, from when it is ready until the end of the block."""
        programs, log = Programs(), self.home / f"{name}.log"
        programs.start(name, self._words(name), self._environment, log)
        try:
            wait_for(lambda: programs.check() or ready in log.read_text(), f"{name}: {ready}")
            yield
        finally:
            programs.stop()


def wait_for(check, what):
    until = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < until, f"waited: {what}"
        time.sleep(0.5)


def paid_by(terminal, network, run):
    """Eras that runs of a DAG or a command have paid."""
    with closing(Ledger(f"sqlite:///{terminal.airflow_home / 'staking_ledger.db'}")) as ledger:
        parts = [part for found in ledger.payouts_of(network, range(2**31)).values() for part in found]
    return [part.era for part in parts if part.tx_hash and (part.settled_by or "").startswith(run)]


def test_the_quick_start_reaches_a_paid_era_by_schedule_and_by_hand(tmp_path):
    terminal = Terminal(tmp_path)
    terminal.run("install")
    try:
        terminal.run("demo")
        with terminal.second("airflow", "Airflow is ready"):
            wait_for(lambda: paid_by(terminal, "devnet", "staking_payout_devnet/scheduled"), "a run paid an era")
            terminal.until_it_goes_well("look")
            real_gateway(terminal)
    finally:
        terminal.run("end")


def real_gateway(terminal):
    """Step 3, with a gateway and a remote signer that stand for the real ones, on the day of the page."""
    day = datetime(2026, 11, 20, tzinfo=timezone.utc)
    settings = SimulatorSettings(
        anchor_era=1392, anchor_time=day, era_length=86400.0, start_time=day.replace(hour=12), unpaid_eras=1
    )
    written = (SNIPPETS / "mainnet.yaml").read_text()
    patient, quick = "      poll_interval: 1m\n", ("poll_interval", "lag", "finalized_within")
    assert patient in written
    (terminal.airflow_home / "include" / "staking.yaml").write_text(
        written.replace(patient, "".join(f"      {name}: 1s\n" for name in quick))
    )
    policy = SigningPolicy(frozenset({AccountId.parse(RELAYER)}), 10**18, frozenset({LocalSigner("//Dave").account}))
    signer = RunningSigner(policy, users=(), payers=["//Eve"], token="token-of-the-signer")
    with RunningSimulator(settings) as gateway, signer as remote:
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
