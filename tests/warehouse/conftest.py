"""What `make warehouse` installs: Airflow's other providers beside .venv, and .venv-warehouse with dbt, DuckDB and a server that speaks S3."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported
from tests.support import servers
from tests.warehouse.books import ROOT

PROVIDERS, TOOLS = ROOT / ".venv-providers", ROOT / ".venv-warehouse"
assert (PROVIDERS / "ready").exists() and (TOOLS / "ready").exists(), "Packages are missing. Run: make warehouse"  # noqa: PT018 - one remedy
# Airflow looks for providers once, so they are here before Airflow does.
sys.path.append(str(PROVIDERS))

import airflow  # noqa: E402

airflow.__path__.append(str(PROVIDERS / "airflow"))


@pytest.fixture(scope="module")
def duckdb():
    """DuckDB, and pyarrow for the export."""
    folder = str(next(TOOLS.glob("lib/python*/site-packages")))
    sys.path.append(folder)
    yield import_module("duckdb")
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server."""
    servers.install()
    with servers.PostgreSQL() as server:
        yield server
