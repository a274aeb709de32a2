"""The border for what servers say: how much is read, as which JSON, and as which text.

A server may repeat what it was sent: the access token, its own address with a key, a signature. It may also send escape codes, and
texts of any length. `ForeignTexts` removes all of these before a text becomes an error, a reason, a fact of the page or a log line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from staking_gateway.text import one_line, without_signatures

GATEWAY_ANSWER_BYTES = 1024 * 1024
"""Most bytes of a gateway's answer. The longest, an error that repeats the request, has about 2 kB."""
NODE_ANSWER_BYTES = 4 * 1024 * 1024
"""Most bytes of a node's answer. The longest, metadata in hex digits, has 0.1 to 1.2 MB in published runtimes."""
LONGEST_TEXT = 2000
"""Most characters of a foreign text that are kept."""
QUOTED_CHARACTERS = 200
"""Characters of a foreign text that a message quotes."""
REMOVED = "(removed)"
_DEPTH = 64
"""Most nested arrays and objects of a JSON text. Answers of gateways and nodes have up to 6."""
_SHORTEST_SECRET = 8
"""Shorter texts are no secrets, and removing them would damage ordinary words."""


class ForeignTexts:
    """Cleans the texts of one server.

    :param secrets: texts that the server was sent, and that no text may show. Those of fewer than 8 characters are ignored.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)

    def clean(self, value: object, most: int = LONGEST_TEXT) -> str:
        """A text, or a JSON value, on one line without secrets, signatures and control characters; at most so many characters."""
        text = value if isinstance(value, str) else json.dumps(value)
        return one_line(self.without_secrets(text)[:most])

    def clean_answer(self, value: Any) -> Any:
        """A decoded JSON value whose texts and names hold no secret and no signature. Line breaks stay."""
        if isinstance(value, str):
            return self.without_secrets(value)
        if isinstance(value, dict):
            return {self.clean_answer(name): self.clean_answer(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.clean_answer(inner) for inner in value]
        return value

    def without_secrets(self, text: str) -> str:
        """At most `LONGEST_TEXT` characters of a text, without secrets and signatures."""
        for secret in self._secrets:
            text = text.replace(secret, REMOVED)
        return without_signatures(text)[:LONGEST_TEXT]


def secrets_of_address(url: str) -> list[str]:
    """The parts of an address that may be access keys: path and query, and their parts, as written and decoded. Not the host."""
    parts = urlsplit(url)
    pairs = parts.query.split("&")
    found = [parts.path, parts.query, *parts.path.split("/"), *pairs, *(pair.partition("=")[2] for pair in pairs)]
    return [form for text in found for form in {text, unquote(text)} if len(text) >= _SHORTEST_SECRET]


def read_json(text: bytes, decode: Callable[[str], Any] = json.loads) -> Any:
    """The value of a JSON text in UTF-8; a byte order mark is allowed. Raises ValueError if it is none, or nested too deeply."""
    try:
        value = decode(text.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _is_deeper(value, _DEPTH):
        raise ValueError(f"it is nested more than {_DEPTH} times")
    return value


def _is_deeper(value: Any, most: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (most == 0 or any(_is_deeper(one, most - 1) for one in inner))
