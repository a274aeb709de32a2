"""What a DAG file needs while it is parsed: names and literals from the configuration file, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG, DeltaTriggerTimetable, Param, conf

from staking_gateway.config import load_config
from staking_gateway.errors import ConfigError
from staking_gateway_provider.deadlines import DagWithDeadlines, era_deadlines
from staking_gateway_provider.timetables.era import EraTimetable

if TYPE_CHECKING:
    from staking_gateway.settings import CatchUpSettings, NetworkConfig

DEFAULT_ARGS = {
    "retries": 5,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=10),
}

# Airflow checks each field's schema at every parse. A draft whose own schema is one piece takes half as long as the newest, and the
# patterns are compiled here, where that is done once.
_DRAFT = "http://json-schema.org/draft-07/schema#"
_AMOUNT = re.compile("^[0-9]*[1-9][0-9]*$")
_PLAN_HASH = re.compile("^[0-9a-f]{16}$")


def network_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, list[int], DAG]]:
    """One DAG per enabled network, scheduled once per era.

    :param prefix: DAG ids are `<prefix>_<network>`.
    :param arguments: further arguments of each DAG.
    :returns: the network's name, the indices of its chunks of accounts, and the DAG.
    :raises ConfigError: the file holds a mistake; Airflow shows it as the DAG file's import error.
    """
    for name, network in _enabled_networks():
        if network.catchup and network.start_date is None:
            raise ConfigError(
                f"networks.{name}.start_date",
                "is missing, and catchup is true",
                "Write from when on eras are paid, e.g. 2026-01-01T00:00:00Z",
            )
        chunks = _chunks(name, network)
        dag = DagWithDeadlines(
            dag_id=f"{prefix}_{name}",
            schedule=EraTimetable(network.calendar, delay=network.delay),
            start_date=network.start_date,
            catchup=network.catchup,
            max_active_runs=8,
            deadline=era_deadlines(name, network),
            default_args=DEFAULT_ARGS,
            tags=["staking", name],
            **arguments,
        )
        yield name, chunks, dag


def catch_up_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, DAG]]:
    """One DAG per enabled network, scheduled every so often, with a form for manual runs.

    :param prefix: DAG ids are `<prefix>_<network>`.
    :param arguments: further arguments of each DAG.
    :returns: the network's name, and the DAG.
    :raises ConfigError: the file holds a mistake; Airflow shows it as the DAG file's import error.
    """
    for name, network in _enabled_networks():
        interval = network.catch_up_interval if network.catch_up.scheduled else None
        dag = DAG(
            dag_id=f"{prefix}_{name}",
            # What Airflow makes of a bare interval as well, but only after it has looked through every kind of collection.
            schedule=None if interval is None else DeltaTriggerTimetable(interval),
            catchup=False,
            max_active_runs=1,
            default_args=DEFAULT_ARGS,
            params=_form(network.catch_up),
            tags=["staking", name],
            **arguments,
        )
        yield name, dag


def _enabled_networks() -> Iterator[tuple[str, NetworkConfig]]:
    for name, network in load_config(check_accounts=False).networks.items():
        if network.enabled:
            yield name, network


def _chunks(name: str, network: NetworkConfig) -> list[int]:
    most = conf.getint("core", "max_map_length", fallback=1024)
    chunks = network.account_chunks()
    if chunks > most:
        accounts = len(network.accounts)
        raise ConfigError(
            f"networks.{name}.statuses.chunk_size",
            f"{network.statuses.chunk_size} splits {accounts} accounts into {chunks} tasks; Airflow maps at most {most}",
            f"Write {-(-accounts // most)} or more, or raise max_map_length in the section [core] of Airflow's configuration",
        )
    return list(range(chunks))


def _form(settings: CatchUpSettings) -> dict[str, Param]:
    era: dict[str, Any] = {"type": ["null", "integer"], "minimum": 0}
    fees = None if settings.max_fees is None else str(settings.max_fees)
    return {
        "from_era": _field(None, "From era", "Oldest era; empty: the oldest that can be paid", **era),
        "to_era": _field(None, "To era", "Newest era; empty: the newest that can be paid", **era),
        "dry_run": _field(False, "Dry run", "Only write the plan; nothing is sent", type="boolean"),
        "max_eras": _field(
            settings.max_eras,
            "Budget of eras",
            "Most eras to pay in this run; empty: all",
            type=["null", "integer"],
            minimum=1,
        ),
        "max_fees": _field(
            fees,
            "Budget of fees",
            "Most fees to pay in this run, in the smallest unit; empty: no limit",
            type=["null", "string"],
            pattern=_AMOUNT.pattern,
        ),
        "approve": _field(
            None,
            "Approved plan",
            "Hash of a plan; the run pays that plan or nothing",
            type=["null", "string"],
            pattern=_PLAN_HASH.pattern,
        ),
    }


def _field(value: Any, title: str, description: str, **schema: Any) -> Param:
    schema = {"$schema": _DRAFT, "title": title, **schema}
    return Param(value, description, **schema)
