"""From the configuration file and Airflow's connections to what the core needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger

LEDGER_VARIABLE = "STAKING_GATEWAY_LEDGER_CONN_ID"
"""Environment variable that names the ledger's connection when nothing else does."""
LEDGER_FILE = "staking_ledger.db"
"""Name of the embedded ledger, in AIRFLOW_HOME."""


def network_config(name: str, *, watched: bool = False) -> NetworkConfig:
    """The validated settings of a network. Mistakes in those of other networks do not count.

    :param watched: whether those of the accounts that are only watched count: their checksums, and one that is named twice.
    :raises ConfigError: the file holds a mistake, or has no such network.
    """
    from staking_gateway.config.loader import load_config

    return load_config(check_watched=watched, network=name).network(name)


def find_network(name: str) -> NetworkConfig | None:
    """The same, or None when there is no file or it does not name the network.

    :raises ConfigError: the file holds a mistake, or is not where the environment variable says.
    """
    from staking_gateway.config.loader import load_config

    path = _config_path()
    return load_config(path, check_watched=False, network=name).networks.get(name) if path else None


def _config_path() -> Path | None:
    """The configuration file, or None when there is none; one that is named must be there."""
    from staking_gateway.config.loader import CONFIG_VARIABLE, find_config_path
    from staking_gateway.errors import ConfigError

    try:
        return find_config_path()
    except ConfigError:
        if os.environ.get(CONFIG_VARIABLE):
            raise
        return None


def check_stored_era(network: NetworkConfig, era: int, gateway_conn_id: str) -> None:
    """See `staking_gateway.accounts.check_stored_era`.

    :param gateway_conn_id: connection of the gateway that is asked for the statuses, and so for the active era.
    :raises InvalidEra: the era has not ended, or has expired.
    :raises GatewayError: the gateway did not answer.
    """
    from staking_gateway import accounts
    from staking_gateway.eras.calendar import utc_now
    from staking_gateway.gateway.capabilities import if_supported
    from staking_gateway_provider.hooks.gateway import StakingGatewayHook

    with StakingGatewayHook(gateway_conn_id).get_conn() as client:
        accounts.check_stored_era(network, era, if_supported(client.active_era), utc_now())


def open_ledger(ledger_conn_id: str | None = None) -> Ledger:
    """The ledger at `ledger_url`.

    :raises LedgerError: it cannot be opened.
    """
    from staking_gateway.ledger import Ledger

    return Ledger(ledger_url(ledger_conn_id))


def ledger_url(ledger_conn_id: str | None = None) -> str:
    """SQLAlchemy URL of a connection (SQLite or PostgreSQL), or of the embedded ledger in AIRFLOW_HOME.

    :param ledger_conn_id: None takes the one the configuration file names, or else the environment variable.
    :raises ConfigError: the configuration file holds a mistake outside of the settings of networks, or is not where the environment
        variable says; the variable that names the ledger holds no connection id, or AIRFLOW_HOME no absolute path.
    :raises InvalidInput: the argument is no connection id, or a field or an extra of the connection cannot be used.
    :raises LedgerError: there is no connection of that name.
    """
    from staking_gateway_provider.config_parts import ledger_connection_id

    named_by, field = "an argument", "ledger_conn_id"
    if ledger_conn_id is None:
        path = _config_path()  # Operators also work without the file, with plain arguments.
        ledger_conn_id = ledger_connection_id(path) if path else None
        named_by = "ledger_conn_id of staking.yaml"
    if not ledger_conn_id:
        ledger_conn_id = os.environ.get(LEDGER_VARIABLE) or None
        named_by, field = f"the environment variable {LEDGER_VARIABLE}", LEDGER_VARIABLE
    if ledger_conn_id is None:
        return f"sqlite:///{_airflow_home() / LEDGER_FILE}"
    return _connection_url(ledger_conn_id, named_by, field)


def _airflow_home() -> Path:
    """AIRFLOW_HOME, with variables and ~ expanded as Airflow does it.

    :raises ConfigError: it is no absolute path.
    """
    from airflow.configuration import get_airflow_home

    from staking_gateway.errors import ConfigError

    home = Path(get_airflow_home())
    if not home.is_absolute():
        raise ConfigError(
            "AIRFLOW_HOME",
            f"{str(home)!r} is no absolute path: the ledger in it would be another one in each working directory",
            "Write the whole path, or name a connection of the ledger as ledger_conn_id in staking.yaml",
        )
    return home


def _connection_url(conn_id: str, named_by: str, field: str) -> str:
    from airflow.sdk import BaseHook
    from airflow.sdk.exceptions import AirflowNotFoundException

    from staking_gateway.errors import ConfigError, InvalidInput, LedgerError
    from staking_gateway_provider.connections import checked_connection_id, ledger_connection_url

    try:
        checked_connection_id(field, conn_id)
    except InvalidInput as problem:
        if field != LEDGER_VARIABLE:
            raise
        raise ConfigError(problem.field, problem.problem, problem.remedy) from None
    try:
        connection = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException as problem:
        # Airflow says the same of a secrets backend that did not answer, so a task is tried again.
        raise LedgerError(
            f"{problem}: the ledger's connection, as {named_by} names it. Create the connection, or correct its name there"
        ) from None
    return ledger_connection_url(connection)


def run_actor(context: Any) -> Actor:
    """Who acts in a task: its DAG run and its try."""
    from staking_gateway.ledger import Actor

    task_instance = context["ti"]
    return Actor(run=f"{task_instance.dag_id}/{task_instance.run_id}", try_number=task_instance.try_number)


def run_era(context: Any) -> int | None:
    """The era of a run: its partition key, if it has one.

    :raises InvalidEra: the key is not an era number.
    """
    from staking_gateway.types import parse_era

    key = context.get("partition_key")
    return None if key is None else parse_era(key, field="partition key")
