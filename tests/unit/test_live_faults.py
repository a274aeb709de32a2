"""The live suites' faults fit the modules that they change: else only an hour of a whole Airflow would show a name that is gone."""

import os
import subprocess
import sys

import pytest
import yaml

from tests.live.test_soak import HERE, Soaked
from tests.support.programs import plain_environment
from tests.support.settings import load_config


@pytest.mark.parametrize(
    "given",
    [{"KILLS_FOLDER": "."}, {"STORAGE_FAULTS": "1", "STORAGE_FAULTS_LOG": os.devnull}],
    ids=["deaths", "storage"],
)
def test_faults_fit_the_modules_that_they_change(given):
    program = "import staking_gateway.ledger, staking_gateway.gateway"
    environment = {**plain_environment(), **given, "PYTHONPATH": os.pathsep.join([str(HERE / "deadly"), *sys.path])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_settings_of_the_long_run_are_settings(tmp_path):
    path = tmp_path / "staking.yaml"
    path.write_text(yaml.safe_dump({"networks": {"alpha": Soaked("alpha", "").settings}}))
    assert load_config(path).network("alpha", watched=True)
