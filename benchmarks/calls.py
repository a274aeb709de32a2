"""One call, and one set of signatures: what our layers add to the libraries below them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import requests
import sr25519

from benchmarks import checks
from benchmarks.processes import served
from benchmarks.results import Findings, Line, Scale, at_least, at_most, duration, rate
from benchmarks.rounds import interleaved, where_time_goes
from staking_gateway import GatewayClient, signing
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.http.endpoint import HEADERS, Timeouts
from staking_gateway.signing import LocalSigner, MessageKind, ProofMaker

if TYPE_CHECKING:
    from collections.abc import Callable

_ERA, _FEE, _NONCE = 1392, 10**17, 7
_SIGNING = 0.7


def one_call(scale: Scale) -> Findings:
    """`GatewayClient.staking_status` beside `requests.Session.post`, on a kept connection."""
    count = scale.of(500, 100)
    (account,) = checks.accounts(1)
    timeouts = Timeouts()
    with (
        served("benchmarks.server") as gateway,
        GatewayClient(gateway, checks.TOKEN) as client,
        requests.Session() as session,
    ):
        session.trust_env = False
        session.headers.update({**HEADERS, "Authorization": f"bearer {checks.TOKEN}"})
        url, time_out = f"{gateway}/query", (timeouts.connect, timeouts.read)
        params = {"accountId": account.address}

        def bare() -> object:
            envelope = {"jsonrpc": "2.0", "method": "getStakingStatus", "params": params, "id": 1}
            return session.post(url, data=json.dumps(envelope), timeout=time_out).json()["result"]

        def ours() -> object:
            return client.staking_status(account)

        seconds = interleaved({"ours": _timed(ours, count), "bare": _timed(bare, count)}, scale.of(9, 3))
        value = seconds.ratio("ours", "bare")
        why = where_time_goes(_timed(ours, count)) if value > 1.15 else ""
    line = Line(
        "one call",
        "requests.Session.post, same headers and timeouts",
        duration(seconds["ours"]),
        duration(seconds["bare"]),
        value,
        at_most(1.15),
        f"{(seconds['ours'] - seconds['bare']) * 1e6:+.0f} us a call, whatever the latency",
        reason=f"profiled, the time goes to {why}" if why else "",
    )
    return Findings([line])


def signing_row(scale: Scale) -> Findings:
    """Both proofs and an access token beside the sr25519 binding on the very same bytes.

    The engine also verifies both proofs before they leave, which costs more than making them: it is shown with and without.
    """
    count = scale.of(200, 50)
    contenders = _signing_contenders()
    seconds = interleaved({name: _timed(work, count) for name, work in contenders.items()}, scale.of(9, 3))
    checking = seconds["bare, verified"] - seconds["bare"]
    lines = []
    for own, peer, words in (
        ("signed", "bare", "the sr25519 binding, three signatures"),
        ("verified", "bare, verified", "the binding, three signatures, two of them verified as the engine does"),
        ("verified", "bare", "the binding, three signatures; ours also verifies two, as the engine does"),
    ):
        value = seconds.ratio(peer, own)
        reason = ""
        if value < _SIGNING:
            told = where_time_goes(_timed(contenders[own], count))
            reason = (
                f"verifying two signatures takes the binding {duration(checking)} of our {duration(seconds[own])}; "
                if own == "verified"
                else ""
            ) + f"profiled, the time goes to {told}"
        lines.append(
            Line(
                "signing",
                words,
                rate(1 / seconds[own], "sets"),
                rate(1 / seconds[peer], "sets"),
                value,
                at_least(_SIGNING),
                "constant: keys are derived once a process",
                reason,
            )
        )
    return Findings(lines)


def _signing_contenders() -> dict[str, Callable[[], None]]:
    user, payer, relayer = LocalSigner("//Alice"), LocalSigner("//Charlie"), LocalSigner("//Bob").account
    maker = ProofMaker(user, payer)

    def signed() -> None:
        proxy = user.sign(MessageKind.PAYOUT, signing.payout_message(relayer, _ERA, _NONCE))
        message = signing.fee_payment_message(user.account, relayer, proxy, _FEE, _NONCE)
        payer.sign(MessageKind.FEE_PAYMENT, message)
        SelfMadeToken(user).value()

    def verified() -> None:
        maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
        SelfMadeToken(user).value()

    proofs = maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
    messages = (
        signing.payout_message(relayer, _ERA, _NONCE),
        signing.fee_payment_message(user.account, relayer, proofs.proxy_signature, _FEE, _NONCE),
        signing.access_token_message(user.account, "2026-06-01T12:00:00.000Z"),
    )
    pairs = [_pair(secret) for secret in ("//Alice", "//Charlie", "//Alice")]

    def bare(verify: int = 0) -> None:
        for index, (pair, message) in enumerate(zip(pairs, messages, strict=True)):
            signature = sr25519.sign(pair, message)
            if index < verify and not sr25519.verify(signature, message, pair[0]):
                raise checks.WrongAnswer("a signature does not verify")

    return {"signed": signed, "verified": verified, "bare": bare, "bare, verified": lambda: bare(2)}


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
