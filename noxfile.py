"""`make compatibility`: the tests with other releases of Airflow and Python. AIRFLOW and PYTHONS choose; `newest` is the newest pre-release."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nox

LOCK = Path("requirements.lock")
OWN, *OTHERS = os.environ.get("PYTHONS", "").split() or ["3.11", "3.12", "3.13", "3.14"]
GIVEN = os.environ.get("AIRFLOW", "").split()
LOCKED = re.findall(r"^apache-airflow==(\S+)", LOCK.read_text(), re.MULTILINE)
RELEASES = GIVEN or sorted({"3.3.0", *LOCKED, "newest"})
PAIRS = [(OWN, release) for release in RELEASES] + [
    (python, release) for python in OTHERS for release in GIVEN or LOCKED
]

nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False  # nox names each one that is missing


@nox.session
@nox.parametrize(("python", "airflow"), PAIRS)
def tests(session: nox.Session, airflow: str) -> None:
    """Another Python also runs the tests of the core, which does not depend on Airflow."""
    folder = Path(session.create_tmp())
    wanted, lock = folder / "wanted.txt", folder / "requirements.txt"
    limit = "apache-airflow<4" if airflow == "newest" else f"apache-airflow=={airflow}"
    wanted.write_text(f"{limit}\n")
    pre = ["--prerelease=allow"] if airflow == "newest" else []
    compiled = session.run(
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--no-deps",
        "--no-header",
        "--no-annotate",
        *pre,
        str(wanted),
        silent=True,
        external=True,
    )
    wanted.write_text(str(compiled))
    # What is in the file before counts as a preference: the locked versions stay, as far as this Airflow allows them.
    others = [block for block in re.split(r"\n(?=\w)", LOCK.read_text()) if not block.startswith("apache-airflow")]
    lock.write_text("\n".join(others))
    options = ["--group", "dev", "--extra", "postgres", "--extra", "celery", "--generate-hashes", "--quiet"]
    session.run(
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        *options,
        "--override",
        str(wanted),
        "--python",
        session.virtualenv.location,
        "--output-file",
        str(lock),
        external=True,
        silent=True,
    )
    session.run("uv", "pip", "sync", "--quiet", "--require-hashes", str(lock), external=True)
    session.install("--no-deps", "--no-build-isolation", ".")
    suites = ["tests/airflow"] if session.python == OWN else ["tests/unit", "tests/airflow"]
    session.run(
        "pytest",
        "-q",
        "-n",
        os.environ.get("JOBS", "2"),
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
        *(session.posargs or suites),
    )
