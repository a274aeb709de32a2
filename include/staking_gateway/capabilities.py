"""What a gateway can tell is probed: the interface document shows only two methods, and versions differ in the others.

A denial decides what is waited for, so one odd answer is not enough: clients ask a second time, and a method that has answered in
this process is not believed to have gone. A part of a gateway that is being replaced answers like one that never had it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from staking_gateway.errors import GatewayError, MethodWithdrawn, RpcMethodNotFound, UnexpectedStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
_ANSWERED: dict[str, set[str]] = {}


def answered_methods(base_url: str) -> set[str]:
    """The methods a gateway has answered in this process; its clients add to it."""
    return _ANSWERED.setdefault(base_url, set())


def check_denial(error: GatewayError, answered: set[str]) -> None:
    """Return if a method is denied that may indeed be missing, so that it is to be asked for once more.

    :param error: what the read met.
    :param answered: the methods this gateway has answered before.
    :raises MethodWithdrawn: it has answered this one.
    :raises GatewayError: the error, where it denies no method.
    """
    if not _means_unsupported(error):
        raise error
    if error.method in answered:
        raise MethodWithdrawn(
            f"the gateway denies a method it has answered before; is it being replaced? {error}", method=error.method
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
