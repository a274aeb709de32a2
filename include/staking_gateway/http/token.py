"""Access tokens of the `Authorization` header: the interface of their sources, and issued tokens."""

from __future__ import annotations

import re
from typing import NoReturn, Protocol

from staking_gateway.errors import InvalidConnection

_PRIVATE_KEY = re.compile(r"0x[0-9a-fA-F]{64}(/|\Z)|///|//\w{1,32}(//?\w{1,32})*(///.*)?\Z")
"""A seed, or a key URI of short junctions: a token may begin with `//` too. Mnemonics have spaces, tokens have none."""


class TokenSource(Protocol):
    """Gives the access token for the next call."""

    def value(self) -> str:
        """A token that is valid now."""


class IssuedToken:
    """A token issued to the client (interface document, section 5).

    :raises InvalidConnection: the token is empty, holds a character that HTTP headers cannot hold, or has the form of a private
        key, which must not be sent.
    """

    __slots__ = ("_token",)

    def __init__(self, token: str) -> None:
        if not isinstance(token, str) or not token:
            raise InvalidConnection("token", "is empty", "Store the issued access token in the connection's password")
        if not all("!" <= character <= "~" for character in token):
            raise InvalidConnection(
                "token", "holds a space, a line break or another character no token has", "Copy it again, on one line"
            )
        if _PRIVATE_KEY.match(token):
            raise InvalidConnection(
                "token",
                "has the form of a private key, and would be sent to the host",
                "Write the token that was issued; a key belongs into a staking_signer connection whose host is empty",
            )
        self._token = token

    def value(self) -> str:
        """The token."""
        return self._token

    def __repr__(self) -> str:
        return "IssuedToken(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an IssuedToken is a secret and is never pickled")


def token_source(token: str | TokenSource) -> TokenSource:
    """The token source; a text is an issued token.

    :raises InvalidConnection: the token cannot be used.
    """
    return token if hasattr(token, "value") else IssuedToken(token)
