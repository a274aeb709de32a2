"""The head of a websocket's handshake, checked before websocket-client reads it.

websocket-client shares the cookies of all servers in one process, and sends them to other servers. For some heads it raises errors outside
its own tree. So it gets a new head: the status and the headers of RFC 6455, section 4.2.2.
"""

from __future__ import annotations

import re

from staking_gateway.chain import wire

END = b"\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_KEPT = (b"upgrade", b"connection", b"sec-websocket-accept")
_NO_WEBSOCKET = "the server does not open a websocket. Correct Host, path included"


def is_interim(head: bytes) -> bool:
    """Whether a head announces another one (RFC 9110, section 15.2)."""
    status = _STATUS.match(head)
    return status is not None and status[1].startswith(b"1") and status[1] != b"101"


def checked_answer(head: bytes) -> bytes:
    """A server's head with only the kept headers.

    :param head: status and headers, without `END`.
    :raises WireError: not a head, or its status is not 101 (Switching Protocols).
    """
    first, *lines = head.split(b"\r\n")
    status = _STATUS.fullmatch(first)
    found = [_HEADER.fullmatch(line) for line in lines]
    if status is None or None in found:
        raise wire.NotANode(_NO_WEBSOCKET)
    headers = [(one[1].lower(), one[2]) for one in found if one is not None]
    if status[1] != b"101":
        raise wire.wrong_status(int(status[1]), dict(headers).get(b"location", b"").decode("latin-1"))
    kept = [b"%s: %s" % (name, b", ".join(value for key, value in headers if key == name)) for name in _KEPT]
    answer = b"\r\n".join([first[:12] + b" ", *kept])
    if not answer.isascii():
        raise wire.NotANode(_NO_WEBSOCKET)
    return answer + END


def without_cookies(request: bytes) -> bytes:
    """A request without the cookies that websocket-client adds."""
    return b"\r\n".join(line for line in request.split(b"\r\n") if not line.lower().startswith(b"cookie:"))


def refused() -> wire.WireError:
    """The error for headers that open no websocket."""
    return wire.NotANode(_NO_WEBSOCKET)
