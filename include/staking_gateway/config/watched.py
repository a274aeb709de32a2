"""The accounts that a network watches. An `accounts_file` may name hundreds of thousands: a line is read only when it is needed."""

from __future__ import annotations

from bisect import bisect_right
from codecs import BOM_UTF8
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from staking_gateway.config.values import Account, Label, Section, optional_whole
from staking_gateway.errors import InvalidAccount
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""
_BLOCK = 1 << 16
"""Bytes between two places whose line number is remembered."""
_TOGETHER = 1000
"""Lines that are cut from the content at a time."""


class Expectation(str, Enum):
    """What an account's staking status should be."""

    STAKING = "staking"
    NOT_STAKING = "not_staking"
    ANY = "any"

    def allows(self, status: StakingStatus) -> bool:
        """Whether a staking status meets the expectation."""
        return self is Expectation.ANY or (self is Expectation.STAKING) is (status is StakingStatus.IS_STAKING)


@lru_cache(maxsize=100_000)
def status_key(account: str) -> str:
    """The key of an account's stored statuses; the text itself if it is no valid account."""
    try:
        return AccountId.parse(account).hex
    except InvalidAccount:
        return account


class WatchedAccount(Section):
    """An account whose staking status is checked each era. The file may also give only the account's text."""

    account: Account = Field(description="the account's SS58 address or 0x public key")
    label: Label = ""
    expect: Expectation = Expectation.ANY
    history_depth: Annotated[int | None, optional_whole(1, 100_000)] = None

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> Any:
        return {"account": value} if isinstance(value, str) else value

    @property
    def account_id(self) -> AccountId:
        return AccountId.parse(self.account)

    @property
    def name(self) -> str:
        """The label with the account, or the account."""
        return f"{self.label} ({self.account})" if self.label else self.account

    @property
    def status_key(self) -> str:
        """The key of its stored statuses; the account's text if it is not valid."""
        return status_key(self.account)


class AccountLines:
    """The lines of an `accounts_file`, each with the text of one account, or a comment, or nothing.

    :param content: the file's content.
    :raises UnicodeDecodeError: it is not UTF-8.
    """

    def __init__(self, content: bytes = b"") -> None:
        if not content.isascii():
            content.decode()
        content = content.removeprefix(BOM_UTF8)
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._content = content
        before, self._first_line = 0, []
        for start in range(0, len(content), _BLOCK):
            self._first_line.append(before)
            before += content.count(b"\n", start, start + _BLOCK)
        self._lines = before + (content != b"" and not content.endswith(b"\n"))

    def __len__(self) -> int:
        """Number of lines. Lines without an account count: finding these takes longer than all the rest."""
        return self._lines

    def entries(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, dict[str, str]]]:
        """The accounts of some lines, each with its line number.

        :param start: index of the first line, 0 or more.
        :param stop: index after the last line; None reads to the end.
        :returns: line number, from 1 on; and the settings of a `WatchedAccount`, not validated.
        """
        stop = self._lines if stop is None else min(stop, self._lines)
        for number, line in enumerate(self._read(start, stop), start + 1):
            words = [word.strip() for word in line.partition("#")[0].split(",", 2)]
            if any(words) and (number, words) != (1, list(COLUMNS)):
                given = zip(COLUMNS, words, strict=False)
                yield number, {key: word for key, word in given if word or key == "account"}

    def _read(self, start: int, stop: int) -> Iterator[str]:
        for first in range(start, stop, _TOGETHER):
            yield from self._cut(first, min(first + _TOGETHER, stop))

    def _cut(self, start: int, stop: int) -> list[str]:
        """Lines from the content, which is searched from the last known place before them."""
        block = bisect_right(self._first_line, start) - 1
        skipped, place = start - self._first_line[block], block * _BLOCK
        if skipped == 0:  # the line begins here or in an earlier block
            place = self._content.rfind(b"\n", 0, place) + 1
        end = bisect_right(self._first_line, stop) * _BLOCK
        lines = skipped + stop - start
        return [line.decode() for line in self._content[place:end].split(b"\n", lines)[skipped:lines]]
