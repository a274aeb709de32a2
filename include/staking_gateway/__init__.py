"""Pay every staking era exactly once through a JSON-RPC gateway; no Airflow needed.

The names below are the public interface; `staking_gateway.errors` holds the exceptions. They are loaded on first use, so
that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staking_gateway.gateway.async_client import AsyncGatewayClient
    from staking_gateway.gateway.client import GatewayClient
    from staking_gateway.gateway.gateway import Gateway
    from staking_gateway.types import (
        AccountId,
        ChainInfo,
        ElectionWindow,
        NonceKind,
        RequestState,
        RequestStatus,
        StakingStatus,
    )

    __version__: str

_DISTRIBUTION = "airflow-provider-staking-gateway"
_HOMES = {"AsyncGatewayClient": "gateway.async_client", "Gateway": "gateway.gateway", "GatewayClient": "gateway.client"}
"""Modules of names that are not in `types`."""

__all__ = [
    "AccountId",
    "AsyncGatewayClient",
    "ChainInfo",
    "ElectionWindow",
    "Gateway",
    "GatewayClient",
    "NonceKind",
    "RequestState",
    "RequestStatus",
    "StakingStatus",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(_DISTRIBUTION)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'types')}"), name)
