"""Where a node is, how patiently it is asked, and which chain it must belong to."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from staking_gateway.errors import InvalidConnection
from staking_gateway.http.endpoint import ReadRetry, is_loopback

_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z")
_SCHEMES = ("ws", "wss", "http", "https")
_EXAMPLE = "Write it like ws://127.0.0.1:9944 or wss://node.example"


@dataclass(frozen=True)
class NodeEndpoint:
    """A node's address, and what is expected of it.

    :param url: `ws`, `wss`, `http` or `https`; path and query are kept. Plain text only to this machine itself.
    :param allow_ws: accept `ws` and `http` to other machines too.
    :param timeout: seconds to connect, and again for each whole answer; once more where a batch of questions is not answered at all.
    :param ca_bundle: file with the certificate authorities to trust instead of the usual ones. TLS is always verified.
    :param genesis_hash: hash of the chain's first block, 0x and 64 hex digits; a node of another chain is refused.
    :param chain_name: name of the chain as the node tells it (`system_chain`); a node of another chain is refused.
    :param max_response_bytes: longest answer that is read. Metadata is the longest, some 2 MB at most.
    :raises InvalidConnection: a field cannot be used; `field` names it.
    """

    url: str
    allow_ws: bool = False
    timeout: float = 10.0
    ca_bundle: str | None = None
    genesis_hash: str | None = None
    chain_name: str | None = None
    max_response_bytes: int = 16 * 1024 * 1024

    def __post_init__(self) -> None:
        _check_url(self.url, self.allow_ws)
        if not isinstance(self.timeout, (int, float)) or isinstance(self.timeout, bool) or not 0 < self.timeout <= 3600:
            raise InvalidConnection(
                "timeout", f"{self.timeout!r} is not a time", "Write seconds, more than 0 and at most 3600"
            )
        if self.genesis_hash is not None:
            if not isinstance(self.genesis_hash, str) or not is_block_hash(self.genesis_hash):
                raise InvalidConnection(
                    "genesis_hash", "is not the hash of a block", "Write 0x and 64 hex digits, or leave it out"
                )
            object.__setattr__(self, "genesis_hash", self.genesis_hash.lower())
        if self.ca_bundle is not None:
            try:
                ssl.create_default_context(cafile=self.ca_bundle)
            except (OSError, ValueError):
                raise InvalidConnection(
                    "ca_bundle",
                    f"{self.ca_bundle!r} cannot be read",
                    "Name a PEM file that holds the authority's certificate",
                ) from None

    @property
    def name(self) -> str:
        """The address as it may be shown: path and query can hold an access key."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        """The host alone."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_websocket(self) -> bool:
        """Whether the node is asked over a websocket."""
        return urlsplit(self.url).scheme in ("ws", "wss")

    @property
    def is_local(self) -> bool:
        """Whether the node runs on this machine; no proxy of the environment is asked for it then."""
        return is_loopback(self.host)

    @property
    def retry(self) -> ReadRetry:
        """A question that failed in a way that may pass is asked again, but not after a whole time-out has gone by."""
        return ReadRetry(attempts=3, total=self.timeout, max_wait=2.0)


def is_block_hash(value: str) -> bool:
    """Whether the text is 0x and 64 hex digits."""
    return bool(_HASH.match(value))


def _check_url(url: str, allow_ws: bool) -> None:
    # The address is not quoted: it may hold an access key.
    def refuse(problem: str, remedy: str = _EXAMPLE) -> InvalidConnection:
        return InvalidConnection("url", problem, remedy)

    if not isinstance(url, str) or not url:
        raise refuse("is empty")
    if any(character.isspace() or not character.isprintable() for character in url):
        raise refuse("holds a space, a line break or a control character")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:
        raise refuse("is not a URL") from None
    if parts.scheme not in _SCHEMES or not host or "\\" in url:
        raise refuse("is not a ws, wss, http or https address")
    if "@" in parts.netloc:
        raise refuse("holds credentials", "Remove them; an access key belongs into the path or the query")
    if "#" in url:
        raise refuse("holds a fragment", "Remove everything from # on")
    if parts.scheme in ("ws", "http") and not allow_ws and not is_loopback(host):
        raise refuse(
            f"plain {parts.scheme} would let anybody between here and {host[:80]!r} change the answers",
            f"Use {'wss' if parts.scheme == 'ws' else 'https'}, or set allow_ws if the network in between is trusted",
        )
