"""The gateway's published JavaScript client, of the version the interop tests lock and install."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from benchmarks.processes import ProcessFailed, run
from tests.interop.javascript import PAYING
from tests.support import npm

VERSION = PAYING.version
_HERE = Path(__file__).parent


def install() -> None:
    """Install it with npm where the interop tests do, unless that was done before.

    :raises ProcessFailed: Node.js or npm is missing.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise ProcessFailed(f"{program} is missing: avn-api runs on Node.js 18 or newer, and npm installs it")
    npm.install(PAYING.folder)


def check(gateway: str, accounts: list[str], *, warm_up: int, at_a_time: int) -> float:
    """Check accounts; seconds it took."""
    given: dict[str, Any] = {"gateway": gateway, "accounts": accounts, "warm_up": warm_up, "at_a_time": at_a_time}
    answer = run(["node", str(_HERE / "statuses.js"), str(PAYING.folder)], given=given)
    seconds: float = answer["seconds"]
    return seconds
