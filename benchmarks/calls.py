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
from staking_gateway.signing import LocalSigner, ProofMaker

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
    return Findings([line])


def _signing_contenders() -> tuple[Callable[[], None], Callable[[], None]]:
    user, payer, relayer = LocalSigner("//Alice"), LocalSigner("//Charlie"), LocalSigner("//Bob").account
    maker = ProofMaker(user, payer)

    def ours() -> None:
        maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
        SelfMadeToken(user).value()

    proofs = maker.make(relayer=relayer, era=_ERA, relayer_fee=_FEE, staking_nonce=_NONCE, payment_nonce=_NONCE)
    token = signing.access_token_message(user.account, "2026-06-01T12:00:00.000Z")
    alice, charlie = _pair("//Alice"), _pair("//Charlie")
    messages = (
        (alice, signing.payout_message(relayer, _ERA, _NONCE)),
        (charlie, signing.fee_payment_message(user.account, relayer, proofs.proxy_signature, _FEE, _NONCE)),
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
