"""What a release may contain, beyond what check-wheel-contents and twine know."""

from __future__ import annotations

import json
import re
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from release.programs import ROOT, TOOLS, ReleaseFailed, run

_NEVER = {".db", ".env", ".key", ".log", ".pem", ".pyc"}
"""Endings of files that may hold secrets or belong to one machine."""
_SHOW_PAGE = """
import json, re, sys, zipfile
from email import message_from_string
from readme_renderer import markdown

with zipfile.ZipFile(sys.argv[1]) as wheel:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())
page = markdown.render(metadata.get_payload(), stream=sys.stderr)
links = None if page is None else re.findall(r'\\b(?:href|src|srcset)="([^"]*)"', page)
print(json.dumps({"links": links, "urls": metadata.get_all("Project-URL", []), "author": metadata["Author"]}))
"""
"""Shows the package's page with what the package index shows it with."""
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
    "hatch_build.py",
}


def check_metadata_and_wheel(wheel: Path, sdist: Path) -> None:
    """Compare the wheel with the packages of this checkout, and check the metadata of both files.

    :raises ReleaseFailed: the wheel lacks a file or has one too many, or twine refuses the metadata.
    """
    with TemporaryDirectory(prefix="staking-gateway-packages-") as folder:
        packages = [part for package in _packages(Path(folder)) for part in ("--package", package)]
        run([TOOLS / "check-wheel-contents", *packages, wheel])
    run([TOOLS / "twine", "check", "--strict", wheel, sdist])


def _packages(into: Path) -> list[Path]:
    """Copies of the packages, with the files that the wheel takes from elsewhere."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for package in wheel["packages"]:
        shutil.copytree(ROOT / package, into / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in wheel["force-include"].items():
        (into / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, into / target)
    return [into / Path(package).name for package in wheel["packages"]]


def index_page(wheel: Path) -> tuple[list[str], list[str]]:
    """What a package index shows of a wheel: the links of the page, and the project URLs.

    :raises ReleaseFailed: the page cannot be shown, a link would lead nowhere there, or nobody is named as author.
    """
    page = json.loads(run([TOOLS / "python", "-c", _SHOW_PAGE, wheel]))
    if page["links"] is None:
        raise ReleaseFailed(f"{wheel.name}: the package index could not show README.md")
    lost = [link for link in page["links"] if not link.startswith(("https://", "http://", "#"))]
    if lost:
        raise ReleaseFailed(
            f"{wheel.name}: these links of README.md lead nowhere on the package index: {', '.join(lost)}"
        )
    if not page["author"]:
        raise ReleaseFailed(f"{wheel.name} names no author. Add authors to pyproject.toml")
    return page["links"], page["urls"]


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
