"""Amounts of ended eras for the ledger, after a report. They never fail a run: what is missing, the next comparison fills."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook

if TYPE_CHECKING:
    from collections.abc import Collection

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger

log = logging.getLogger(__name__)


def note_eras(
    name: str, config: NetworkConfig, eras: Collection[int], *, ledger: Ledger, conn_id: str, actor: Actor
) -> None:
    """Store the amounts of ended eras, paid or not. An error is logged.

    :param conn_id: connection of the gateway, which names the node.
    """
    from staking_gateway.books.amounts import note_amounts

    try:
        node = StakingGatewayHook(conn_id).get_node() if eras else None
        problem = note_amounts(name, config, eras, ledger=ledger, node=node, actor=actor).problem
    except StakingGatewayError as error:
        problem = explain(error).what
    if problem:
        log.warning("The reward stays unknown until the next comparison with the chain: %s", problem)
