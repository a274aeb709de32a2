"""The remote signer's client against a small local one: what is sent, and what becomes of every answer it may give."""

import json

import pytest
from faults import ALICE, BOB, BOMB, HTML, SLOW_FAULTS, TOKEN, raw, reset_after, status

from staking_gateway.errors import SigningError
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner, MessageKind, payout_message, signature_of, verify
from staking_gateway.signing import remote as remote_signer
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId

ACCOUNT = AccountId.parse(ALICE)
MESSAGE = payout_message(BOB, 1391, 7)


def signer(server, **options):
    return RemoteSigner(server.url, TOKEN, ACCOUNT, **options)


def signs(key="//Alice"):
    """Signs as the contract in the module's docstring says."""
    local = LocalSigner(key)

    def behave(exchange):
        request = exchange.request.json
        message = bytes.fromhex(request["message"][2:])
        exchange.answer(json.dumps({"signature": local.sign(MessageKind(request["kind"]), message)}).encode())

    return behave


@pytest.mark.parametrize("kind", ["payout", "fee_payment", "access_token"])
def test_a_signature_is_asked_for_once_below_the_address_and_past_proxies_and_netrc(server, proxy, netrc, kind):
    server.script = [signs()]
    signature = RemoteSigner(f"{server.url}/keys/v1/", TOKEN, ACCOUNT).sign(MessageKind(kind), MESSAGE)
    assert verify(MESSAGE, signature, ALICE)
    assert proxy.count == 0
    (request,) = server.requests
    assert (request.verb, request.target) == ("POST", "/keys/v1/sign")
    assert request.json == {"account": ACCOUNT.hex, "kind": kind, "message": "0x" + MESSAGE.hex()}
    assert request.header("Authorization") == [f"bearer {TOKEN}"]
    assert request.header("Content-Type") == ["application/json"]


def test_the_check_asks_for_the_accounts_key_and_signs_nothing(server):
    server.script = [status("200 OK", b"")]
    signer(server).check()
    (request,) = server.requests
    assert (request.verb, request.target, request.body) == ("GET", f"/accounts/{ACCOUNT.hex}", b"")
    assert request.header("Authorization") == [f"bearer {TOKEN}"]


REFUSED = f"The remote signer refused for {ALICE}: .*"
BROKE = r"The remote signer of .* did not answer: the connection broke before the answer"
REFUSALS = {
    "policy": (status("403 Forbidden", b'{"reason": "one payout an era"}'), f"{REFUSED}HTTP 403, one payout an era"),
    "wrong token": (status("401 Unauthorized"), f"{REFUSED}HTTP 401, no reason given"),
    "reason that is no text": (status("403 Forbidden", b'{"reason": {"code": 7}}'), REFUSED + 'HTTP 403, {"code": 7}'),
    "reason with control characters": (
        status("403 Forbidden", json.dumps({"reason": "no\r\n\x1b[31mERROR all is well"}).encode()),
        f"{REFUSED}HTTP 403, no  \ufffd\\[31mERROR all is well",
    ),
    "long reason": (
        status("403 Forbidden", b'{"reason": "' + b"no" * 2000 + b'"}'),
        rf"{REFUSED}(HTTP 403, (no)*\Z|.*no reason given)",
    ),
    "redirect": (status("307 Temporary Redirect", b"", "Location: /elsewhere"), f"{REFUSED}HTTP 307"),
    "hangs up": (raw(b""), BROKE),
    "reset": (reset_after(b""), BROKE),
    "half an answer": (reset_after(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"), BROKE),
    "not gzip": (status("200 OK", HTML, "Content-Encoding: gzip"), BROKE),
}


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("call", ["sign", "check"])
def test_a_refusal_is_told_with_its_reason_and_a_broken_connection_as_such(server, name, call):
    behaviour, match = REFUSALS[name]
    server.script = [behaviour]
    with pytest.raises(SigningError, match=match) as refused:
        signer(server).check() if call == "check" else signer(server).sign(MessageKind.PAYOUT, MESSAGE)
    assert server.count == 1
    assert len(str(refused.value)) < 400
    assert str(refused.value).isprintable()
    assert refused.value.problem.topic is Topic.SIGNER
    assert TOKEN not in repr(signer(server)) + repr(refused.value)


def answers(signature, before=b""):
    return status("200 OK", before + json.dumps({"signature": signature}).encode())


SIGNATURE = LocalSigner("//Alice").sign(MessageKind.PAYOUT, MESSAGE)
NO_SIGNATURES = {
    "html": status("200 OK", HTML),
    "empty": status("200 OK", b""),
    "a number": status("200 OK", b'{"signature": 7}'),
    "short": answers(SIGNATURE[:-2]),
    "another account's": signs("//Bob"),
    "of another message": answers(LocalSigner("//Alice").sign(MessageKind.PAYOUT, MESSAGE + b"x")),
    "huge": answers("0" * 1_000_000),
    "a signature behind too much": answers(SIGNATURE, b" " * 5000),
    "gzip bomb": status("200 OK", BOMB, "Content-Encoding: gzip"),
}


@pytest.mark.parametrize("name", NO_SIGNATURES)
def test_what_is_no_signature_of_the_account_over_the_message_is_none(server, name):
    server.script = [NO_SIGNATURES[name]]
    with pytest.raises(SigningError, match=f"signer of {ALICE} .*(that does not verify|answer is too long)"):
        signature_of(signer(server), MessageKind.PAYOUT, MESSAGE)
    assert server.count == 1


@pytest.mark.parametrize("drip", SLOW_FAULTS)
def test_a_signer_that_always_has_a_little_more_is_given_up(server, monkeypatch, drip):
    monkeypatch.setattr(remote_signer, "TIMEOUTS", (5, 0.3, 0.3))
    server.script = [SLOW_FAULTS[drip]]
    with pytest.raises(SigningError, match="did not answer"):
        signer(server).sign(MessageKind.PAYOUT, MESSAGE)
