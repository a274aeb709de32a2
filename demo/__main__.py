"""`make demo`: `airflow staking init --demo` in a new folder, then `airflow standalone`, until some eras are paid.

ERAS (3) is their number. KEEP=0 ends the demo then, KEEP=1 continues until Ctrl-C; a terminal also continues without KEEP.
Exit status: 0 if the simulator executed each era once, else 1; 2 for a wrong variable; 130 if a signal ended the demo early.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from staking_gateway.ledger import Ledger, Payout, PayoutState
from staking_gateway.text import Token, amount, count
from staking_gateway_simulator.running import SimulatorControl

FOREIGN = ("AIRFLOW", "STAKING_", "PYTHON", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")  # of another Airflow


def free_port(wanted: int) -> int:
    """The wanted port if it is free, else another one."""
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", wanted))
        return int(probe.getsockname()[1])
    return free_port(0)


class _Demo:
    def __init__(self) -> None:
        self.home, self.url = Path(tempfile.mkdtemp(prefix="staking-demo-")), f"http://127.0.0.1:{free_port(8080)}"
        self.right: bool | None = None
        self._sessions, self._said = set[int](), 0.0
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(FOREIGN)}
        self._environment = kept | {
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__PARALLELISM": "4",
            "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "30",  # a small machine may be slow
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "AIRFLOW__API__HOST": "127.0.0.1",
            "AIRFLOW__API__PORT": self.url.rpartition(":")[2],
            "AIRFLOW__API__BASE_URL": self.url,
            "AIRFLOW__STAKING_GATEWAY__CONFIG_FILE": str(self.home / "staking.yaml"),
            "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(free_port(8793)),
            "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": str(free_port(8794)),
            "PYTHONWARNINGS": "ignore",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        }

    def say(self, text: str, every: float = 0) -> None:
        """Print a line; with `every` only if nothing was printed for so many seconds."""
        if time.monotonic() - self._said >= every:
            print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)  # noqa: T201
            self._said = time.monotonic()

    def start(self, *words: str) -> tuple[subprocess.Popen[bytes], Path]:
        """Start `airflow ...` in a session of its own; its process, and the file of its output."""
        command, log = [sys.executable, "-m", "airflow", *words], self.home / f"{words[0]}.log"
        with log.open("wb") as out:
            made = subprocess.Popen(command, env=self._environment, stdin=-3, stdout=out, stderr=out, start_new_session=True)  # noqa: S603 # fmt: skip
        self._sessions.add(made.pid)
        return made, log

    def end(self) -> None:
        """End all processes of the sessions, politely first. Airflow's tasks have process groups of their own, not sessions."""
        with suppress(OSError, ValueError):
            self._sessions.add(int((self.home / "staking_simulator.pid").read_text()))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            self.say("Ending all programs", every=3)
            left = []
            for process in psutil.process_iter():
                with suppress(psutil.Error, OSError, KeyError):
                    # By its home one is known that a signal kept from being noted.
                    if os.getsid(process.pid) in self._sessions or process.environ()["AIRFLOW_HOME"] == str(self.home):
                        process.send_signal(number)
                        left.append(process)
            psutil.wait_procs(left, timeout=4)

    def run(self, eras: int, keep: bool) -> None:
        init, log = self.start("staking", "init", "--demo")
        while init.poll() is None:
            time.sleep(0.1)
            self.say(f"Running `airflow staking init --demo` in the folder {self.home}", every=15)
        address = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
        if init.returncode or address is None:
            sys.exit(f"`airflow staking init --demo` failed:\n{log.read_text()[-2000:]}")
        simulator, paid, since = SimulatorControl(address[0]), 0, time.monotonic()
        self.say(f"Running `airflow standalone`: {self.url}/plugin/staking (user admin, its password is in the folder)")
        airflow, log = self.start("standalone")
        with closing(Ledger(f"sqlite:///{self.home / 'staking_ledger.db'}")) as ledger:
            while keep or paid < eras:
                if airflow.poll() is not None or time.monotonic() > since + 900:
                    sys.exit(
                        f"`airflow standalone` has ended, or paid no era for 15 minutes:\n{log.read_text()[-2000:]}"
                    )
                known = ledger.payouts_of("devnet", range(2**31)).items()
                done = {era: parts[0] for era, parts in known if parts[0].state is PayoutState.CONFIRMED}
                if len(done) > paid:
                    paid, since = len(done), time.monotonic()
                    if paid >= eras:
                        self.judge(done, simulator, ledger.views.token("devnet"))
                under_way = [parts[0] for era, parts in known if era not in done]
                progress = f"{count(paid, 'era')} paid" if paid else _before_the_first(under_way, log)
                self.say(f"Era {simulator.state()['active_era']} is active; {progress}", every=4)
                time.sleep(0.5)

    def judge(self, paid: dict[int, Payout], simulator: SimulatorControl, token: Token | None) -> None:
        """Compare the ledger's payouts with what the chain executed: each era once. The first time, print them."""
        truth = simulator.truth()
        times = Counter(payout["era"] for payout in truth["payouts"])
        for era, payout in sorted(paid.items()) if self.right is None else ():
            executed = "executed once" if times[era] == 1 else f"executed {times[era]} times"
            self.say(f"  era {era}  {executed}  fee {amount(payout.fee or 0, token)}  transaction {payout.tx_hash}")
        wrong = [era for era in {*paid, *times} if times[era] != 1]
        fees = amount(int(truth["fees_charged"]), token)
        newer = f" ({len({*times} - {*paid})} of them newer than this list)" if {*times} - {*paid} else ""
        self.say(
            f"Executed by the simulator's chain: {count(times.total(), 'payout')}{newer}, fees {fees}, wrong eras: {wrong or 'none'}"
        )
        self.right = not wrong and self.right is not False


def _before_the_first(under_way: list[Payout], log: Path) -> str:
    """Why no era is paid yet."""
    if under_way:
        return f"era {under_way[0].era} is {under_way[0].state.value}: the chain has not confirmed it yet"
    if "Airflow is ready" not in log.read_text():
        return "Airflow starts, which takes about a minute"
    return "no payout has begun: a run waits for the end of its era, for the election window and for a worker"


def main() -> int:
    eras, keep = os.environ.get("ERAS") or "3", os.environ.get("KEEP") or str(int(sys.stdout.isatty()))
    if not (eras.isdecimal() and 0 < int(eras) < 10**6 and keep in ("0", "1")):
        sys.stderr.write(f"ERAS={eras} KEEP={keep}: ERAS must be a whole number from 1, KEEP must be 0 or 1\n")
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    demo = _Demo()
    try:
        with suppress(KeyboardInterrupt):
            demo.run(int(eras), keep == "1")
    except OSError as error:
        sys.exit(f"The simulator has ended, or a file cannot be written: {error}")
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        demo.end()
    if demo.right is not False:
        shutil.rmtree(demo.home, ignore_errors=True)
    return {True: 0, False: 1, None: 130}[demo.right]


sys.exit(main())
