"""A payout through a gateway client, without the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.signing import ProofMaker, Signer
from staking_gateway.types import AccountId, NonceKind

if TYPE_CHECKING:
    from staking_gateway import GatewayClient

RELAYER = AccountId.parse("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
"""Bob, whom the simulator knows."""


def pay(gateway: GatewayClient, user: Signer, payer: Signer, era: int, *, send_with: Any = None) -> str:
    """Ask the gateway for nonces and fee, sign, and send.

    :param send_with: the client that sends; the one that asks unless told otherwise.
    :returns: the request id.
    """
    proofs = ProofMaker(user, payer).make(
        relayer=RELAYER,
        era=era,
        relayer_fee=gateway.relayer_fee(RELAYER, payer.account),
        staking_nonce=gateway.nonce(user.account, NonceKind.STAKING),
        payment_nonce=gateway.nonce(payer.account, NonceKind.PAYMENT),
    )
    sent: str = (send_with or gateway).payout_stakers(
        relayer=RELAYER,
        user=user.account,
        payer=payer.account,
        era=era,
        proxy_signature=proofs.proxy_signature,
        fee_payment_signature=proofs.fee_payment_signature,
        payment_nonce=proofs.payment_nonce,
    )
    return sent
