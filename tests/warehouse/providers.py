"""Airflow's providers of PostgreSQL and OpenLineage, which `make warehouse` installs beside .venv.

Airflow looks for providers once, so it is here before Airflow does.
"""

import sys

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported
from tests.warehouse.books import ROOT

FOLDER = ROOT / ".venv-providers"
assert FOLDER.is_dir(), "Airflow's provider of PostgreSQL is missing. Run: make warehouse"
sys.path.append(str(FOLDER))

import airflow  # noqa: E402

airflow.__path__.append(str(FOLDER / "airflow"))
