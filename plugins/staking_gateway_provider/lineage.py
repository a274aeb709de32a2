"""Assets to schedule other DAGs on: paid eras, and stored statuses."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Asset

_SCHEME = "staking://"


def payouts_asset(network: str) -> Asset:
    """`staking://<network>/payouts`: each event is a paid era, its partition key."""
    return _asset(network, "payouts")


def statuses_asset(network: str) -> Asset:
    """`staking://<network>/statuses`: each event is an era whose statuses are all stored."""
    return _asset(network, "statuses")


def _asset(network: str, what: str) -> Asset:
    return Asset(name=f"staking_{what}_{network}", uri=f"{_SCHEME}{network}/{what}", group="staking")


def announce(context: Any, outlets: Any, era: int, **facts: Any) -> None:
    """Add the era as a partition to the events of a task's staking assets. Airflow sends the events when the task succeeds.

    :param outlets: outlets of the task; other assets are ignored.
    :param facts: the event's `extra`; plain JSON, no secrets.
    """
    for asset in outlets:
        if isinstance(asset, Asset) and asset.uri.startswith(_SCHEME):
            event = context["outlet_events"][asset]
            event.add_partitions(str(era))
            event.extra = {"era": era, **facts}
