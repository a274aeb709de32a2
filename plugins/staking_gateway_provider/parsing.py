"""Makes the DAGs of the configuration file. Parsing a DAG file reads names and literals only."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from airflow.sdk import DAG, DeltaTriggerTimetable, Param, get_parsing_context

from staking_gateway.errors import ConfigError
from staking_gateway_provider.notifiers import check_notifiers
from staking_gateway_provider.settings import read_config
from staking_gateway_provider.timetables.era import EraTimetable

if TYPE_CHECKING:
    from staking_gateway.config.models import CatchUpSettings, NetworkConfig

Made = TypeVar("Made")

log = logging.getLogger(__name__)

_OFTEN, _SELDOM = timedelta(minutes=1), timedelta(minutes=15)
"""Shortest and longest time between two checks of all networks."""
DEFAULT_ARGS = {
    "owner": "staking",
    "retries": 5,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=10),
}

# Airflow checks each field's schema at every parse. Draft 7 takes half as long as the newest draft, and compiled patterns are cached.
_DRAFT = "http://json-schema.org/draft-07/schema#"
_AMOUNT = re.compile("^[0-9]*[1-9][0-9]*$")
_ERA_LIST = re.compile("^[0-9, -]{1,10000}$")
_PLAN_HASH = re.compile("^[0-9a-f]{16}$")
_ERA_NUMBER: dict[str, Any] = {"type": ["null", "integer"], "minimum": 0}
_ERA = "Era to pay, e.g. 1234; empty: the partition key, or else the era before the active era"


def network_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, DAG]]:
    """One DAG `<prefix>_<network>` per enabled network, scheduled once per era.

    A network with wrong settings gets no DAG, and the others still get theirs. The log of the DAG processor, `airflow staking doctor`,
    the Staking page and the import error of `dags/staking_configuration.py` name the mistake.

    :returns: the network's name and the DAG.
    :raises ConfigError: every network has a mistake, or a mistake is outside of the networks' settings.
    """
    yield from _of_each_network(
        lambda name, network: (name, payout_dag(f"{prefix}_{name}", name, network, **arguments)), prefix
    )


def payout_dag(dag_id: str, name: str, network: NetworkConfig, **arguments: Any) -> DAG:
    """The DAG of a network, without tasks."""
    if network.catchup and network.start_date is None:
        raise ConfigError(
            f"networks.{name}.start_date",
            "is missing, and catchup is true",
            "Write the time from which eras are paid, e.g. 2026-01-01T00:00:00Z",
        )
    return DAG(
        dag_id=dag_id,
        dag_display_name=f"Staking payout: {name}",
        description=f"Pays each era of the network {name} exactly once, and checks its accounts",
        schedule=EraTimetable(network.calendar, delay=network.delay),
        start_date=network.start_date,
        catchup=network.catchup,
        max_active_runs=8,
        # The sensor's time-out is Airflow's when the triggerer starts the task, so it is set at the parse.
        default_args={**DEFAULT_ARGS, "timeout": network.timing.window_timeout.total_seconds()},
        params={"era": _field(None, "Era", _ERA, **_ERA_NUMBER)},
        tags=["staking", name],
        **arguments,
    )


def watch_dag(dag_id: str, **arguments: Any) -> DAG:
    """The DAG that checks all networks, without tasks. It is made also while `staking.yaml` has mistakes, or cannot be read.

    It runs once in the shortest era of the readable networks, but at least every 15 minutes and at most every minute. It starts
    unpaused, because it sends nothing but alerts.
    """
    try:
        networks = [network for network in read_config().networks().values() if network.enabled]
    except ConfigError:
        networks = []
    shortest = min((network.calendar_settings.era_length for network in networks), default=_OFTEN)
    return DAG(
        dag_id=dag_id,
        schedule=DeltaTriggerTimetable(min(max(shortest, _OFTEN), _SELDOM)),
        catchup=False,
        max_active_runs=1,
        is_paused_upon_creation=False,
        dag_display_name="Staking watch",
        # Without retries: the next run checks everything again, and a run that waits for its retry would delay it.
        default_args={"owner": DEFAULT_ARGS["owner"], "execution_timeout": _SELDOM},
        tags=["staking"],
        **arguments,
    )


def check_networks() -> None:
    """Raise every mistake in the settings of enabled networks, including those that `network_dags` logs."""
    file = read_config()
    if (mistake := file.mistakes()) is not None:
        raise mistake
    for name, network in file.networks().items():
        if network.enabled:
            payout_dag(f"checked_{name}", name, network)
            check_notifiers(name, network.alerts)


def catch_up_dags(prefix: str, **arguments: Any) -> Iterator[tuple[str, DAG]]:
    """A network's name and its DAG `<prefix>_<network>`, with a form for manual runs; `network_dags` describes mistakes."""
    for name, network in _of_each_network(lambda name, network: (name, network), prefix):
        interval = network.catch_up_interval if network.catch_up.scheduled else None
        dag = DAG(
            dag_id=f"{prefix}_{name}",
            dag_display_name=f"Staking catch-up: {name}",
            description=f"Pays the unpaid eras of the network {name}, soonest to expire first",
            # The timetable that Airflow makes of a timedelta, without Airflow's slow type checks.
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
    """The enabled networks with their settings, for DAG files; `network_dags` describes mistakes."""
    yield from _of_each_network(lambda name, network: (name, network))


def _of_each_network(make: Callable[[str, NetworkConfig], Made], prefix: str | None = None) -> list[Made]:
    """The result of `make` for each enabled network. Mistakes are logged, or raised when there is no result.

    They are not import errors, because Airflow starts no run of a file with an import error.

    :param prefix: of the ids of DAGs. A task's process needs one DAG, so it reads one network.
    """
    file = read_config()
    only = (get_parsing_context().dag_id or "").removeprefix(f"{prefix}_")
    if only in file.enabled:
        return [make(only, file.network(only))]
    mistakes = [] if (mistake := file.mistakes_of_networks()) is None else [mistake]
    results = []
    for name, network in file.networks().items():
        if not network.enabled:
            continue
        try:
            result = make(name, network)
        except ConfigError as error:
            mistakes.append(error)
            continue
        results.append(result)
    if mistakes and not results:
        raise mistakes[0]
    for mistake in mistakes:
        log.error("Only the other networks have DAGs. %s", mistake)
    return results


def _form(settings: CatchUpSettings) -> dict[str, Param]:
    fees = None if settings.max_fees is None else str(settings.max_fees)
    return {
        "from_era": _field(None, "From era", "Oldest era; empty: the oldest that can be paid", **_ERA_NUMBER),
        "to_era": _field(None, "To era", "Newest era; empty: the newest that can be paid", **_ERA_NUMBER),
        "eras": _field(
            None,
            "Eras",
            "Instead of both: eras and ranges, e.g. 1391, 1395-1402",
            type=["null", "string"],
            pattern=_ERA_LIST.pattern,
        ),
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
