"""PostgreSQL and Redis as real servers: each with a folder and a free port of loopback of its own, killed and started at will."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path

import psycopg2
import redis
import sqlalchemy as sa
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from tests.support.programs import Programs, free_port, plain_environment, quote

PATIENCE = 120
"""Seconds; a server that takes so long to start never does."""
_INITDB = "usr/lib/postgresql/*/bin/initdb"
"""Where Debian puts what only the server's owner calls."""


def install():
    """Install what is missing, where that is possible without asking anybody."""
    missing = [package for package, found in (("postgresql", find_initdb()), ("redis-server", _redis())) if not found]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        unasked = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "--yes", *missing]):
            subprocess.run(["apt-get", *command], env=unasked, check=True, stdout=subprocess.DEVNULL)
        missing = []
    assert not missing, f"Not installed: {' '.join(missing)}. Install them, e.g. apt-get install {' '.join(missing)}"


def find_initdb():
    """The newest initdb, or None."""
    path = shutil.which("initdb")
    found = sorted(Path("/").glob(_INITDB), key=lambda program: float(program.parts[-3]))
    return found[-1] if found else Path(path) if path else None


def _redis():
    return shutil.which("redis-server")


class Server(ABC):
    """One server; a context manager, which starts it, and at the end leaves nothing of it.

    :param name: for logs and errors.
    """

    not_yet: type[Exception] = OSError
    """What asking raises while the server does not answer."""

    def __init__(self, name):
        self.name = name
        self.port = free_port()
        self.folder: Path
        self._programs = Programs()

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix=f"services-{self.name}-"))
        self.prepare()
        self.start()
        return self

    def __exit__(self, *raised):
        self._programs.stop()
        shutil.rmtree(self.folder)

    @property
    def log(self):
        """Where it writes."""
        return self.folder / "server.log"

    @abstractmethod
    def prepare(self):
        """Make its files, in `folder`."""

    @abstractmethod
    def command(self):
        """Its command line."""

    @abstractmethod
    def ask(self):
        """Ask it something, to see that it answers."""

    def start(self):
        """Start it, for the first time or again, and wait until it answers."""
        self._programs.start(self.name, self.command(), plain_environment(), self.log)
        patient = Retrying(
            stop=stop_after_delay(PATIENCE),
            wait=wait_fixed(0.1),
            retry=retry_if_exception_type(self.not_yet),
            reraise=True,
        )
        try:
            patient(self.ask)
        except self.not_yet as error:
            raise AssertionError(f"{self.name} does not answer: {error}\n{quote(self.log)}") from error

    def kill(self):
        """SIGKILL it and all its children."""
        self._programs.kill(self.name)


class PostgreSQL(Server):
    """A PostgreSQL, in which every database belongs to a user of its own, and is closed to the others."""

    not_yet = psycopg2.OperationalError

    def __init__(self):
        super().__init__("postgresql")
        self._password = secrets.token_hex(16)
        self._urls = {}

    def prepare(self):
        password = self.folder / "password"
        password.write_text(self._password)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            for path in (self.folder, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        subprocess.run(
            [
                *_as_owner(), str(find_initdb()), "--pgdata", str(self._data), "--username", "owner", "--pwfile", str(password),
                "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8",
            ],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder,
        )  # fmt: skip

    def command(self):
        program = find_initdb().with_name("postgres")
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": 200,
        }
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [*_as_owner(), str(program), "-D", str(self._data), *given]

    def ask(self):
        self.execute("SELECT 1")

    @property
    def _data(self):
        return self.folder / "data"

    def database(self, name, rights=""):
        """SQLAlchemy URL of a database, made now if it is not there, with its user of the same name.

        :param rights: what else the user may, as in CREATE ROLE.
        """
        if name not in self._urls:
            password = secrets.token_hex(16)
            self.execute(
                f"CREATE ROLE {name} LOGIN {rights} PASSWORD '{password}'",
                f"CREATE DATABASE {name} OWNER {name}",
                f"REVOKE ALL ON DATABASE {name} FROM PUBLIC",
            )
            self._urls[name] = self._url(name, password, name)
        return self._urls[name]

    def execute(self, *statements):
        """Execute statements as the server's owner, each committed at once; rows of the last one, if it gives any."""
        return execute(self._url("owner", self._password, "postgres"), *statements)

    def _url(self, user, password, database):
        return sa.URL.create("postgresql+psycopg2", user, password, host="127.0.0.1", port=self.port, database=database)


def execute(url, *statements):
    """Execute statements in a database, each committed at once; rows of the last one, if it gives any."""
    connection = psycopg2.connect(
        host=url.host, port=url.port, user=url.username, password=url.password, dbname=url.database
    )
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


def _as_owner():
    """PostgreSQL refuses to be run by root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []


class Redis(Server):
    """A Redis that keeps nothing: when it is killed, every message it held is lost."""

    not_yet = redis.RedisError

    def __init__(self):
        super().__init__("redis")
        self._password = secrets.token_hex(16)
        self.url = f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    def prepare(self):
        settings = {
            "port": self.port,
            "bind": "127.0.0.1",
            "requirepass": self._password,
            "dir": self.folder,
            "save": '""',
            "appendonly": "no",
        }
        self._settings.touch(mode=0o600)
        self._settings.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))

    def command(self):
        return [_redis(), str(self._settings)]

    @property
    def _settings(self):
        return self.folder / "redis.conf"

    def ask(self):
        with redis.Redis.from_url(self.url) as client:
            client.ping()

    def waiting(self, queue="default"):
        """How many messages no worker has taken yet."""
        with redis.Redis.from_url(self.url) as client:
            return client.llen(queue)
