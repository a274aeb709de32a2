"""Values from outside, read by a description in pydantic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from staking_gateway.config.types import explained
from staking_gateway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


def make(kind: Callable[..., _T], fields: dict[str, Any]) -> _T:
    """Make a pydantic dataclass of values that somebody else gave, or call a function that pydantic validates.

    :raises InvalidInput: the first value that is refused; `field` names it.
    """
    try:
        return kind(**fields)
    except ValidationError as refused:
        error = refused.errors(include_url=False)[0]
        reason = error.get("ctx", {}).get("error")
        if isinstance(reason, InvalidInput):
            raise reason from None
        raise InvalidInput(str(error["loc"][0])[:40], *explained(error)) from None
