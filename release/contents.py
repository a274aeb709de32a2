"""What is in the two files of a release, and what they say about themselves."""

from __future__ import annotations

import configparser
import re
import tarfile
import zipfile
from email.parser import Parser
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from release.programs import DISTRIBUTION, ROOT

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

PACKAGES = {
    "staking_gateway": ROOT / "include",
    "staking_gateway_simulator": ROOT / "include",
    "staking_gateway_provider": ROOT / "plugins",
}
"""The packages of the wheel, and the folder each lies in."""
_NEVER = ("__pycache__", ".pyc", ".db", ".log", ".env", "ruff.toml")
_INDISPENSABLE = (
    "staking_gateway/py.typed",
    "staking_gateway_provider/py.typed",
    "staking_gateway/ledger/migrations/env.py",
    "staking_gateway/ledger/migrations/script.py.mako",
    "staking_gateway_provider/ui/static/page.html",
    "staking_gateway_provider/example_dags/example_staking_events.py",
)
_ENTRY_POINTS = {
    "apache_airflow_provider": {
        "provider_info": "staking_gateway_provider.get_provider_info:get_provider_info",
    },
    "airflow.plugins": {"staking_gateway": "staking_gateway_provider.plugin:StakingGatewayPlugin"},
}
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


def sources() -> set[str]:
    """The files of the packages, as they are named in the wheel."""
    return {
        path.relative_to(folder).as_posix()
        for package, folder in PACKAGES.items()
        for path in (folder / package).rglob("*")
        if path.is_file() and not any(mark in path.name or mark in path.parts for mark in _NEVER)
    }


def wheel_problems(wheel: Path, *, expected: set[str] | None = None) -> list[str]:
    """What is wrong with a wheel; nothing, if all is well.

    :param expected: names of the files it must have beside its metadata, and no others; those of this checkout when left out.
    """
    expected = sources() if expected is None else expected
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if not name.endswith("/")}
        info = next((PurePosixPath(name).parts[0] for name in files if name.endswith(".dist-info/METADATA")), None)
        if info is None:
            return [f"{wheel.name} has no metadata"]
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        entries = archive.read(f"{info}/entry_points.txt").decode() if f"{info}/entry_points.txt" in files else ""
    own = {name for name in files if not name.startswith(f"{info}/")}
    problems = [f"{wheel.name} lacks {name}" for name in sorted({*expected, *_INDISPENSABLE} - own)]
    problems += [f"{wheel.name} has {name}, which is not of its packages" for name in sorted(own - expected)]
    if f"{info}/licenses/LICENSE" not in files:
        problems.append(f"{wheel.name} lacks the licence")
    return problems + metadata_problems(metadata) + _entry_problems(entries)


def sdist_problems(sdist: Path) -> list[str]:
    """What is wrong with a source distribution."""
    with tarfile.open(sdist) as archive:
        files = [PurePosixPath(member.name) for member in archive.getmembers() if member.isfile()]
    tops = {path.parts[1] for path in files}
    problems = [f"{sdist.name} has {top}, which builds nothing" for top in sorted(tops - _SOURCES)]
    problems += [f"{sdist.name} lacks {top}" for top in sorted(_SOURCES - tops)]
    packed = {PurePosixPath(*path.parts[2:]).as_posix() for path in files if path.parts[1] in ("include", "plugins")}
    return problems + [f"{sdist.name} lacks {name}" for name in sorted(sources() - packed)]


def metadata_problems(metadata: Message) -> list[str]:
    """What is wrong with what a package says about itself."""
    wanted = {
        "Name": DISTRIBUTION,
        "Version": version(DISTRIBUTION),
        "License-Expression": "Apache-2.0",
        "License-File": "LICENSE",
        "Description-Content-Type": "text/markdown",
    }
    problems = [
        f"metadata: {name} is {metadata[name]!r}, expected {value!r}"
        for name, value in wanted.items()
        if metadata[name] != value
    ]
    problems += [
        f"metadata: {name} is missing" for name in ("Summary", "Requires-Python", "Keywords") if not metadata[name]
    ]
    if "Framework :: Apache Airflow :: Provider" not in (metadata.get_all("Classifier") or []):
        problems.append("metadata: the classifier of Airflow providers is missing")
    if not any(one.startswith("apache-airflow") for one in metadata.get_all("Requires-Dist") or []):
        problems.append("metadata: it asks for no apache-airflow")
    return problems


def _entry_problems(text: str) -> list[str]:
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.read_string(text)
    found = {section: dict(parser[section]) for section in parser.sections()}
    return [] if found == _ENTRY_POINTS else [f"entry points: {found}, expected {_ENTRY_POINTS}"]


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
