"""How much was signed today, in one SQLite file: counted on disk before a signature leaves, so that a restart forgets nothing."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError

if TYPE_CHECKING:
    from pathlib import Path

_APPLICATION_ID = 0x53475343
"""Marks the file as a signer's; see https://www.sqlite.org/pragma.html#pragma_application_id."""
_TABLE = (
    "CREATE TABLE counts (day TEXT, account TEXT, kind TEXT, signed INTEGER NOT NULL, PRIMARY KEY (day, account, kind))"
)
_TAKE = (
    "INSERT INTO counts VALUES (?, ?, ?, 1) "
    "ON CONFLICT (day, account, kind) DO UPDATE SET signed = signed + 1 WHERE signed < ?"
)


class CountFileError(StakingGatewayError):
    """The count file cannot be used; nothing is signed then. The text says why and what to do."""


class DailyCounts:
    """Counts signatures per UTC day, account and kind. Several signers may share one file, and one limit.

    :param path: the file, made when there is none; None counts in memory.
    :raises CountFileError: the file cannot be used, or is another program's.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = str(path) if path is not None else "memory"
        try:
            if path is not None:
                path.touch(mode=0o600)
            # Handed from the thread that builds a signer to the one that runs it, never shared between two at a time.
            self._database = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        try:
            self._open()
        except sqlite3.Error as error:
            self._database.close()
            raise self._unusable(error) from None
        except CountFileError:
            self._database.close()
            raise

    def _open(self) -> None:
        run = self._database.execute
        run("PRAGMA synchronous = FULL")
        run("BEGIN IMMEDIATE")
        mark = run("PRAGMA application_id").fetchone()[0]
        tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != _APPLICATION_ID and (mark or tables):
            raise CountFileError(f"{self._name} is not a signer's count file. Choose another file with --counts")
        if not tables:
            run(_TABLE)
            run(f"PRAGMA application_id = {_APPLICATION_ID}")
        run("COMMIT")

    def take(self, day: str, account: str, kind: str, limit: int) -> bool:
        """Count one more, unless the limit is reached.

        :param day: `YYYY-MM-DD`.
        :param limit: at least 1.
        :returns: whether it was counted; then it is on disk.
        :raises CountFileError: it could not be written.
        """
        try:
            return self._database.execute(_TAKE, (day, account, kind, limit)).rowcount == 1
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Give the file back."""
        self._database.close()

    def _unusable(self, error: Exception) -> CountFileError:
        return CountFileError(f"{self._name} cannot be used as count file: {error}. Choose another file with --counts")
