"""A live Airflow whose package is replaced by another version of it while a payout is in flight and another one waits.

A version is an unpacked source distribution: its packages come first on the path of everything Airflow starts, and its DAG files are
the ones that run.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tarfile
from pathlib import Path

from demo.stack import COMPONENTS, AirflowStack, free_port
from release.build import build_twice
from staking_gateway.config.loader import load_config
from staking_gateway.ledger.schema import HEAD
from staking_gateway.signing import LocalSigner
from tests.kills.killnet import CONFIG, NETWORK, PATIENCE, QUICK, Killnet, first_start

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


class Upgradenet(Killnet):
    """The network of these tests."""

    def __init__(self, stack, network, *, port):
        super().__init__(stack, network, port=port)
        self.installed = stack.home.parent / "installed"

    def install(self, tree):
        """Put a version where Airflow finds it, in the place of the one that was there."""
        shutil.rmtree(self.installed, ignore_errors=True)
        for part in ("include", "plugins", "dags"):
            shutil.copytree(tree / part, self.installed / part, ignore=shutil.ignore_patterns("__pycache__"))

    def bring_up(self):
        """Start everything, and wait for the end of the only run the schedule makes."""
        environment = self.stack.environment
        environment.update({f"AIRFLOW__{name}": value for name, value in QUICK.items()})
        environment["AIRFLOW__CORE__DAGS_FOLDER"] = str(self.installed / "dags")
        environment["PYTHONPATH"] = f"{self.installed / 'include'}:{self.installed / 'plugins'}"
        self.stack.migrate()
        self.start_all()
        self.wait(lambda: self.stack.api.dag(self.dag_id), PATIENCE, "the DAG is known", self.stack.api.import_errors)
        self.stack.api.unpause(self.dag_id)
        self.wait(lambda: self.stack.api.runs(self.dag_id), PATIENCE, "the scheduler has begun")
        assert self.finished(*(run["dag_run_id"] for run in self.stack.api.runs(self.dag_id))) == ["success"]

    def start_all(self):
        """Start Airflow and the simulator, for the first time or again."""
        for name in [*COMPONENTS, "simulator"]:
            self.start(name)
        self.wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
        self.wait(self.control.state, PATIENCE, "the simulator answers")
        self.stack.api.log_in()

    def stop_all(self):
        """Stop Airflow, and the simulator, whose chain goes on from its file."""
        self.stack.services.stop()

    def command(self, *arguments):
        """Run `airflow staking ...` with the installed version; its status, and what it said."""
        done = self.stack.run("staking", *arguments, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr


def upgradenet(folder):
    """Airflow and its network, entered as a context manager; nothing is installed or started yet."""
    user_key, payer_key = ("0x" + secrets.token_hex(32) for _ in range(2))
    user, payer = (LocalSigner(key).account.address for key in (user_key, payer_key))
    config = folder / "staking.yaml"
    config.write_text(CONFIG.format(user=user, payer=payer, start=first_start().isoformat()))
    port = free_port()
    gateway = {"conn_type": "staking_gateway", "host": f"http://127.0.0.1:{port}", "password": "simulator-token"}
    given = {
        "staking_gateway_default": gateway,
        "staking_signer_user": {"conn_type": "staking_signer", "login": user, "password": user_key},
        "staking_signer_payer": {"conn_type": "staking_signer", "login": payer, "password": payer_key},
    }
    stack = AirflowStack(folder / "home", config=config, connections=given)
    return stack, lambda: Upgradenet(stack, load_config(config).network(NETWORK), port=port)
