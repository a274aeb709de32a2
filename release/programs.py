"""Programs a release runs, each of which has to succeed; and environments of their own for them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
"""The checkout."""
DISTRIBUTION = "airflow-provider-staking-gateway"
LOCK = ROOT / "requirements.lock"
TOOLS = ROOT / ".venv-release" / "bin"
"""Programs only a release needs."""
UV = Path(sys.executable).with_name("uv")
_QUOTED_LINES = 25
_NOT_PASSED_ON = ("AIRFLOW", "STAKING_", "PYTHON", "VIRTUAL_ENV")


class ReleaseFailed(Exception):
    """There can be no release; the text says why, and what to do."""


def plain_environment(**more: str) -> dict[str, str]:
    """The caller's environment without what would lead a program back to the checkout or to another Airflow."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    return {**kept, **more}


def finished(
    command: Sequence[object], *, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, whatever that is; standard error is kept apart."""
    given = [str(part) for part in command]
    return subprocess.run(  # noqa: S603 - our own programs
        given, cwd=cwd, env=dict(env or plain_environment()), capture_output=True, text=True, check=False
    )


def run(command: Sequence[object], *, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run a program that has to succeed; returns what it printed.

    :raises ReleaseFailed: it did not; quotes the end of what it said.
    """
    done = finished(command, cwd=cwd, env=env)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-_QUOTED_LINES:]
        shown = " ".join(str(part) for part in command)[:200]
        raise ReleaseFailed("\n  ".join([f"status {done.returncode} of: {shown}", *said]))
    return done.stdout


def index_environment() -> dict[str, str]:
    """`plain_environment` for uv, which does not read pip's settings: the index is the one pip uses."""
    given = plain_environment()
    asked = finished([sys.executable, "-m", "pip", "config", "get", "global.index-url"])
    index = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()
    more = {"UV_DEFAULT_INDEX": index} if index else {}
    if certificate := os.environ.get("PIP_CERT"):
        more["SSL_CERT_FILE"] = certificate
    return {**more, **given}


def resolve(
    into: Path,
    *,
    airflow: str | None = None,
    development: bool = False,
    lowest: bool = False,
    interpreter: object = sys.executable,
) -> Path:
    """What to install beside the wheel, as a file with hashes: the locked versions, as far as they fit.

    :param into: the file to write.
    :param airflow: another version of Airflow than the locked one; only what it forbids is taken in another version.
    :param development: with what the tests need, and the extras they are about.
    :param lowest: the oldest declared versions instead, of those with a wheel.
    :param interpreter: the Python they are for.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    # What is in the file before counts as a preference, not as a constraint.
    known = "" if lowest else LOCK.read_text()
    into.write_text(known if airflow is None else without_airflow(known))
    command: list[object] = [UV, "pip", "compile", "pyproject.toml", "--python", interpreter, "--quiet"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links"]
    if development:
        command += ["--group", "dev", "--extra", "postgres", "--extra", "celery"]
    if lowest:
        command += ["--resolution", "lowest-direct", "--only-binary", ":all:"]
    if airflow is not None:
        wanted = into.with_suffix(".override")
        wanted.write_text(f"apache-airflow=={airflow}\n")
        command += ["--override", wanted]
    run([*command, "--output-file", into], env=index_environment())
    return into


def without_airflow(lock: str) -> str:
    """A lock file's text without Airflow's own packages."""
    blocks = re.split(r"\n(?=[A-Za-z0-9])", lock)
    return "\n".join(block for block in blocks if not block.startswith("apache-airflow"))


def versions(requirements: str) -> dict[str, str]:
    """Package to version, of a lock file's text that is for one interpreter."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", requirements, re.MULTILINE))


def make_environment(folder: Path, requirements: Path, wheel: Path, interpreter: object = sys.executable) -> Path:
    """A virtual environment with a wheel and what it needs, nothing else; returns its interpreter."""
    run([UV, "venv", "--quiet", "--clear", "--python", interpreter, folder], env=index_environment())
    python = folder / "bin" / "python"
    install = [UV, "pip", "install", "--quiet", "--python", python]
    run([*install, "--require-hashes", "--requirement", requirements], env=index_environment())
    run([*install, "--no-deps", "--reinstall", wheel], env=index_environment())
    return python
