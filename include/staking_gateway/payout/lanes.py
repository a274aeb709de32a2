"""Lanes: the nonces that the eras of one user or payer share on a chain, read from the ledger.

A user's staking nonce is exclusive: while a payload of the user may execute, nothing else is signed for that user on the chain. A
payer's nonce is weaker, because each execution shows in its own user's staking nonce. Another user's payload of the same payer only
delays a signature, by `settle_within` after it was signed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.gateway.capabilities import if_supported
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.evidence import Shared

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from staking_gateway.gateway.client import GatewayClient
    from staking_gateway.ledger import Ledger, Payout
    from staking_gateway.payout.terms import PayoutTerms


def shared_by(others: Iterable[Payout]) -> Shared | None:
    """Whether other payloads with a payment nonce have used it, or still may."""
    states = {other.state for other in others}
    if PayoutState.CONFIRMED in states:
        return Shared.CONFIRMED
    return Shared.IN_FLIGHT if any(state.in_flight for state in states) else None


def blocker_of(record: Payout, ledger: Ledger, terms: PayoutTerms, now: datetime) -> Payout | None:
    """The payload that has to be settled before a part is signed, or None."""
    user, payer = terms.user.hex, terms.payer.hex
    for other in ledger.in_flight(terms.lane):
        if other.id == record.id or other.staking_nonce is None:
            continue
        if other.user_key == user:
            return other
        if other.payer_key == payer and other.signed_at is not None and now - other.signed_at <= terms.settle_within:
            return other
    return None


def chain_of(client: GatewayClient, ledger: Ledger, network: str) -> str:
    """The name of the chain, the same for all connections to it.

    Without a name from the gateway: the chain of the network's earlier payouts, or else the gateway's address.

    A payload in flight keeps its chain until it is settled, also when the gateway reports another name. Another name would open a second
    lane. Two payloads of one user and payer could then be in flight with the same nonces.
    """
    info = if_supported(client.chain_info)
    name = None if info is None else info.name
    return ledger.busy_chain(network) or name or ledger.known_chain(network) or client.base_url
