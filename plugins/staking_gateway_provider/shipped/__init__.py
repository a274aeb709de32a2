"""Files that the package brings for an installation: the DAG files and `staking.yaml`, for `airflow staking init`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from staking_gateway.errors import InvalidInput

DAGS = ("staking_payout.py", "staking_catch_up.py", "staking_watch.py")
DEVNET = "devnet"
"""The network of the simulator."""
_HERE = Path(__file__).parent
_CHECKOUT = _HERE.parents[2]


def dags_folder() -> Path:
    """The folder of the DAG files: in the installed package, or the checkout's."""
    packaged = _HERE / "dags"
    return packaged if packaged.is_dir() else _CHECKOUT / "dags"


def settings_text(network: str, start: str) -> str:
    """The first `staking.yaml`: the simulator's network `devnet` since `start`, or a form to fill in."""
    if network != DEVNET:
        return (_HERE / "network.yaml").read_text(encoding="utf-8").replace("NETWORK", network)
    packaged = _HERE / "staking.yaml"
    text = (packaged if packaged.is_file() else _CHECKOUT / "include" / "staking.yaml").read_text(encoding="utf-8")
    return text.replace("# start_date: 2026-01-01T00:00:00Z  ", f"start_date: {start}    ")


def write_new(texts: dict[Path, str], remedy: str) -> dict[Path, bool]:
    """Write files that do not exist. Of each that existed: whether it is the same.

    :param remedy: for a file or folder that cannot be written; then nothing is written.
    """
    for path in texts:
        _check_writable(path, remedy)
    kept = {}
    for path, text in texts.items():
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            kept[path] = read_kept(path) == text
        except OSError as error:
            raise _not_writable(path, error, remedy) from None
    return kept


def read_kept(path: Path) -> str:
    """The text of an existing file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidInput(
            str(path), f"exists, and cannot be read ({error.strerror})", "Allow reading it, or move it away"
        ) from None


def _check_writable(path: Path, remedy: str) -> None:
    """Make the folder of a new file, and write to it: permissions do not show a read-only file system."""
    try:
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _not_writable(path.parent, error, remedy) from None


def _not_writable(path: Path, error: OSError, remedy: str) -> InvalidInput:
    taken = isinstance(error, (FileExistsError, NotADirectoryError))
    return InvalidInput(str(path), "is no folder" if taken else f"cannot be written ({error.strerror})", remedy)
