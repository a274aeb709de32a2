"""What the DAG files cost the DAG processor, which reads them again and again."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from typing import Any

import yaml

from benchmarks.processes import ROOT, fresh
from benchmarks.results import Line, Scale, at_most, duration, number

_ROW = "loading"
_FILES = [ROOT / "dags" / name for name in ("staking_payout.py", "staking_catch_up.py")]
_EMPTY = 'from airflow.sdk import DAG\n\nwith DAG("empty"):\n    pass\n'
_MOST_MS = 5.0


def dag_files(scale: Scale) -> list[Line]:
    """Parsing each DAG file beside an empty one, in processes forked from a warm DAG processor."""
    with tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-") as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(_EMPTY)
        steps = (1, 5, 20)
        found = {}
        for networks in steps:
            config = _config(Path(folder), networks)
            files = [empty, *_FILES]
            found[networks] = _parse(files, config, scale.of(15, 3), Path(folder), profile=networks == 1)
    extra = {
        file.stem: [
            (float(networks), (told[str(file)]["seconds"] - told[str(empty)]["seconds"]) * 1000)
            for networks, told in found.items()
        ]
        for file in _FILES
    }
    base = found[1][str(empty)]
    return [_line(file, found[1][str(file)], base, extra[file.stem]) for file in _FILES]


def _line(file: Path, told: Any, base: Any, extra: list[tuple[float, float]]) -> Line:
    more = (told["seconds"] - base["seconds"]) * 1000
    own = [name for name in told["added"] if name.startswith("staking_gateway")]
    return Line(
        _ROW,
        f"an empty DAG file; dags/{file.name}",
        duration(told["seconds"]),
        duration(base["seconds"]),
        more,
        at_most(_MOST_MS, "ms more"),
        "; ".join(f"{number(ms)} ms with {networks:.0f} networks" for networks, ms in extra),
        reason=f"{len(told['added'])} modules are loaded, {len(own)} of them ours; profiled, the time goes to {told['time']}",
    )


def _parse(files: list[Path], config: Path, rounds: int, home: Path, *, profile: bool) -> Any:
    given = {"files": [str(file) for file in files], "rounds": rounds, "profile": profile}
    return fresh("benchmarks.loading_run", given=given, **_airflow(home, config))


def _airflow(home: Path, config: Path) -> dict[str, str]:
    return {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "STAKING_GATEWAY_CONFIG": str(config),
    }


def _config(folder: Path, networks: int) -> Path:
    """The shipped configuration file, or one with so many networks like the one in it."""
    shipped = ROOT / "include" / "staking.yaml"
    if networks == 1:
        return shipped
    settings = yaml.safe_load(shipped.read_text())
    (network,) = settings["networks"].values()
    for anchor in network["calendar"]["anchors"]:
        anchor["start"] = anchor["start"].isoformat()
    settings["networks"] = {
        f"network_{count}": {**copy.deepcopy(network), "gateway_conn_id": f"gateway_{count}"}
        for count in range(networks)
    }
    path = folder / f"{networks}.yaml"
    path.write_text(yaml.safe_dump(settings, default_flow_style=None))
    return path
