"""The lane of a network: the chain whose nonces its payouts share.

A nonce belongs to a chain and an account, and a chain's identity is its genesis hash. A network's name is a label. Two chains may have one
name. So the lane of a network with a node is the genesis hash; without a node it is the name that the gateway reports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from staking_gateway.errors import ConfigError

if TYPE_CHECKING:
    from staking_gateway.gateway.gateway import Gateway
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.payout.terms import PayoutTerms

_GENESIS = re.compile(r"0x[0-9a-f]{64}")


def chain_of(gateway: Gateway, ledger: Ledger, network: str) -> str:
    """The lane of a network, the same for all connections to its chain. Nothing is written.

    With a node: its genesis hash. Otherwise the lane of a payload in flight, a genesis hash from before, the name that the gateway reports,
    the lane of the newest payout, or the gateway's address: the first of these that is known.

    :raises ConfigError: a payload is in flight on a chain with another genesis hash.
    :raises ChainError: the node cannot be read.
    """
    busy, genesis = ledger.busy_chain(network), gateway.genesis_hash()
    if genesis is not None:
        if busy is not None and _is_genesis(busy) and busy != genesis:
            raise ConfigError(
                f"networks.{network}",
                f"has payloads in flight on the chain with genesis {busy}, and its node has genesis {genesis}",
                "Connect it to a node of the first chain until they are settled, or give the other chain a network of its own",
            )
        return genesis
    info, known = gateway.chain_info(), ledger.known_chain(network)
    name = None if info is None or _is_genesis(info.name) else info.name
    return busy or (known if known and _is_genesis(known) else name or known) or gateway.base_url


def learn_genesis(ledger: Ledger, terms: PayoutTerms, actor: Actor) -> None:
    """Move the network's lanes from before its genesis hash was known to it."""
    if _is_genesis(terms.lane):
        for lane in {ledger.busy_chain(terms.network), ledger.known_chain(terms.network)}:
            if lane is not None and not _is_genesis(lane):
                ledger.rekey(lane, terms.lane, actor)


def check_user(ledger: Ledger, terms: PayoutTerms, staking_nonce: int | None) -> None:
    """Refuse to sign a staking nonce while a payload of the same user is in flight in another lane that may be the same chain.

    :raises ConfigError: it names both lanes.
    """
    for other in ledger.lanes_in_flight(terms.user.hex, staking_nonce) - {terms.lane}:
        if not (_is_genesis(other) and _is_genesis(terms.lane)):
            raise ConfigError(
                f"networks.{terms.network}.user",
                f"has a payload in flight on the chain {other!r}, which may be this network's chain {terms.lane!r}",
                "Wait until it is settled, or name a node of the chain in the connections of both networks",
            )


def _is_genesis(lane: str) -> bool:
    return _GENESIS.fullmatch(lane) is not None
