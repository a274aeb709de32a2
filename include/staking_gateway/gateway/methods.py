"""Which methods a gateway has. Versions differ, and the interface document shows only two reads.

A single denial proves nothing, because a gateway during a replacement may deny methods for a short time. So clients ask twice,
and a method that has answered counts as removed only after `BELIEVED_AFTER` seconds of denials.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from staking_gateway.errors import Failed, GatewayError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
BELIEVED_AFTER = 15 * 60.0
"""Seconds of denials after which a method that has answered counts as removed."""


class AnsweredMethods:
    """The methods that a gateway has answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._denied_since: dict[str, float | None] = {}

    def add(self, method: str) -> None:
        """Note that the gateway has answered a method now."""
        self._denied_since[method] = None

    def may_come_back(self, method: str) -> bool:
        """Whether a method that is denied now has answered before, and the denials are recent."""
        if method not in self._denied_since:
            return False
        since = self._denied_since[method]
        if since is None:
            self._denied_since[method] = since = self._clock()
        if self._clock() - since < BELIEVED_AFTER:
            return True
        self._denied_since.pop(method, None)
        return False


_ANSWERED: dict[str, AnsweredMethods] = {}


def answered_methods(base_url: str) -> AnsweredMethods:
    """The methods that a gateway has answered in this process."""
    return _ANSWERED.setdefault(base_url, AnsweredMethods())


def check_denial(error: GatewayError, answered: AnsweredMethods) -> None:
    """Return if the denied method may be missing; then the caller asks once more.

    :param error: the error of the read.
    :param answered: the methods that the gateway has answered.
    :raises GatewayError: `error`, when it denies no method; `WITHDRAWN`, when the method has answered before.
    """
    if not error.how.denies_method:
        raise error
    if answered.may_come_back(error.method):
        raise GatewayError(
            f"{Failed.WITHDRAWN.sentence}; is it being replaced? After "
            f"{BELIEVED_AFTER / 60:g} minutes of denials the method counts as removed. {error}",
            method=error.method,
            how=Failed.WITHDRAWN,
        ) from error


def if_supported(read: Callable[[], T]) -> T | None:
    """The result of a read, or None when the gateway has no such method."""
    try:
        return read()
    except GatewayError as error:
        if error.how.denies_method:
            return None
        raise


async def aif_supported(read: Awaitable[T]) -> T | None:
    """`if_supported` for an asynchronous read."""
    try:
        return await read
    except GatewayError as error:
        if error.how.denies_method:
            return None
        raise
