"""What a release is made of: a bill of materials, and what is known to be wrong with its parts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from release.build import epoch
from release.programs import DISTRIBUTION, ROOT, TOOLS, ReleaseFailed, finished, plain_environment, run

if TYPE_CHECKING:
    from pathlib import Path

_SPEC = "1.6"
_NOT_AUDITED = "NOT AUDITED"


def write_bill(python: Path, into: Path) -> int:
    """Write the CycloneDX bill of materials of an environment, valid against its schema.

    :param python: the environment's interpreter.
    :param into: the JSON file.
    :returns: how many components it lists.
    :raises ReleaseFailed: it could not be made, is not valid, or lacks the package itself.
    """
    command = [TOOLS / "cyclonedx-py", "environment", "--spec-version", _SPEC, "--output-format", "JSON"]
    command += ["--output-reproducible", "--validate", "--mc-type", "library"]
    command += ["--pyproject", ROOT / "pyproject.toml"]
    run([*command, "--output-file", into, python], env=plain_environment(SOURCE_DATE_EPOCH=epoch()))
    bill = json.loads(into.read_text())
    _forget_places(bill)
    into.write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n")
    names = [bill["metadata"]["component"]["name"], *(component["name"] for component in bill["components"])]
    if DISTRIBUTION not in names or "apache-airflow-core" not in names:
        raise ReleaseFailed(f"{into.name} lacks {DISTRIBUTION} or what it runs on: {', '.join(names)}")
    validate_bill(into)
    return len(names)


def _forget_places(bill: dict[str, Any]) -> None:
    """Where files lay on the machine that made the bill is nobody's business."""
    for component in bill["components"]:
        links = [link for link in component.get("externalReferences", []) if not link["url"].startswith("file:")]
        if links:
            component["externalReferences"] = links
        else:
            component.pop("externalReferences", None)


def validate_bill(bill: Path) -> None:
    """Hold a bill against the schema of its format.

    :raises ReleaseFailed: it is not valid.
    """
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from cyclonedx.schema import SchemaVersion\n"
        "from cyclonedx.validation.json import JsonStrictValidator\n"
        "error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(sys.argv[1]).read_text())\n"
        "sys.exit(str(error) if error else 0)\n"
    )
    run([TOOLS / "python", "-c", code, bill])


@dataclass(frozen=True)
class Audit:
    """What a database of vulnerabilities says.

    :param reached: whether it answered for every package.
    :param found: what is known, one line each.
    :param words: what was said, in one line.
    """

    reached: bool
    found: tuple[str, ...]
    words: str


def audit(requirements: Path) -> Audit:
    """Ask a database of known vulnerabilities about the locked versions.

    :param requirements: a file with exact versions and hashes.
    """
    command = [TOOLS / "pip-audit", "--requirement", requirements, "--disable-pip", "--require-hashes"]
    done = finished([*command, "--format", "json", "--progress-spinner", "off"], env=plain_environment())
    try:
        told = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Audit(False, (), f"{_NOT_AUDITED}: the database of vulnerabilities was not reached ({last[:200]})")
    return judged(told["dependencies"])


def judged(packages: list[dict[str, Any]]) -> Audit:
    """What pip-audit's answer means: a package the database does not know was not audited, whatever the exit status says."""
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    if len(unknown) == len(packages):
        reason = packages[0]["skip_reason"] if packages else "there was none"
        return Audit(
            False, (), f"{_NOT_AUDITED}: the database of vulnerabilities knows none of the packages ({reason})"
        )
    found = tuple(
        f"{one['name']} {one['version']}: {flaw['id']}, fixed in {', '.join(flaw['fix_versions']) or 'no version'}"
        for one in packages
        for flaw in one.get("vulns", [])
    )
    words = f"{len(packages) - len(unknown)} packages audited, {len(found)} known vulnerabilities"
    if unknown:
        words += f"; {_NOT_AUDITED}: {', '.join(unknown)}"
    return Audit(not unknown, found, words)
