"""The commands `airflow staking ...`. Every `airflow` call loads this module, so it imports no heavy library."""

from __future__ import annotations

import argparse
from typing import Any

from airflow.cli.cli_config import ARG_OUTPUT, ARG_VERBOSE, ARG_YES, ActionCommand, Arg, lazy_load_command

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


class _Subcommands(Arg):
    """The commands of a group. Airflow's own `GroupCommand` cannot run without a subcommand.

    :param commands: the commands, in the order of the help.
    :param required: whether the group alone is a mistake; else it runs its own function.
    """

    def __init__(self, commands: tuple[ActionCommand, ...], *, required: bool) -> None:
        super().__init__(("command",))  # type: ignore[no-untyped-call]
        self.commands = commands
        self._required = required

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Add a parser for each command, and the options of the group alone."""
        parser.set_defaults(network=None, ledger_conn_id=None, output="table", verbose=False)
        group = parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=self._required)
        for command in self.commands:
            child = group.add_parser(
                command.name,
                help=command.help,
                description=command.help,
                epilog=command.epilog,
                formatter_class=parser.formatter_class,
            )
            for arg in command.args:
                arg.add_to_parser(child)
            child.set_defaults(func=command.func)


def _network_names(**_completion: object) -> list[str]:
    from staking_gateway.errors import ConfigError
    from staking_gateway_provider.settings import read_config

    try:
        return list(read_config().names)
    except ConfigError:
        return []


_NETWORK = _NetworkArg(help="name of the network in staking.yaml; optional while exactly one network is enabled")
_ONE_NETWORK = _NetworkArg(help="only this network of staking.yaml; by default all enabled networks")
_ERA = Arg(("--era",), help="the era", required=True)
_AGAIN = Arg(
    ("--again",),
    help="sign an era again that is held: fees were charged for nothing, or the request's state and the nonces disagree. "
    "First check the transaction and the era on the chain",
    action="store_true",
)
_WHY = Arg(("--why",), help="the reason", required=True)
_STORED_ERA = Arg(("--era",), help="era to store the statuses for; without it they are only shown")
_WATCH = Arg(("--watch",), help="draw the grid of eras, again every few seconds, until Ctrl-C", action="store_true")
_ALL = Arg(
    ("--all",), help="also show the checks without a problem, and what follows from other problems", action="store_true"
)
_FIX = Arg(
    ("--fix",),
    help="do the safe steps: create the ledger, unpause DAGs. Each is named first; it asks before each, unless --yes",
    action="store_true",
)
_LAST = Arg(("--last",), help="number of eras to list, the newest ones (default: 84)", default="84")
_SHOWN_ERA = Arg(("--era",), help="era to show the statuses of; by default the newest era with statuses")
_FORMAT = Arg(("--format",), help="csv or parquet (default: csv)", choices=("csv", "parquet"), default="csv")
_TARGET = Arg(
    ("--target",),
    help="folder for the files: an absolute path, or a URL such as s3://conn_id@bucket/staking",
    required=True,
)
_EXPORT = (
    Arg(("--from-era",), help="oldest era to export; by default the first in the ledger"),
    Arg(("--to-era",), help="newest era to export; by default the last in the ledger"),
    Arg(("--tables",), help="views to export, with commas, such as staking_eras,staking_payouts; by default all six"),
    _FORMAT,
    _TARGET,
)
_REPORT = (
    Arg(
        ("--from",),
        help="oldest era, or the first day (UTC) on which an era ended; by default the first of the installation",
    ),
    Arg(("--to",), help="newest era, or the last day (UTC) on which an era ended; by default the newest ended era"),
    Arg(("--html",), metavar="FILE", help="also write a page with plots: one file, which needs no network"),
)
_INIT = (
    Arg(("--network",), help="name of the network to describe (default: devnet, the network of the simulator)"),
    Arg(("--demo",), help="also start a simulator, make its connections, and unpause the DAGs", action="store_true"),
    Arg(("--no-dags",), help="write no DAG files; show how Airflow loads them from the package", action="store_true"),
)
_SIMULATOR = _AllTheRestArg(help="the options of python -m staking_gateway_simulator")
_ERAS = "eras and ranges, such as 1391,1395-1402"
_BUDGET = (
    Arg(("--max-eras",), help="most eras to pay; by default catch_up.max_eras of staking.yaml"),
    Arg(("--max-fees",), help="most fees to pay, in the smallest unit; by default catch_up.max_fees of staking.yaml"),
)
_COMPARED = (
    Arg(("--from-era",), help="oldest era to compare; by default the oldest whose rewards the chain may keep"),
    Arg(("--to-era",), help="newest era to compare; by default the newest that has ended"),
)
_RANGE = (
    Arg(("--from-era",), help="oldest era to pay; by default the oldest that can be paid"),
    Arg(("--to-era",), help="newest era to pay; by default the newest that can be paid"),
    Arg(("--eras",), help=f"instead of both: {_ERAS}"),
    *_BUDGET,
)
_CHOSEN_ERAS = Arg(("--eras",), help=_ERAS, required=True)
_APPROVE = Arg(("--approve",), metavar="HASH", help="pay, if the plan still has this hash; else show the differences")


_WRONG_USE = "the command line is wrong: an option, or the value of an option"


def _command(
    name: str, description: str, function: str, *args: Arg, examples: tuple[str, ...], zero: str, one: str
) -> ActionCommand:
    """A command with the common options, unless it takes all following words. `init` opens no ledger.

    :param zero: when its exit status is 0; likewise `one`.
    """
    common = () if _SIMULATOR in args else (ARG_OUTPUT, ARG_VERBOSE)
    ledger = () if name in ("init", "simulator") else (_LEDGER,)
    lines = [
        *("Examples:", *(f"  airflow staking {line}" for line in examples)),
        *("", "Exit status:", f"  0  {zero}", f"  1  {one}", f"  2  {_WRONG_USE}"),
    ]
    return ActionCommand(
        name=name,
        help=description,
        func=lazy_load_command(f"{_COMMANDS}{function}"),
        args=(*args, *ledger, *common),
        epilog="\n".join(lines),
    )


_FAILED = "the command failed; the last line says why"
_LEDGER_COMMANDS = (
    _command(
        "status",
        "Show where the ledger is and whether its tables are up to date",
        "ledger.status",
        examples=("ledger status", "ledger status --ledger-conn-id staking_ledger"),
        zero="the tables are up to date",
        one="the ledger has no tables, or those of another version, or cannot be read",
    ),
    _command(
        "upgrade",
        "Create the tables of the ledger; the first task does the same",
        "ledger.upgrade",
        examples=("ledger upgrade",),
        zero="the tables are up to date",
        one=_FAILED,
    ),
    _command(
        "history",
        "List every change of an era's payout",
        "ledger.history",
        _NETWORK,
        _ERA,
        examples=("ledger history --era 1391", "ledger history --network devnet --era 1391 --output json"),
        zero="the ledger has a payout of the era",
        one="the ledger has none, or cannot be read",
    ),
    _command(
        "stop",
        "Sign and send nothing any more, on no machine; runs wait",
        "ledger.stop",
        _WHY,
        examples=('ledger stop --why "the key may be stolen"',),
        zero="the ledger is stopped",
        one=_FAILED,
    ),
    _command(
        "go",
        "End the stop: waiting runs go on",
        "ledger.go",
        examples=("ledger go",),
        zero="the ledger is not stopped",
        one=_FAILED,
    ),
    _command(
        "restored",
        "Say that the ledger was restored, before anything else runs",
        "ledger.restored",
        _WHY,
        examples=('ledger restored --why "backup of 2 June"',),
        zero="the ledger counts as restored",
        one=_FAILED,
    ),
    _command(
        "forget-calendar",
        "Accept an edited calendar; only when the old one never made a run",
        "ledger.forget_calendar",
        _NETWORK,
        ARG_YES,
        examples=("ledger forget-calendar --network devnet",),
        zero="the old calendar is forgotten",
        one="the ledger has payouts, and --yes is missing; or the command failed",
    ),
)
_STAKING_COMMANDS = (
    _command(
        "init",
        "Write the first staking.yaml and the DAG files; never over an existing file",
        "init.init",
        *_INIT,
        examples=("init --demo", "init --network mainnet", "init --network mainnet --no-dags"),
        zero="the files are there; with --demo: the network runs",
        one=_FAILED,
    ),
    _command(
        "state",
        "Show of each network the state in one sentence, the first cause, its remedy, and the next command to type",
        "state.state",
        _ONE_NETWORK,
        examples=("state", "state --network devnet --output json"),
        zero="always, also when eras are unpaid",
        one=_FAILED,
    ),
    _command(
        "why",
        "Show the timeline of an era, why it is unpaid, and what to do",
        "why.why",
        _NETWORK,
        _ERA,
        examples=("why --era 1391", "why --network devnet --era 1391 --output json"),
        zero="the timeline is shown, also of an unpaid era",
        one=_FAILED,
    ),
    _command(
        "doctor",
        "Check the whole set-up, and say what to fix, root cause first. Nothing is signed or sent",
        "doctor.doctor",
        _ONE_NETWORK,
        _ALL,
        _FIX,
        ARG_YES,
        examples=("doctor", "doctor --network devnet --all --output json", "doctor --fix"),
        zero="no error; warnings may be left",
        one="an error is left",
    ),
    _command(
        "eras",
        "List the eras that can still be paid, with their states",
        "eras.eras",
        _NETWORK,
        _LAST,
        examples=("eras", "eras --network devnet --last 10 --output json"),
        zero="no era waits for a person: all are paid, in progress, or older than this installation",
        one="an era is unpaid or has newly expired, or the gateway does not answer",
    ),
    _command(
        "accounts",
        "Show the watched accounts with the statuses stored for an era",
        "accounts.accounts",
        _NETWORK,
        _SHOWN_ERA,
        examples=("accounts", "accounts --network devnet --era 1391 --output yaml"),
        zero="all accounts are in the right state",
        one="an account is in the wrong state, or was not checked",
    ),
    _command(
        "report",
        "Sum up a range of eras from the ledger: states, fees, rewards, payment lag, accounts, differences",
        "report.report",
        _NETWORK,
        *_REPORT,
        examples=(
            "report --from 1300 --to 1399",
            "report --network devnet --from 2026-11-01 --to 2026-11-30 --html november.html",
        ),
        zero="the report is shown, also of unpaid eras",
        one=_FAILED,
    ),
    _command(
        "plan",
        "Show the unpaid eras and their order; with --approve, pay exactly that plan",
        "catch_up.plan",
        _NETWORK,
        *_RANGE,
        _APPROVE,
        examples=("plan --max-eras 10", "plan --network devnet --approve 1f0c2ab34d5e6f70"),
        zero="the plan is shown; with --approve: it is paid",
        one="with --approve: an era is unpaid, or the plan has changed; or the command failed",
    ),
    _command(
        "pay",
        "Pay one era now, in this process",
        "pay.pay",
        _NETWORK,
        _ERA,
        _AGAIN,
        examples=("pay --era 1391", "pay --network devnet --era 1391 --again"),
        zero="the era is paid",
        one="the era is unpaid",
    ),
    _command(
        "catch-up",
        "Pay every unpaid era, soonest to expire first",
        "catch_up.catch_up",
        _NETWORK,
        *_RANGE,
        examples=(
            "catch-up",
            "catch-up --network devnet --from-era 1390 --to-era 1395",
            "catch-up --eras 1391,1395-1402",
        ),
        zero="nothing is unpaid",
        one="an era is unpaid",
    ),
    _command(
        "backfill",
        "Show the runs of the payout DAG that chosen eras need; with --yes, make them for Airflow to run",
        "backfill.backfill",
        _NETWORK,
        _CHOSEN_ERAS,
        *_BUDGET,
        ARG_YES,
        examples=("backfill --eras 1391,1395-1402", "backfill --network devnet --eras 1391 --yes"),
        zero="the runs are shown; with --yes: each of the eras has a run, or is paid",
        one="with --yes: the budget left eras for the next call; or the command failed",
    ),
    _command(
        "reconcile",
        "Compare the ledger with gateway and chain, era by era. Nothing is signed or sent",
        "reconcile.reconcile",
        _NETWORK,
        *_COMPARED,
        examples=("reconcile", "reconcile --network devnet --from-era 1390 --to-era 1395 --output json"),
        zero="compared, and nothing differs; some results may be unknown",
        one="a difference; or the node failed, or none is configured; or the command failed",
    ),
    _command(
        "status",
        "Check which accounts of a network are staking, and show the grid of eras",
        "status.status",
        _NETWORK,
        _STORED_ERA,
        _WATCH,
        examples=("status", "status --watch", "status --network devnet --era 1391 --output json"),
        zero="all accounts are in the right state; --watch ended with Ctrl-C",
        one="an account is in the wrong state, or could not be checked",
    ),
    _command(
        "export",
        "Write the ledger's views to files, one per view and era, for a spreadsheet or a data warehouse; without signatures",
        "export.export",
        _NETWORK,
        *_EXPORT,
        examples=(
            "export --network devnet --target /data/staking",
            "export --network devnet --from-era 1300 --to-era 1399 --format parquet --target s3://conn_id@bucket/staking",
        ),
        zero="all files are complete",
        one="a file was not written; complete ones stay",
    ),
    ActionCommand(
        name="ledger",
        help="The ledger: the record of every payout",
        func=lazy_load_command(f"{_COMMANDS}ledger.status"),
        args=(_Subcommands(_LEDGER_COMMANDS, required=True),),
    ),
    _command(
        "simulator",
        "Run a simulated gateway and chain on this machine, with the options of python -m staking_gateway_simulator",
        "simulator.simulator",
        _SIMULATOR,
        examples=("simulator --port 8650 --era-length 20",),
        zero="it was stopped",
        one="it could not start",
    ),
)


def get_commands() -> list[ActionCommand]:
    """The group `airflow staking`; alone, it shows the state of all networks."""
    return [
        ActionCommand(
            name="staking",
            help="Pay every staking era exactly once; alone: the state of all networks",
            func=lazy_load_command(f"{_COMMANDS}state.state"),
            args=(_Subcommands(_STAKING_COMMANDS, required=False),),
        )
    ]
