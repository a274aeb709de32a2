"""Pay every staking era exactly once through a JSON-RPC gateway; no Airflow needed.

Both clients are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staking_gateway.gateway.async_client import AsyncGatewayClient
    from staking_gateway.gateway.client import GatewayClient

__all__ = ["AsyncGatewayClient", "GatewayClient"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = {"AsyncGatewayClient": "async_client", "GatewayClient": "client"}[name]
    return getattr(import_module(f"{__name__}.gateway.{home}"), name)
