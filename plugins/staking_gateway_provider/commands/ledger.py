"""`airflow staking ledger ...`: the record of every payout."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

from staking_gateway.errors import InvalidInput
from staking_gateway.ledger import Mark, Payout, PayoutEvent, Stop, schema_state, upgrade_schema
from staking_gateway.text import amount, count
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import for_people, report_errors, say, show_one
from staking_gateway_provider.commands.session import chosen_network, command_actor
from staking_gateway_provider.networks import ledger_url, open_ledger


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking ledger status`; status 1 when the ledger has no tables, or those of another version."""
    state = schema_state(ledger_url(arguments.ledger_conn_id))
    if for_people(arguments.output):
        say(f"{state.ledger}: schema {state.current or 'none yet'}, this version's is {state.head}")
    else:
        show_one({**asdict(state), "up_to_date": state.up_to_date}, arguments.output)
    if state.of_another_version:
        raise SystemExit(
            "Another version created it: install that version of airflow-provider-staking-gateway on this machine"
        )
    if not state.up_to_date:
        login = "" if state.upgradable else ", with a connection of the login that owns the ledger's tables"
        raise SystemExit(f"Run: airflow staking ledger upgrade{login}")


@report_errors
def upgrade(arguments: Namespace) -> None:
    """`airflow staking ledger upgrade`."""
    state = upgrade_schema(ledger_url(arguments.ledger_conn_id))
    if for_people(arguments.output):
        say(f"{state.ledger}: schema {state.current}")
    else:
        show_one({"ledger": state.ledger, "schema": state.current}, arguments.output)


@report_errors
def history(arguments: Namespace) -> None:
    """`airflow staking ledger history`: each part with its events, oldest first. Signatures are not shown."""
    era, network = parse_era(arguments.era), chosen_network(arguments)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        parts = ledger.era_payouts(network, era)
        if not parts:
            raise SystemExit(
                f"The ledger has no payout of era {era} of {network}. "
                f"Run: airflow staking why --network {network} --era {era}"
            )
        found = [(part, ledger.events(part)) for part in parts]
        token = ledger.reports.token(network)
    if not for_people(arguments.output):
        show_one({"network": network, "era": era, "parts": [_as_dict(*one) for one in found]}, arguments.output)
        return
    for part, events in found:
        held = f" ({part.hold})" if part.hold else ""
        wasted = f", {count(part.wasted, 'fee')} charged for nothing" if part.wasted else ""
        fee = None if part.fee is None else amount(part.fee, token)
        say(
            f"era {part.era} part {part.part}: {part.state.value}{held}, request {part.request_id}, "
            f"transaction {part.tx_hash}, fee {fee}{wasted}, confirmed by {part.confirmed_by}"
        )
        for event in events:
            say(
                f"  {event.at:%Y-%m-%d %H:%M:%S} {event.to_state.value:9} {event.run}#{event.try_number}: {event.cause}"
            )


def _as_dict(part: Payout, events: Sequence[PayoutEvent]) -> dict[str, Any]:
    return {
        "part": part.part,
        "state": part.state.value,
        "hold": part.hold,
        "reason": part.reason,
        "request_id": part.request_id,
        "tx_hash": part.tx_hash,
        "fee": None if part.fee is None else str(part.fee),
        "wasted": part.wasted,
        "confirmed_by": part.confirmed_by,
        "events": [
            {
                "at": event.at.isoformat(),
                "state": event.to_state.value,
                "run": event.run,
                "try_number": event.try_number,
                "cause": event.cause,
            }
            for event in events
        ],
    }


@report_errors
def stop(arguments: Namespace) -> None:
    """`airflow staking ledger stop`; a stopped ledger keeps its first reason."""
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        found = ledger.stop(_why(arguments), command_actor())
    _show(arguments, f"Nothing is signed or sent any more: {found.why}. It ends with: airflow staking ledger go", found)


@report_errors
def go(arguments: Namespace) -> None:
    """`airflow staking ledger go`."""
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        was_stopped = ledger.go(command_actor())
    if for_people(arguments.output):
        say("The ledger goes on: waiting runs look within their poll interval" if was_stopped else "It was not stopped")
    else:
        show_one({"was_stopped": was_stopped}, arguments.output)


@report_errors
def restored(arguments: Namespace) -> None:
    """`airflow staking ledger restored`: what was sent before is then unknown to the engine."""
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        found = ledger.restored(_why(arguments), command_actor())
    _show(arguments, f"The ledger counts as restored: {found.why}. It signs nothing for a while", found)


def _why(arguments: Namespace) -> str:
    why = str(arguments.why).strip()
    if not why:
        raise InvalidInput("why", "is empty", "Write the reason: page, doctor and every refused run show it")
    return why


def _show(arguments: Namespace, text: str, found: Stop | Mark) -> None:
    if for_people(arguments.output):
        say(text)
    else:
        show_one({"why": found.why, "at": found.at.isoformat(), "run": found.run}, arguments.output)


@report_errors
def forget_calendar(arguments: Namespace) -> None:
    """`airflow staking ledger forget-calendar`: let the next run accept any calendar."""
    network = chosen_network(arguments)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        oldest = ledger.oldest_era(network)
        if oldest is not None and not arguments.yes:
            raise SystemExit(
                f"The ledger has payouts of {network} from era {oldest} on, numbered by the old calendar: append an anchor "
                "instead. If the old calendar was wrong from the start and never made a run, confirm with --yes"
            )
        forgotten = ledger.journal.forget_calendar(network)
    if for_people(arguments.output):
        say(f"{forgotten} anchors of {network} are forgotten; the next run stores those of staking.yaml")
    else:
        show_one({"network": network, "forgotten": forgotten}, arguments.output)
