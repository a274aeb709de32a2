"""The state file: every event in order, in one SQLite file, on disk before anybody is told of it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError
from staking_gateway_simulator.events import Event, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_APPLICATION_ID = 0x53475349
"""Marks the file as a simulator's; see https://www.sqlite.org/pragma.html#pragma_application_id."""
_FORMAT = 1
_TABLES = (
    "CREATE TABLE events (sequence INTEGER PRIMARY KEY, event TEXT NOT NULL)",
    "CREATE TABLE traffic (kind TEXT, name TEXT, amount INTEGER NOT NULL, PRIMARY KEY (kind, name))",
    f"PRAGMA application_id = {_APPLICATION_ID}",
    f"PRAGMA user_version = {_FORMAT}",
)


@dataclass
class Traffic:
    """Calls since the state file was made: how many per path and per method, and how many bytes per path."""

    calls_by_path: Counter[str] = field(default_factory=Counter)
    calls_by_method: Counter[str] = field(default_factory=Counter)
    bytes_by_path: Counter[str] = field(default_factory=Counter)


class StateFile:
    """An open state file, held by one process at a time.

    :param path: the file, made when there is none; None keeps everything in memory.
    :raises StakingGatewayError: not a state file, in use, or not writable.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = str(path) if path is not None else "memory"
        try:
            # Handed from the thread that builds a simulator to the one that runs it, never shared between two at a time.
            self._database = sqlite3.connect(
                str(path) if path is not None else ":memory:", timeout=0, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._unusable(error) from None
        try:
            self._open()
        except sqlite3.Error as error:
            self._database.close()
            raise self._unusable(error) from None
        except StakingGatewayError:
            self._database.close()
            raise

    def _open(self) -> None:
        run = self._database.execute
        mark = run("PRAGMA application_id").fetchone()[0]
        version = run("PRAGMA user_version").fetchone()[0]
        tables = run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (mark, version) != (_APPLICATION_ID, _FORMAT) and (mark or version or tables):
            raise StakingGatewayError(
                f"{self._name} is not a state file of this simulator", remedy="Choose another file with --state"
            )
        # A second simulator on the same file would execute every request again, so the lock is never given back.
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA synchronous = FULL")
        run("BEGIN EXCLUSIVE")
        if not tables:
            for statement in _TABLES:
                run(statement)
        run("COMMIT")

    def _unusable(self, error: sqlite3.Error) -> StakingGatewayError:
        reason = str(error)
        if "locked" in reason:
            return StakingGatewayError(
                f"{self._name} is in use by another simulator", remedy="Stop it, or choose another --state"
            )
        return StakingGatewayError(
            f"{self._name} cannot be used as state file: {reason}", remedy="Choose another file with --state"
        )

    def events(self) -> list[Event]:
        """All events so far, in order.

        :raises StakingGatewayError: the file is damaged.
        """
        try:
            rows = self._database.execute("SELECT event FROM events ORDER BY sequence").fetchall()
            return [from_json(row[0]) for row in rows]
        except (sqlite3.Error, ValueError) as error:
            raise StakingGatewayError(
                f"{self._name} is damaged: {error}", remedy="Choose another file with --state"
            ) from None

    def traffic(self) -> Traffic:
        """The call counts as they were last written."""
        traffic = Traffic()
        for kind, name, amount in self._database.execute("SELECT kind, name, amount FROM traffic"):
            getattr(traffic, kind)[name] = amount
        return traffic

    def append(self, events: Sequence[Event], traffic: Traffic) -> None:
        """Write events and the call counts, all or nothing; when this returns they outlive the process.

        :raises sqlite3.Error: nothing was written.
        """
        counts = [(kind, name, amount) for kind, names in vars(traffic).items() for name, amount in names.items()]
        self._database.execute("BEGIN")
        try:
            self._database.executemany("INSERT INTO events (event) VALUES (?)", [(to_json(event),) for event in events])
            self._database.executemany("INSERT OR REPLACE INTO traffic VALUES (?, ?, ?)", counts)
            self._database.execute("COMMIT")
        except sqlite3.Error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Give the file back."""
        self._database.close()
