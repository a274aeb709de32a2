"""Signed messages, their decoding, and their signers."""

from __future__ import annotations

from staking_gateway.signing.signers import (
    LocalSigner,
    MessageKind,
    ProofMaker,
    Proofs,
    Signer,
    access_token_message,
    fee_payment_message,
    payout_message,
    verify,
)

__all__ = [
    "LocalSigner",
    "MessageKind",
    "ProofMaker",
    "Proofs",
    "Signer",
    "access_token_message",
    "fee_payment_message",
    "payout_message",
    "verify",
]
