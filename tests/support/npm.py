"""The published JavaScript packages of `tests/npm`, installed exactly as they are locked."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.programs import ProgramFailed

FOLDER = Path(__file__).parents[1] / "npm"
MODULES = FOLDER / "node_modules"
_INSTALL_SECONDS = 1200


def program(name):
    """Path of a program. Without it there is nothing to test against, so a missing one fails."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: these tests need Node.js 20 or newer with npm")
    return found


def install(chain=False):
    """Install what the lock file names, unless that was done before.

    :param chain: also what is large and the tests of a real chain need; npm calls it development.
    :raises ProgramFailed: npm could not; without a network it never can.
    """
    locked = b"".join((FOLDER / name).read_bytes() for name in ("package.json", "package-lock.json"))
    done, digest = MODULES / ".installed", hashlib.sha256(locked).hexdigest()
    whole = f"{digest} chain"
    with (FOLDER / "package.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # suites run side by side
        if not (done.is_file() and done.read_text() in ({whole} if chain else {digest, whole})):
            omit = [] if chain else ["--omit=dev"]
            run(
                [program("npm"), "ci", *omit, "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=FOLDER,
                timeout=_INSTALL_SECONDS,
            )
            done.write_text(whole if chain else digest)


def run(command, **options):
    """What a program prints.

    :raises ProgramFailed: it ended with an error.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise ProgramFailed(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout
