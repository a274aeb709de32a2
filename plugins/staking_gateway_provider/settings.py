"""Finds `staking.yaml` and the ledger's connection by Airflow's section `[staking_gateway]`, the variables, and AIRFLOW_HOME."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from airflow.sdk import conf

from staking_gateway.config import find
from staking_gateway.errors import ConfigError

if TYPE_CHECKING:
    from staking_gateway.config.file import ConfigFile

SECTION = "staking_gateway"
LEDGER_VARIABLE = "STAKING_GATEWAY_LEDGER_CONN_ID"
"""Environment variable that names the ledger's connection when nothing else does."""


def config_path() -> Path:
    """The path of `staking.yaml`: `STAKING_GATEWAY_CONFIG`, `[staking_gateway] config_file`, an `include` folder, or AIRFLOW_HOME.

    :raises ConfigError: the file does not exist.
    """
    return find.find_config_path(_config_setting(), airflow_home())


def config_path_if_any() -> Path | None:
    """The same; None where no file is found. A file that a variable or setting names must exist."""
    try:
        return config_path()
    except ConfigError as problem:
        if problem.field != find.CONFIG_NAME:
            raise
        return None


def new_config_path() -> Path:
    """The path for `staking.yaml`: of a variable or setting, of the existing file, or in the `include` folder of AIRFLOW_HOME.

    Never in the working directory, because Airflow's programs may run in another one; but a checkout's own file counts everywhere.
    """
    for name, value in ((find.CONFIG_VARIABLE, os.environ.get(find.CONFIG_VARIABLE)), _config_setting()):
        if value:
            return find.expanded(name, value)
    beside, own = (folder / "include" / find.CONFIG_NAME for folder in (Path.cwd(), airflow_home()))
    found = config_path_if_any()
    return own if found is None or (found == beside and found != find.path_in_checkout()) else found


def read_config() -> ConfigFile:
    """`staking.yaml`, read once per process and again after a change.

    :raises ConfigError: there is no file, or it is not a YAML mapping.
    """
    return find.read_config(config_path())


def default_ledger() -> tuple[str, str] | None:
    """The name of the variable or setting with the ledger's connection, and the connection's id; None: the file in AIRFLOW_HOME."""
    named = (
        (LEDGER_VARIABLE, os.environ.get(LEDGER_VARIABLE)),
        (f"[{SECTION}] ledger_conn_id", _value("ledger_conn_id")),
    )
    return next(((name, value) for name, value in named if value), None)


def _config_setting() -> tuple[str, str | None]:
    return f"[{SECTION}] config_file", _value("config_file")


def _value(option: str) -> str | None:
    return conf.get(SECTION, option, fallback=None) or None


def max_mapped_tasks() -> int:
    """The most tasks that Airflow maps."""
    return conf.getint("core", "max_map_length", fallback=1024)


def airflow_home() -> Path:
    """AIRFLOW_HOME, expanded by Airflow."""
    from airflow.configuration import get_airflow_home

    return Path(get_airflow_home())
