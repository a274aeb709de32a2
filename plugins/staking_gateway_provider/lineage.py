"""Assets to schedule other DAGs on, and OpenLineage's datasets: paid eras, stored statuses, and exported eras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

if TYPE_CHECKING:
    from collections.abc import Collection
    from urllib.parse import SplitResult

_SCHEME = "staking://"


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
    """Add eras as partitions to the events of a task's staking assets. Airflow sends an event per partition when the task succeeds.

    :param outlets: outlets of the task; other assets are ignored.
    :param extra: the `extra` of each of these events: what is true of all eras; plain JSON, no secrets.
    """
    for asset in outlets:
        if isinstance(asset, Asset) and asset.uri.startswith(_SCHEME):
            event = context["outlet_events"][asset]
            for era in eras:
                event.add_partitions(str(era))
            event.extra = extra


def normalize_uri(parts: SplitResult) -> SplitResult:
    """Check the URI of an asset, for Airflow's list of schemes.

    :raises ValueError: it names no network, or nothing of the network.
    """
    if not parts.netloc or not parts.path.strip("/"):
        raise ValueError("A staking URI names a network and one of its assets, such as staking://devnet/payouts")
    return parts._replace(path=parts.path.rstrip("/"))


def asset_dataset(asset: Asset, lineage_context: Any) -> Any:
    """OpenLineage's dataset of an asset: `payouts` in the namespace `staking://<network>`, for example."""
    from airflow.providers.common.compat.openlineage.facet import Dataset

    del lineage_context
    network, _, name = asset.uri.removeprefix(_SCHEME).partition("/")
    return Dataset(namespace=f"{_SCHEME}{network}", name=name)
