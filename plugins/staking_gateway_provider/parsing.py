"""What a DAG file needs while it is parsed: names and literals from the configuration file, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from airflow.sdk import DAG

from staking_gateway.config import load_config
from staking_gateway.errors import ConfigError
from staking_gateway_provider.timetables.era import EraTimetable

DEFAULT_ARGS = {"retries": 5, "retry_delay": timedelta(seconds=15), "retry_exponential_backoff": True}


def network_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, list[int], DAG]]:
    """One DAG per enabled network, scheduled once per era.

    :param prefix: DAG ids are `<prefix>_<network>`.
    :param arguments: further arguments of each DAG.
    :returns: the network's name, the indices of its chunks of accounts, and the DAG.
    :raises ConfigError: the file holds a mistake; Airflow shows it as the DAG file's import error.
    """
    for name, network in load_config(check_accounts=False).networks.items():
        if not network.enabled:
            continue
        if network.catchup and network.start_date is None:
            raise ConfigError(
                f"networks.{name}.start_date",
                "is missing, and catchup is true",
                "Write from when on eras are paid, e.g. 2026-01-01T00:00:00Z",
            )
        dag = DAG(
            dag_id=f"{prefix}_{name}",
            schedule=EraTimetable(network.calendar, delay=network.delay),
            start_date=network.start_date,
            catchup=network.catchup,
            max_active_runs=8,
            default_args={**DEFAULT_ARGS, "max_retry_delay": timedelta(minutes=10)},
            tags=["staking", name],
            **arguments,
        )
        yield name, list(range(network.account_chunks())), dag
