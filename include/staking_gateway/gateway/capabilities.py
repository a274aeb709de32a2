"""What a gateway can tell is probed: the interface document shows only two methods, and versions differ in the others.

A denial decides what is waited for, so one odd answer is not enough: clients ask a second time, and a method that has answered in
this process is not believed to have gone before it was denied for a while. A part of a gateway that is being replaced answers like
one that never had it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from staking_gateway.errors import GatewayError, MethodWithdrawn, RpcMethodNotFound, UnexpectedStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
BELIEVED_AFTER = 15 * 60.0
"""Seconds of nothing but denials after which a method that has answered before has gone."""


class AnsweredMethods:
    """The methods a gateway has answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._denied_since: dict[str, float | None] = {}

    def add(self, method: str) -> None:
        """It has answered just now."""
        self._denied_since[method] = None

    def may_come_back(self, method: str) -> bool:
        """Whether a method that is denied just now has answered before, not too long ago."""
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
    """What a gateway has answered in this process; its clients add to it."""
    return _ANSWERED.setdefault(base_url, AnsweredMethods())


def check_denial(error: GatewayError, answered: AnsweredMethods) -> None:
    """Return if a method is denied that may indeed be missing, so that it is to be asked for once more.

    :param error: what the read met.
    :param answered: the methods this gateway has answered before.
    :raises MethodWithdrawn: it has answered this one, and may again.
    :raises GatewayError: the error, where it denies no method.
    """
    if not _means_unsupported(error):
        raise error
    if answered.may_come_back(error.method):
        raise MethodWithdrawn(
            "the gateway denies a method it has answered before; is it being replaced? After "
            f"{BELIEVED_AFTER / 60:g} minutes of that the method has gone. {error}",
            method=error.method,
        ) from error


def if_supported(read: Callable[[], T]) -> T | None:
    """What a read tells, or None when the gateway has no such method."""
    try:
        return read()
    except GatewayError as error:
        if _means_unsupported(error):
            return None
        raise


async def aif_supported(read: Awaitable[T]) -> T | None:
    """`if_supported` for an asynchronous read."""
    try:
        return await read
    except GatewayError as error:
        if _means_unsupported(error):
            return None
        raise


def _means_unsupported(error: GatewayError) -> bool:
    return isinstance(error, RpcMethodNotFound) or (isinstance(error, UnexpectedStatus) and error.status in (404, 405))
