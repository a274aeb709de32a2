"""PostgreSQL and Redis as real servers: each with a folder and a free port of loopback of its own, killed and started at will."""

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psycopg2
import redis
import sqlalchemy as sa

from tests.support import debian
from tests.support.programs import Programs, free_port, plain_environment, quote

PATIENCE = 120
"""Seconds; a server that takes so long to start never does."""
_INITDB = "usr/lib/postgresql/*/bin/initdb"
"""Where Debian puts what only the server's owner calls."""


def install():
    """Install what is missing, where that is possible without asking anybody."""
    if not find_initdb():
        debian.install("postgresql")
    assert find_initdb(), "Not installed: postgresql. Install it, e.g. apt-get install postgresql"
    debian.program("redis-server", "redis-server")


def find_initdb():
    """The newest initdb, or None."""
    path = shutil.which("initdb")
    found = sorted(Path("/").glob(_INITDB), key=lambda program: float(program.parts[-3]))
    return found[-1] if found else Path(path) if path else None


class Server:
    """One server; a context manager, which starts it, and at the end leaves nothing of it.

    A subclass makes its files in `folder` (`prepare`), and has a command line (`command`) and a question (`ask`), which raises
    `not_yet` while the server does not answer.

    :param name: for logs and errors.
    """

    def __init__(self, name):
        self.name = name
        self.port = free_port()
        self._programs = Programs()

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix=f"services-{self.name}-"))
        self.log = self.folder / "server.log"
        self.prepare()
        self.start()
        return self

    def __exit__(self, *raised):
        for _ in self._programs.names():
            self.kill()  # a shutdown would wait for the connections that pools keep
        shutil.rmtree(self.folder)

    def start(self):
        """Start it, for the first time or again, and wait until it answers."""
        self._programs.start(self.name, self.command(), plain_environment(), self.log)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask()
            except self.not_yet as error:
                if time.monotonic() > until:
                    raise AssertionError(f"{self.name} does not answer: {error}\n{quote(self.log)}") from error
            time.sleep(0.1)

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
        self._data, password = self.folder / "data", self.folder / "password"
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
        address = ["-p", str(self.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        return [*_as_owner(), str(program), "-D", str(self._data), *address, "-c", "max_connections=200"]

    def ask(self):
        self.execute("SELECT 1")

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
    fields = {
        "host": url.host,
        "port": url.port,
        "user": url.username,
        "password": url.password,
        "dbname": url.database,
    }
    with closing(psycopg2.connect(**fields)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


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
        self._settings = self.folder / "redis.conf"
        self._settings.touch(mode=0o600)
        lines = [f"port {self.port}", "bind 127.0.0.1", f"requirepass {self._password}", f"dir {self.folder}"]
        self._settings.write_text("\n".join([*lines, 'save ""', "appendonly no", ""]))

    def command(self):
        return [debian.program("redis-server", "redis-server"), str(self._settings)]

    def ask(self):
        with redis.Redis.from_url(self.url) as client:
            client.ping()

    def waiting(self, queue="default"):
        """How many messages no worker has taken yet."""
        with redis.Redis.from_url(self.url) as client:
            return client.llen(queue)
