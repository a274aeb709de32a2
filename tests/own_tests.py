"""Each module of the core has all its branches covered by its own tests alone: `python -m tests.own_tests [payout/decide.py ...]`.

The own tests of `payout/decide.py` are `test_decide.py` in one of `FOLDERS`, or what `data/own_tests.yaml` says. Each group of tests runs in a
process of its own, so that nothing which another test does counts. Modules without a branch need none.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from coverage import Coverage

CORE, TESTS = Path("include/staking_gateway").resolve(), Path(__file__).parent
FOLDERS = ("unit", "contract", "security")
TABLE = yaml.safe_load((TESTS / "data" / "own_tests.yaml").read_text())
OWN, EXEMPT = TABLE["own"], TABLE["exempt"]


def own_tests(module: str) -> tuple[str, ...]:
    """The files of a module's own tests."""
    names = OWN.get(module) or OWN.get(f"{Path(module).parent}/") or Path(module).stem
    files = (TESTS / folder / f"test_{name}.py" for folder in FOLDERS for name in names.split())
    return tuple(str(file) for file in files if file.exists())


def not_covered(group: tuple[tuple[str, ...], list[str]]) -> list[str]:
    """A line for each of these modules that has branches which these tests leave out."""
    tests, modules = group
    with TemporaryDirectory() as folder:
        environment = os.environ | {"COVERAGE_FILE": str(Path(folder, "data"))}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--cov={CORE.name}",
            "--cov-report=",
        ]
        if tests:
            run = subprocess.run([*command, *tests], env=environment, capture_output=True, text=True, check=False)
            if run.returncode:
                return [run.stdout + run.stderr]
        read = Coverage(data_file=environment["COVERAGE_FILE"])
        read.load()
        read.get_data().add_arcs({str(CORE / module): () for module in modules})  # also of those that nobody imported
        told = {module: read.branch_stats(str(CORE / module)) for module in modules}
    left = {module: [line for line, (exits, taken) in stats.items() if taken < exits] for module, stats in told.items()}
    names = " ".join(Path(test).name for test in tests) or "no test of its name"
    return [f"{module}: {names} leaves out a branch of lines {lines}" for module, lines in left.items() if lines]


def main() -> None:
    known = {str(file.relative_to(CORE)) for file in CORE.rglob("*.py")}
    groups: dict[tuple[str, ...], list[str]] = {}
    for module in sorted(sys.argv[1:] or known - EXEMPT.keys()):
        groups.setdefault(own_tests(module), []).append(module)
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        lines = [line for found in pool.map(not_covered, groups.items()) for line in found]
    if len(EXEMPT) > 10 or any(module.startswith("payout/") for module in EXEMPT):
        lines.append("at most ten modules are exempt, and none of payout/")
    if gone := {*OWN, *EXEMPT} - known - {f"{Path(module).parent}/" for module in known}:
        lines.append(f"the table names modules that are gone: {' '.join(sorted(gone))}")
    if lines:
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
