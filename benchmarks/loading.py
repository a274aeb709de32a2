"""Loading of the DAG files, beside an empty DAG file, in a process that has loaded Airflow and its plugins, as the DAG processor has."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.harness import ROOT, Line, by_turns, run

EMPTY = 'from airflow.sdk import DAG\n\nwith DAG("empty"):\n    pass\n'
PROGRAM = """
import json, logging, sys, time
from pathlib import Path
import structlog
from airflow.dag_processing import processor
from airflow.dag_processing.dagbag import BundleDagBag
from airflow.listeners.listener import get_listener_manager
logging.disable(logging.CRITICAL)
file = sys.argv[1]
get_listener_manager()  # loads all plugins, as the processor does before its first fork
processor._pre_import_airflow_modules(file, structlog.get_logger())
began = time.process_time()
bag = BundleDagBag(dag_folder=file, bundle_path=Path(file).parent, bundle_name="benchmark", load_op_links=False)
spent = time.process_time() - began
assert bag.dags and not bag.import_errors, bag.import_errors
print("\\n" + json.dumps(spent))
"""


def measure() -> list[Line]:
    """Each shipped DAG file with the shipped staking.yaml, which has one network."""
    with tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        files = [ROOT / "dags" / name for name in ("staking_payout.py", "staking_catch_up.py")]
        pairs = [by_turns(partial(load, file, folder), partial(load, empty, folder), 5) for file in files]
    what = "loading dags/{}: processor time"
    lines = zip(files, pairs, strict=True)
    return [Line(what.format(file.name), "an empty DAG file", figures) for file, figures in lines]


def load(file: Path, home: str) -> float:
    airflow = {"AIRFLOW_HOME": home, "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    config = str(ROOT / "include" / "staking.yaml")
    return float(run([sys.executable, "-c", PROGRAM, str(file)], **airflow, STAKING_GATEWAY_CONFIG=config))
