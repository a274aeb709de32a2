"""Empty databases for one measurement: SQLite files, and a PostgreSQL server of our own where its programs are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from benchmarks.processes import ProcessFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    NewDatabase = Callable[[], str]

_PLACES = "/usr/lib/postgresql"
_PROGRAMS = ("initdb", "postgres")
_SECONDS = 60


class NotInstalled(ProcessFailed):
    """A program is missing; the text names it."""


@contextmanager
def sqlite() -> Iterator[NewDatabase]:
    """Gives the URL of a new database each time it is called."""
    with tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-") as folder:
        yield lambda: f"sqlite:///{Path(folder) / uuid.uuid4().hex}.db"


@contextmanager
def postgresql() -> Iterator[NewDatabase]:
    """The same, in a private server with its default settings that listens on a socket file only.

    :raises NotInstalled: there is no PostgreSQL here.
    :raises ProcessFailed: it does not start.
    """
    import psycopg2  # type: ignore[import-untyped]

    programs = {name: _program(name) for name in _PROGRAMS}
    owner = _owner()
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        if owner is not None:
            shutil.chown(folder, owner)
        data = f"{folder}/data"
        command = [programs["initdb"], "--auth=trust", "--username=benchmark", "--encoding=UTF8", f"--pgdata={data}"]
        made = subprocess.run(command, capture_output=True, text=True, check=False, user=owner, cwd=folder)  # noqa: S603
        if made.returncode != 0:
            raise ProcessFailed(f"initdb failed: {made.stderr[-500:]}")
        command = [programs["postgres"], "-D", data, "-k", folder, "-c", "listen_addresses="]
        with subprocess.Popen(  # noqa: S603
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=owner, cwd=folder
        ) as server:
            try:
                place = {"host": folder, "user": "benchmark", "dbname": "postgres"}
                _wait_for(server, place)

                def new() -> str:
                    name = f"ledger_{uuid.uuid4().hex}"
                    connection = psycopg2.connect(**place)
                    connection.autocommit = True
                    with connection.cursor() as cursor:
                        cursor.execute(f"CREATE DATABASE {name}")
                    connection.close()
                    return f"postgresql://benchmark@/{name}?host={folder}"

                yield new
            finally:
                server.terminate()
                server.wait(_SECONDS)


def is_installed() -> bool:
    """Whether PostgreSQL's programs are here."""
    try:
        return all(map(_program, _PROGRAMS))
    except NotInstalled:
        return False


def install_postgresql() -> None:
    """Install the server where it is missing and that is possible without asking anybody.

    :raises NotInstalled: it is missing still; says what to do.
    """
    if is_installed():
        return
    if shutil.which("apt-get") and os.geteuid() == 0:
        for command in (["update"], ["install", "--yes", "--no-install-recommends", "postgresql"]):
            subprocess.run(["apt-get", *command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603, S607
    if not is_installed():
        raise NotInstalled("PostgreSQL is not installed. Install it, e.g. apt-get install postgresql")


def _program(name: str) -> str:
    places = [
        os.environ.get("PATH", ""),
        *(str(path / "bin") for path in sorted(Path(_PLACES).glob("*"), reverse=True)),
    ]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise NotInstalled(f"PostgreSQL's program {name} is not installed here")
    return found


def _owner() -> str | None:
    """PostgreSQL refuses to run as root; its packages make a user for it."""
    return "postgres" if os.geteuid() == 0 else None


def _wait_for(server: subprocess.Popen[bytes], place: dict[str, str]) -> None:
    import psycopg2

    attempts = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, psycopg2.OperationalError) and server.poll() is None),
        stop=stop_after_delay(_SECONDS),
        wait=wait_fixed(0.05),
        reraise=True,
    )
    try:
        attempts(psycopg2.connect, **place).close()
    except psycopg2.OperationalError as error:
        raise ProcessFailed(f"the PostgreSQL server did not start: {error}") from None
