"""One set of signatures: what our layers add to the library below them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import sr25519

from benchmarks import checks
from benchmarks.results import Line, Scale, at_least, rate
from benchmarks.rounds import interleaved, where_time_goes
from staking_gateway import signing
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.signing import LocalSigner, ProofMaker

if TYPE_CHECKING:
    from collections.abc import Callable

_ERA, _FEE, _NONCE = 1392, 10**17, 7
_SIGNING = 0.7


def proofs(scale: Scale) -> list[Line]:
    """Both proofs and an access token beside the sr25519 binding on the very same bytes. Both sides verify the two proofs."""
    count = scale.of(200, 50)
    ours, bare = _signing_contenders()
    seconds = interleaved({"ours": _timed(ours, count), "bare": _timed(bare, count)}, scale.of(9, 3))
    value = seconds.ratio("bare", "ours")
    line = Line(
        "signing",
        "the binding: three signatures, two of them verified",
        rate(1 / seconds["ours"], "sets"),
        rate(1 / seconds["bare"], "sets"),
        value,
        at_least(_SIGNING),
        "constant: keys are derived once a process",
        reason=f"profiled, the time goes to {where_time_goes(_timed(ours, count))}" if value < _SIGNING else "",
    )
    return [line]


def _signing_contenders() -> tuple[Callable[[], None], Callable[[], None]]:
    user, payer, relayer = LocalSigner("//Alice"), LocalSigner("//Charlie"), LocalSigner("//Bob").account
    maker = ProofMaker(user, payer)

    def ours() -> None:
        maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
        SelfMadeToken(user).value()

    made = maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
    token = signing.access_token_message(user.account, "2026-06-01T12:00:00.000Z")
    alice, charlie = _pair("//Alice"), _pair("//Charlie")
    messages = (
        (alice, signing.payout_message(relayer, _ERA, _NONCE)),
        (charlie, signing.fee_payment_message(user.account, relayer, made.proxy_signature, _FEE, _NONCE)),
    )

    def bare() -> None:
        for pair, message in messages:
            if not sr25519.verify(sr25519.sign(pair, message), message, pair[0]):
                raise checks.WrongAnswer("a signature does not verify")
        sr25519.sign(alice, token)

    return ours, bare


def _pair(secret: str) -> tuple[bytes, bytes]:
    from substrateinterface import Keypair

    keypair = Keypair.create_from_uri(secret)
    return keypair.public_key, keypair.private_key


def _timed(work: Callable[[], object], count: int) -> Callable[[], float]:
    """Seconds that one piece of work takes, on average of many."""

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(count):
            work()
        return (time.perf_counter() - start) / count

    return measure
