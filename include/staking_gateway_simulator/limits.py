"""Checks of the values that can be chosen."""

from __future__ import annotations

import math

from staking_gateway.errors import InvalidInput


def check_number(field: str, value: object, lowest: float, highest: float) -> float:
    """See that a value is a number within its range.

    :returns: the value.
    :raises InvalidInput: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(field, f"{value!r} is not a number", f"Use a number from {lowest:g} to {highest:g}")
    if not math.isfinite(value) or not lowest <= value <= highest:
        raise InvalidInput(field, f"{value} is out of range", f"Use a number from {lowest:g} to {highest:g}")
    return value


def check_choice(field: str, value: object, choices: tuple[str, ...]) -> None:
    """See that a value is one of a few texts.

    :raises InvalidInput: it is not.
    """
    if value not in choices:
        raise InvalidInput(field, f"{value!r} is not a choice", f"Use one of: {', '.join(choices)}")
