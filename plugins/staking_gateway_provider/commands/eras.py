"""`airflow staking eras`: the state of each era, as the page and `airflow staking` judge it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from staking_gateway.errors import InvalidInput
from staking_gateway.health.eras import State
from staking_gateway.health.overview import MAX_ERAS
from staking_gateway.text import duration
from staking_gateway.types import parse_unsigned
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, working
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.commands.views import look, next_command
from staking_gateway_provider.help import help_line
from staking_gateway_provider.networks import network_config, open_ledger


@report_errors
def eras(arguments: Namespace) -> None:
    """`airflow staking eras`: oldest first; status 1 when an era waits for a person or has newly expired.

    An era whose payment is in progress, or that ended before this installation, does not change the status. Without an answer of the gateway the
    list comes from ledger and calendar, and the status is 1.
    """
    last = parse_unsigned(arguments.last, MAX_ERAS, field="last")
    if last == 0:
        raise InvalidInput("last", "0 lists nothing", "Write 1 or more")
    name = chosen_network(arguments)
    depth = network_config(name).history_depth
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger, working(f"Looking at {name}"):
        view = look(name, ledger, eras=max(last, depth))
    data, waiting = view.data, [*view.data["owed"]["eras"], *view.data["owed"]["in_hand"]]
    left = {entry["era"]: entry["eras_left"] for entry in waiting}
    cells = [cell for cell in data["grid"]["cells"] if cell["state"] != State.IGNORED.value][-last:]
    if not for_people(arguments.output):
        show([_row(cell, left) for cell in cells], arguments.output)
    else:
        say(f"{name}: {data['headline']} Era {data['state']['active_era']} is active; UTC")
        show([_words(_row(cell, left), cell, short=arguments.output == "table") for cell in cells], arguments.output)
    lines = []
    if silent := next(
        (one for one in view.problems if one.facts and one.facts == data["state"]["gateway_problem"]), None
    ):
        lines += [f"This list comes from ledger and calendar: {silent.text}", help_line(silent.topic)]
    if unpaid := {*(entry["era"] for entry in data["owed"]["eras"]), *data["expired"]}:
        hidden = len(unpaid - {cell["era"] for cell in cells})
        lines.append(f"{data['headline']}{f' {hidden} of them are older than those listed.' if hidden else ''}")
        lines.append(f"Next: {next_command(name, view.causes[0])}")
    if lines:
        raise SystemExit("\n".join(lines))


def _row(cell: Mapping[str, Any], left: Mapping[int, int]) -> dict[str, Any]:
    """One era for scripts: plain JSON.

    :param cell: as `PayoutCell.as_dict`.
    :param left: changes of era until the rewards are gone, by era.
    """
    return {
        "era": cell["era"],
        "state": State(cell["state"]).word,
        "ended_at": cell["ended_at"],
        "lag_seconds": cell.get("lag"),
        "fee": cell.get("fee"),
        "tx_hash": cell.get("tx_hash"),
        "eras_left": left.get(cell["era"]),
        "why": cell.get("reason", ""),
    }


def _words(row: Mapping[str, Any], cell: Mapping[str, Any], *, short: bool) -> dict[str, Any]:
    """The same for people; `short` cuts the transaction."""
    lag, transaction = row["lag_seconds"], row["tx_hash"]
    return {
        "era": row["era"],
        "state": row["state"],
        "ended": f"{datetime.fromisoformat(row['ended_at']):%Y-%m-%d %H:%M:%S}",
        "lag": "" if lag is None else duration(timedelta(seconds=lag)),
        "fee": cell.get("fee_text"),
        "transaction": f"{transaction[:10]}.." if transaction and short else transaction,
        "eras left": row["eras_left"],
        "why": row["why"],
    }
