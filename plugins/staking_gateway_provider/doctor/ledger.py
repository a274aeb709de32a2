"""The ledger all networks share: that it opens, what this login may do there, and whether the way to it is safe."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.doctor.clock import CLOSE
from staking_gateway_provider.doctor.findings import Finding, error, note, ok, warning
from staking_gateway_provider.networks import ledger_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from staking_gateway.ledger import Ledger, SchemaState
    from staking_gateway.ledger.database import Database
    from staking_gateway_provider.doctor.case import SetUp

_ENCRYPT = "Set the extra sslmode of the ledger's connection to verify-full, and sslrootcert to the file of the server's authority"


def check_ledger(setup: SetUp) -> Iterator[Finding]:
    """The ledger opens, has the tables of this version, and can be written."""
    from staking_gateway.ledger import Ledger, schema_state
    from staking_gateway.ledger.database import Database

    setup.ledger_url = url = ledger_url(setup.ledger_conn_id)
    state = schema_state(url)
    with closing(Database(url)) as database:
        if not state.up_to_date:
            yield _absent(database, state) if state.current is None else _of_another_version(state)
            return
        found = [_try_to_write(database, state), *_surroundings(database)]
    setup.ledger = setup.stack.enter_context(closing(Ledger(url)))
    yield from found
    yield from check_clock(setup.ledger, setup.clock())


def check_clock(ledger: Ledger, machine: datetime) -> Iterator[Finding]:
    """The ledger's server has this machine's time.

    Leases follow the server's clock; the calendar and the day's fee limit follow the machine's.
    """
    ahead = (ledger.now() - machine).total_seconds()
    if abs(ahead) > CLOSE:
        way = "ahead of" if ahead > 0 else "behind"
        yield warning(
            f"the clock of the ledger's server is {abs(ahead):.0f} s {way} this machine's",
            "Set the clocks of both, e.g. timedatectl set-ntp true on each; then run this again",
        )


def _absent(database: Database, state: SchemaState) -> Finding:
    folder = Path(database.url.database or "").parent
    if database.is_sqlite and not os.access(folder, os.W_OK | os.X_OK):
        return error(
            f"{database.name} cannot be made: {folder} is no folder that can be written",
            "Create it, give this user the right to write there, or name another path in the ledger's connection",
        )
    if not state.upgradable:
        return error(
            f"{database.name} has no tables yet, and its login may not make them",
            "Run with a connection of the login that shall own them: airflow staking ledger upgrade",
        )
    return note(
        f"{database.name} does not exist yet", "The first run makes it; or do it now: airflow staking ledger upgrade"
    )


def _of_another_version(state: SchemaState) -> Finding:
    if state.newer:
        return error(
            f"{state.ledger} has schema {state.current}, this version knows {state.head}",
            "Upgrade airflow-provider-staking-gateway on this machine",
        )
    what = f"{state.ledger} has schema {state.current}, this version's is {state.head}"
    if state.upgradable:
        return warning(what, "Run: airflow staking ledger upgrade")
    return error(
        f"{what}, and its login may not upgrade it",
        "Run with a connection of the login that owns its tables: airflow staking ledger upgrade",
    )


def _try_to_write(database: Database, state: SchemaState) -> Finding:
    """Ask for the right to write, by a change of no row.

    :raises LedgerError: it cannot be written, and that for another reason than its login.
    """
    from staking_gateway.ledger import NotGranted
    from staking_gateway.ledger.tables import payouts

    nothing = payouts.update().where(payouts.c.id == -1).values(version=payouts.c.version)
    try:
        with database.writing() as connection:
            connection.execute(nothing)
    except NotGranted:
        return warning(
            f"{state.ledger} opens, schema {state.current}, and its login may not write payouts: nothing is paid with it",
            "That is right for the API server. Tasks need a login with the worker's grants, see docs/security.md; look at "
            "theirs where they run",
        )
    return ok(f"{state.ledger} opens and can be written, schema {state.current}")


def _surroundings(database: Database) -> Iterator[Finding]:
    """What is around a ledger on a server: the way there, and what else is in its database."""
    from staking_gateway.ledger.rights import airflow_schema

    if database.is_sqlite:
        return
    yield from _encryption(database)
    with database.reading() as connection:
        airflow = airflow_schema(connection)
    if airflow is not None:
        yield warning(
            f"Airflow's own tables are in the same database, in schema {airflow!r}: who can write Airflow's database can write "
            "the ledger, and one is restored or cleaned with the other",
            "Move the ledger's tables to a database of their own, with pg_dump and pg_restore, while its DAGs are paused",
        )


def _encryption(database: Database) -> Iterator[Finding]:
    from staking_gateway.http.endpoint import is_loopback

    with database.reading() as connection:
        driver: Any = connection.connection.driver_connection  # psycopg2's, as `ledger_url` names it
        info = driver.info
        host, mode = info.host, info.dsn_parameters.get("sslmode")
        protocol = info.ssl_attribute("protocol") if info.ssl_in_use else None
    if not host or host.startswith("/") or is_loopback(host):
        return
    if protocol is None and mode == "disable":
        yield note(f"the connection to {host} is not encrypted, as its extra sslmode says")
    elif protocol is None:
        yield warning(
            f"the connection to {host} is not encrypted: who is in between can read and change the record",
            f"{_ENCRYPT}; or to disable, where nobody is in between",
        )
    elif mode in ("verify-full", "verify-ca"):
        checked = "its certificate" if mode == "verify-ca" else "its certificate and its name"
        yield ok(f"the connection to {host} is encrypted ({protocol}), and the server shown to be right by {checked}")
    else:
        yield warning(
            f"the connection to {host} is encrypted ({protocol}), and nobody asks whose certificate that is: another server "
            "could take its place",
            _ENCRYPT,
        )
