"""The lane of a network: the chain whose nonces its payouts share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.gateway.capabilities import if_supported

if TYPE_CHECKING:
    from staking_gateway.gateway.client import GatewayClient
    from staking_gateway.ledger import Ledger


def chain_of(client: GatewayClient, ledger: Ledger, network: str) -> str:
    """The name of the chain, the same for all connections to it.

    Without a name from the gateway: the chain of the network's earlier payouts, or else the gateway's address.

    A payload in flight keeps its chain until it is settled, also when the gateway reports another name. Another name would open a second
    lane. Two payloads of one user and payer could then be in flight with the same nonces.
    """
    info = if_supported(client.chain_info)
    name = None if info is None else info.name
    return ledger.busy_chain(network) or name or ledger.known_chain(network) or client.base_url
