"""`airflow staking ledger ...`, the record of every payout; `reconcile` compares it, and `export` writes it to files."""

from __future__ import annotations

from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing

from staking_gateway.books.compare import Sides
from staking_gateway.books.reconcile import reconcile as compare
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.ledger import Ledger, ledger_name
from staking_gateway.ledger.records import Mark, Reconciliation
from staking_gateway.ledger.schema import HEAD, schema_version
from staking_gateway.text import count, era_ranges
from staking_gateway.types import MAX_ERA, parse_era
from staking_gateway_provider.commands.output import report_errors, show, working
from staking_gateway_provider.commands.session import chosen_network, command_actor, network_session, unknown_network
from staking_gateway_provider.exporting import Exporter
from staking_gateway_provider.networks import find_network, ledger_url, node_to_compare, open_ledger

_WORDS = {True: "agrees", False: "differs", None: "unknown"}


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking ledger status`; status 1 when the ledger has no tables, or those of another version."""
    url = ledger_url(arguments.ledger_conn_id)
    name, current = ledger_name(url), schema_version(url)
    told = {"ledger": name, "current": current, "head": HEAD, "up_to_date": current == HEAD}
    show(arguments.output, told, f"{name}: schema {current or 'none yet'}, this version's is {HEAD}")
    if current not in (None, HEAD):
        raise SystemExit(
            "Another version created it: install that version of airflow-provider-staking-gateway on this machine"
        )
    if current is None:
        raise SystemExit("Run, with the login that is to own the tables: airflow staking ledger upgrade")


@report_errors
def upgrade(arguments: Namespace) -> None:
    """`airflow staking ledger upgrade`."""
    working("Creating the ledger's tables")
    url = ledger_url(arguments.ledger_conn_id)
    Ledger(url).close()
    show(arguments.output, {"ledger": ledger_name(url), "schema": HEAD}, f"{ledger_name(url)}: schema {HEAD}")


@report_errors
def stop(arguments: Namespace) -> None:
    """`airflow staking ledger stop`; a stopped ledger keeps its first reason."""
    with closing(open_ledger()) as ledger:
        found = ledger.stop(_why(arguments), command_actor())
    text = f"Nothing is signed or sent any more: {found.why}. It ends with: airflow staking ledger go"
    show(arguments.output, _told(found), text)


@report_errors
def go(arguments: Namespace) -> None:
    """`airflow staking ledger go`."""
    with closing(open_ledger()) as ledger:
        was_stopped = ledger.go(command_actor())
    text = "The ledger goes on: waiting runs look within their poll interval" if was_stopped else "It was not stopped"
    show(arguments.output, {"was_stopped": was_stopped}, text)


@report_errors
def restored(arguments: Namespace) -> None:
    """`airflow staking ledger restored`: what was sent before is then unknown to the engine."""
    with closing(open_ledger()) as ledger:
        found = ledger.restored(_why(arguments), command_actor())
    text = f"The ledger counts as restored: {found.why}. It signs nothing for a while"
    show(arguments.output, _told(found), text)


def _why(arguments: Namespace) -> str:
    why = str(arguments.why).strip()
    if not why:
        raise InvalidInput("why", "is empty", "Write the reason: page, doctor and every refused run show it")
    return why


def _told(found: Mark) -> dict[str, str]:
    return {"why": found.why, "at": found.at.isoformat(), "run": found.run}


@report_errors
def forget_calendar(arguments: Namespace) -> None:
    """`airflow staking ledger forget-calendar`: let the next run accept any calendar."""
    network = chosen_network(arguments)
    with closing(open_ledger()) as ledger:
        oldest = ledger.oldest_era(network)
        if oldest is not None and not arguments.yes:
            raise SystemExit(
                f"The ledger has payouts of {network} from era {oldest} on, numbered by the old calendar: append an anchor "
                "instead. If the old calendar was wrong from the start and never made a run, confirm with --yes"
            )
        forgotten = ledger.journal.forget_calendar(network)
    text = f"{forgotten} anchors of {network} are forgotten; the next run stores those of staking.yaml"
    show(arguments.output, {"network": network, "forgotten": forgotten}, text)


def _named_eras(arguments: Namespace) -> tuple[int | None, int | None]:
    """The options `--from-era` and `--to-era`."""
    first, last = (
        None if era is None else parse_era(era, field=field)
        for era, field in ((arguments.from_era, "from_era"), (arguments.to_era, "to_era"))
    )
    return first, last


# --- reconcile ------------------------------------------------------------------------------------------------------


@report_errors
def reconcile(arguments: Namespace) -> None:
    """`airflow staking reconcile`: compare and store; people see what does not agree. Status 1 on a difference, or when the node failed."""
    first, last = _named_eras(arguments)
    with network_session(arguments) as session:
        working(f"Comparing {session.name} with its chain")
        node = node_to_compare(session.client, session.config.gateway_conn_id)
        sides = Sides(session.name, session.config, session.ledger, session.client, node, session.actor, utc_now())
        compared = compare(sides, first, last)
    rows = [
        {
            "era": row.era,
            "subject": row.subject,
            "result": _WORDS[row.agrees],
            "finding": row.finding,
            "ledger": row.ledger_says,
            "gateway": row.gateway_says,
            "chain": row.chain_says,
            "text": row.text,
        }
        for row in compared.rows
    ]
    shown = disagreements(compared.rows)
    show(arguments.output, rows, str(compared), *([shown] if shown else ()))
    compared.raise_unless_compared()


def disagreements(rows: Sequence[Reconciliation]) -> list[dict[str, str]]:
    """The results that do not agree, for people: differences, then unknown results; eras with the same text and subjects share a row."""
    differences = [_line(str(row.era), row.subject, row.agrees, _text(row)) for row in rows if row.agrees is False]
    subjects = defaultdict(list)
    for row in rows:
        if row.agrees is None:
            subjects[_text(row), row.era].append(row.subject)
    eras = defaultdict(list)
    for (why, era), named in subjects.items():
        eras[why, ", ".join(named)].append(era)
    return differences + [_line(era_ranges(some), named, None, why) for (why, named), some in eras.items()]


def _line(eras: str, subjects: str, agrees: bool | None, why: str) -> dict[str, str]:
    return {"era": eras, "subject": subjects, "result": _WORDS[agrees], "why": why}


def _text(row: Reconciliation) -> str:
    return row.text.removeprefix(f"era {row.era}: ")


# --- export ---------------------------------------------------------------------------------------------------------


@report_errors
def export(arguments: Namespace) -> None:
    """`airflow staking export`."""
    first, last = _named_eras(arguments)
    asked = range(first or 0, (MAX_ERA if last is None else last) + 1)
    if not asked:
        raise InvalidEra("from_era", f"era {first} comes after era {last}", "Swap the two")
    network = chosen_network(arguments)
    exporter = Exporter(arguments.target, tables=arguments.tables, file_format=arguments.format)
    with closing(open_ledger()) as ledger:
        stored, config = ledger.views.eras(network), find_network(network)
        if not stored and config is None:
            raise unknown_network(network)
        if stored and asked.start >= stored.stop:
            newest = stored.stop - 1
            raise InvalidEra("from_era", f"the newest era in the ledger is {newest}", f"Write {newest} or less")
        eras = range(max(asked.start, stored.start), min(asked.stop, stored.stop))
        working(f"Exporting {count(len(eras), 'era')} of {network}")
        written = exporter.write(ledger, network, eras, config=config or NetworkConfig.of_arguments())
    rows = count(sum(written.rows.values()), "row")
    text = f"{rows} of {count(len(written.eras), 'era')} of {network} are in {count(written.files, 'file')}"
    show(arguments.output, {"network": network, "target": arguments.target, **written.as_dict()}, text)
