"""What a DAG file needs while it is parsed: names and literals from the configuration file, nothing else."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from airflow.sdk import DAG, DeltaTriggerTimetable, Param, conf

from staking_gateway.errors import ConfigError
from staking_gateway_provider.config_parts import usable_networks
from staking_gateway_provider.deadlines import DagWithDeadlines, era_deadlines
from staking_gateway_provider.timetables.era import EraTimetable

if TYPE_CHECKING:
    from staking_gateway.config.models import CatchUpSettings, NetworkConfig

Made = TypeVar("Made")

log = logging.getLogger(__name__)

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

    A network whose settings hold a mistake has no DAG as long as there is one of another network: the mistake is an error in the log
    of the DAG processor; `airflow staking doctor`, the Staking page and the import error of `dags/staking_configuration.py` name it.

    :param prefix: DAG ids are `<prefix>_<network>`.
    :param arguments: further arguments of each DAG.
    :returns: the network's name, the indices of its chunks of accounts, and the DAG.
    :raises ConfigError: no network is free of mistakes, or one is not in the settings of a network; Airflow shows it as the DAG
        file's import error.
    """
    yield from _of_each_network(
        lambda name, network: (name, *payout_dag(f"{prefix}_{name}", name, network, **arguments))
    )


def payout_dag(dag_id: str, name: str, network: NetworkConfig, **arguments: Any) -> tuple[list[int], DAG]:
    """The DAG of one network without its tasks, and the indices of the chunks of its accounts.

    :raises ConfigError: Airflow could not run what the settings say.
    """
    if network.catchup and network.start_date is None:
        raise ConfigError(
            f"networks.{name}.start_date",
            "is missing, and catchup is true",
            "Write from when on eras are paid, e.g. 2026-01-01T00:00:00Z",
        )
    chunks = _chunks(name, network)
    dag = DagWithDeadlines(
        dag_id=dag_id,
        schedule=EraTimetable(network.calendar, delay=network.delay),
        start_date=network.start_date,
        catchup=network.catchup,
        max_active_runs=8,
        deadline=era_deadlines(name, network),
        default_args=DEFAULT_ARGS,
        tags=["staking", name],
        **arguments,
    )
    return chunks, dag


def check_networks() -> None:
    """See that every enabled network has its DAGs, in a DAG file that has none.

    :raises ConfigError: a mistake, also one that `network_dags` only logs; Airflow shows it as the DAG file's import error.
    """
    networks, mistake = usable_networks()
    if mistake is not None:
        raise mistake
    for name, network in networks.items():
        if network.enabled:
            payout_dag(f"checked_{name}", name, network)


def catch_up_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, DAG]]:
    """One DAG per enabled network, scheduled every so often, with a form for manual runs.

    :param prefix: DAG ids are `<prefix>_<network>`.
    :param arguments: further arguments of each DAG.
    :returns: the network's name, and the DAG.
    :raises ConfigError: as for `network_dags`, where a mistake in one of several networks stops its own DAG alone, too.
    """
    for name, network in enabled_networks():
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


def enabled_networks() -> Iterator[tuple[str, NetworkConfig]]:
    """The enabled networks with their settings, as DAG files go through them.

    :raises ConfigError: as for `network_dags`, where a mistake in one of several networks stops its own DAG alone, too.
    """
    yield from _of_each_network(lambda name, network: (name, network))


def _of_each_network(make: Callable[[str, NetworkConfig], Made]) -> Iterator[Made]:
    """What is made of each enabled network. Mistakes are logged, or raised where they leave nothing to be made.

    An import error beside DAGs is no way to tell of them: Airflow starts no run of any DAG of a file that has one.
    """
    networks, mistake = usable_networks()
    mistakes = [] if mistake is None else [mistake]
    made = False
    for name, network in networks.items():
        if not network.enabled:
            continue
        try:
            one = make(name, network)
        except ConfigError as error:
            mistakes.append(error)
            continue
        made = True
        yield one
    if mistakes and not made:
        raise mistakes[0]
    for mistake in mistakes:
        log.error("Only the other networks have DAGs. %s", mistake)


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
