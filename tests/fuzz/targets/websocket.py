"""A node's websocket: a case is all that the server sends. `@KEY@` is the accepted key."""

import base64
import hashlib
import struct

from staking_gateway.chain import ChainReader, close_nodes
from staking_gateway.errors import ChainError
from tests.fuzz.runner import Target, answer_with, judged, said
from tests.fuzz.targets.node import HASH, KEY, Once

OPENED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: @KEY@\r\n"
)
ANSWER = b'[{"jsonrpc":"2.0","id":1,"result":"%s"},{"jsonrpc":"2.0","id":2,"result":"somenet"}]' % HASH.encode()
HEADERS = (
    b"Set-Cookie: a=b; Domain=127.0.0.1", b"Set-Cookie: a/b=c", b"Set-Cookie: \xff", b"", b" folded", b"no colon", b": x", b"X:" + b"y" * 3000,
    b"Sec-WebSocket-Accept: x", b"Sec-WebSocket-Protocol: x", b"Sec-WebSocket-Extensions: permessage-deflate", b"Connection: close",
    b"Content-Length: 9" * 3, b"Transfer-Encoding: chunked", b"Location: ws://127.0.0.1:1/", b"Upgrade: h2c",
)  # fmt: skip
LINES = tuple(
    f"HTTP/{line}".encode()
    for line in ("1.1 101", "1.0 101 X", "1.1 200 OK", "1.1 302 Found", "1.1 401 No", "1.1 101x")
)
LINES += (b"", b"\xff 101", b"101")
FRAMES = (b"\x81\x7e", b"\x81\x7f" + b"\xff" * 8, b"\x89\x00", b"\x88\x02\x03")


def target(server):
    tokens = (b"\r\n", b"\n", b"@KEY@", *HEADERS, *LINES, *FRAMES)
    return Target("websocket", grow, lambda case: open_one(server, case), tokens=tokens)


def frame(chance, payload):
    first = 0x81 if chance.random() < 0.6 else chance.randrange(256)
    size, mask = len(payload), 0x80 * (chance.random() < 0.1)
    if chance.random() < 0.15:
        size = chance.choice((0, 1, size + 1, 125, 126, 65535, 2**32, 2**63, 2**64 - 1))
    if size < 126 and chance.random() < 0.9:
        length = bytes([size | mask])
    elif size < 2**16 and chance.random() < 0.9:
        length = bytes([126 | mask]) + struct.pack("!H", size)
    else:
        length = bytes([127 | mask]) + struct.pack("!Q", size)
    return bytes([first]) + length + payload


def grow(chance):
    head = OPENED
    for _ in range(chance.choice((0, 0, 0, 1, 2, 40))):
        head += chance.choice(HEADERS) + b"\r\n"
    if chance.random() < 0.2:
        head = chance.choice(LINES) + head[head.index(b"\r\n") :]
    if chance.random() < 0.1:
        head = head.replace(b"\r\n", chance.choice((b"\n", b"\r", b"\r\r\n", b"\x00\r\n")))
    frames = []
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        payload = chance.choice(
            (ANSWER, ANSWER, b'{"jsonrpc":"2.0","method":"news"}', b"", b"\xff", b"[" * 3000, chance.randbytes(5))
        )
        if chance.random() < 0.2:  # in pieces
            middle = len(payload) // 2
            frames += [
                b"\x01" + bytes([min(middle, 125)]) + payload[:middle],
                b"\x80" + bytes([min(len(payload) - middle, 125)]) + payload[middle:],
            ]
        else:
            frames.append(frame(chance, payload))
    return head + b"\r\n" + b"".join(frames)


def open_one(server, case):
    def answer(asked):
        key = "".join(asked.header("sec-websocket-key")) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return case.replace(b"@KEY@", base64.b64encode(hashlib.sha1(key.encode()).digest()))

    answer_with(server, answer)
    try:
        reader = ChainReader(Once(f"ws://127.0.0.1:{server.port}/{KEY}", timeout=5))
        outcome = judged(reader.identity, KEY, kinds=ChainError)
    finally:
        close_nodes()
    assert not [request for request in server.requests if request.header("cookie")], "a cookie is sent"
    if not isinstance(outcome, Exception):
        assert b"@KEY@" in case
        assert b" 101" in case, "no websocket was opened"
        assert f"{outcome}".isprintable()
    return said(outcome)
