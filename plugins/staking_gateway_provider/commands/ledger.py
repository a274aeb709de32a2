"""`airflow staking ledger ...`: the record of every payout."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from staking_gateway.text import count
from staking_gateway_provider.commands.output import report_errors, say
from staking_gateway_provider.networks import ledger_url, open_ledger

if TYPE_CHECKING:
    from argparse import Namespace


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking ledger status`; status 1 when the ledger or this package needs an upgrade."""
    from staking_gateway.ledger import schema_state

    state = schema_state(ledger_url(arguments.ledger_conn_id))
    say(f"{state.ledger}: schema {state.current or 'none yet'}, this version's is {state.head}")
    if state.newer:
        raise SystemExit("A later version created it: upgrade airflow-provider-staking-gateway on this machine")
    if not state.up_to_date:
        login = "" if state.upgradable else ", with a connection of the login that owns the ledger's tables"
        raise SystemExit(f"Run: airflow staking ledger upgrade{login}")


@report_errors
def upgrade(arguments: Namespace) -> None:
    """`airflow staking ledger upgrade`."""
    from staking_gateway.ledger import upgrade_schema

    state = upgrade_schema(ledger_url(arguments.ledger_conn_id))
    say(f"{state.ledger}: schema {state.current}")


@report_errors
def history(arguments: Namespace) -> None:
    """`airflow staking ledger history`: each part with its events, oldest first. Signatures are not shown."""
    from staking_gateway.types import parse_era

    era = parse_era(arguments.era)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        parts = ledger.era_payouts(arguments.network, era)
        if not parts:
            raise SystemExit(f"The ledger has no payout of era {era} of {arguments.network}")
        for part in parts:
            held = f" ({part.hold})" if part.hold else ""
            wasted = f", {count(part.wasted, 'fee')} charged for nothing" if part.wasted else ""
            say(
                f"era {part.era} part {part.part}: {part.state.value}{held}, request {part.request_id}, "
                f"transaction {part.tx_hash}, fee {part.fee}{wasted}, confirmed by {part.confirmed_by}"
            )
            for event in ledger.events(part):
                say(
                    f"  {event.at:%Y-%m-%d %H:%M:%S} {event.to_state.value:9} {event.run}#{event.try_number}: {event.cause}"
                )


@report_errors
def forget_calendar(arguments: Namespace) -> None:
    """`airflow staking ledger forget-calendar`: let the next run accept any calendar."""
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        oldest = ledger.oldest_era(arguments.network)
        if oldest is not None and not arguments.yes:
            raise SystemExit(
                f"The ledger has payouts of {arguments.network} from era {oldest} on, numbered by the old calendar: append an anchor "
                "instead. If the old calendar was wrong from the start and never made a run, confirm with --yes"
            )
        forgotten = ledger.journal.forget_calendar(arguments.network)
    say(f"{forgotten} anchors of {arguments.network} are forgotten; the next run stores those of staking.yaml")
