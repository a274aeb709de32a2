"""Loading of the DAG files, as the DAG processor does it, beside an empty one; `airflow staking` beside `airflow version`."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.harness import ROOT, Line, MeasurementFailed, by_turns, environment, run

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
    """Each shipped DAG file, and the overview, with the shipped staking.yaml, which has one network."""
    with tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        files = [ROOT / "dags" / name for name in ("staking_payout.py", "staking_catch_up.py")]
        pairs = [by_turns(partial(load, file, folder), partial(load, empty, folder), 5) for file in files]
        command(folder, "db", "migrate")
        shown = by_turns(partial(command, folder, "staking"), partial(command, folder, "version"), 5)
    lines = zip(files, pairs, strict=True)
    return [
        *(Line(f"loading dags/{file.name}: processor time", "an empty DAG file", figures) for file, figures in lines),
        Line("`airflow staking`: processor time", "`airflow version`", shown),
    ]


def of_home(home: str) -> dict[str, str]:
    """The environment of an Airflow with the shipped staking.yaml."""
    config = str(ROOT / "include" / "staking.yaml")
    return {"AIRFLOW_HOME": home, "AIRFLOW__CORE__LOAD_EXAMPLES": "False", "STAKING_GATEWAY_CONFIG": config}


def load(file: Path, home: str) -> float:
    """Processor seconds to load a DAG file."""
    return float(run([sys.executable, "-c", PROGRAM, str(file)], **of_home(home)))


def command(home: str, *words: str) -> float:
    """Processor seconds of a command of Airflow. `airflow staking` ends with 1 here: no Airflow runs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, "-m", "airflow", *words]
    done = subprocess.run(program, env=environment(**of_home(home)), capture_output=True, text=True, check=False)
    if "Traceback" in done.stderr or not (done.stdout or words[0] == "db"):
        raise MeasurementFailed(f"{words}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
