"""What a gateway can tell is probed: the interface document shows only two methods, and versions differ in the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from staking_gateway.errors import GatewayError, RpcMethodNotFound, UnexpectedStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


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
