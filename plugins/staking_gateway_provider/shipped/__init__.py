"""Files that the package brings for an installation: the DAG files and `staking.yaml`, for `airflow staking init`."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from staking_gateway.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

DAGS = ("staking_payout.py", "staking_catch_up.py", "staking_watch.py", "staking_configuration.py")
DEVNET = "devnet"
"""The network of the simulator."""
_HERE = Path(__file__).parent
_CHECKOUT = _HERE.parents[2]


def dags_folder() -> Path:
    """The folder of the DAG files: in the installed package, or the checkout's."""
    packaged = _HERE / "dags"
    return packaged if packaged.is_dir() else _CHECKOUT / "dags"


def settings_text(network: str, now: datetime) -> str:
    """The first `staking.yaml`: the simulator's network `devnet` from now on, or a form to fill in."""
    if network != DEVNET:
        return (_HERE / "network.yaml").read_text(encoding="utf-8").replace("NETWORK", network)
    packaged = _HERE / "staking.yaml"
    text = (packaged if packaged.is_file() else _CHECKOUT / "include" / "staking.yaml").read_text(encoding="utf-8")
    return text.replace("# start_date: 2026-01-01T00:00:00Z  ", f"start_date: {now:%Y-%m-%dT%H:%M:%SZ}    ")


def write_new(texts: dict[Path, str]) -> dict[Path, list[str]]:
    """Write files that do not exist. An existing file is never changed.

    :param texts: what each file holds.
    :returns: for each file that existed: its differences, as lines of a unified diff; may be empty.
    :raises InvalidInput: a file or folder cannot be written. Nothing is written then.
    """
    for path in texts:
        _check_writable(path)
    kept = {}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            before = path.read_text(encoding="utf-8", errors="replace").splitlines()
            kept[path] = list(difflib.unified_diff(before, text.splitlines(), "yours", "shipped", lineterm="", n=0))
    return kept


def _check_writable(path: Path) -> None:
    existing = next(one for one in (path, *path.parents) if one.exists())
    if existing == path:
        return
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        problem = "cannot be written" if existing.is_dir() else "is no folder"
        raise InvalidInput(
            str(path),
            f"{existing} {problem}",
            "Change its owner or permissions, or name another place; --help says how",
        )
