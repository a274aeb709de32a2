"""The active era, the election window, paid eras, rewards and nonces, from a node of the chain instead of the gateway.

`ChainReader` reads; `ChainState` holds era and window. Storage items of all older staking runtimes are read without metadata. Other
items need the runtime's metadata, of the versions 9 to 14.
The names below are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staking_gateway.chain.clients import AsyncChainGatewayClient, ChainGatewayClient
    from staking_gateway.chain.endpoint import NodeEndpoint
    from staking_gateway.chain.history import PastStatuses
    from staking_gateway.chain.node import ChainIdentity
    from staking_gateway.chain.reader import ChainReader, close_nodes
    from staking_gateway.chain.rewards import EraReward, PaidReward, PaidRewards
    from staking_gateway.chain.state import ChainState

_HOMES = {
    "AsyncChainGatewayClient": "clients",
    "ChainGatewayClient": "clients",
    "ChainIdentity": "node",
    "ChainReader": "reader",
    "ChainState": "state",
    "EraReward": "rewards",
    "NodeEndpoint": "endpoint",
    "PaidReward": "rewards",
    "PaidRewards": "rewards",
    "PastStatuses": "history",
    "close_nodes": "reader",
}

__all__ = [
    "AsyncChainGatewayClient",
    "ChainGatewayClient",
    "ChainIdentity",
    "ChainReader",
    "ChainState",
    "EraReward",
    "NodeEndpoint",
    "PaidReward",
    "PaidRewards",
    "PastStatuses",
    "close_nodes",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
