"""The fixtures of tests/airflow, for tests here that need an Airflow, a simulator and a network; import what a module asks for.

That folder's conftest makes a home for Airflow when it is read. Where its own tests run in the same process, there is one already.
"""

from __future__ import annotations

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_HOME = "AIRFLOW_HOME"
_made = os.environ.get(_HOME, "")
_spec = spec_from_file_location("conftest_of_airflow", Path(__file__).parents[1] / "airflow" / "conftest.py")
_there = module_from_spec(_spec)
_spec.loader.exec_module(_there)
if Path(_made).name.startswith("staking-gateway-airflow-"):
    os.environ[_HOME] = _made
    _there.HOME = Path(_made)

airflow_db = _there.airflow_db
airflow_home = _there.airflow_home
broken = _there.broken
connect = _there.connect
gateway = _there.gateway
ledger = _there.ledger
network = _there.network
simulator = _there.simulator
