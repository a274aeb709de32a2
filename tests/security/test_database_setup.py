"""deploy/database.sql on a real PostgreSQL that logs every statement: what it makes, what it refuses, and what it keeps to itself."""

import os
import subprocess
import uuid
from pathlib import Path

import pytest

from tests.support import servers

SCRIPT = Path(__file__).parents[2] / "deploy" / "database.sql"
PASSWORD = "the passw0rd of 'a' user"


class Made:
    """A user and a database of its name, made by the script.

    :param server: where.
    :param folder: for the file of the password.
    """

    def __init__(self, server, folder):
        self.server, self.name, self.file = server, f"made_{uuid.uuid4().hex[:12]}", folder / "it's the password"

    def run(self, content=PASSWORD, **given):
        """Run the script with a file of that content; returns psql ended."""
        self.file.write_bytes(content.encode())
        given = {"name": self.name, "file": self.file, **given}
        where = self.server.admin.set(drivername="postgresql").render_as_string(hide_password=False)
        command = ["psql", "--no-psqlrc", "--quiet", "--file", SCRIPT, "--dbname", where]
        command += [part for name, value in given.items() if value is not None for part in ("--set", f"{name}={value}")]
        return subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)

    def refusal(self, *arguments, **given):
        """What it says instead of changing anything; it says it though nobody has set ON_ERROR_STOP."""
        before = self.roles()
        ended = self.run(*arguments, **given)
        assert ended.returncode == 3
        assert self.roles() == before
        assert "ERROR:  Nothing was changed: " in ended.stderr
        return ended.stderr

    def roles(self):
        """Every role with its rights and the hash of its password."""
        return self.server.execute("SELECT * FROM pg_authid ORDER BY oid")

    def says(self, sql, password=PASSWORD):
        """What its database answers the user."""
        ((answer,),) = servers.execute(
            self.server.admin.set(username=self.name, password=password, database=self.name), sql
        )
        return answer


@pytest.fixture
def made(postgresql, tmp_path):
    made = Made(postgresql, tmp_path)
    yield made
    postgresql.execute(f"DROP DATABASE IF EXISTS {made.name} WITH (FORCE)", f"DROP ROLE IF EXISTS {made.name}")


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_user_has_the_password_of_the_file_and_a_database_that_is_closed_to_others(made, end):
    assert made.run(PASSWORD + end).returncode == 0
    assert made.says("SELECT has_schema_privilege('public', 'CREATE')") is True
    assert made.says("SELECT has_database_privilege('public', current_database(), 'CONNECT')") is False
    assert made.run("another").returncode == 0
    assert made.says("SELECT current_user", "another") == made.name


NO_LINE = "the file of the password is missing, empty or not a single line that ends in at most one newline"


@pytest.mark.parametrize(
    ("content", "given", "told"),
    [
        *(
            (content, {}, NO_LINE)
            for content in ("", "\n", "two\n\n", "two\nlines", "windows\r\n", "tab\t", "nothing\0")
        ),
        (PASSWORD, {"name": None}, "no name is given. Add --set name="),
        (PASSWORD, {"file": None}, "no file is given. Add --set file="),
        (PASSWORD, {"file": "/nowhere/at all"}, NO_LINE),
        (PASSWORD, {"file": "/"}, NO_LINE),
    ],
)
def test_what_is_left_out_not_there_or_no_single_line_changes_no_password(made, content, given, told):
    made.run()
    assert told in made.refusal(content, **given)
    assert made.says("SELECT current_user") == made.name


def test_no_superuser_is_locked_out(made):
    made.server.execute(f"CREATE ROLE {made.name} SUPERUSER")
    for name in (made.server.admin.username, made.name):
        told = "name is a superuser or the user you run this as, who would be locked out. Choose another name"
        assert told in made.refusal(name=name)


def test_the_password_is_not_in_the_servers_log(made):
    assert made.run("unheard-of-passw0rd").returncode == 0
    log = made.server.log.read_text()
    assert f'statement: GRANT USAGE, CREATE ON SCHEMA public TO "{made.name}"' in log, "it logs"
    assert "unheard-of-passw0rd" not in log


def test_of_a_database_that_is_there_the_owner_keeps_his_way_in(made):
    owner = f"owner_of_{made.name}"
    made.server.execute(f"CREATE ROLE {owner}", f"CREATE DATABASE {made.name} OWNER {owner}")
    assert made.run().returncode == 0
    assert made.says(f"SELECT has_database_privilege('{owner}', current_database(), 'CONNECT')") is True
    assert made.says("SELECT has_database_privilege('public', current_database(), 'CONNECT')") is False
