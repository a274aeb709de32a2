"""The folder a stack lives in: who holds it, its secrets, and what is fresh in it at every start."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import secrets
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from demo.services import DemoFailed

_TAKEOVER_SECONDS = 15.0
"""How long the programs of a killed demo may hold its folder: their grace, and some."""


class AlreadyRunning(DemoFailed):
    """Another stack holds the folder."""


@dataclass(frozen=True)
class Secrets:
    """Made once per folder, by chance, and kept in a file only its owner can read."""

    fernet_key: str
    jwt_secret: str
    api_secret_key: str
    password: str

    @classmethod
    def of(cls, home: Path) -> Secrets:
        """Those of a folder, made now if there are none."""
        path = home / "secrets.json"
        with suppress(FileNotFoundError, ValueError, TypeError):
            return cls(**json.loads(path.read_text()))
        made = cls(
            fernet_key=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            jwt_secret=secrets.token_urlsafe(64),
            api_secret_key=secrets.token_urlsafe(32),
            password=secrets.token_urlsafe(12),
        )
        write_private(path, json.dumps(vars(made)))
        return made


def write_private(path: Path, text: str) -> None:
    """Write a file only its owner can read, from its first byte on."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    temporary.replace(path)


class HomeLock:
    """Lets one stack at a time use a folder. The lock is the kernel's: it cannot be left behind.

    :param home: the folder.
    """

    def __init__(self, home: Path) -> None:
        self._file: IO[str] = (home / "lock").open("a+")

    @property
    def descriptor(self) -> int:
        """Its file descriptor; whoever inherits it holds the lock as well."""
        return self._file.fileno()

    def take(self) -> None:
        """Take the folder, waiting for the programs of a killed owner to end.

        :raises AlreadyRunning: its owner is alive; tells where its UI is.
        """
        until = time.monotonic() + _TAKEOVER_SECONDS
        while not self._try():
            owner = self._owner()
            if _is_alive(owner.get("pid")) or time.monotonic() >= until:
                raise AlreadyRunning(_running_already(owner, Path(self._file.name).parent))
            time.sleep(0.1)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def say(self, **facts: object) -> None:
        """Leave word for whoever finds the folder taken."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), **facts}, self._file)
        self._file.flush()

    def release(self) -> None:
        """Give the folder back."""
        self._file.close()

    def _owner(self) -> dict[str, object]:
        self._file.seek(0)
        with suppress(ValueError):
            found = json.load(self._file)
            return found if isinstance(found, dict) else {}
        return {}


def _is_alive(pid: object) -> bool:
    try:
        os.kill(int(str(pid)), 0)
    except PermissionError:
        return True
    except (ValueError, ProcessLookupError):
        return False
    return True


def _running_already(owner: dict[str, object], home: Path) -> str:
    who, where = owner.get("pid", "unknown"), owner.get("ui", "not up yet")
    return f"Already running in {home} (process {who}), UI: {where}. Stop that one first, with Ctrl-C or kill {who}"


def clear(home: Path) -> None:
    """Remove what an earlier stack left, but for its secrets and the empty database they can share."""
    kept = {"secrets.json", "lock"}
    for entry in home.iterdir():
        if entry.name in kept or entry.name.startswith("empty-"):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
