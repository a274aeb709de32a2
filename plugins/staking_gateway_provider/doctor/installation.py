"""Checks of the installation: `staking.yaml`, the DAGs it gives, and the ledger that all networks share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from staking_gateway.config.file import ConfigFile
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ConfigError
from staking_gateway.http.network import is_loopback
from staking_gateway.ledger import Ledger, NotGranted, SchemaState, schema_state
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.schema import airflow_schema
from staking_gateway.ledger.tables import payouts
from staking_gateway.problem import Topic
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.clock import CLOSE
from staking_gateway_provider.doctor.findings import Finding, Level, error, mistakes, note, ok, warning
from staking_gateway_provider.doctor.fixes import create_ledger
from staking_gateway_provider.ledger_identity import check_ledger as check_identity
from staking_gateway_provider.networks import ledger_place
from staking_gateway_provider.parsing import payout_dag
from staking_gateway_provider.settings import config_path, read_config

_ENCRYPT = "Set the extra sslmode of the ledger's connection to verify-full, and sslrootcert to the file of the server's authority"


def check_configuration(setup: SetUp) -> Iterator[Finding]:
    """The file is valid, enables a network, and gives DAGs. Each mistake is a finding, and stops its own network only."""
    path, broken = config_path(), {}
    try:
        file = read_config()
        file.check_around()
        for name in file.names if setup.network is None else [setup.network]:
            try:
                setup.configured[name] = _network_with_dags(file, name)
            except ConfigError as problem:
                broken[name] = problem
    except ConfigError as problem:
        yield from mistakes(problem)
        return
    for name, wrong in broken.items():
        yield from (replace(mistake, network=name if setup.configured else "") for mistake in mistakes(wrong))
    if not setup.configured:
        return
    if setup.network is not None:
        if not setup.configured[setup.network].enabled:
            yield note(
                f"{setup.network} is disabled: no DAG runs for it", "Set enabled: true in staking.yaml to run it"
            )
    elif not setup.networks():
        yield warning(f"no network of {path} is enabled: nothing runs", "Set enabled: true for one of them")
    if not broken:
        yield ok(f"{path} is valid; networks: {', '.join(setup.networks()) or 'none'}")


def _network_with_dags(file: ConfigFile, name: str) -> NetworkConfig:
    """The settings of a network.

    :raises ConfigError: they have a mistake, or give no DAG.
    """
    network = file.network(name, watched=True)
    if network.enabled:
        payout_dag("looked_at", name, network)
    return network


def check_ledger(setup: SetUp) -> Iterator[Finding]:
    """The ledger is the one that pays, opens, has the tables of this version, and can be written."""
    place = ledger_place(setup.ledger_conn_id)
    url, recorded = place.url, check_identity(place)
    state = schema_state(url)
    with closing(Database(url)) as database:
        if not state.up_to_date:
            missing = _of_another_version(state) if state.of_another_version else _absent(database, state)
            yield missing if missing.level is Level.ERROR else replace(missing, fix=create_ledger(url, state))
            return
        identity = ok("it is the ledger that pays" if recorded else "the first payment will record its identity")
        found = [_try_to_write(database, state), *_server(database), identity]
    setup.ledger = setup.stack.enter_context(closing(Ledger(url)))
    yield from found
    yield from check_clock(setup.ledger, setup.clock())


def check_stop(setup: SetUp) -> Iterator[Finding]:
    """Nobody has stopped the ledger, and since when it counts as restored."""
    stop, mark = (None, None) if setup.ledger is None else (setup.ledger.stopped(), setup.ledger.mark())
    if mark is not None:
        yield note(f"restored, by {mark.run} at {mark.at:%Y-%m-%d %H:%M:%S} UTC: {mark.why}")
    if stop is not None:
        what = f"{Topic.STOPPED.heading}, {stop.run} at {stop.at:%Y-%m-%d %H:%M:%S} UTC: {stop.why}"
        yield error(what, Topic.STOPPED.remedy)
    elif setup.ledger is not None:
        yield ok("the ledger is not stopped")


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
            f"{database.name} cannot be made: {folder} is not a writable folder",
            "Create it, give this user the right to write there, or name another path in the ledger's connection",
        )
    if not state.upgradable:
        return error(
            f"{database.name} has no tables yet, and its login may not create them",
            "Run with a connection of the login that will own them: airflow staking ledger upgrade",
        )
    return note(
        f"{database.name} does not exist yet",
        "The first run creates it; to create it now: airflow staking ledger upgrade",
    )


def _of_another_version(state: SchemaState) -> Finding:
    return error(
        f"{state.ledger} has schema {state.current}, this version knows {state.head}",
        "Install the version of airflow-provider-staking-gateway that made it on this machine",
    )


def _try_to_write(database: Database, state: SchemaState) -> Finding:
    """Try a change that affects no row."""
    nothing = payouts.update().where(payouts.c.id == -1).values(version=payouts.c.version)
    try:
        with database.writing() as connection:
            connection.execute(nothing)
    except NotGranted:
        return warning(
            f"{state.ledger} opens, schema {state.current}, but its login may not write payouts: nothing is paid with it",
            "This is correct for the API server. Tasks need a login with the worker's grants, see docs/security.md; check "
            "the tasks' login where they run",
        )
    return ok(f"{state.ledger} opens and can be written, schema {state.current}")


def _server(database: Database) -> Iterator[Finding]:
    """Whether the way to the server is safe, and whether Airflow's own tables are beside the ledger's."""
    if database.is_sqlite:
        return
    yield from _encryption(database)
    with database.reading() as connection:
        schema = airflow_schema(connection)
    if schema is not None:
        yield warning(
            f"Airflow's own tables are in the same database, in schema {schema!r}: everybody who can write Airflow's database "
            "can write the ledger, and a restore or clean-up affects both",
            "Move the ledger's tables to a database of their own, with pg_dump and pg_restore, while its DAGs are paused",
        )


def _encryption(database: Database) -> Iterator[Finding]:
    with database.reading() as connection:
        driver: Any = connection.connection.driver_connection  # psycopg2's, as `ledger_url` names it
        info = driver.info
        host, mode = info.host, info.dsn_parameters.get("sslmode")
        protocol = info.ssl_attribute("protocol") if info.ssl_in_use else None
    if not host or host.startswith("/") or is_loopback(host):
        return
    way = f"the connection to {host} is"
    if protocol is None and mode == "disable":
        yield note(f"{way} not encrypted, as its extra sslmode says")
    elif protocol is None:
        yield warning(
            f"{way} not encrypted: machines in between can read and change the ledger",
            f"{_ENCRYPT}; or to disable, where no other machine is in between",
        )
    elif mode in ("verify-full", "verify-ca"):
        verified = "certificate" if mode == "verify-ca" else "certificate and name"
        yield ok(f"{way} encrypted ({protocol}), and the server's {verified} verified")
    else:
        yield warning(
            f"{way} encrypted ({protocol}), but the certificate is not verified: another server could take its place",
            _ENCRYPT,
        )
