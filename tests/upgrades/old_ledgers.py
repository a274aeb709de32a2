"""Ledgers that older versions of this package left behind, put back into a database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from staking_gateway.ledger.schema import VERSION_TABLE
from tests.support.ledgers import connected, fresh_url

FOLDER = Path(__file__).parents[1] / "data" / "ledgers"


@dataclass(frozen=True)
class OldLedger:
    """One of them.

    :param url: where it is.
    :param stories: by network, what happened to its chain, see `left_behind.found_again`.
    """

    url: str
    schema: str
    stories: dict


def schemas(kind):
    """The schemas there is a ledger of."""
    return sorted(path.name.partition(".")[0] for path in FOLDER.glob(f"*.{kind}.sql"))


@contextmanager
def put_back(schema, kind, folder):
    """A ledger of an old schema in a database of its own, which is gone afterwards."""
    script = (FOLDER / f"{schema}.{kind}.sql").read_text()
    stories = json.loads((FOLDER / f"{schema}.{kind}.json").read_text())
    with fresh_url(kind, folder) as url:
        if kind == "sqlite":
            with closing(sqlite3.connect(sa.make_url(url).database)) as file:
                file.executescript(script)
        else:
            with connected(url) as server:
                server.exec_driver_sql(script)
        yield OldLedger(url, schema, stories)


def rows(url):
    """All rows of all tables but Alembic's own, as the database tells them: by table, a list of name to value."""
    with connected(url) as database:
        tables = sorted({*sa.inspect(database).get_table_names()} - {VERSION_TABLE})
        return {
            table: sorted(
                (dict(row) for row in database.exec_driver_sql(f"SELECT * FROM {table}").mappings()), key=repr
            )
            for table in tables
        }
