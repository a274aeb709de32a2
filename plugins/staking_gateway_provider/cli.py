"""The commands `airflow staking ...`. Every `airflow` call loads this module, so it imports no heavy library."""

from __future__ import annotations

import argparse
from typing import Any

from airflow.cli.cli_config import ARG_OUTPUT, ARG_YES, ActionCommand, Arg, GroupCommand, lazy_load_command

_COMMANDS = "staking_gateway_provider.commands."
_LEDGER = Arg(
    ("--ledger-conn-id",),
    help="connection of the ledger; by default the one of staking.yaml, or the SQLite file in AIRFLOW_HOME",
)


class _NetworkArg(Arg):
    """`--network`, with the networks of `staking.yaml` as shell completion."""

    def __init__(self, **options: Any) -> None:
        super().__init__(("--network",), **options)  # type: ignore[no-untyped-call]

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Add the argument with a completer for argcomplete."""
        parser.add_argument(*self.flags, **self.kwargs).completer = _network_names  # type: ignore[attr-defined]


class _AllTheRestArg(Arg):
    """All following words, including options and `--help`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(("arguments",), nargs=argparse.REMAINDER, metavar="...", **options)  # type: ignore[no-untyped-call]

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Let no word begin an option of this parser."""
        parser.prefix_chars = "\0"
        super().add_to_parser(parser)


def _network_names(**_completion: object) -> list[str]:
    from staking_gateway.config.loader import read_config
    from staking_gateway.errors import ConfigError

    try:
        return list(read_config().names)
    except ConfigError:
        return []


_NETWORK = _NetworkArg(help="name of the network in staking.yaml", required=True)
_ONE_NETWORK = _NetworkArg(help="only this network of staking.yaml; by default all enabled networks")
_ERA = Arg(("--era",), help="the era", required=True)
_AGAIN = Arg(
    ("--again",),
    help="sign an era again that is held: fees were charged for nothing, or the request's state and the nonces disagree. "
    "First check the transaction and the era on the chain",
    action="store_true",
)
_STORED_ERA = Arg(("--era",), help="era to store the statuses for; without it they are only shown")
_LAST = Arg(("--last",), help="number of eras to list, the newest ones (default: 84)", default="84")
_SHOWN_ERA = Arg(("--era",), help="era to show the statuses of; by default the newest era with statuses")
_EXPORT = (
    Arg(("--from-era",), help="oldest era to export; by default the first in the ledger"),
    Arg(("--to-era",), help="newest era to export; by default the last in the ledger"),
    Arg(("--format",), help="csv or parquet (default: csv)", choices=("csv", "parquet"), default="csv"),
    Arg(("--file",), help="file to write; it is replaced when the new one is complete", required=True),
)
_SIMULATOR = _AllTheRestArg(help="the options of python -m staking_gateway_simulator")
_RANGE = (
    Arg(("--from-era",), help="oldest era to pay; by default the oldest that can be paid"),
    Arg(("--to-era",), help="newest era to pay; by default the newest that can be paid"),
    Arg(("--max-eras",), help="most eras to pay; by default catch_up.max_eras of staking.yaml"),
    Arg(("--max-fees",), help="most fees to pay, in the smallest unit; by default catch_up.max_fees of staking.yaml"),
)
_APPROVE = Arg(("--approve",), metavar="HASH", help="pay, if the plan still has this hash; else show the differences")


def _command(name: str, description: str, function: str, *args: Arg, examples: tuple[str, ...]) -> ActionCommand:
    """A command with `--ledger-conn-id`, unless it takes all following words."""
    more = () if _SIMULATOR in args else (_LEDGER,)
    return ActionCommand(
        name=name,
        help=description,
        func=lazy_load_command(f"{_COMMANDS}{function}"),
        args=(*args, *more),
        epilog="\n".join(["Examples:", *(f"  airflow staking {line}" for line in examples)]),
    )


_LEDGER_COMMANDS = (
    _command(
        "status",
        "Show where the ledger is and whether its tables are up to date; status 1 when an upgrade is due",
        "ledger.status",
        examples=("ledger status", "ledger status --ledger-conn-id staking_ledger"),
    ),
    _command(
        "upgrade",
        "Create the ledger, or upgrade its tables; opening it does the same",
        "ledger.upgrade",
        examples=("ledger upgrade",),
    ),
    _command(
        "history",
        "List every change of an era's payout",
        "ledger.history",
        _NETWORK,
        _ERA,
        examples=("ledger history --network devnet --era 1391",),
    ),
    _command(
        "export",
        "Write the payouts of a network to a file, for a spreadsheet or a data platform; without signatures",
        "export.export",
        _NETWORK,
        *_EXPORT,
        examples=(
            "ledger export --network devnet --file payouts.csv",
            "ledger export --network devnet --from-era 1300 --to-era 1399 --format parquet --file payouts.parquet",
        ),
    ),
    _command(
        "forget-calendar",
        "Accept an edited calendar; only when the old one never made a run",
        "ledger.forget_calendar",
        _NETWORK,
        ARG_YES,
        examples=("ledger forget-calendar --network devnet",),
    ),
)
_STAKING_COMMANDS = (
    _command(
        "doctor",
        "Check the whole set-up, and say what to fix; status 1 when something cannot work. Nothing is signed or sent",
        "doctor.doctor",
        _ONE_NETWORK,
        ARG_OUTPUT,
        examples=("doctor", "doctor --network devnet --output json"),
    ),
    _command(
        "eras",
        "List the eras that can still be paid, with their states; status 1 when an era is unpaid",
        "eras.eras",
        _NETWORK,
        _LAST,
        ARG_OUTPUT,
        examples=("eras --network devnet", "eras --network devnet --last 10 --output json"),
    ),
    _command(
        "accounts",
        "Show the watched accounts with the statuses stored for an era; status 1 when one is in the wrong state",
        "accounts.accounts",
        _NETWORK,
        _SHOWN_ERA,
        ARG_OUTPUT,
        examples=("accounts --network devnet", "accounts --network devnet --era 1391 --output yaml"),
    ),
    _command(
        "plan",
        "Show the unpaid eras and their order; with --approve, pay exactly that plan",
        "catch_up.plan",
        _NETWORK,
        *_RANGE,
        _APPROVE,
        ARG_OUTPUT,
        examples=("plan --network devnet --max-eras 10", "plan --network devnet --approve 1f0c2ab34d5e6f70"),
    ),
    _command(
        "pay",
        "Pay one era now, in this process; status 0 only when the era is paid",
        "pay.pay",
        _NETWORK,
        _ERA,
        _AGAIN,
        examples=("pay --network devnet --era 1391", "pay --network devnet --era 1391 --again"),
    ),
    _command(
        "catch-up",
        "Pay every unpaid era, soonest to expire first; status 1 while an era is unpaid",
        "catch_up.catch_up",
        _NETWORK,
        *_RANGE,
        examples=("catch-up --network devnet", "catch-up --network devnet --from-era 1390 --to-era 1395"),
    ),
    _command(
        "status",
        "Check which accounts of a network are staking; status 1 when one is in the wrong state or could not be checked",
        "status.status",
        _NETWORK,
        _STORED_ERA,
        ARG_OUTPUT,
        examples=("status --network devnet", "status --network devnet --era 1391 --output json"),
    ),
    GroupCommand(name="ledger", help="The ledger: the record of every payout", subcommands=_LEDGER_COMMANDS),
    _command(
        "simulator",
        "Run a simulated gateway and chain on this machine, with the options of python -m staking_gateway_simulator",
        "simulator.simulator",
        _SIMULATOR,
        examples=("simulator --port 8650 --era-length 20",),
    ),
)


def get_commands() -> list[GroupCommand]:
    """The group `airflow staking`."""
    return [GroupCommand(name="staking", help="Pay every staking era exactly once", subcommands=_STAKING_COMMANDS)]
