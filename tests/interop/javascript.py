"""The published JavaScript client of the gateway, installed beside these tests and driven by the scripts in `scripts`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
_INSTALL_SECONDS = 600
_SCRIPT_SECONDS = 60


class ProgramFailed(Exception):
    """A program ended with an error; the text is what it said."""


@dataclass(frozen=True)
class Client:
    """One version of the client, with the polkadot-js it was published with.

    :param version: as the registry names it.
    :param folder: holds its package.json and lock file; its packages go into `node_modules` there.
    """

    version: str
    folder: Path

    def install(self) -> None:
        """Install exactly what is locked, unless that was done before.

        :raises ProgramFailed: npm could not; without a network it never can.
        """
        locked = b"".join((self.folder / name).read_bytes() for name in ("package.json", "package-lock.json"))
        done = self.folder / "node_modules" / ".installed"
        digest = hashlib.sha256(locked).hexdigest()
        if done.is_file() and done.read_text() == digest:
            return
        command = [program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        _checked(command, cwd=self.folder, timeout=_INSTALL_SECONDS)
        done.write_text(digest)

    def run(self, script: str, given: Any) -> Any:
        """Run a script: JSON in, JSON out.

        :raises ProgramFailed: the script threw.
        """
        command = [program("node"), str(HERE / "scripts" / f"{script}.js"), str(self.folder)]
        # No proxy of this machine may stand between the client and the simulator, and no key of its owner be used.
        environment = {"PATH": os.environ["PATH"]}
        return json.loads(_checked(command, input=json.dumps(given), env=environment, timeout=_SCRIPT_SECONDS))


PAYING = Client("0.8.2", HERE)
"""The last line of versions whose fee proof is the one a payout carries."""
NEWEST = Client("5.7.0", HERE / "newest")
"""Signs its fees in a currency, so it can pay nothing here; what it reads and how it signs in is the same."""


def program(name: str) -> str:
    """Path of a program.

    Without it there is nothing to test against: a failure where everything must be proven, elsewhere a named gap.
    """
    found = shutil.which(name)
    if found is None:
        missing = f"{name} is missing: the interop tests need Node.js 18 or newer with npm"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def _checked(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise ProgramFailed(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout
