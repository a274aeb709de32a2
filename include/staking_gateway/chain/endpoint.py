"""The address of a node, its time limit, and the expected chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from staking_gateway.errors import InvalidConnection
from staking_gateway.http.endpoint import ReadRetry, check_address, check_seconds
from staking_gateway.http.foreign_text import NODE_ANSWER_BYTES
from staking_gateway.http.network import way_to

_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")


@dataclass(frozen=True)
class NodeEndpoint:
    """The address of a node, and the expected chain.

    :param url: `ws`, `wss`, `http` or `https`; path and query are kept. Unencrypted only to this machine.
    :param allow_ws: accept `ws` and `http` to other machines too.
    :param timeout: seconds to connect, and again for each answer. An unanswered batch is repeated as single calls.
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones. TLS is always verified.
    :param genesis_hash: hash of the chain's first block, 0x and 64 hex digits. Nodes of other chains are refused.
    :param chain_name: name of the chain (`system_chain`). Nodes of other chains are refused.
    :param max_response_bytes: size limit of an answer.
    :raises InvalidConnection: a field cannot be used; `field` names it.
    """

    url: str
    allow_ws: bool = False
    timeout: float = 10.0
    ca_bundle: str | None = None
    genesis_hash: str | None = None
    chain_name: str | None = None
    max_response_bytes: int = NODE_ANSWER_BYTES

    def __post_init__(self) -> None:
        schemes = ("http", "https", "ws", "wss")
        check_address("url", self.url, schemes, plain_by="allow_ws", allow_plain=self.allow_ws, query=True)
        check_seconds("timeout", self.timeout)
        if self.genesis_hash is not None:
            if not isinstance(self.genesis_hash, str) or not is_block_hash(self.genesis_hash):
                raise InvalidConnection(
                    "genesis_hash", "is not the hash of a block", "Write 0x and 64 hex digits, or leave it out"
                )
            object.__setattr__(self, "genesis_hash", self.genesis_hash.lower())
        way_to(self.url, self.ca_bundle)

    @property
    def name(self) -> str:
        """The address without path and query, which may hold an access key."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def is_websocket(self) -> bool:
        return urlsplit(self.url).scheme in ("ws", "wss")

    @property
    def retry(self) -> ReadRetry:
        """Transient errors are repeated while `timeout` has not passed."""
        return ReadRetry(attempts=3, total=self.timeout, max_wait=2.0)


def is_block_hash(value: str) -> bool:
    """Whether the text is 0x and 64 hex digits."""
    return bool(_HASH.match(value))
