"""What a hostile answer of a node costs: each of the longest answers is decoded in a process of its own.

`python -m benchmarks.hostile NAME` decodes one, and writes the seconds and the megabytes it took as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchmarks.processes import fresh
from benchmarks.results import Line, Scale, at_most, duration, number
from staking_gateway.http import limits

if TYPE_CHECKING:
    from collections.abc import Callable

_ROW = "hostile answer"
_MOST_MB, _MOST_SECONDS = 64.0, 1.0
_COUNT = limits.METADATA_ENTRIES - 10


def _compact(value: int) -> bytes:
    return (value << 2 | 2).to_bytes(4, "little")


def _named(rest: bytes) -> bytes:
    return _compact(_COUNT) + b"".join(b"\x14%05x" % one + rest for one in range(_COUNT))


def _filled(begin: bytes, piece: bytes, end: bytes) -> bytes:
    return begin + piece * ((limits.NODE_ANSWER_BYTES - len(begin) - len(end)) // len(piece)) + end


_ANSWERS: dict[str, Callable[[], bytes]] = {
    "nested lists": lambda: _filled(b"[", b"[],", b"[]]"),
    "as many lists as are read": lambda: b"[" + b"[]," * (limits.JSON_MARKS // 3 - 2) + b"[]]",
    "one text": lambda: _filled(b'"\xf0\x9f\x98\x80', b"x", b'"'),
    "constants": lambda: b"meta\x0e\0\4\0\0\0\0" + _named(b"\0\0\0") + bytes(6),
    "pallets": lambda: b"meta\x0e\0" + _named(bytes(6)) + bytes(4),
    "pallets of metadata 13": lambda: b"meta\x0d" + _named(bytes(6)) + b"\4\0",
}


def answers(scale: Scale) -> list[Line]:
    """The worst answer's time and memory."""
    found = {name: [_decoded(name) for _ in range(scale.of(3, 1))] for name in _ANSWERS}
    seconds = {name: min(one["seconds"] for one in told) for name, told in found.items()}
    megabytes = {name: max(one["megabytes"] for one in told) for name, told in found.items()}
    return [
        Line(
            _ROW,
            f"{_MOST_MB:g} MB, whatever a node answers",
            f"{number(max(megabytes.values()))} MB",
            "-",
            max(megabytes.values()),
            at_most(_MOST_MB, "MB"),
            "; ".join(f"{name}: {number(one)} MB" for name, one in megabytes.items()),
            "the answer itself counts",
        ),
        Line(
            _ROW,
            f"{_MOST_SECONDS:g} s, whatever a node answers",
            duration(max(seconds.values())),
            "-",
            max(seconds.values()),
            at_most(_MOST_SECONDS, "s"),
            "; ".join(f"{name}: {duration(one)}" for name, one in seconds.items()),
            "time and memory are linear in the answer's values, whose number is limited",
        ),
    ]


def _decoded(name: str) -> dict[str, Any]:
    told: dict[str, Any] = fresh("benchmarks.hostile", name)
    return told


def _main(name: str) -> None:
    from staking_gateway.chain.metadata9 import Metadata9
    from staking_gateway.chain.metadata14 import Metadata14
    from staking_gateway.http.foreign_json import read_json

    answer = _ANSWERS[name]()
    decode = {b"meta\x0e": Metadata14, b"meta\x0d": Metadata9}.get(answer[:5], read_json)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with suppress(ValueError):
        kept = decode(answer)
        del kept
    seconds = time.process_time() - start
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 + len(answer) / 1e6
    sys.stdout.write("\n" + json.dumps({"seconds": seconds, "megabytes": megabytes}) + "\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
