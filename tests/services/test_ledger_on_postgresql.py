"""What is proven of a ledger in a file is as true of one in PostgreSQL: the same tests, on a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from servers import execute

from staking_gateway.ledger import Ledger
from tests.support.ledgers import planned

ROOT = Path(__file__).parents[2]
ASKS_FOR_A_SERVER = ("KINDS", "POSTGRESQL")
"""Names of `tests.support.ledgers`."""
ON_A_SERVER = "postgresql or (test_ledger and not sqlite)"
"""All of them that are not about files."""


def test_the_tests_of_the_ledger_pass_on_postgresql(postgresql):
    files = [
        str(path)
        for path in sorted((ROOT / "tests" / "unit").glob("test_*.py"))
        if any(name in path.read_text() for name in ASKS_FOR_A_SERVER)
    ]
    assert files
    url = postgresql.database("ledger_tests", "SUPERUSER")
    given = {"STAKING_TEST_POSTGRES_URL": url.render_as_string(hide_password=False)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", ON_A_SERVER, *files],
        cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert execute(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ledger%'") == []


@pytest.mark.parametrize(("set_up", "then"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
def test_what_is_committed_is_on_the_servers_disk_whatever_the_server_is_set_up_for(postgresql, set_up, then):
    url = postgresql.database(f"commits_{set_up}")
    postgresql.execute(f"ALTER ROLE {url.username} SET synchronous_commit = {set_up}")
    assert execute(url, "SHOW synchronous_commit") == [(set_up,)]
    shown = []

    def show(connection, cursor, statement, *_):
        cursor.execute("SHOW synchronous_commit")
        shown.append((statement.partition(" ")[0], cursor.fetchone()[0]))

    with closing(Ledger(url.render_as_string(hide_password=False))) as ledger:
        sa.event.listen(sa.Engine, "before_cursor_execute", show)
        try:
            made = planned(ledger)
            assert ledger.payout(made.network, made.era, 0) == made
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", show)
    assert {("INSERT", then), ("SELECT", then)} <= set(shown)
    assert {setting for _, setting in shown} == {then}
