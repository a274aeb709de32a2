"""Parses DAG files as Airflow's DAG processor does: `python -m benchmarks.loading_run`, with JSON on standard input.

The processor loads Airflow and its plugins once, and then forks for every file. So does this: every parse is the first one of its
process, and inherits what the processor would have handed down.

Given `files`, `rounds` and `profile`; the last line it writes is JSON: for each file the median `seconds` and the `added` modules, and
with `profile` what the `time` goes to.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rounds import where_time_goes

if TYPE_CHECKING:
    from collections.abc import Callable


def _warm_up(files: list[str]) -> None:
    import structlog
    from airflow.dag_processing import processor
    from airflow.listeners.listener import get_listener_manager

    logging.disable(logging.CRITICAL)
    # Before its first fork the processor's job tells its listeners that it starts, for which it loads all plugins.
    get_listener_manager()
    for file in files:
        processor._pre_import_airflow_modules(file, structlog.get_logger())  # noqa: SLF001 - the processor's own step


def _parse(file: str) -> None:
    from airflow.dag_processing.dagbag import BundleDagBag

    path = Path(file)
    bag = BundleDagBag(dag_folder=file, bundle_path=path.parent, bundle_name="benchmark", load_op_links=False)
    if bag.import_errors or not bag.dags:
        raise SystemExit(f"{file} cannot be loaded: {bag.import_errors}")


def _measure(file: str) -> dict[str, Any]:
    before = set(sys.modules)
    start = time.perf_counter()
    _parse(file)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "added": sorted(set(sys.modules) - before)}


def _forked(work: Callable[[], Any]) -> Any:
    """What a piece of work returns when it is done in a copy of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        with os.fdopen(writing, "w") as answer:
            json.dump(work(), answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        told = answer.read()
    os.waitpid(child, 0)
    if not told:
        raise SystemExit("a parse failed")
    return json.loads(told)


def _main() -> None:
    given = json.load(sys.stdin)
    files: list[str] = given["files"]
    _warm_up(files)
    gc.freeze()  # the copies share what is there; collecting it would copy it
    found: dict[str, list[dict[str, Any]]] = {file: [] for file in files}
    for _ in range(given["rounds"]):
        for file in files:
            found[file].append(_forked(lambda file=file: _measure(file)))  # type: ignore[misc]
    answer = {
        file: {"seconds": statistics.median(one["seconds"] for one in turns), "added": turns[0]["added"]}
        for file, turns in found.items()
    }
    if given["profile"]:
        for file in files:
            answer[file]["time"] = _forked(lambda file=file: where_time_goes(lambda: _parse(file)))  # type: ignore[misc]
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


if __name__ == "__main__":
    _main()
