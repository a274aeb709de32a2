"""The signer's memory, in one SQLite file: written before a signature leaves, so that a restart forgets nothing."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError

if TYPE_CHECKING:
    from pathlib import Path

_APPLICATION_ID = 0x53475343
"""Marks the file as a signer's; see https://www.sqlite.org/pragma.html#pragma_application_id."""
_TABLES = f"""
CREATE TABLE counts (day TEXT, account TEXT, kind TEXT, signed INTEGER NOT NULL, PRIMARY KEY (day, account, kind));
CREATE TABLE nonces (account TEXT, kind TEXT, nonce TEXT, subject TEXT NOT NULL, day TEXT NOT NULL,
                     PRIMARY KEY (account, kind, nonce));
PRAGMA application_id = {_APPLICATION_ID};
"""
_TAKE = (
    "INSERT INTO counts VALUES (?, ?, ?, 1) "
    "ON CONFLICT (day, account, kind) DO UPDATE SET signed = signed + 1 WHERE signed < ?"
)
_AFRESH = "start once with --new-counts: the new file knows nothing of earlier signatures"


class CountFile:
    """Counts signatures per UTC day, account and kind, and keeps what each nonce was signed for first.

    Several signers may share one file, and one limit.

    :param path: the file; None keeps everything in memory.
    :param new: make the file. It must not exist then, and must exist otherwise: a lost file is never replaced silently.
    :raises StakingGatewayError: the file cannot be used, is missing or damaged, or is another program's.
    """

    def __init__(self, path: Path | None, *, new: bool = False) -> None:
        self._path = path
        try:
            if path is not None:
                if new:
                    path.touch(mode=0o600, exist_ok=False)
                self._opened = path.stat()
            address = "file::memory:" if path is None else f"{path.absolute().as_uri()}?mode=rw"
            # Handed from the thread that builds a signer to the one that runs it, never shared between two at a time.
            self._database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except FileExistsError:
            raise StakingGatewayError(f"{path} exists already", remedy="Start without --new-counts") from None
        except FileNotFoundError:
            raise StakingGatewayError(
                f"{path} does not exist", remedy=f"Restore it from a backup, or {_AFRESH}"
            ) from None
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        try:
            self._open(new or path is None)
        except sqlite3.Error as error:
            self._database.close()
            raise self._unusable(error) from None
        except StakingGatewayError:
            self._database.close()
            raise

    def _open(self, new: bool) -> None:
        run = self._database.execute
        if new:
            self._database.executescript(_TABLES)
        run("PRAGMA synchronous = FULL")
        if run("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            raise self._unusable("it is not a signer's count file")
        if run("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise self._unusable("it is damaged")

    def take(self, day: str, account: str, kind: str, limit: int, *, nonce: int, subject: str) -> str | None:
        """Count one more, unless the day's limit is reached or the nonce was first signed for something else.

        :param day: `YYYY-MM-DD`.
        :param limit: at least 1.
        :param subject: what the nonce is signed for, such as `era 1391`.
        :returns: None when it was counted; then it is on disk. Otherwise the reason why not.
        :raises StakingGatewayError: it could not be written.
        """
        key = (account, kind, str(nonce))
        try:
            if self._path is not None and not os.path.samestat(self._path.stat(), self._opened):
                raise StakingGatewayError(
                    f"{self._path} was replaced while the signer ran", remedy="Start the signer again"
                )
            with self._database as database:  # commits, or takes everything back
                database.execute("BEGIN IMMEDIATE")
                select = "SELECT subject, day FROM nonces WHERE (account, kind, nonce) = (?, ?, ?)"
                first = database.execute(select, key).fetchone()
                if first is not None and first[0] != subject:
                    return f"nonce {nonce} was signed for {first[0]} on {first[1]}, so it is not signed for {subject}"
                if database.execute(_TAKE, (day, account, kind, limit)).rowcount != 1:
                    return f"{limit} of this kind were signed for the account today"
                if first is None:
                    database.execute("INSERT INTO nonces VALUES (?, ?, ?, ?, ?)", (*key, subject, day))
                return None
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        """Give the file back."""
        self._database.close()

    def _unusable(self, problem: object) -> StakingGatewayError:
        return StakingGatewayError(
            f"{self._path or 'memory'} cannot be used as count file: {problem}",
            remedy=f"Restore it from a backup, or choose another file with --counts and {_AFRESH}",
        )
