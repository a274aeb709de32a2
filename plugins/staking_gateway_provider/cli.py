"""The commands `airflow staking ...`. Every `airflow` call loads this module, so it imports nothing heavy by itself."""

from __future__ import annotations

from airflow.cli.cli_config import ARG_OUTPUT, ActionCommand, Arg, GroupCommand, lazy_load_command

_COMMANDS = "staking_gateway_provider.commands."
_LEDGER = Arg(
    ("--ledger-conn-id",),
    help="connection of the ledger; by default the one of staking.yaml, or the SQLite file in AIRFLOW_HOME",
)
_NETWORK = Arg(("--network",), help="name of the network in staking.yaml", required=True)
_ERA = Arg(("--era",), help="the era", required=True)
_STORED_ERA = Arg(("--era",), help="era to store the statuses under; without it they are shown only")
_RANGE = (
    Arg(("--from-era",), help="oldest era to pay; by default the oldest that can be paid"),
    Arg(("--to-era",), help="newest era to pay; by default the newest that can be paid"),
    Arg(("--max-eras",), help="most eras to pay; by default catch_up.max_eras of staking.yaml"),
    Arg(("--max-fees",), help="most fees to pay, in the smallest unit; by default catch_up.max_fees of staking.yaml"),
)
_APPROVE = Arg(
    ("--approve",), metavar="HASH", help="pay, if the plan is still the one of this hash; else tell the difference"
)


def _command(name: str, description: str, function: str, *args: Arg, epilog: str | None = None) -> ActionCommand:
    return ActionCommand(
        name=name, help=description, func=lazy_load_command(f"{_COMMANDS}{function}"), args=args, epilog=epilog
    )


def get_commands() -> list[GroupCommand]:
    """What this provider adds to the `airflow` command."""
    ledger = GroupCommand(
        name="ledger",
        help="The record of every payout",
        subcommands=(
            _command(
                "status", "Tell where the ledger is and whether its tables are up to date", "ledger.status", _LEDGER
            ),
            _command(
                "upgrade",
                "Make the ledger, or bring its tables up to date; opening it does the same",
                "ledger.upgrade",
                _LEDGER,
            ),
            _command(
                "history", "Tell everything that happened to an era's payout", "ledger.history", _NETWORK, _ERA, _LEDGER
            ),
            _command(
                "forget-calendar",
                "Accept an edited calendar; only when no run was ever made with the old one",
                "ledger.forget_calendar",
                _NETWORK,
                _LEDGER,
            ),
        ),
    )
    plan = _command(
        "plan",
        "Show which eras are owed and would be paid, in which order; with --approve, pay exactly that",
        "catch_up.plan",
        _NETWORK,
        *_RANGE,
        _APPROVE,
        ARG_OUTPUT,
        _LEDGER,
        epilog="Example: airflow staking plan --network devnet --max-eras 10",
    )
    catch_up = _command(
        "catch-up",
        "Pay every era that is owed, the one that would be lost first in front; status 1 when something is owed still",
        "catch_up.catch_up",
        _NETWORK,
        *_RANGE,
        _LEDGER,
        epilog="Example: airflow staking catch-up --network devnet --from-era 1390 --to-era 1395",
    )
    status = _command(
        "status",
        "Ask which accounts of a network are staking; status 1 when one is not as expected or could not be checked",
        "status.status",
        _NETWORK,
        _STORED_ERA,
        ARG_OUTPUT,
        _LEDGER,
        epilog="Example: airflow staking status --network devnet --era 1391 --output json",
    )
    return [
        GroupCommand(
            name="staking", help="Pay every staking era exactly once", subcommands=(plan, catch_up, status, ledger)
        )
    ]
