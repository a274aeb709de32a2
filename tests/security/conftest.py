"""The servers and clients of the contract tests, and an Airflow with a home of its own."""

import fcntl
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported

TESTS = Path(__file__).parents[1]
for folder in ("contract", "airflow"):  # what those tests share among them is shared with these
    sys.path.append(str(TESTS / folder))

from tests.airflow.conftest import connect as connection  # noqa: E402
from tests.contract.conftest import Caller, certificate, connect, node, once, server, tls_server  # noqa: E402

__all__ = ["Caller", "certificate", "connect", "connection", "node", "once", "server", "tls_server"]


# As the ledger's own tests, those of its grants want a PostgreSQL: the one the environment names, or one that can be started here.
# Where there is neither, they are left to machines that have one; in CI it is installed, and they are never left out.
_POSTGRESQL = (
    os.environ.get("STAKING_TEST_POSTGRES_URL") or os.environ.get("CI") == "true" or shutil.which("initdb")
    or any(Path("/").glob("usr/lib/postgresql/*/bin/initdb"))
)  # fmt: skip
collect_ignore = [] if _POSTGRESQL else ["test_database_grants.py", "test_database_setup.py", "test_ledger_logins.py"]


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL, one for each process."""
    from postgresql import Server

    from tests.support import servers

    with Path(tempfile.gettempdir(), "staking-gateway-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes of one run would be in each other's way
        servers.install()
    with Server() as started:
        yield started
