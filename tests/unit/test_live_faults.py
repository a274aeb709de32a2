"""The live suites' faults let the product work until they strike: else only an hour of a whole Airflow would show that they do not fit it."""

import os
import subprocess
import sys

import pytest

from tests.live.stand import HERE
from tests.support.programs import plain_environment

WRITES = """
import sys
from staking_gateway.ledger import Ledger
from tests.support.ledgers import answered, planned, signed
ledger = Ledger(sys.argv[1])
answered(ledger, signed(ledger, planned(ledger)))
"""
CONNECTS = """
import sys
from staking_gateway.eras import utc_now
from staking_gateway.ledger.database import Database
Database(sys.argv[1], utc_now)
"""


@pytest.mark.parametrize(
    ("given", "program"),
    [({"KILLS_FOLDER": "."}, WRITES), ({"STORAGE_FAULTS": "1", "STORAGE_FAULTS_LOG": os.devnull}, CONNECTS)],
    ids=["deaths", "storage"],
)
def test_faults_fit_what_they_change(given, program, tmp_path):
    environment = {**plain_environment(), **given, "PYTHONPATH": os.pathsep.join([str(HERE / "deadly"), *sys.path])}
    command = [sys.executable, "-c", program, f"sqlite:///{tmp_path}/ledger.db"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
