"""staking.yaml, and the ledger all networks share."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from staking_gateway_provider.doctor.clocks import check_ledger_clocks
from staking_gateway_provider.doctor.findings import Finding, error, note, ok, warning
from staking_gateway_provider.executors import ON_ONE_MACHINE, TAKE_POSTGRESQL, configured_executors
from staking_gateway_provider.networks import ledger_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.ledger.database import Database
    from staking_gateway_provider.doctor.case import SetUp


def check_configuration(setup: SetUp) -> Iterator[Finding]:
    """The file is there, valid, and has a network to pay."""
    from staking_gateway.config import find_config_path, load_config

    path = find_config_path()
    setup.config = config = load_config(path)
    if setup.network is not None:
        network = config.network(setup.network)
        if not network.enabled:
            yield note(
                f"{setup.network} is disabled: no DAG runs for it", "Set enabled: true in staking.yaml to run it"
            )
    elif not setup.networks():
        yield warning(f"no network of {path} is enabled: nothing runs", "Set enabled: true for one of them")
    yield ok(f"{path} is valid; networks: {', '.join(setup.networks()) or 'none'}")


def check_ledger(setup: SetUp) -> Iterator[Finding]:
    """The ledger opens, has the tables of this version, and can be written."""
    from staking_gateway.ledger import Ledger, schema_state
    from staking_gateway.ledger.database import Database

    setup.ledger_url = url = ledger_url(setup.ledger_conn_id)
    state = schema_state(url)
    with closing(Database(url)) as database:
        if state.current is None:
            yield _absent(database)
            return
        # Revisions are numbers of the same length; one that is not known here comes from a later version.
        if state.current > state.head:
            yield error(
                f"{state.ledger} has schema {state.current}, this version knows {state.head}",
                "Upgrade airflow-provider-staking-gateway on this machine",
            )
            return
        if not state.up_to_date:
            yield warning(
                f"{state.ledger} has schema {state.current}, this version's is {state.head}",
                "Run: airflow staking ledger upgrade",
            )
            return
        _try_to_write(database)
    setup.ledger = setup.stack.enter_context(closing(Ledger(url)))
    yield ok(f"{state.ledger} opens and can be written, schema {state.current}")
    yield from check_ledger_clocks(setup)


def _absent(database: Database) -> Finding:
    folder = Path(database.url.database or "").parent
    if database.is_sqlite and not os.access(folder, os.W_OK | os.X_OK):
        return error(
            f"{database.name} cannot be made: {folder} is no folder that can be written",
            "Create it, give this user the right to write there, or name another path in the ledger's connection",
        )
    return note(
        f"{database.name} does not exist yet", "The first run makes it; or do it now: airflow staking ledger upgrade"
    )


def _try_to_write(database: Database) -> None:
    """Ask for the right to write, by a change of no row.

    :raises LedgerError: it is not granted.
    """
    from staking_gateway.ledger.tables import payouts

    nothing = payouts.update().where(payouts.c.id == -1).values(version=payouts.c.version)
    with database.writing() as connection:
        connection.execute(nothing)


def check_ledger_sharing(setup: SetUp) -> Iterator[Finding]:
    """A file is no ledger for several machines: each would have its own, and pay again what the others paid."""
    executors = [*configured_executors().values()]
    apart = [name for name in executors if name not in ON_ONE_MACHINE]
    if not (setup.ledger_url or "").startswith("sqlite"):
        yield ok(f"a database server, fit for {', '.join(executors)}")
    elif apart:
        yield error(
            f"core.executor is {', '.join(apart)}, whose workers do not share the ledger, an SQLite file",
            TAKE_POSTGRESQL,
        )
    else:
        yield ok(f"a file, fit for {', '.join(executors)} on one machine")
