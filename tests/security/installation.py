"""A ledger on PostgreSQL with its logins, made word for word as a page of the documentation says, under names of its own."""

import re
import subprocess
import uuid
from contextlib import closing
from pathlib import Path

from staking_gateway.ledger import Ledger
from tests.support import servers
from tests.support.ledgers import make_tables, planned, signed

ROOT = Path(__file__).parents[2]
SNIPPETS = ROOT / "tests" / "docs_snippets"
NAMES = ("staking_ledger", "staking_worker", "staking_page", "staking_report")
PASSWORD = "..."  # as on the pages


def text(url):
    return url.render_as_string(hide_password=False)


def psql(url, *arguments, **variables):
    """Run psql as the pages say; whatever it warns of is a failure."""
    program = str(servers.find_initdb().with_name("psql"))
    given = [part for name, value in variables.items() for part in ("--set", f"{name}={value}")]
    address = text(url.set(drivername="postgresql"))
    command = [program, "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", *given, "--dbname", address, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


class Installation:
    """The database and its logins.

    :param make: how a page says to make the database: `by_distributed_page` or `by_deployed_file`.
    """

    def __init__(self, make, server, folder):
        self.mark, self.folder, self.admin = uuid.uuid4().hex[:8], folder, server.admin
        self.names = {name: f"{name}_{self.mark}" for name in NAMES}
        self.in_ledger = self.admin.set(database=self.names["staking_ledger"])
        make(self)
        make_tables(text(self.url("staking_ledger")))
        psql(self.in_ledger, "--file", self.page("ledger_logins.sql"))
        psql(self.url("staking_ledger"), "--file", self.page("ledger_grants.sql"))
        with closing(Ledger(text(self.url("staking_worker")))) as ledger:
            signed(ledger, planned(ledger))

    def page(self, name):
        """The file a page names or shows, with the names of this installation."""
        file, words = self.folder / f"{self.mark}_{name}", "|".join(NAMES)
        source = next(path for path in (ROOT / "deploy" / name, SNIPPETS / name) if path.exists())
        file.write_text(re.sub(rf"\b({words})\b", lambda found: self.names[found[0]], source.read_text()))
        return str(file)

    def url(self, name):
        return self.in_ledger.set(username=self.names[name], password=PASSWORD)


def by_distributed_page(made):
    psql(made.admin, "--file", made.page("ledger_database.sql"))


def by_deployed_file(made):
    password = made.folder / f"{made.mark}_password"
    password.write_text(PASSWORD)
    psql(made.admin, "--file", str(ROOT / "deploy" / "database.sql"), name=made.names["staking_ledger"], file=password)
