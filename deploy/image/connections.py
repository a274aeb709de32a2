"""Prints where Airflow's file backend finds the connections of several files, put into one file in AIRFLOW_HOME.

`python connections.py FILE...` is the command of the setting `secrets.backend_kwargs`. So a container can be given the keys of the
signers beside the other connections, or not: the triggerer is not.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path


def put_together(files: list[Path], folder: Path) -> Path:
    """One file with the connections of all files. Only its owner can read it.

    :raises ValueError: a file is no JSON object, or two files hold the same connection.
    """
    found: dict[str, object] = {}
    for file in files:
        connections = json.loads(file.read_text())
        if not isinstance(connections, dict) or found.keys() & connections.keys():
            raise ValueError(f"{file.name} is no object, or repeats a connection of another file")
        found |= connections
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as stream:  # only the owner can read it
        json.dump(found, stream)
    # As a whole, for processes that start at the same time.
    return Path(stream.name).replace(folder / "connections.json")


if __name__ == "__main__":
    path = put_together([Path(name) for name in sys.argv[1:]], Path(os.environ["AIRFLOW_HOME"]))
    sys.stdout.write(json.dumps({"connections_file_path": str(path)}))
