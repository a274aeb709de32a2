"""Leaves a ledger of this version's schema in tests/data/ledgers, as text, for later versions to be tested with.

    python -m tests.upgrades.make_ledgers URL FOLDER

URL is an empty database, `sqlite:////path/to/file` or `postgresql://...`; PostgreSQL needs its `pg_dump`. FOLDER gets
`<schema>.<kind>.sql`, the ledger, and `<schema>.<kind>.json`, what happened to the chains meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from staking_gateway.ledger.schema import HEAD
from tests.upgrades.left_behind import OPTIONS, STORIES, Recorded, tell_of_newer_tables

_NOT_KEPT = ("--", "\\", "SET ", "SELECT pg_catalog.set_config(", "CREATE SCHEMA", "COMMENT ON SCHEMA")
"""Lines of a dump that are for psql alone, or say which schema it came from."""


def make(url, folder):
    kind = sa.make_url(url).get_backend_name()
    told = {}
    for network, story in STORIES.items():
        with tempfile.TemporaryDirectory() as own:
            options = OPTIONS.get(network, {"unpaid_eras": 8})
            with closing(Recorded(Path(own), url, network, **options)) as world:
                story(world)
                told[network] = world.told()
                if network == "quiet":
                    tell_of_newer_tables(world)
    dump = _sqlite_dump if kind == "sqlite" else _postgresql_dump
    (folder / f"{HEAD}.{kind}.sql").write_text(dump(url))
    (folder / f"{HEAD}.{kind}.json").write_text(json.dumps(told, indent=1) + "\n")


def _sqlite_dump(url):
    import sqlite3

    with closing(sqlite3.connect(sa.make_url(url).database)) as ledger:
        return "\n".join(ledger.iterdump()) + "\n"


def _postgresql_dump(url):
    command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", "--schema=public", url]
    dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    kept = (line for line in dump.splitlines() if line.strip() and not line.startswith(_NOT_KEPT))
    return "\n".join(kept).replace("public.", "") + "\n"


if __name__ == "__main__":
    make(sys.argv[1], Path(sys.argv[2]))
