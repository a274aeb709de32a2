"""The commands `airflow staking ...`. Every `airflow` call loads this module, so it imports nothing heavy by itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from airflow.cli.cli_config import ActionCommand, Arg, GroupCommand

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

_CONNECTION = Arg(
    ("--ledger-conn-id",),
    help="connection of the ledger; by default the one of staking.yaml, or the SQLite file in AIRFLOW_HOME",
)
_NETWORK = Arg(("--network",), help="name of the network in staking.yaml", required=True)
_ERA = Arg(("--era",), help="the era", required=True)


def get_commands() -> list[GroupCommand]:
    """What this provider adds to the `airflow` command."""
    ledger = GroupCommand(
        name="ledger",
        help="The record of every payout",
        subcommands=(
            ActionCommand(
                name="status",
                help="Tell where the ledger is and whether its tables are up to date",
                func=ledger_status,
                args=(_CONNECTION,),
            ),
            ActionCommand(
                name="upgrade",
                help="Make the ledger, or bring its tables up to date; opening it does the same",
                func=ledger_upgrade,
                args=(_CONNECTION,),
            ),
            ActionCommand(
                name="history",
                help="Tell everything that happened to an era's payout",
                func=ledger_history,
                args=(_NETWORK, _ERA, _CONNECTION),
            ),
        ),
    )
    return [GroupCommand(name="staking", help="Pay every staking era exactly once", subcommands=(ledger,))]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _report_errors(command: Callable[[Namespace], None]) -> Callable[[Namespace], None]:
    """Our errors end in one line and status 1, without a traceback."""

    def run(arguments: Namespace) -> None:
        from staking_gateway.errors import StakingGatewayError

        try:
            command(arguments)
        except StakingGatewayError as error:
            raise SystemExit(f"airflow staking: {error}") from None

    return run


@_report_errors
def ledger_status(arguments: Namespace) -> None:
    """`airflow staking ledger status`; ends with status 1 when an upgrade is due."""
    from staking_gateway.ledger import schema_state
    from staking_gateway_provider.networks import ledger_url

    state = schema_state(ledger_url(arguments.ledger_conn_id))
    _say(f"{state.ledger}: schema {state.current or 'none yet'}, this version's is {state.head}")
    if not state.up_to_date:
        raise SystemExit("Run: airflow staking ledger upgrade")


@_report_errors
def ledger_upgrade(arguments: Namespace) -> None:
    """`airflow staking ledger upgrade`."""
    from staking_gateway.ledger import upgrade_schema
    from staking_gateway_provider.networks import ledger_url

    state = upgrade_schema(ledger_url(arguments.ledger_conn_id))
    _say(f"{state.ledger}: schema {state.current}")


@_report_errors
def ledger_history(arguments: Namespace) -> None:
    """`airflow staking ledger history`: each part with its events, oldest first. Signatures are not shown."""
    from staking_gateway.types import parse_era
    from staking_gateway_provider.networks import open_ledger

    era = parse_era(arguments.era)
    ledger = open_ledger(arguments.ledger_conn_id)
    try:
        parts = ledger.era_payouts(arguments.network, era)
        if not parts:
            raise SystemExit(f"The ledger knows no payout of era {era} of {arguments.network}")
        for part in parts:
            _say(
                f"era {part.era} part {part.part}: {part.state.value}, request {part.request_id}, "
                f"transaction {part.tx_hash}, fee {part.fee}, confirmed by {part.confirmed_by}"
            )
            for event in ledger.events(part):
                _say(
                    f"  {event.at:%Y-%m-%d %H:%M:%S} {event.to_state.value:9} {event.run}#{event.try_number}: {event.cause}"
                )
    finally:
        ledger.close()
