"""`python -m release.compatibility`: run the Airflow tests with every release of Airflow the package index has, and write the table.

Each release gets an environment of its own, with the built wheel, the locked versions of everything else as far as that release
allows them, and no file of this checkout on its path but the tests. Warnings are errors, deprecations among them.
"""

from __future__ import annotations

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib.metadata import requires
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
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
from staking_gateway_provider import OLDEST_AIRFLOW

if TYPE_CHECKING:
    from pathlib import Path

    from packaging.specifiers import SpecifierSet

FOLDER = ROOT / ".compatibility"
TABLE = ROOT / "docs" / "tools" / "parts" / "airflow_versions.md"
OLDEST = OLDEST_AIRFLOW
"""The first release that is looked at; the package refuses older ones when it is imported."""
SUITE = ["tests/airflow"]
_MOST_NAMED = 6


@dataclass(frozen=True)
class Result:
    """What became of the tests with one release of Airflow.

    :param failed: names of the tests that failed, or could not run.
    :param others: packages that release needs in another version than the locked one.
    """

    airflow: str
    python: str
    passed: int
    failed: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def promised(self) -> bool:
        """Whether the package says that it runs with this release."""
        return Version(self.airflow) in supported()

    @property
    def row(self) -> str:
        """A line of the table."""
        failed, tried = len(self.failed), self.passed + len(self.failed)
        verdict = f"{failed} of {tried} fail" if failed else f"all {tried} pass"
        kind = "supported" if self.promised else "not supported"
        return f"| {self.airflow} | {self.python} | {kind} | {verdict} | {', '.join(self.others) or 'none'} |"


def supported() -> SpecifierSet:
    """The releases of Airflow the package asks for."""
    needed = (Requirement(text) for text in requires(DISTRIBUTION) or ())
    return next(one.specifier for one in needed if one.name == "apache-airflow")


def available() -> list[str]:
    """The releases of Airflow the index has, from `OLDEST` on and below the next major one, oldest first."""
    found: list[str] = []
    while True:
        below = f"<{found[-1]}" if found else "<4"
        wanted = FOLDER / "wanted.in"
        wanted.parent.mkdir(exist_ok=True)
        wanted.write_text(f"apache-airflow>={OLDEST},{below}\n")
        command = [UV, "pip", "compile", wanted, "--no-deps", "--no-header", "--no-annotate", "--quiet"]
        done = finished([*command, "--python", sys.executable], env=index_environment())
        if done.returncode:
            break
        found.append(versions(done.stdout)["apache-airflow"])
    if not found:
        raise ReleaseFailed(f"The package index has no apache-airflow>={OLDEST}, or does not answer:\n{done.stderr}")
    return found[::-1]


def try_with(airflow: str, wheel: Path) -> Result:
    """Run the suite with one release."""
    folder = FOLDER / airflow
    requirements = resolve(folder.with_suffix(".txt"), airflow=airflow, development=True)
    python = make_environment(folder, requirements, wheel)
    report = folder / "tests.xml"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", *SUITE]
    env = plain_environment(PATH=f"{folder / 'bin'}:{plain_environment()['PATH']}", CI="true")
    done = finished(command, env=env)
    (folder / "tests.log").write_text(done.stdout + done.stderr)
    if done.returncode not in (0, 1) or not report.is_file():
        # An interrupted run writes a report too, of the tests it came to.
        raise ReleaseFailed(f"The tests with Airflow {airflow} did not come to their end; see {folder / 'tests.log'}")
    passed, failed = read_report(report)
    if bool(failed) is (done.returncode == 0):
        raise ReleaseFailed(f"The tests with Airflow {airflow} ended strangely; see {folder / 'tests.log'}")
    return Result(airflow, sys.version.split()[0], passed, failed, others(requirements))


def others(requirements: Path) -> tuple[str, ...]:
    """What a release of Airflow needs in another version than the locked one, but for Airflow itself."""
    locked = resolve(FOLDER / "locked.txt", development=True)
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


def rows_of(text: str) -> dict[str, str]:
    """Release to row, of a table that was written before."""
    return {match[1]: match[0] for match in re.finditer(r"^\| (\d\S*) \|.*$", text, re.MULTILINE)}


def table(rows: dict[str, str]) -> str:
    """The table of the documentation, the oldest release first."""
    lines = [
        "<!-- Made by: make compatibility -->",
        "",
        f"| Airflow | Python | | Tests of `{SUITE[0]}` | Other versions than the locked ones |",
        "|---|---|---|---|---|",
        *(rows[airflow] for airflow in sorted(rows, key=Version)),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Try the releases, write their rows of the table, and fail when one that is supported fails."""
    parser = argparse.ArgumentParser(prog="make compatibility", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--airflow", nargs="*", default=[], help="only these releases; the other rows of the table stay"
    )
    chosen = parser.parse_args(arguments).airflow
    try:
        wheel = build_wheel(FOLDER / "dist")
        results = []
        for airflow in chosen or available():
            sys.stdout.write(f"Airflow {airflow} ...\n")
            sys.stdout.flush()
            results.append(try_with(airflow, wheel))
            sys.stdout.write(results[-1].row + "\n")
            sys.stdout.writelines(f"    {name}\n" for name in results[-1].failed[:_MOST_NAMED])
        kept = rows_of(TABLE.read_text()) if chosen and TABLE.is_file() else {}
        TABLE.write_text(table(kept | {result.airflow: result.row for result in results}))
    except ReleaseFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    broken = [result.airflow for result in results if result.failed and result.promised]
    if broken:
        sys.stderr.write(f"The package promises Airflow {', '.join(broken)}, and its tests fail; see {FOLDER}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
