"""The commands `airflow staking ...`: one row per command. Every `airflow` call loads this module, so it imports no heavy library.

Help, `docs/commands.md` and tests are made from `COMMANDS`. A new command is a row here and a function in `commands`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from airflow.cli.cli_config import ARG_OUTPUT, ARG_VERBOSE, ARG_YES, ActionCommand, Arg, lazy_load_command

STATUSES = {
    0: "nothing waits for a person",
    1: "something does, or the command failed or was stopped; the last lines name it",
    2: "the command line is wrong: an option, or the value of an option",
    141: "the reader of a pipe, such as `head`, has ended",
}
"""The exit statuses of every command. A row says what 0 and 1 mean for its command."""
_FAILED = "the command failed; the last line says why"


class Command(NamedTuple):
    """One command: the words after `airflow staking`, its function in `commands`, its own options, examples, and when its exit status is 0 or 1.

    A newcomer can type the first example.
    """

    name: str
    help: str
    function: str
    args: tuple[Arg, ...]
    examples: tuple[str, ...]
    zero: str
    one: str = _FAILED

    def action(self) -> ActionCommand:
        """The command for Airflow's parser."""
        lines = [
            *("Examples:", *(f"  airflow staking {example}" for example in self.examples)),
            *("", "Exit status:", f"  0  {self.zero}", f"  1  {self.one}", f"  2  {STATUSES[2]}"),
        ]
        return ActionCommand(
            name=self.name.split()[-1],
            help=self.help,
            func=lazy_load_command(f"staking_gateway_provider.commands.{self.function}"),
            args=self.args if _SIMULATOR in self.args else (*self.args, ARG_OUTPUT, ARG_VERBOSE),
            epilog="\n".join(lines),
        )


class _AllTheRest(Arg):
    """All following words, including options and `--help`."""

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Let no word begin an option of this parser."""
        parser.prefix_chars = "\0"
        super().add_to_parser(parser)


class _Subcommands(Arg):
    """The commands of a group. Airflow's own `GroupCommand` cannot run without a subcommand."""

    def __init__(self, commands: Sequence[ActionCommand], *, required: bool) -> None:
        super().__init__(("command",))  # type: ignore[no-untyped-call]
        self.commands, self._required = commands, required

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Add a parser for each command, and the values of the group alone."""
        parser.set_defaults(network=None, output="table", verbose=False)
        group = parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=self._required)
        for command in self.commands:
            form: Any = parser.formatter_class
            child = group.add_parser(
                command.name, help=command.help, description=command.help, epilog=command.epilog, formatter_class=form
            )
            for arg in command.args:
                arg.add_to_parser(child)
            child.set_defaults(func=command.func)


def _value(flag: str, text: str, **more: Any) -> Arg:
    """An option with a value."""
    return Arg((flag,), help=text, **more)


def _flag(flag: str, text: str) -> Arg:
    """An option without a value."""
    return Arg((flag,), help=text, action="store_true")


_NETWORK = _value("--network", "name of the network in staking.yaml; optional while exactly one network is enabled")
_ONE_NETWORK = _value("--network", "only this network of staking.yaml; by default all enabled networks")
_LEDGER = _value(
    "--ledger-conn-id", "connection of the ledger, such as that of its owner; by default the ledger that pays"
)
_REASON = _value("--why", "the reason: page, doctor and every refused run show it", required=True)
_SIMULATOR = _AllTheRest(  # type: ignore[no-untyped-call]
    ("arguments",), nargs=argparse.REMAINDER, metavar="...", help="the options of python -m staking_gateway_simulator"
)


def _range(doing: str, oldest: str, newest: str) -> tuple[Arg, Arg]:
    return (
        _value("--from-era", f"oldest era to {doing}; by default the {oldest}"),
        _value("--to-era", f"newest era to {doing}; by default the {newest}"),
    )


COMMANDS = (
    Command(
        "init",
        "Write the first staking.yaml and the DAG files; never over an existing file",
        "init.init",
        (
            _value("--network", "name of the network to describe (default: devnet, the network of the simulator)"),
            _flag("--demo", "also start a simulator, make its connections, and unpause the DAGs"),
            _flag("--no-dags", "write no DAG files; show how Airflow loads them from the package"),
        ),
        ("init --demo", "init --network mainnet", "init --network mainnet --no-dags"),
        zero="the files are there; with --demo: the network runs",
    ),
    Command(
        "status",
        "Show of each network the state in one sentence, the first cause, its remedy, and the next command to type",
        "look.status",
        (_ONE_NETWORK,),
        ("status", "status --network devnet --output json"),
        zero="always, also when eras are unpaid",
    ),
    Command(
        "why",
        "Show the timeline of an era, why it is unpaid, and what to do",
        "look.why",
        (_NETWORK, _value("--era", "the era; by default the first that waits for a person, or else the newest")),
        ("why", "why --network devnet --era 1391 --output json"),
        zero="the timeline is shown, also of an unpaid era",
    ),
    Command(
        "doctor",
        "Check the whole set-up, and say what to fix, root cause first. Nothing is signed or sent",
        "doctor.doctor",
        (
            _ONE_NETWORK,
            _flag("--all", "also show the checks without a problem, and what follows from other problems"),
            _flag(
                "--fix",
                "do the safe steps: create the ledger, unpause DAGs. Each is named first; it asks before each, unless --yes",
            ),
            ARG_YES,
        ),
        ("doctor", "doctor --fix", "doctor --network devnet --all --output json"),
        zero="no error; warnings may be left",
        one="an error is left",
    ),
    Command(
        "pay",
        "Show the unpaid eras in the order of their expiry, ask, and pay them in this process",
        "pay.pay",
        (
            _NETWORK,
            _value("--eras", "only these eras and ranges, such as 1391,1395-1402"),
            *_range("pay", "oldest that can be paid", "newest that can be paid"),
            _value("--max-eras", "most eras to pay; by default catch_up.max_eras of staking.yaml"),
            _value(
                "--max-fees", "most fees to pay, in the smallest unit; by default catch_up.max_fees of staking.yaml"
            ),
            _flag("--dry-run", "show the plan and its hash, and pay nothing"),
            _value(
                "--approve",
                "pay exactly the plan with this hash, without asking; with another fee, accounts or calls nothing is paid",
                metavar="HASH",
            ),
            _flag("--runs", "make runs of the payout DAG for the eras, instead of paying here"),
            _flag(
                "--again",
                "sign the eras of --eras although they wait for a person: fees were charged for nothing, or the witnesses disagree. "
                "First check the transaction and the era on the chain",
            ),
            ARG_YES,
        ),
        (
            "pay",
            "pay --yes",
            "pay --dry-run --max-eras 10",
            "pay --approve 1f0c2ab34d5e6f70",
            "pay --eras 1391 --again",
        ),
        zero="every era of the plan is paid, or has a run; with --dry-run: the plan is shown",
        one="an era is unpaid, has expired, or is left for the next call; or the plan has changed, or nobody agreed",
    ),
    Command(
        "accounts",
        "Show the watched accounts with the statuses stored for an era; with --check, ask the gateway now",
        "look.accounts",
        (
            _NETWORK,
            _value("--era", "the era; by default the newest with statuses. With --check: store them for this era"),
            _flag("--check", "ask the gateway; without --era the answers are only shown"),
        ),
        ("accounts", "accounts --check", "accounts --network devnet --era 1391 --output yaml"),
        zero="all accounts are in the right state",
        one="an account is in the wrong state, or was not checked",
    ),
    Command(
        "report",
        "Sum up a range of eras from the ledger: states, fees, rewards, payment lag, accounts, differences",
        "report.report",
        (
            _NETWORK,
            _value(
                "--from",
                "oldest era, or the first day (UTC) on which an era ended; by default the first of the installation",
            ),
            _value("--to", "newest era, or the last day (UTC) on which an era ended; by default the newest ended era"),
            _value("--html", "also write a page with plots: one file, which needs no network", metavar="FILE"),
        ),
        ("report", "report --network devnet --from 2026-11-01 --to 2026-11-30 --html november.html"),
        zero="the report is shown, also of unpaid eras",
    ),
    Command(
        "reconcile",
        "Compare the ledger with gateway and chain, era by era. Nothing is signed or sent",
        "ledger.reconcile",
        (_NETWORK, *_range("compare", "oldest whose rewards the chain may keep", "newest that has ended")),
        ("reconcile", "reconcile --network devnet --from-era 1390 --to-era 1395 --output json"),
        zero="compared, and nothing differs; some results may be unknown",
        one="a difference; or the node failed, or none is configured; or the command failed",
    ),
    Command(
        "export",
        "Write the ledger's views to files, one per view and era, for a spreadsheet or a data warehouse; without signatures",
        "ledger.export",
        (
            _NETWORK,
            *_range("export", "first in the ledger", "last in the ledger"),
            _value(
                "--tables", "views to export, with commas, such as staking_eras,staking_payouts; by default all six"
            ),
            _value("--format", "csv or parquet (default: csv)", choices=("csv", "parquet"), default="csv"),
            _value(
                "--target",
                "folder for the files: an absolute path, or a URL such as s3://conn_id@bucket/staking",
                required=True,
            ),
        ),
        (
            "export --target /data/staking",
            "export --network devnet --from-era 1300 --to-era 1399 --format parquet --target s3://conn_id@bucket/staking",
        ),
        zero="all files are complete",
        one="a file was not written; complete ones stay",
    ),
    Command(
        "eras",
        "List the eras that can still be paid, with their states",
        "look.eras",
        (_NETWORK, _value("--last", "number of eras to list, the newest ones (default: 84)", default="84")),
        ("eras", "eras --network devnet --last 10 --output json"),
        zero="no era waits for a person: all are paid, in progress, or older than this installation",
        one="an era is unpaid or has newly expired, or the gateway does not answer",
    ),
    Command(
        "ledger status",
        "Show where the ledger is and whether its tables are up to date",
        "ledger.status",
        (_LEDGER,),
        ("ledger status", "ledger status --ledger-conn-id staking_ledger"),
        zero="the tables are up to date",
        one="the ledger has no tables, or those of another version, or cannot be read",
    ),
    Command(
        "ledger upgrade",
        "Create the tables of the ledger; the first task does the same",
        "ledger.upgrade",
        (_LEDGER,),
        ("ledger upgrade",),
        zero="the tables are up to date",
    ),
    Command(
        "ledger stop",
        "Sign and send nothing any more, on no machine; runs wait",
        "ledger.stop",
        (_REASON,),
        ('ledger stop --why "the key may be stolen"',),
        zero="the ledger is stopped",
    ),
    Command(
        "ledger go",
        "End the stop: waiting runs go on",
        "ledger.go",
        (),
        ("ledger go",),
        zero="the ledger is not stopped",
    ),
    Command(
        "ledger restored",
        "Say that the ledger was restored, before anything else runs",
        "ledger.restored",
        (_REASON,),
        ('ledger restored --why "backup of 2 June"',),
        zero="the ledger counts as restored",
    ),
    Command(
        "ledger forget-calendar",
        "Accept an edited calendar; only when the old one never made a run",
        "ledger.forget_calendar",
        (_NETWORK, ARG_YES),
        ("ledger forget-calendar --network devnet",),
        zero="the old calendar is forgotten",
        one="the ledger has payouts, and --yes is missing; or the command failed",
    ),
    Command(
        "simulator",
        "Run a simulated gateway and chain on this machine, with the options of python -m staking_gateway_simulator",
        "init.simulator",
        (_SIMULATOR,),
        ("simulator --port 8650 --era-length 20",),
        zero="it was stopped",
        one="it could not start",
    ),
)


def get_commands() -> list[ActionCommand]:
    """The group `airflow staking`; alone, it shows the state of all networks."""
    made: dict[str, ActionCommand] = {}
    for command in COMMANDS:
        if not command.name.startswith("ledger "):
            made[command.name] = command.action()
        elif "ledger" not in made:
            of_ledger = [one.action() for one in COMMANDS if one.name.startswith("ledger ")]
            made["ledger"] = _group("ledger", "The ledger: the record of every payout", of_ledger, alone=None)
    text = "Pay every staking era exactly once; alone: the state of all networks"
    return [_group("staking", text, list(made.values()), alone="look.status")]


def _group(name: str, text: str, commands: Sequence[ActionCommand], *, alone: str | None) -> ActionCommand:
    """Commands below a word. :param alone: the function of the word alone; None: it needs a command."""
    function = lazy_load_command(f"staking_gateway_provider.commands.{alone or 'look.status'}")
    return ActionCommand(name=name, help=text, func=function, args=(_Subcommands(commands, required=not alone),))
