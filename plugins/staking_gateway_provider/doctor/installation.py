"""Checks of the installation: `staking.yaml`, the DAGs, and the ledger that all networks share."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from staking_gateway.errors import ConfigError
from staking_gateway.http.endpoint import is_loopback
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.database import Database, NotGranted
from staking_gateway.ledger.schema import AIRFLOW_SCHEMA, HEAD
from staking_gateway.ledger.tables import payouts
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.doctor.case import Installation, Said, check, note, warning
from staking_gateway_provider.networks import config_path

CLOSE = 5.0
"""A difference of clocks in seconds that is normal: headers have whole seconds, and an answer takes time."""
_ENCRYPT = "Set the extra sslmode of the ledger's connection to verify-full, and sslrootcert to the file of the server's authority"


@check("configuration", of_network=False)
def check_configuration(setup: Installation) -> Iterator[Said]:
    """The file is valid, enables a network, and gives DAGs. Each mistake is a problem, and stops its own network only."""
    try:
        settings = setup.settings
    except ConfigError as error:
        yield from error.mistakes or (error.problem,)
        return
    broken = {name: one for name, one in settings.items() if isinstance(one, ConfigError)}
    for name, wrong in broken.items():
        of = name if len(broken) < len(settings) else ""
        yield from (replace(mistake, network=of) for mistake in wrong.mistakes or (wrong.problem,))
    if len(broken) == len(settings):
        return
    if setup.network is not None:
        if not setup.networks()[setup.network].enabled:
            disabled = f"{setup.network} is disabled: no DAG runs for it"
            yield note(Topic.CONFIGURATION, disabled, "Set enabled: true in staking.yaml to run it")
    elif not setup.networks():
        none = f"no network of {config_path()} is enabled: nothing runs"
        yield warning(Topic.CONFIGURATION, none, "Set enabled: true for one of them")
    if not broken:
        yield f"{config_path()} is valid; networks: {', '.join(setup.networks()) or 'none'}"


@check("ledger", of_network=False)
def check_ledger(setup: Installation) -> Iterator[Said]:
    """The ledger is the one that pays, opens, has the tables of this version, and can be written."""
    recorded, version = setup.recorded, setup.schema
    with closing(Database(setup.place.url)) as database:
        if version not in (None, HEAD):
            yield Problem(
                Topic.LEDGER,
                f"{database.name} has schema {version}, this version knows {HEAD}",
                own_remedy="Install the version of airflow-provider-staking-gateway that made it on this machine",
            )
            return
        if version is None:
            yield _absent(database)
            return
        yield _try_to_write(database)
        yield from _server(database)
    yield "it is the ledger that pays" if recorded else "the first payment will record its identity"
    yield from check_clock(setup.ledger, setup.clock())
    if (mark := setup.ledger.mark()) is not None:
        yield note(Topic.LEDGER, f"restored, by {mark.run} at {mark.at:%Y-%m-%d %H:%M:%S} UTC: {mark.why}")


def check_clock(ledger: Ledger, machine: datetime) -> Iterator[Said]:
    """The ledger's server has this machine's time. All that is stored, and the day's limit of fees, follow the server's; the calendar this machine's."""
    ahead = (ledger.now() - machine).total_seconds()
    if abs(ahead) > CLOSE:
        way = "ahead of" if ahead > 0 else "behind"
        yield warning(Topic.CLOCK, f"the clock of the ledger's server is {abs(ahead):.0f} s {way} this machine's")


def _absent(database: Database) -> Problem:
    folder = Path(database.url.database or "").parent
    if database.is_sqlite and not os.access(folder, os.W_OK | os.X_OK):
        return Problem(
            Topic.LEDGER,
            f"{database.name} cannot be made: {folder} is not a writable folder",
            own_remedy="Create it, give this user the right to write there, or name another path in the ledger's connection",
        )
    will = "The first run creates it; or run, with the login that is to own its tables: airflow staking ledger upgrade"
    return replace(note(Topic.LEDGER, f"{database.name} does not exist yet", will), action={"kind": "create_ledger"})


def _try_to_write(database: Database) -> Said:
    """Try a change that affects no row."""
    nothing = payouts.update().where(payouts.c.id == -1).values(version=payouts.c.version)
    try:
        with database.writing() as connection:
            connection.execute(nothing)
    except NotGranted:
        return warning(
            Topic.LEDGER,
            f"{database.name} opens, schema {HEAD}, but its login may not write payouts: nothing is paid with it",
            "This is correct for the API server. Tasks need a login with the worker's grants, see docs/security.md; check "
            "the tasks' login where they run",
        )
    return f"{database.name} opens and can be written, schema {HEAD}"


def _server(database: Database) -> Iterator[Said]:
    """Whether the file, or the way to the server, is safe, and whether Airflow's own tables are beside the ledger's."""
    if database.file is not None and (mode := stat.S_IMODE(database.file.stat().st_mode)) & 0o077:
        yield warning(
            Topic.LEDGER,
            f"{database.name} has mode {mode:o}: other users of this machine can open it",
            f"It holds signatures. Run chmod 600 {database.file}*",
        )
    if database.is_sqlite:
        return
    yield from _encryption(database)
    with database.reading() as connection:
        schema = connection.scalar(AIRFLOW_SCHEMA)
    if schema is not None:
        yield warning(
            Topic.LEDGER,
            f"Airflow's own tables are in the same database, in schema {schema!r}: everybody who can write Airflow's database "
            "can write the ledger, and a restore or clean-up affects both",
            "Move the ledger's tables to a database of their own, with pg_dump and pg_restore, while its DAGs are paused",
        )


def _encryption(database: Database) -> Iterator[Said]:
    with database.reading() as connection:
        driver: Any = connection.connection.driver_connection  # psycopg2's, as `ledger_url` names it
        info = driver.info
        host, mode = info.host, info.dsn_parameters.get("sslmode")
        protocol = info.ssl_attribute("protocol") if info.ssl_in_use else None
    if not host or host.startswith("/") or is_loopback(host):
        return
    way = f"the connection to {host} is"
    if protocol is None and mode == "disable":
        yield note(Topic.LEDGER, f"{way} not encrypted, as its extra sslmode says")
    elif protocol is None:
        yield warning(
            Topic.LEDGER,
            f"{way} not encrypted: machines in between can read and change the ledger",
            f"{_ENCRYPT}; or to disable, where no other machine is in between",
        )
    elif mode in ("verify-full", "verify-ca"):
        verified = "certificate" if mode == "verify-ca" else "certificate and name"
        yield f"{way} encrypted ({protocol}), and the server's {verified} verified"
    else:
        what = f"{way} encrypted ({protocol}), but the certificate is not verified: another server could take its place"
        yield warning(Topic.LEDGER, what, _ENCRYPT)


@check("imports", of_network=False)
def check_imports(setup: Installation) -> Iterator[Said]:
    """Airflow can import the DAG files."""
    if setup.import_errors is None:
        what = "not checked: DAGs, scheduler and triggerer; the metadata database cannot be read"
        yield note(Topic.DAG_MISSING, what, "Run this where Airflow's scheduler runs, or run: airflow db migrate")
        return
    for file, text in setup.import_errors.items():
        if "staking" in file:
            last = " ".join(text.strip().splitlines()[-1:])[:200]
            see = "Fix that error, see airflow dags list-import-errors"
            yield Problem(Topic.DAG_MISSING, f"Airflow cannot import {file}: {last}", own_remedy=see)
