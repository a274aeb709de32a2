"""Airflow with a home of its own, set before Airflow is imported."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HOME = Path(tempfile.mkdtemp(prefix="staking-gateway-airflow-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)

os.environ["AIRFLOW_HOME"] = str(HOME)
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__CORE__UNIT_TEST_MODE"] = "False"


@pytest.fixture(scope="session")
def airflow_home():
    """The folder Airflow reads and writes."""
    return HOME


@pytest.fixture(scope="session")
def airflow_db(airflow_home):
    """A migrated metadata database; made once, for the tests that ask for it."""
    command = [sys.executable, "-m", "airflow", "db", "migrate"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return airflow_home / "airflow.db"
