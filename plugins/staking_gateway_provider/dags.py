"""The DAGs of `staking.yaml`, without their tasks, and their assets. Parsing a DAG file reads names and literals only."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import SplitResult

from airflow.sdk import DAG, Asset, DeltaTriggerTimetable, Param

from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ConfigError
from staking_gateway_provider.networks import read_config
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG, WATCH_DAG

log = logging.getLogger(__name__)

_OFTEN, _SELDOM = timedelta(minutes=1), timedelta(minutes=15)
"""Shortest and longest time between two checks of all networks."""
DEFAULT_ARGS = {
    "owner": "staking",
    "retries": 6,
    "retry_delay": timedelta(seconds=15),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=10),
    "deferrable": True,
}
_ERA: dict[str, Any] = {"type": ["null", "integer"], "minimum": 0}
_APPROVE = "Hash of a plan; the run pays as it says, or nothing"
_SCHEME = "staking://"
_COUNT: dict[str, Any] = {**_ERA, "minimum": 1}


class _Schema(dict[str, Any]):
    """The schema of a form's field. At each parse, Airflow copies the fields for each task and each class of its operator; they share this schema."""

    def __deepcopy__(self, memo: Any) -> _Schema:
        return self


def _field(default: Any, title: str, about: str, **schema: Any) -> Param:
    draft = "http://json-schema.org/draft-03/schema#"  # checked at each parse, in a quarter of the newest draft's time
    return Param(default, about, schema=_Schema({"$schema": draft, "title": title, **schema}))


def _text(pattern: str) -> dict[str, Any]:
    return {"type": ["null", "string"], "pattern": f"^{pattern}$"}


_HASH = _text("[0-9a-f]{16}")


@dataclass(frozen=True)
class StakingNetwork:
    """A network of `staking.yaml`, for DAG files."""

    name: str
    config: NetworkConfig

    def dag(self, dag_id: str, **arguments: Any) -> DAG:
        """A DAG of the network, with Airflow's arguments; templates render to values, tasks are retried and wait without a worker."""
        defaults = {"default_args": DEFAULT_ARGS, "render_template_as_native_obj": True, "tags": ["staking", self.name]}
        return DAG(dag_id, **{**defaults, **arguments})

    def payout_dag(self, **arguments: Any) -> DAG:
        """`staking_payout_<network>`: a run per era, by the calendar. A manual run has a form with the era."""
        about = "Era to pay, e.g. 1234; empty: the partition key, or else the era before the active era"
        return self.dag(
            PAYOUT_DAG + self.name,
            dag_display_name=f"Staking payout: {self.name}",
            description=f"Pays each era of the network {self.name} exactly once, and checks its accounts",
            schedule=EraTimetable(self.config.calendar, delay=self.config.calendar_settings.delay),
            start_date=self.config.start_date,
            catchup=self.config.catchup,
            max_active_runs=8,
            default_args={
                **DEFAULT_ARGS,
                "start_from_trigger": True,
                # Airflow counts the time of a task that the triggerer starts: it knows the limit from the parse.
                "timeout": self.config.timing.window_timeout.total_seconds(),
            },
            params={
                "era": _field(None, "Era", about, **_ERA),
                "approve": _field(None, "Approved plan", _APPROVE, **_HASH),
            },
            **arguments,
        )

    def catch_up_dag(self, **arguments: Any) -> DAG:
        """`staking_catch_up_<network>`: pays unpaid eras, one run at a time. A manual run has a form."""
        settings, seldom = self.config.catch_up, max(self.config.calendar_settings.era_length, _SELDOM)
        return self.dag(
            CATCH_UP_DAG + self.name,
            dag_display_name=f"Staking catch-up: {self.name}",
            description=f"Pays the unpaid eras of the network {self.name}, soonest to expire first",
            # The timetable that Airflow makes of a timedelta, without Airflow's slow type checks.
            schedule=DeltaTriggerTimetable(settings.interval or seldom) if settings.scheduled else None,
            catchup=False,
            max_active_runs=1,
            params={
                "from_era": _field(None, "From era", "Oldest era; empty: the oldest that can be paid", **_ERA),
                "to_era": _field(None, "To era", "Newest era; empty: the newest that can be paid", **_ERA),
                "eras": _field(
                    None,
                    "Eras",
                    "Instead of both: eras and ranges, e.g. 1391, 1395-1402",
                    **_text("[0-9, -]{1,10000}"),
                ),
                "dry_run": _field(False, "Dry run", "Only write the plan; nothing is sent", type="boolean"),
                "max_eras": _field(
                    settings.max_eras, "Budget of eras", "Most eras to pay in this run; empty: all", **_COUNT
                ),
                "max_fees": _field(
                    None if settings.max_fees is None else str(settings.max_fees),
                    "Budget of fees",
                    "Most fees to pay in this run, in the smallest unit; empty: no limit",
                    **_text("[0-9]*[1-9][0-9]*"),
                ),
                "approve": _field(None, "Approved plan", _APPROVE, **_HASH),
            },
            **arguments,
        )


def staking_networks() -> list[StakingNetwork]:
    """The enabled networks.

    A network with a mistake is left out, and the log, the page, `doctor` and `staking_watch` name it: Airflow starts no run of a file with an import error.

    :raises ConfigError: every network has a mistake, or a mistake is outside of the networks' settings.
    """
    networks, mistakes = read_config().networks()
    for mistake in mistakes.values():
        if not networks:
            raise mistake
        log.error("Only the other networks have DAGs. %s", mistake)
    return [StakingNetwork(name, config) for name, config in networks.items()]


def watch_dag(**arguments: Any) -> DAG:
    """`staking_watch`, which checks all networks, also while `staking.yaml` has mistakes.

    It runs once in the shortest era, within 1 to 15 minutes, and starts unpaused, because it sends nothing but alerts.
    """
    try:
        networks, _ = read_config().networks()
    except ConfigError:
        networks = {}
    shortest = min((network.calendar_settings.era_length for network in networks.values()), default=_OFTEN)
    return DAG(
        WATCH_DAG,
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


# --- assets: to schedule other DAGs on; OpenLineage reads them as the outputs of tasks ---------------------------------------


def payouts_asset(network: str) -> Asset:
    """`staking://<network>/payouts`: each event is a paid era, its partition key."""
    return _asset(network, "payouts")


def statuses_asset(network: str) -> Asset:
    """`staking://<network>/statuses`: each event is an era whose statuses are all stored."""
    return _asset(network, "statuses")


def exports_asset(network: str) -> Asset:
    """`staking://<network>/exports`: each event is an era whose files are written, its partition key."""
    return _asset(network, "exports")


def _asset(network: str, what: str) -> Asset:
    return Asset(name=f"staking_{what}_{network}", uri=f"{_SCHEME}{network}/{what}", group="staking")


def announce(context: Any, outlets: Any, eras: Collection[int], **extra: Any) -> None:
    """Add eras as partitions to the events of a task's staking assets: one event each when the task succeeds, with `extra`, plain JSON."""
    for asset in outlets:
        if isinstance(asset, Asset) and asset.uri.startswith(_SCHEME):
            event = context["outlet_events"][asset]
            for era in eras:
                event.add_partitions(str(era))
            event.extra = extra


def normalize_uri(parts: SplitResult) -> SplitResult:
    """Check that the URI of an asset names a network and something of it, for Airflow's list of schemes."""
    if not parts.netloc or not parts.path.strip("/"):
        raise ValueError("A staking URI names a network and one of its assets, such as staking://devnet/payouts")
    return parts._replace(path=parts.path.rstrip("/"))


def asset_dataset(asset: Asset, lineage_context: Any) -> Any:
    """OpenLineage's dataset of an asset: `payouts` in the namespace `staking://<network>`, for example."""
    from airflow.providers.common.compat.openlineage.facet import Dataset

    del lineage_context
    network, _, name = asset.uri.removeprefix(_SCHEME).partition("/")
    return Dataset(namespace=f"{_SCHEME}{network}", name=name)
