"""`python -m release.compatibility`: run the tests with every release of Airflow and Python that is supported, and write the table.

Each pair gets an environment of its own, with the built wheel, the locked versions of everything else as far as that release
allows them, and no file of this checkout on its path but the tests. Warnings are errors, deprecations among them.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib.metadata import metadata, requires, version
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from release.build import build_wheel
from release.programs import (
    DISTRIBUTION,
    ROOT,
    UV,
    ReleaseFailed,
    finished,
    index_environment,
    make_environment,
    plain_environment,
    resolve,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / ".compatibility"
TABLE = ROOT / "docs" / "tools" / "parts" / "airflow_versions.md"
OLDEST = "3.3.0"
"""The first release that is looked at; the package requires it."""
SUITE = "tests/airflow"
PYTHON_SUITES = ("tests/unit", SUITE)
"""Another Python also runs the tests of the core, which does not depend on Airflow."""
LOCKED_AIRFLOW = version("apache-airflow")
OWN_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_MOST_NAMED = 6


class Cell(NamedTuple):
    """What is tested together.

    :param airflow: a release.
    :param python: without its last number, such as `3.12`.
    """

    airflow: str
    python: str

    @property
    def suites(self) -> tuple[str, ...]:
        """The tests that run."""
        return (SUITE,) if self.python == OWN_PYTHON else PYTHON_SUITES

    @property
    def kind(self) -> str:
        """What the package says of it."""
        if Version(self.airflow).is_prerelease:
            return "pre-release"
        return "supported" if self.airflow in supported() and self.python in pythons() else "not supported"


@dataclass(frozen=True)
class Result:
    """What became of the tests of one cell.

    :param python: the interpreter's full version.
    :param failed: names of the tests that failed, or could not run.
    :param others: packages that release needs in another version than the locked one.
    """

    cell: Cell
    python: str
    passed: int
    failed: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def row(self) -> str:
        """A line of the table."""
        failed, tried = len(self.failed), self.passed + len(self.failed)
        verdict = f"{failed} of {tried} fail" if failed else f"all {tried} pass"
        suites = ", ".join(f"`{suite}`" for suite in self.cell.suites)
        others = ", ".join(self.others) or "none"
        return f"| {self.cell.airflow} | {self.python} | {self.cell.kind} | {suites} | {verdict} | {others} |"


def supported() -> SpecifierSet:
    """The releases of Airflow the package asks for."""
    needed = (Requirement(text) for text in requires(DISTRIBUTION) or ())
    return next(one.specifier for one in needed if one.name == "apache-airflow")


def pythons() -> list[str]:
    """The releases of Python the package asks for."""
    asked = SpecifierSet(metadata(DISTRIBUTION)["Requires-Python"])
    return [python for python in (f"3.{minor}" for minor in range(100)) if python in asked]


def available() -> list[str]:
    """The releases of Airflow the index has, from `OLDEST` on and below the next major one, oldest first; a newer pre-release last."""
    found: list[str] = []
    while release := _newest(f"<{found[-1]}" if found else "<4"):
        found.append(release)
    newest = _newest("<4", "--prerelease=allow")
    if newest is None:
        raise ReleaseFailed(f"The package index has no apache-airflow>={OLDEST}, or does not answer")
    return [*found[::-1], *({newest} - set(found))]


def _newest(below: str, *options: str) -> str | None:
    wanted = FOLDER / "wanted.in"
    wanted.parent.mkdir(exist_ok=True)
    wanted.write_text(f"apache-airflow>={OLDEST},{below}\n")
    command = [UV, "pip", "compile", wanted, "--no-deps", "--no-header", "--no-annotate", "--quiet", *options]
    done = finished([*command, "--python", sys.executable], env=index_environment())
    return None if done.returncode else versions(done.stdout)["apache-airflow"]


def interpreter(python: str) -> str | None:
    """The path of an installed Python; None if there is none."""
    if python == OWN_PYTHON:
        return sys.executable
    done = finished([UV, "python", "find", "--system", "--no-python-downloads", python])
    return done.stdout.strip() or None


def chosen_cells(airflow: list[str], python: list[str]) -> list[Cell]:
    """What to test: the given releases, else each Airflow with this Python, and the locked Airflow with each other installed Python."""
    if airflow or python:
        return [Cell(*pair) for pair in product(airflow or [LOCKED_AIRFLOW], python or [OWN_PYTHON])]
    others = [one for one in pythons() if one != OWN_PYTHON and interpreter(one)]
    return [*(Cell(one, OWN_PYTHON) for one in available()), *(Cell(LOCKED_AIRFLOW, one) for one in others)]


def try_with(cell: Cell, wheel: Path, jobs: int) -> Result:
    """Run the tests of one cell.

    :raises ReleaseFailed: this Python is not installed, or the tests did not come to their end.
    """
    base = interpreter(cell.python)
    if base is None:
        raise ReleaseFailed(f"Python {cell.python} is not installed. Install it, or put its folder on PATH")
    folder = FOLDER / f"{cell.airflow}-python{cell.python}"
    requirements = resolve(FOLDER / f"{folder.name}.txt", airflow=cell.airflow, development=True, interpreter=base)
    python = make_environment(folder, requirements, wheel, base)
    report = folder / "tests.xml"
    command = [python, "-m", "pytest", "-q", "-n", jobs, "--dist", "loadfile", "-p", "no:cacheprovider"]
    env = plain_environment(PATH=f"{folder / 'bin'}:{plain_environment()['PATH']}", CI="true")
    done = finished([*command, f"--junit-xml={report}", *cell.suites], env=env)
    (folder / "tests.log").write_text(done.stdout + done.stderr)
    tests = f"The tests with Airflow {cell.airflow} and Python {cell.python}"
    if done.returncode not in (0, 1) or not report.is_file():
        # An interrupted run writes a report too, of the tests it came to.
        raise ReleaseFailed(f"{tests} did not come to their end; see {folder / 'tests.log'}")
    passed, failed = read_report(report)
    if bool(failed) is (done.returncode == 0):
        raise ReleaseFailed(f"{tests} ended strangely; see {folder / 'tests.log'}")
    full = finished([python, "-c", "import platform; print(platform.python_version())"]).stdout.strip()
    return Result(cell, full, passed, failed, others(requirements, base))


def others(requirements: Path, base: str) -> tuple[str, ...]:
    """What a release of Airflow needs in another version than the locked one, but for Airflow itself."""
    locked = resolve(FOLDER / "locked.txt", development=True, interpreter=base)
    before, now = versions(locked.read_text()), versions(requirements.read_text())
    return tuple(
        f"{name} {version}"
        for name, version in sorted(now.items())
        if before.get(name) != version and not name.startswith("apache-airflow")
    )


def read_report(report: Path) -> tuple[int, tuple[str, ...]]:
    """How many tests of a JUnit file passed, and the names of the others; one that was skipped proves nothing."""
    cases = list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314 - written by our own pytest just now
    bad = {
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if any(child.tag in ("failure", "error", "skipped") for child in case)
    }
    names = {f"{case.get('classname')}::{case.get('name')}" for case in cases}
    return len(names - bad), tuple(sorted(bad))


def rows_of(text: str) -> dict[Cell, str]:
    """Cell to row, of a table that was written before."""
    rows = re.finditer(r"^\| (\d\S*) \| (3\.\d+)\S* \|.*$", text, re.MULTILINE)
    return {Cell(match[1], match[2]): match[0] for match in rows}


def table(rows: dict[Cell, str]) -> str:
    """The table of the documentation, the oldest release first."""
    lines = [
        "<!-- Made by: make compatibility -->",
        "",
        "| Airflow | Python | | Tests | Result | Other versions than the locked ones |",
        "|---|---|---|---|---|---|",
        *(rows[cell] for cell in sorted(rows, key=lambda cell: [Version(part) for part in cell])),
    ]
    untested = [python for python in pythons() if python not in {cell.python for cell in rows}]
    if untested:
        lines += ["", f"No complete run passed yet: Python {', '.join(untested)}."]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Test the cells, write their rows of the table, and fail when one that is supported fails."""
    parser = argparse.ArgumentParser(prog="make compatibility", description=__doc__.splitlines()[0])
    parser.add_argument("--airflow", nargs="*", default=[], help="only these releases; the other rows stay")
    parser.add_argument("--python", nargs="*", default=[], help="only these, such as 3.12; the other rows stay")
    parser.add_argument("--jobs", type=int, default=1, help="tests that run at a time")
    given = parser.parse_args(arguments)
    results: list[Result] = []
    try:
        wheel = build_wheel(FOLDER / "dist")
        cells = chosen_cells(given.airflow, given.python)
        rows = rows_of(TABLE.read_text()) if (given.airflow or given.python) and TABLE.is_file() else {}
        for cell in cells:
            sys.stdout.write(f"Airflow {cell.airflow}, Python {cell.python} ...\n")
            sys.stdout.flush()
            results.append(try_with(cell, wheel, given.jobs))
            sys.stdout.write(results[-1].row + "\n")
            sys.stdout.writelines(f"    {name}\n" for name in results[-1].failed[:_MOST_NAMED])
        TABLE.write_text(table(rows | {result.cell: result.row for result in results}))
    except ReleaseFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    broken = [result.cell for result in results if result.failed and result.cell.kind == "supported"]
    if broken:
        named = ", ".join(f"Airflow {cell.airflow} with Python {cell.python}" for cell in broken)
        sys.stderr.write(f"The package promises {named}, and its tests fail; see {FOLDER}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
