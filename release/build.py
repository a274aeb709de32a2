"""Building the two files of a release, so that anybody can build the very same ones."""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
from typing import TYPE_CHECKING

from release.programs import ROOT, UV, ReleaseFailed, finished, plain_environment, run

if TYPE_CHECKING:
    from pathlib import Path

_FALLBACK_EPOCH = "1577836800"
"""2020-01-01, for a tree without history; zip files know no time before 1980."""


def epoch() -> str:
    """The time stamped into the files, in seconds since 1970: SOURCE_DATE_EPOCH, or the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return given
    asked = finished(["git", "log", "-1", "--format=%ct"])
    return asked.stdout.strip() or _FALLBACK_EPOCH


def build_wheel(into: Path) -> Path:
    """The wheel alone."""
    _build(ROOT, into, "--wheel")
    return _only(into, "*.whl")


def build_twice(scratch: Path) -> tuple[Path, Path]:
    """Wheel and source distribution, made twice: here, and from the unpacked source distribution in another place.

    :param scratch: an empty folder.
    :returns: wheel and source distribution of the first time.
    :raises ReleaseFailed: the second time made something else.
    """
    first, second = scratch / "first", scratch / "second"
    _build(ROOT, first, "--wheel", "--sdist")
    wheel, sdist = _only(first, "*.whl"), _only(first, "*.tar.gz")
    elsewhere = scratch / "elsewhere"
    with tarfile.open(sdist) as archive:
        archive.extractall(elsewhere, filter="data")
    (tree,) = elsewhere.iterdir()
    for path in tree.rglob("*"):
        os.utime(path, (0, 0))
    _build(tree, second, "--wheel", "--sdist")
    for made in (wheel, sdist):
        again = second / made.name
        if not again.is_file() or sha256(again) != sha256(made):
            raise ReleaseFailed(f"{made.name} is another file when it is built from the source distribution")
    return wheel, sdist


def _build(tree: Path, into: Path, *what: str) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for old in [*into.glob("*.whl"), *into.glob("*.tar.gz")]:
        old.unlink()
    env = plain_environment(SOURCE_DATE_EPOCH=epoch())
    for kind in what:
        # The backend is the locked one: no isolation, nothing is downloaded.
        command = ["build", kind, "--no-build-isolation", "--python", sys.executable]
        run([UV, *command, "--out-dir", into, tree], env=env)


def _only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def sha256(path: Path) -> str:
    """The file's checksum, as `sha256sum` tells it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
