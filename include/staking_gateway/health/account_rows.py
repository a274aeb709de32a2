"""The watched accounts on the page: counts, and rows with one letter per era. Only the shown rows are read from the ledger."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.config.models import Expectation
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from staking_gateway.config.models import WatchedAccount
    from staking_gateway.ledger import Ledger

PAGE = 200
"""Default number of rows of a page."""
MAX_PAGE = 500
_NOT_CHECKED = "."
_NAMED = 10
_LETTERS = {
    # (expected, found); A and B are in the wrong state.
    (expected, status): allowed if expected.allows(status) else refused
    for expected in Expectation
    for status, allowed, refused in ((StakingStatus.IS_STAKING, "S", "A"), (StakingStatus.IS_NOT_STAKING, "N", "B"))
}
UNEXPECTED = ("A", "B")
STATUS_WORDS = {"S": "staking", "N": "not staking", "A": "staking", "B": "not staking"}
"""Words of the letters in an account's row; any other letter: not checked."""


@dataclass(frozen=True)
class Page:
    """Which rows to show: accounts in the wrong state first, then in the order of the file.

    :param start: number of rows to leave out, 0 or more.
    :param rows: the most rows, 1 to MAX_PAGE.
    :param words: a part of the label or the address, in any case; empty for all.
    :param wrong: whether to show only accounts in the wrong state.
    """

    start: int = 0
    rows: int = PAGE
    words: str = ""
    wrong: bool = False


class AccountRows:
    """The watched accounts of a network, with their newest statuses in a range of eras.

    :raises LedgerError: the ledger could not be read.
    """

    def __init__(self, name: str, accounts: Sequence[WatchedAccount], ledger: Ledger, eras: range) -> None:
        self._name = name
        self._accounts = accounts
        self._ledger = ledger
        self._eras = eras
        newest = ledger.newest_statuses(name, eras, {watched.status_key for watched in accounts})
        self._newest = [
            _LETTERS[watched.expect, newest[watched.status_key][1]] if watched.status_key in newest else ""
            for watched in accounts
        ]
        self._wrong = [index for index, letter in enumerate(self._newest) if letter in UNEXPECTED]

    def tally(self) -> dict[str, Any]:
        """Counts of the accounts by their newest status, and the first accounts in the wrong state."""
        rows = self._rows(self._wrong[:_NAMED])
        checked = sum(letter != "" for letter in self._newest)
        return {
            "watched": len(self._accounts),
            "checked": checked,
            "right": checked - len(self._wrong),
            "staking": sum(letter in ("S", "A") for letter in self._newest),
            "not_staking": sum(letter in ("N", "B") for letter in self._newest),
            "unexpected": len(self._wrong),
            "wrong": [_since(row, self._eras.stop) for row in rows],
        }

    def page(self, page: Page) -> dict[str, Any]:
        """Rows of one page.

        :returns: `accounts`, the rows; `start`, the number of rows before them; `matching`, the number of all rows that match; and
            `version`, which changes with any of these.
        """
        found = self._matching(page)
        start, rows = max(page.start, 0), min(max(page.rows, 1), MAX_PAGE)
        shown = {"accounts": self._rows(found[start : start + rows]), "start": start, "matching": len(found)}
        return {**shown, "version": hashlib.sha256(repr(shown).encode()).hexdigest()[:16]}

    def _matching(self, page: Page) -> Sequence[int]:
        wrong = set(self._wrong)
        order = (
            self._wrong if page.wrong else [*self._wrong, *(i for i in range(len(self._accounts)) if i not in wrong)]
        )
        words = page.words.strip().lower()
        return [
            index
            for index in order
            if words in self._accounts[index].label.lower() or words in self._accounts[index].account.lower()
        ]

    def _rows(self, places: Sequence[int]) -> list[dict[str, Any]]:
        accounts = [self._accounts[place] for place in places]
        keys = {watched.status_key for watched in accounts}
        by_era = self._ledger.statuses_of(self._name, self._eras, keys) if keys else {}
        columns: list[Mapping[str, StakingStatus]] = [by_era.get(era, {}) for era in self._eras]
        rows = []
        for watched in accounts:
            key = watched.status_key
            letter = {status: _LETTERS[watched.expect, status] for status in StakingStatus}
            letters = "".join([letter[column[key]] if key in column else _NOT_CHECKED for column in columns])
            rows.append(
                {"account": watched.account, "label": watched.label, "expect": watched.expect.value, "letters": letters}
            )
        return rows


def _since(row: Mapping[str, Any], active: int) -> str:
    """Since which era an account is in its state."""
    letters: str = row["letters"]
    letter = letters.rstrip(_NOT_CHECKED)[-1]
    since = active - len(letters) + len(letters.rstrip(letter + _NOT_CHECKED))
    since += len(letters[since - active :]) - len(letters[since - active :].lstrip(_NOT_CHECKED))
    return f"{row['label'] or row['account']} is {STATUS_WORDS[letter]} since era {since}"
