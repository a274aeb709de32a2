"""The border for texts from outside: gateways, nodes, remote signers and receivers of alerts.

A server may repeat what it was sent: the access token, its own address with a key, a signature. It may also send escape codes, and
texts of any length. `ForeignTexts` removes all of these before a text becomes an error, a reason, a fact of the page or a log line.
"""

from __future__ import annotations

import json
import string
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from staking_gateway.text import one_line, without_signatures

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_TEXT = 2000
"""Most characters of a foreign text that are kept."""
REMOVED = "(removed)"
_SHORTEST_SECRET = 8
"""Shorter texts are no secrets, and removing them would damage ordinary words."""
_SHORTEST_SIGNATURE = 65
"""Characters of the shortest text that `without_signatures` removes."""
_PIECE = 16
"""Characters in a row that count as a part of a secret."""
_READ = 2 * LONGEST_TEXT
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class ForeignTexts:
    """Cleans the texts of one server.

    :param secrets: texts that the server was sent, and that no text may show: in whole, or 16 characters in a row. Texts of fewer
        than 8 characters are ignored.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._pieces = [_pieces(secret) for secret in secrets if len(secret) >= _SHORTEST_SECRET]
        self._least = min([_SHORTEST_SIGNATURE, *(size for size, _ in self._pieces)])

    def clean(self, value: object, most: int = LONGEST_TEXT) -> str:
        """A text on one line without secrets, signatures and control characters.

        :param value: a text, or a decoded JSON value, which is shown as JSON.
        :param most: most characters of the result, up to `LONGEST_TEXT`.
        """
        if not isinstance(value, str):
            try:
                value = json.dumps(value)
            except (RecursionError, TypeError):
                value = "(nested too deeply)"
        return one_line(self.without_secrets(value)[:most])

    def clean_answer(self, value: Any) -> Any:
        """A decoded JSON value whose texts and names hold no secret and no signature. Line breaks stay.

        :raises RecursionError: the value is nested too deeply.
        """
        if isinstance(value, str):
            return value if len(value) < self._least else self.without_secrets(value)
        if isinstance(value, dict):
            return {self.clean_answer(name): self.clean_answer(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.clean_answer(inner) for inner in value]
        return value

    def without_secrets(self, text: str) -> str:
        """At most `LONGEST_TEXT` characters of a text, without secrets and signatures."""
        if len(text) < self._least:
            return text
        if len(text) > _READ:
            # A signature that is cut here may look like a hash.
            text = text[:_READ].rstrip(f"xX{string.hexdigits}")
        text = without_signatures(text)
        lower = text.translate(_LOWER)
        spans = sorted(span for pieces in self._pieces for span in _spans(lower, pieces))
        kept, end = "", 0
        for start, stop in spans:
            if start >= end:
                kept += text[end:start] + REMOVED
            end = max(end, stop)
        return (kept + text[end:])[:LONGEST_TEXT]


def secrets_of_address(url: str) -> tuple[str, ...]:
    """The parts of an address that may be access keys: path and query, their parts, and the decoded parts. Not the host."""
    parts = urlsplit(url)
    found = [f"{parts.path}?{parts.query}", parts.path, parts.query, *parts.path.split("/"), *parts.query.split("&")]
    for _, value in parse_qsl(parts.query):
        found.append(value)
    found += [text.partition("=")[2] for text in parts.query.split("&")]
    found += [unquote(text) for text in found]
    return tuple(dict.fromkeys(text for text in found if text))


@lru_cache(maxsize=64)
def _pieces(secret: str) -> tuple[int, frozenset[str]]:
    """Length and texts of the parts of a secret, in lower case."""
    lower = secret.translate(_LOWER)
    size = min(len(lower), _PIECE)
    return size, frozenset(lower[start : start + size] for start in range(len(lower) - size + 1))


def _spans(text: str, pieces: tuple[int, frozenset[str]]) -> list[tuple[int, int]]:
    """Start and end of each part of a secret in a text."""
    size, known = pieces
    return [(start, start + size) for start in range(len(text) - size + 1) if text[start : start + size] in known]
