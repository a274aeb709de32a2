"""Writes the seeds of `tests/data/fuzz`: `python -m tests.fuzz.make_seeds`. They come from findings; files with other names stay."""

from __future__ import annotations

import json

from tests.chain.metadata14 import ACTIVE_ERA, PHASE, compact, item, metadata, old_runtime, pallet, small_runtime, text
from tests.fuzz.grammar import RESULTS
from tests.fuzz.runner import SEEDS

UNIT = {"path": [], "params": [], "docs": []}
STAKING = pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional"), SessionsPerEra=(6, 4))
ELECTION = pallet("Elections", item("CurrentPhase", PHASE, "00"))
OPENED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: @KEY@\r\n"
)


def envelope(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, **members}).encode()


def framed(payload: bytes) -> bytes:
    return b"\x81\x7e" + len(payload).to_bytes(2, "big") + payload


def answers() -> dict[str, bytes]:
    found = {
        f"sound-{call}": bytes([index, 0, 0]) + envelope(result=value)
        for index, (call, value) in enumerate(RESULTS.items())
    }
    nested = b'{"jsonrpc":"2.0","id":1,"result":'
    return found | {
        "lists": b"\2\0\0" + nested + b"[" + b"[]," * 25_000 + b"[]]}",
        "deep": b"\2\0\0" + nested + b"[" * 5000 + b"]" * 5000 + b"}",
        "deep-in-a-text": b"\2\0\0" + nested + b'"' + b"[" * 100 + rb"\"\\" + b'"}',
        "endless-code": b"\0\0\0"
        + envelope(error={"code": 1, "message": "x"}).replace(b'"code": 1', b'"code": ' + b"7" * 4000),
        "endless-message": b"\0\0\0"
        + envelope(error={"code": -32603, "message": "m" * 9000, "data": "0x" + "1a" * 9000}),
        "not-found": b"\6\0\0" + envelope(error={"code": -32603, "message": "Transaction not found"}),
    }


def descriptions() -> dict[str, bytes]:
    variants = [{"name": "", "index": number % 256} for number in range(20_000)]
    types = [
        {"id": 0, "type": {**UNIT, "def": {"variant": {"variants": variants}}}},
        {"id": 1, "type": {**UNIT, "def": {"tuple": [0] * 900}}},
    ]
    laughs = [{"id": 0, "type": {**UNIT, "def": {"tuple": []}}}]
    laughs += [{"id": level, "type": {**UNIT, "def": {"tuple": [level - 1] * 100}}} for level in range(1, 13)]
    null = b"\4\4A\0\0\0\4" + text("SessionsPerEra") + text("Vec<Null>") + b"\x10" + compact(2**30 - 1) + b"\0\0"
    return {
        "runtime-14": bytes.fromhex(small_runtime(STAKING, ELECTION)[2:]),
        "runtime-13": bytes.fromhex(old_runtime(STAKING, ELECTION)[2:]),
        "elements-without-a-byte": b"meta\x0d" + null + b"\0\4\0",
        "elements-without-a-byte-9": b"meta\x09" + null,
        "variants": bytes.fromhex(metadata(types, [pallet("A", item("B", 1, "00" * 900))])[2:]),
        "laughs": bytes.fromhex(metadata(laughs, [pallet("A", item("B", 12, ""))])[2:]),
        "constants": b"meta\x0e\0\4\4A\0\0\0" + compact(9000) + bytes(4 * 9000) + bytes(6),
        "promised": b"meta\x0e\0\4\4A\0\0\0" + compact(2**30 - 1),
    }


def handshakes() -> dict[str, bytes]:
    sound = b'[{"jsonrpc":"2.0","id":1,"result":"0x%s"},{"jsonrpc":"2.0","id":2,"result":"somenet"}]' % (b"ab" * 32)
    return {
        "sound": OPENED + b"\r\n" + framed(sound),
        "odd-cookie": OPENED + b"Set-Cookie: a/b=c\r\n\r\n" + framed(sound),
        "cookie": OPENED + b"Set-Cookie: a=b; Domain=127.0.0.1\r\n\r\n" + framed(sound),
        "bare-line": b"\r\n\r\n",
        "bare-line-first": b"\r\n" + OPENED + b"\r\n",
        "no-length": OPENED.replace(b"101", b"401") + b"Content-Length: x\r\n\r\n",
        "endless-frame": OPENED + b"\r\n\x81\x7f" + b"\xff" * 8,
        "endless-code": OPENED
        + b"\r\n"
        + framed(b'[{"id":1,"error":{"code":"%s"}},{"id":2,"result":""}]' % (b"7" * 9000)),
    }


def services() -> dict[str, bytes]:
    return {
        "reason": b"\0\6" + b'{"reason": "no\\r\\nforged \\u001b[31m"}',
        "deep": b"\0\0" + b"[" * 4000,
        "no-text": b"\0\1" + b"\xff\xfe\xed\xa0\x80",
    }


SEEDS_OF = {
    "gateway": answers(),
    "clients": {name: case for name, case in answers().items() if len(case) < 1000},
    "metadata": descriptions(),
    "websocket": handshakes(),
    "node": {
        "storage": b"\5\0" + b'"0x' + b"07" * 9000 + b'"',
        "number": b"\2\0" + b'{"parentHash": "0x%s", "number": "0x%s"}' % (b"cd" * 32, b"f" * 5000),
        "lists": b"\2\0[" + b"[]," * 25_000 + b"[]]",
        "metadata-13": b"\4\0" + json.dumps(old_runtime(STAKING, ELECTION)).encode(),
        "metadata-promised": b"\4\0" + b'"0x6d6574610e00' + b"fe" * 40 + b'"',
    },
    "signer": services(),
    "webhook": services(),
    "token": {
        "issued": b"eyJhbGciOi.x.y",
        "seed": b"0x" + b"ab" * 32,
        "uri": b"//Alice",
        "lines": b"abcdefghijk\r\nX: y",
    },
    "accounts": {
        "sound": b"account,expect,label\n0x" + b"ab" * 32 + b",staking,one\n",
        "twice": (b"0x" + b"ab" * 32 + b"\n") * 2,
        "control": b"0x" + b"ab" * 32 + b",staking,\x1b[31m\n",
        "quote": b'"' + b"a" * 5000,
    },
    "page": {
        "long-name": b"GET /static/" + b"x" * 300 + b".js?",
        "no-text": b"GET /static/%00.js?",
        "eras": b"GET /api/networks/somenet/overview?eras=9999999999999999999999",
        "export": b"GET /api/networks/somenet/export.csv?eras=1",
    },
}


def main() -> None:
    for target, cases in SEEDS_OF.items():
        folder = SEEDS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, case in cases.items():
            (folder / name).write_bytes(case)


if __name__ == "__main__":
    main()
