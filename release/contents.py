"""What a release may contain, beyond what check-wheel-contents and twine know."""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from release.programs import TOOLS, run

if TYPE_CHECKING:
    from pathlib import Path

_NEVER = {".db", ".env", ".key", ".log", ".pem", ".pyc"}
"""Endings of files that may hold secrets or belong to one machine."""
_SOURCES = {
    "include",
    "plugins",
    "dags",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "PKG-INFO",
    "pyproject.toml",
    ".gitignore",
}


def check_metadata_and_wheel(wheel: Path, sdist: Path) -> None:
    """Compare the wheel with the packages of this checkout, and check the metadata of both files.

    `pyproject.toml` names the packages, in its section `tool.check-wheel-contents`.

    :raises ReleaseFailed: the wheel lacks a file or has one too many, or twine refuses the metadata.
    """
    run([TOOLS / "check-wheel-contents", wheel])
    run([TOOLS / "twine", "check", "--strict", wheel, sdist])


def private_files(wheel: Path) -> list[str]:
    """Problems with files of a wheel that nobody else may get."""
    with zipfile.ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
    return [
        f"{wheel.name} has {name}. Remove the file from the package"
        for name in names
        if name.suffix in _NEVER or name.name in _NEVER
    ]


def sdist_problems(sdist: Path) -> list[str]:
    """Problems with the folders and files at the top of a source distribution.

    Its packages need no check: the wheel built from them must have the same bytes as the wheel of the checkout.
    """
    with tarfile.open(sdist) as archive:
        tops = {PurePosixPath(member.name).parts[1] for member in archive.getmembers() if member.isfile()}
    problems = [f"{sdist.name} has {top}, which builds nothing" for top in sorted(tops - _SOURCES)]
    return problems + [f"{sdist.name} lacks {top}" for top in sorted(_SOURCES - tops)]


def changelog_problems(text: str, released: str) -> list[str]:
    """What keeps a version from being released, by its CHANGELOG.

    :param text: of the file.
    :param released: the version.
    """
    heading = re.compile(rf"^## \[{re.escape(released)}\] - \d{{4}}-\d{{2}}-\d{{2}}$", re.MULTILINE)
    found = heading.search(text)
    if found is None:
        return [f"CHANGELOG.md has no line '## [{released}] - YYYY-MM-DD'"]
    body = text[found.end() :].partition("\n## ")[0]
    if not re.search(r"^- \S", body, re.MULTILINE):
        return [f"CHANGELOG.md says nothing about {released}"]
    return []
