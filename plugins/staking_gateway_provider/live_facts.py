"""Present values of a network's gateway, for page and alerts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError
from staking_gateway.health.facts import LiveFacts, read_facts
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import count_error

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig


def ask_gateway(
    network: NetworkConfig,
    conn_id: str | None = None,
    *,
    count_as: str | None = None,
) -> LiveFacts:
    """Ask the network's gateway; an error becomes the `problem`.

    :param conn_id: connection of the gateway, if it is another than the network's.
    :param count_as: network for which failed calls are counted; None: none.
    """
    try:
        with StakingGatewayHook(conn_id or network.gateway_conn_id).get_conn() as client:
            if count_as is not None:
                client.on_error = partial(count_error, count_as)
            return read_facts(client, network, free_balance=client.free_balance)
    except StakingGatewayError as error:
        explained = explain(error)
        return LiveFacts(problem=explained.what, topic=explained.topic)
