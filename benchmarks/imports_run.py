"""Says which heavy libraries the provider loads: `python -m benchmarks.imports_run`, in a Python that has loaded nothing else.

The last line it writes is JSON: those that were loaded by the provider's modules and the DAG files, but not by Airflow's own SDK.
"""

from __future__ import annotations

import json
import runpy
import sys
from importlib import import_module

from benchmarks.processes import ROOT

HEAVY = ("aiohttp", "fastapi", "requests", "sqlalchemy.engine", "starlette", "substrateinterface", "uvicorn")


def _main() -> None:
    import airflow.sdk

    __ = airflow.sdk.DAG, airflow.sdk.BaseHook, airflow.sdk.BaseOperator  # each is loaded when it is named
    before = {name for name in HEAVY if name in sys.modules}
    info = import_module("staking_gateway_provider.get_provider_info").get_provider_info()
    for kind in ("operators", "sensors", "hooks"):
        for group in info[kind]:
            for module in group["python-modules"]:
                import_module(module)
    for file in sorted((ROOT / "dags").glob("*.py")):
        runpy.run_path(str(file))
    sys.stdout.write("\n" + json.dumps([name for name in HEAVY if name in sys.modules and name not in before]) + "\n")


if __name__ == "__main__":
    _main()
