"""The accounts that a network watches. The lines of an `accounts_file` are validated only when a task needs them."""

from __future__ import annotations

from codecs import BOM_UTF8
from enum import Enum
from functools import lru_cache
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from staking_gateway.config.values import Account, Label, Section, optional_whole
from staking_gateway.errors import InvalidAccount
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""


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
        self._lines = StringIO(content.removeprefix(BOM_UTF8).decode(), newline=None).readlines()

    def entries(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The accounts, each with its line number, from 1 on, and the settings of a `WatchedAccount`, not validated."""
        for number, line in enumerate(self._lines, 1):
            words = [word.strip() for word in line.partition("#")[0].split(",", 2)]
            if any(words) and (number, words) != (1, list(COLUMNS)):
                given = zip(COLUMNS, words, strict=False)
                yield number, {key: word for key, word in given if word or key == "account"}
