"""What other DAGs can be scheduled on: an era of a network was paid, or its accounts' statuses are all stored."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Asset

_SCHEME = "staking://"


def payouts_asset(network: str) -> Asset:
    """`staking://<network>/payouts`: an event says that an era is paid; its partition key is the era."""
    return _asset(network, "payouts")


def statuses_asset(network: str) -> Asset:
    """`staking://<network>/statuses`: an event says that every account's status of an era is stored."""
    return _asset(network, "statuses")


def _asset(network: str, what: str) -> Asset:
    return Asset(name=f"staking_{what}_{network}", uri=f"{_SCHEME}{network}/{what}", group="staking")


def announce(context: Any, outlets: Any, era: int, **facts: Any) -> None:
    """Give the events of a task's own assets the era as partition, whatever key the run has. Nothing is sent unless the task succeeds.

    :param outlets: the task's; those of other kinds are left alone.
    :param facts: what consumers get as `extra`; plain JSON, no secrets.
    """
    for asset in outlets:
        if isinstance(asset, Asset) and asset.uri.startswith(_SCHEME):
            event = context["outlet_events"][asset]
            event.add_partitions(str(era))
            event.extra = {"era": era, **facts}
