"""`airflow staking reconcile`: compare the ledger with gateway and chain."""

from __future__ import annotations

from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from staking_gateway.books.reconcile import reconcile as compare
from staking_gateway.ledger import Reconciliation
from staking_gateway.text import era_ranges
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import report_errors, say, show, working
from staking_gateway_provider.commands.session import NetworkSession
from staking_gateway_provider.networks import node_to_compare

_WORDS = {True: "agrees", False: "differs", None: "unknown"}


@report_errors
def reconcile(arguments: Namespace) -> None:
    """`airflow staking reconcile`: compare and store; status 1 on a difference, or when the node failed.

    People see what does not agree.
    """
    first, last = (
        None if era is None else parse_era(era, field=field)
        for era, field in ((arguments.from_era, "from_era"), (arguments.to_era, "to_era"))
    )
    with NetworkSession(arguments) as session, working(f"Comparing {session.name} with its chain"):
        compared = compare(
            session.name,
            session.config,
            ledger=session.ledger,
            gateway=session.client,
            node=node_to_compare(session.client, session.config.gateway_conn_id),
            actor=session.actor,
            from_era=first,
            to_era=last,
        )
    if session.for_people:
        say(str(compared))
        rows = disagreements(compared.rows)
        if rows:
            show(rows, arguments.output)
    else:
        show([{**_row(row), "text": row.text} for row in compared.rows], arguments.output)
    compared.raise_unless_compared()


def disagreements(rows: Sequence[Reconciliation]) -> list[dict[str, str]]:
    """The results that do not agree, for people: a row per difference, then the unknown results.

    Eras whose unknown results have the same text and the same subjects share a row.

    :param rows: in the order of the eras.
    """
    differences = [_line(str(row.era), row.subject, row.agrees, _why(row)) for row in rows if row.agrees is False]
    subjects = defaultdict(list)
    for row in rows:
        if row.agrees is None:
            subjects[_why(row), row.era].append(row.subject)
    eras = defaultdict(list)
    for (why, era), named in subjects.items():
        eras[why, ", ".join(named)].append(era)
    return differences + [_line(era_ranges(some), named, None, why) for (why, named), some in eras.items()]


def _line(eras: str, subjects: str, agrees: bool | None, why: str) -> dict[str, str]:
    return {"era": eras, "subject": subjects, "result": _WORDS[agrees], "why": why}


def _why(row: Reconciliation) -> str:
    return row.text.removeprefix(f"era {row.era}: ")


def _row(row: Reconciliation) -> dict[str, Any]:
    return {
        "era": row.era,
        "subject": row.subject,
        "result": _WORDS[row.agrees],
        "finding": row.finding,
        "ledger": row.ledger_says,
        "gateway": row.gateway_says,
        "chain": row.chain_says,
    }
