"""`python -m release`: build the package, prove it elsewhere, and put all that is published into dist/.

wheel, source distribution    built twice, byte for byte the same
<name>.cdx.json               the bill of materials, CycloneDX
SHA256SUMS                    for `sha256sum --check`
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from release.bill import Audit, audit, write_bill
from release.build import build_twice, epoch, sha256
from release.contents import changelog_problems, check_metadata_and_wheel, index_page, private_files, sdist_problems
from release.elsewhere import Elsewhere
from release.first_era import first_era
from release.minimums import try_minimums
from release.programs import DISTRIBUTION, ROOT, ReleaseFailed, make_environment, resolve, run

DIST = ROOT / "dist"


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"release: {line}\n")
    sys.stdout.flush()


def make(scratch: Path, *, audit_required: bool) -> list[str]:
    """The whole release.

    :param scratch: an empty folder outside the checkout.
    :returns: what is wrong; nothing, if the version can be published.
    :raises ReleaseFailed: the rest cannot be tried.
    """
    released = version(DISTRIBUTION)
    problems = changelog_problems((ROOT / "CHANGELOG.md").read_text(), released)
    wheel, sdist = build_twice(scratch / "build")
    say(
        f"version {released}, built twice with SOURCE_DATE_EPOCH={epoch()}: the same bytes, also from the source distribution"
    )
    check_metadata_and_wheel(wheel, sdist)
    problems += private_files(wheel) + sdist_problems(sdist)
    say("check-wheel-contents and twine check --strict found nothing")
    links, urls = index_page(wheel)
    without = (
        ""
        if urls
        else ". Before publishing, name the repository: make release REPOSITORY=https://github.com/owner/name"
    )
    say(f"the page on a package index: {len(links)} links, all whole; {len(urls)} project URLs{without}")
    requirements = resolve(scratch / "requirements.txt")
    python = make_environment(scratch / "plain", requirements, wheel)
    for line in Elsewhere(python, scratch / "home").check():
        say(line)
    say(try_minimums(wheel, scratch / "minimums"))
    say(first_era(wheel, scratch / "first"))
    bill = scratch / f"{wheel.name.partition('-py3')[0]}.cdx.json"
    say(f"bill of materials: {write_bill(python, bill)} components, valid CycloneDX")
    problems += judge(audited := audit(requirements), required=audit_required)
    say(audited.words)
    if not problems:
        publish([wheel, sdist, bill])
    return problems


def judge(audited: Audit, *, required: bool) -> list[str]:
    """Known vulnerabilities always keep a version back; a database that is not reached does so only when it is required."""
    if not audited.reached and required:
        return [f"{audited.words}. Run it where the database can be reached, or without AUDIT=required"]
    return [f"vulnerability: {line}" for line in audited.found]


def publish(files: list[Path]) -> None:
    """Put the files into dist/, with their checksums; nothing older is left there."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for file in files:
        shutil.copy(file, DIST)
    sums = "".join(f"{sha256(file)}  {file.name}\n" for file in sorted(files))
    (DIST / "SHA256SUMS").write_text(sums)
    run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=DIST)
    say(f"dist/ has {', '.join(file.name for file in sorted(files))} and SHA256SUMS")


def main(arguments: list[str] | None = None) -> int:
    """Make the release; 0 when it can be published."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__.splitlines()[0])
    parser.add_argument("--audit", choices=["when-reached", "required"], default="when-reached")
    required = parser.parse_args(arguments).audit == "required"
    with tempfile.TemporaryDirectory(prefix="staking-gateway-release-") as scratch:
        try:
            problems = make(Path(scratch), audit_required=required)
        except ReleaseFailed as failed:
            problems = [str(failed)]
    for problem in problems:
        sys.stderr.write(f"release: REFUSED: {problem}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
