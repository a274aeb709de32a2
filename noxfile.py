"""`make compatibility`: tests with other releases of Airflow and Python. AIRFLOW and PYTHONS choose; `newest` is the newest pre-release."""

import os
import re
from pathlib import Path

import nox

LOCK = Path("requirements.lock").read_text()
OWN, *OTHERS = os.environ.get("PYTHONS", "").split() or ["3.11", "3.12", "3.13", "3.14"]
LOCKED = re.findall(r"^apache-airflow==(\S+)", LOCK, re.MULTILINE)
GIVEN = os.environ.get("AIRFLOW", "").split()
PAIRS = [(OWN, release) for release in GIVEN or sorted({"3.3.0", *LOCKED, "newest"})]
PAIRS += [(python, release) for python in OTHERS for release in GIVEN or LOCKED]

nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False  # nox names each Python that is missing


@nox.session
@nox.parametrize(("python", "airflow"), PAIRS)
def tests(session: nox.Session, airflow: str) -> None:
    """Other Pythons also run the tests of the core, which does not depend on Airflow."""
    wanted, lock = (Path(session.create_tmp(), name) for name in ("wanted.txt", "requirements.txt"))
    wanted.write_text("apache-airflow<4" if airflow == "newest" else f"apache-airflow=={airflow}")
    # What is in the file before counts as a preference: the locked versions stay, as far as this Airflow allows them.
    others = [block for block in re.split(r"\n(?=\w)", LOCK) if not block.startswith("apache-airflow")]
    lock.write_text("\n".join(others))

    def resolve(*arguments: str) -> str:
        return str(session.run("uv", "pip", "compile", "--quiet", *arguments, external=True, silent=True))

    if airflow == "newest":
        wanted.write_text(resolve("--no-deps", "--no-annotate", "--prerelease=allow", str(wanted)))
    groups = ["--group", "dev", "--extra", "postgres", "--extra", "celery", "--python", session.virtualenv.location]
    resolve("pyproject.toml", *groups, "--override", str(wanted), "--generate-hashes", "--output-file", str(lock))
    session.run("uv", "pip", "sync", "--quiet", "--require-hashes", str(lock), external=True)
    session.install("--no-deps", "--no-build-isolation", ".")
    suites = session.posargs or ["tests/airflow", *(["tests/unit"] if session.python != OWN else [])]
    session.run("pytest", "-q", "-n", os.environ.get("JOBS", "2"), "--dist", "loadfile", *suites)
