"""The border for what servers say: how much is read, as which JSON, and as which text."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.text import one_line, without_signatures

GATEWAY_ANSWER_BYTES = 1024 * 1024
"""Most bytes of a gateway's answer. The longest, an error that repeats the request, has about 2 kB."""
NODE_ANSWER_BYTES = 4 * 1024 * 1024
"""Most bytes of a node's answer. The longest, metadata in hex digits, has 0.1 to 1.2 MB in published runtimes."""
LONGEST_TEXT, QUOTED_CHARACTERS = 2000, 200
"""Most characters of a foreign text that are kept, and that a message quotes."""
_SHORTEST_SECRET = 8
"""Shorter texts are no secrets, and removing them would damage ordinary words."""


class ForeignTexts:
    """Reads the answers of one server, and removes secrets: it may repeat the access token, its own address with a key, or a signature."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)

    def clean(self, value: object, most: int = LONGEST_TEXT) -> str:
        """A text, or a JSON value, on one line without secrets, signatures and control characters; at most so many characters."""
        text = value if isinstance(value, str) else json.dumps(value)
        return one_line(self.clean_answer(text)[:most])

    def clean_answer(self, value: Any) -> Any:
        """A decoded JSON value whose texts and names hold no secret and no signature, and are not too long. Line breaks stay."""
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "(removed)")
            return without_signatures(value)[:LONGEST_TEXT]
        if isinstance(value, dict):
            return {self.clean_answer(name): self.clean_answer(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.clean_answer(inner) for inner in value]
        return value

    def read_response(self, body: bytes, number: int, method: str = "") -> dict[str, Any]:
        """The response of JSON-RPC 2.0 to the call with this number, not cleaned, with `result` or `error`. GatewayError: another answer."""
        try:
            found = read_json(body)
        except ValueError:
            found = body.decode("utf-8", "replace")
        if not _is_response(found):
            facts = f"{Failed.MALFORMED.sentence}: {self.clean_answer(found)!r:.{QUOTED_CHARACTERS}}"
            raise GatewayError(facts, method=method, how=Failed.MALFORMED)
        told = found.get("id")
        is_own = type(told) is int and told == number
        # JSON-RPC 2.0, section 5: the id is null when the server could not read the request's id.
        if not is_own and not ("error" in found and told is None and "id" in found):
            facts = f"asked with id {number}, answered with {self.clean_answer(told)!r:.{QUOTED_CHARACTERS}}"
            raise GatewayError(facts, method=method, how=Failed.OTHER_ID)
        return dict(found)


def secrets_of_address(url: str) -> list[str]:
    """The parts of an address that may be access keys: path and query, and their parts, as written and decoded. Not the host."""
    parts = urlsplit(url)
    pairs = parts.query.split("&")
    found = [parts.path, parts.query, *parts.path.split("/"), *pairs, *(pair.partition("=")[2] for pair in pairs)]
    return [form for text in found for form in {text, unquote(text)} if len(text) >= _SHORTEST_SECRET]


def read_json(text: bytes) -> Any:
    """The value of a JSON text in UTF-8; a byte order mark is allowed. ValueError: it is none, nested too deeply, or names a member twice."""
    try:
        value = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_refuse_duplicates)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _is_deeper(value, 64):  # answers of gateways and nodes have up to 6 levels
        raise ValueError("it is nested more than 64 times")
    return value


def _is_response(answer: Any) -> bool:
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0" or ("result" in answer) == ("error" in answer):
        return False
    error = answer.get("error")
    is_error = isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)
    return "result" in answer or is_error


def _refuse_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a member is given twice")
    return found


def _is_deeper(value: Any, most: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (most == 0 or any(_is_deeper(one, most - 1) for one in inner))
