"""A live Airflow whose package is replaced by another version of it while a payout is in flight and another one waits.

A version is an unpacked source distribution: its packages come first on the path of everything Airflow starts, and its DAG files are
the ones that run.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

from release.build import build_twice
from staking_gateway.ledger.schema import HEAD
from tests.support.live import QUICK_TRIGGERER, LiveNetwork

NEXT = "9999"
"""Schema of the version that does not exist yet."""
_NEXT_MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade():
    op.add_column("payouts", sa.Column("added_by_a_later_version", sa.Text))
"""


def this_version(folder):
    """The version of this checkout, built and unpacked."""
    _, sdist = build_twice(folder / "built")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "this", filter="data")
    (tree,) = (folder / "this").iterdir()
    return tree


def next_version(tree, folder):
    """A later one: the same, with another migration of the ledger."""
    later = folder / "next"
    shutil.copytree(tree, later)
    ledger = later / "include" / "staking_gateway" / "ledger"
    (ledger / "migrations" / "versions" / f"{NEXT}_next.py").write_text(_NEXT_MIGRATION)
    schema = (ledger / "schema.py").read_text()
    assert schema.count(f'HEAD = "{HEAD}"') == 1
    (ledger / "schema.py").write_text(schema.replace(f'HEAD = "{HEAD}"', f'HEAD = "{NEXT}"'))
    return later


def versions(folder):
    """From which version to which one is upgraded.

    From this one to the next; or, with the environment variable UPGRADE_FROM, from the unpacked source distribution (or the
    checkout) of an older version to this one.
    """
    this = this_version(folder)
    older = os.environ.get("UPGRADE_FROM")
    return (Path(older), this) if older else (this, next_version(this, folder))


class Upgradenet(LiveNetwork):
    """The network of these tests; nothing is installed or started yet."""

    def install(self, tree):
        """Put a version where Airflow finds it, in the place of the one that was there."""
        self.installed = self.stack.home.parent / "installed"
        shutil.rmtree(self.installed, ignore_errors=True)
        for part in ("include", "plugins", "dags"):
            shutil.copytree(tree / part, self.installed / part, ignore=shutil.ignore_patterns("__pycache__"))

    def bring_up(self):
        """Start everything, and wait for the end of the only run the schedule makes."""
        self.set_airflow(**QUICK_TRIGGERER, CORE__DAGS_FOLDER=self.installed / "dags")
        self.stack.environment["PYTHONPATH"] = f"{self.installed / 'include'}:{self.installed / 'plugins'}"
        self.stack.migrate()
        self.start_all()
        self.stack.api.unpause(self.dag_id)
        assert self.finished(self.scheduled_run()) == ["success"]

    def stop_all(self):
        """Stop Airflow, and the simulator, whose chain goes on from its file."""
        self.stack.services.stop()

    def command(self, *arguments):
        """Run `airflow staking ...` with the installed version; its status, and what it said."""
        done = self.stack.run("staking", *arguments, timeout=self.patience)
        return done.returncode, done.stdout + done.stderr
