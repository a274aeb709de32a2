"""Reads of gateway and node that never fail a page, an alert or a run: an error becomes words."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import ConnectionMissing, StakingGatewayError
from staking_gateway.health.facts import LiveFacts, read_facts
from staking_gateway.problem import Level
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.metrics import count_error

if TYPE_CHECKING:
    from collections.abc import Collection

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.problem import Problem

log = logging.getLogger(__name__)


def ask_gateway(network: NetworkConfig, *, count_as: str | None = None) -> LiveFacts:
    """Present values of a network's gateway; an error becomes the `problem`.

    :param count_as: network for which failed calls are counted; None: none.
    """
    try:
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            if count_as is not None:
                client.report_errors(partial(count_error, count_as))
            return read_facts(client, network)
    except StakingGatewayError as error:
        return LiveFacts(problem=explain(error))


def set_up_problems(name: str, network: NetworkConfig, *, signs: bool) -> list[Problem]:
    """What keeps a network from signing, or from checking an account: a missing connection of a signer, and mistaken accounts.

    :param signs: whether the network needs its signers.
    """
    from staking_gateway_provider.connections import find_connection
    from staking_gateway_provider.settings import read_config

    found = []
    for field in ("user_signer_conn_id", "payer_signer_conn_id") if signs else ():
        try:
            find_connection(field, getattr(network, field))
        except ConnectionMissing as error:
            found.append(explain(error, name))
    mistake = read_config().watched(name)[1]
    mistaken = [] if mistake is None else mistake.mistakes or (mistake.problem,)
    return [*found, *(replace(one, level=Level.ATTENTION) for one in mistaken)]


def note_token(name: str, config: NetworkConfig, era: int, *, ledger: Ledger, actor: Actor) -> None:
    """Store the token of `staking.yaml` for an era, so that its amounts have a unit, whichever DAG pays it."""
    from staking_gateway.ledger.records import EraFacts

    if (token := config.token) is None:
        return
    unit = EraFacts(
        network=name, era=era, symbol=token.symbol, decimals=token.decimals, noted_at=utc_now(), run=str(actor)
    )
    try:
        ledger.facts.note_era(unit)
    except StakingGatewayError as error:
        log.warning("The amounts of era %s have no unit until its report: %s", era, error)


def note_eras(name: str, config: NetworkConfig, eras: Collection[int], *, ledger: Ledger, actor: Actor) -> None:
    """Store the amounts of ended eras, paid or not, after a report. What is missing, the next comparison fills."""
    from staking_gateway.books.amounts import note_amounts
    from staking_gateway.books.compare import Sides

    try:
        node = StakingGatewayHook(config.gateway_conn_id).get_node() if eras else None
        sides = Sides(name, config, ledger, None, node, actor, utc_now())
        note_amounts(sides, eras)
        problem = "" if node is None else sides.node_problem
    except StakingGatewayError as error:
        problem = explain(error).facts
    if problem:
        log.warning("The reward stays unknown until the next comparison with the chain: %s", problem)
