"""`python -m demo.run`: start everything, watch the scheduler pay some eras, and check what it says against the truth.

ERAS (3) is how many eras to wait for. KEEP=0 leaves when they are paid, KEEP=1 goes on until Ctrl-C; without KEEP it goes on when
standard output is a terminal. Everything lives in .airflow below the checkout and is made anew at each start, except for the
secrets, which are made once.

Exit status: 0 all well, 1 something failed, 2 it could not be started as asked, 128 + the signal when it was interrupted.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.devnet import Devnet
    from demo.interruption import Interruption
    from demo.moment import Moment
    from demo.screen import Screen
    from staking_gateway.config.models import NetworkConfig

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".airflow"
NETWORK = "devnet"
UI_PORT, SIMULATOR_PORT = 8080, 8650
WINDOW_SECONDS = 5.0
USER_KEY, PAYER_KEY = "//Alice", "//Charlie"
_LONGEST_ERA_SECONDS = 600
_PACKAGES = (
    "airflow",
    "aiohttp",
    "requests",
    "rich",
    "staking_gateway",
    "staking_gateway_provider",
    "substrateinterface",
)


@dataclass(frozen=True)
class Options:
    """What was asked for.

    :param eras: how many eras to wait for.
    :param keep: whether to go on when they are paid.
    """

    eras: int
    keep: bool

    @classmethod
    def read(cls, environment: Mapping[str, str], terminal: bool) -> Options:
        """From the environment.

        :raises ValueError: a variable cannot be used; the text says what to write.
        """
        eras, keep = environment.get("ERAS") or "3", environment.get("KEEP") or str(int(terminal))
        if not (eras.isascii() and eras.isdecimal() and 1 <= len(eras) <= 6 and int(eras) > 0):
            raise ValueError(f"ERAS={eras} is not a number of eras: use a whole number from 1, e.g. ERAS=3")
        if keep not in ("0", "1"):
            raise ValueError(f"KEEP={keep} is neither 0 nor 1: use KEEP=0 to leave when the eras are paid")
        return cls(int(eras), keep == "1")


def obstacle() -> str | None:
    """Why the demo cannot run on this machine and what to do about it, or None."""
    if not (3, 11) <= sys.version_info[:2] < (3, 15):
        return f"This is Python {sys.version.split()[0]}. Use 3.11 to 3.14: make setup PYTHON=python3.12"
    if importlib.util.find_spec("fcntl") is None:
        return "The demo needs Linux or macOS; on Windows run it in WSL"
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        return f"Not installed: {', '.join(missing)}. Run make setup, then make demo"
    writable = HOME if HOME.exists() else ROOT
    if not os.access(writable, os.W_OK | os.X_OK):
        return f"{writable} cannot be written. Change its owner or its permissions"
    return None


def main() -> int:
    """Run the demo; see the module."""
    try:
        options = Options.read(os.environ, sys.stdout.isatty())
    except ValueError as error:
        return _complain(str(error), 2)
    problem = obstacle()
    if problem is not None:
        return _complain(problem, 2)
    # Everything here is on this machine, whatever proxy the caller has for the rest of the world.
    os.environ.update(NO_PROXY="127.0.0.1,localhost", no_proxy="127.0.0.1,localhost")
    import requests

    from demo.api import ApiRefused
    from demo.home import AlreadyRunning
    from demo.interruption import Interruption, StopRequested
    from demo.services import DemoFailed

    interruption = Interruption()
    interruption.install()
    try:
        return _run(options, interruption)
    except AlreadyRunning as error:
        return _complain(str(error), 2)
    except DemoFailed as error:
        return _complain(str(error), 1)
    except (ApiRefused, requests.RequestException) as error:
        return _complain(f"A call failed: {error}\nThe logs are below {HOME}", 1)
    except StopRequested as stop:
        return _complain(f"Stopped by {stop}; nothing is left running", 128 + stop.number)


def _complain(text: str, status: int) -> int:
    sys.stdout.flush()
    sys.stderr.write(f"demo: {text}\n")
    return status


def _run(options: Options, interruption: Interruption) -> int:
    from demo.devnet import Devnet, connections
    from demo.screen import LiveScreen, Screen
    from demo.services import DemoFailed
    from demo.stack import AirflowStack, free_port

    config = ROOT / "include" / "staking.yaml"
    network = _read_network(config)
    port = free_port(SIMULATOR_PORT)
    stack = AirflowStack(
        HOME,
        config=config,
        connections=connections(f"http://127.0.0.1:{port}", USER_KEY, network.user, PAYER_KEY, network.payer),
        ui_port=UI_PORT,
        shield=interruption.shielded,
        hurried=interruption.is_waiting,
    )
    screen = LiveScreen() if sys.stdout.isatty() else Screen()
    with stack:
        devnet = Devnet(stack, NETWORK, network, port=port, window_seconds=WINDOW_SECONDS)
        with screen:
            _announce(screen, devnet)
            devnet.bring_up(screen.stage)
            moment = _watch(screen, devnet, options.eras)
        verdict = _conclude(screen, devnet, moment, options.eras)
        if verdict:
            raise DemoFailed("\n  ".join(["What was reported is not what happened:", *verdict]))
        _tell_where(screen, devnet, options)
        if options.keep:
            _serve(devnet)
    return 0


def _read_network(path: Path) -> NetworkConfig:
    from demo.services import DemoFailed
    from staking_gateway.config.loader import load_config
    from staking_gateway.errors import ConfigError

    try:
        config = load_config(path)
        network = config.network(NETWORK)
    except ConfigError as error:
        raise DemoFailed(f"{path}: {error}") from None
    problem = None
    if not network.enabled:
        problem = "is not enabled"
    elif network.calendar.anchors[-1].length.total_seconds() > _LONGEST_ERA_SECONDS:
        problem = f"has eras of more than {_LONGEST_ERA_SECONDS} s, which nobody wants to watch"
    elif config.ledger_conn_id:
        problem = "keeps its ledger at ledger_conn_id, but a demo starts with an empty one in .airflow"
    if problem:
        raise DemoFailed(f"{path}: {NETWORK} {problem}. The demo needs the file as it was shipped, or close to it")
    return network


def _announce(screen: Screen, devnet: Devnet) -> None:
    for what, wanted, got in (("UI", UI_PORT, devnet.stack.port), ("simulator", SIMULATOR_PORT, devnet.port)):
        if wanted != got:
            screen.say(f"Port {wanted} is taken: the {what} is on port {got}")
    screen.say(f"Logs are below {devnet.stack.home}")


def _watch(screen: Screen, devnet: Devnet, eras: int) -> Moment:
    """Show what happens until so many eras have been paid by the scheduler."""
    from demo.moment import paid_in_a_row
    from demo.services import DemoFailed, quote

    patience = 2 * devnet.network.calendar.anchors[-1].length.total_seconds() + 90
    paid, until = 0, time.monotonic() + patience
    while True:
        moment = devnet.wait(devnet.moment, 30, "Airflow's API answers")
        screen.show(moment)
        devnet.check_runs(moment.runs)
        now_paid = len(paid_in_a_row(moment.runs))
        if now_paid > paid:
            paid, until = now_paid, time.monotonic() + patience
        if paid >= eras:
            return moment
        if time.monotonic() > until:
            log = quote(devnet.stack.log_of("scheduler"))
            raise DemoFailed(f"No era was paid for {patience:.0f} s; {paid} of {eras} are.\n{log}")
        time.sleep(0.5)


def _conclude(screen: Screen, devnet: Devnet, moment: Moment, eras: int) -> tuple[str, ...]:
    """Show the result and return what is wrong with it."""
    from demo.moment import paid_in_a_row
    from demo.screen import result_table
    from demo.verdict import judge, read_eras

    runs = paid_in_a_row(moment.runs)[:eras]
    truth = devnet.control.truth()
    verdict = judge(read_eras(devnet, runs), truth, len(devnet.network.accounts))
    screen.console.print()
    screen.console.print(result_table(verdict.eras, truth, screen.console.width))
    screen.console.print(verdict.truth)
    return verdict.disagreements


def _tell_where(screen: Screen, devnet: Devnet, options: Options) -> None:
    """Nothing is told of an Airflow that ends with the demo."""
    if not options.keep:
        screen.console.print("\nEnding it all; KEEP=1 leaves it running")
        return
    stack = devnet.stack
    screen.console.print(
        f"\nAirflow's UI:  {stack.url}  (login {stack.username}, password {stack.password})", markup=False
    )
    screen.console.print("The scheduler goes on paying; Ctrl-C ends it all")


def _serve(devnet: Devnet) -> None:
    """Go on until somebody stops it, which is then no failure."""
    from demo.interruption import StopRequested

    try:
        while True:
            devnet.stack.services.check()
            time.sleep(0.5)
    except StopRequested:
        sys.stderr.write("\ndemo: ending everything\n")


if __name__ == "__main__":
    sys.exit(main())
