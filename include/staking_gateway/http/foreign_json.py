"""JSON of others: counted before it is built.

`json.loads` alone makes 769 MB of a 16 MB answer, and leaves the depth to Python's recursion limit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from staking_gateway.http import limits

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_MARKS = bytes(set(range(256)) - set(b'[]{},:"\\'))
_OPEN, _CLOSE = frozenset(b"[{"), frozenset(b"]}")


def read_json(text: bytes, decode: Callable[[str], Any] = json.loads) -> Any:
    """The value of a JSON text in UTF-8; a byte order mark is allowed.

    :param text: its length is limited already.
    :param decode: builds the value.
    :raises ValueError: not JSON, or beyond `limits.JSON_MARKS` or `limits.JSON_DEPTH`.
    """
    marks = len(text.translate(None, _NO_MARKS))
    if marks > limits.JSON_MARKS:
        raise ValueError(f"it has more than {limits.JSON_MARKS} brackets, commas, colons and quotes")
    if marks > limits.JSON_DEPTH and _depth(text) > limits.JSON_DEPTH:
        raise ValueError(f"it is nested more than {limits.JSON_DEPTH} times")
    return decode(text.decode("utf-8-sig"))


def _depth(text: bytes) -> int:
    """The deepest nesting. Text that is not JSON has this nesting up to the place where a decoder stops."""
    unescaped = text.replace(rb"\\", b"").replace(rb"\"", b"")
    outside_texts = b"".join(unescaped.translate(None, _NO_MARKS).split(b'"')[::2])
    depth = deepest = 0
    for mark in outside_texts:
        if mark in _OPEN:
            depth += 1
            deepest = max(deepest, depth)
        elif mark in _CLOSE:
            depth -= 1
    return deepest
