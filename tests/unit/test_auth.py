"""Access tokens: issued ones are passed on, self-made ones are what the gateway's own client makes, and none is shown."""

from __future__ import annotations

import asyncio
import base64
import copy
import json
import pickle
import threading
from datetime import datetime, timezone
from pathlib import Path

import pytest

from staking_gateway import AsyncGatewayClient
from staking_gateway.errors import GatewayUnreachable, InvalidConnection
from staking_gateway.gateway.auth import MAX_TOKEN_AGE, SelfMadeToken
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.http.token import IssuedToken, token_source
from staking_gateway.signing import LocalSigner, access_token_message, verify
from staking_gateway.types import AccountId

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())
KEYS = {key["name"]: key for key in VECTORS["keys"]}
TOKEN = "aSecretToken.42"


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def opened(token: str) -> dict[str, object]:
    content = json.loads(base64.b64decode(token, validate=True))
    assert isinstance(content, dict)
    return content


@pytest.mark.parametrize("token", [TOKEN, "a", "eyJhbGciOiJub25lIn0.e30.", "a+/=", "x" * 5000])
def test_an_issued_token_is_passed_on_as_it_is(token):
    assert IssuedToken(token).value() == token
    assert token_source(token).value() == token


@pytest.mark.parametrize("token", ["", None, 5, b"token"])
def test_no_token_is_refused(token):
    with pytest.raises(InvalidConnection, match="token: is empty"):
        token_source(token)


@pytest.mark.parametrize(
    "token", [" ", TOKEN + "\n", TOKEN + "\r\nX-Evil: 1", " " + TOKEN, "a b", "a\tb", "tökén", "a\x00", "\x7f"]
)
def test_a_token_that_cannot_stand_in_a_header_is_refused_without_being_shown(token):
    with pytest.raises(InvalidConnection, match="token") as caught:
        IssuedToken(token)
    assert "Secret" not in str(caught.value)


def test_a_token_source_is_used_as_it_is():
    source = IssuedToken(TOKEN)
    assert token_source(source) is source


@pytest.mark.parametrize("vector", VECTORS["awt"], ids=lambda vector: vector["id"])
def test_a_self_made_token_is_the_one_the_vectors_show(vector):
    moment = datetime.fromisoformat(vector["iat"].replace("Z", "+00:00"))
    signer = LocalSigner(KEYS[vector["signer"]]["suri"])
    payer = AccountId.parse(vector["payer_public_key"]) if vector["payer_public_key"] else None
    token = SelfMadeToken(signer, has_payer=vector["has_payer"], payer=payer, clock=Clock(moment.timestamp())).value()

    expected = json.loads(vector["payload_json"])
    assert opened(vector["token"]) == expected
    content = opened(token)
    assert list(content) == list(expected)
    signature = str(content.pop("sig"))
    assert content == {name: value for name, value in expected.items() if name != "sig"}
    message = access_token_message(signer.account, vector["iat"], vector["has_payer"], payer)
    assert "0x" + message.hex() == vector["message"]
    assert verify(message, signature, signer.account)


def test_a_payer_alone_means_that_there_is_one_and_has_payer_alone_names_none():
    payer = AccountId.parse(KEYS["bob"]["ss58_0"])
    content = opened(SelfMadeToken(LocalSigner("//Alice"), payer=payer).value())
    assert (content["hasPayer"], content["payer"]) == (True, payer.hex)
    content = opened(SelfMadeToken(LocalSigner("//Alice"), has_payer=True).value())
    assert (content["hasPayer"], "payer" in content) == (True, False)


@pytest.mark.parametrize(("age", "made"), [({}, "22:13:50"), ({"max_age": 600}, "22:18:20")])
def test_a_token_is_kept_for_half_its_life_and_then_made_anew(age, made):
    clock = Clock(1_700_000_000.0)
    source = SelfMadeToken(LocalSigner("//Alice"), **age, clock=clock)
    first = source.value()
    clock.now += age.get("max_age", MAX_TOKEN_AGE) / 2 - 0.001
    assert source.value() == first
    clock.now += 0.001
    assert opened(source.value())["iat"] == f"2023-11-14T{made}.000Z"
    assert opened(first)["iat"] == "2023-11-14T22:13:20.000Z"


def test_a_token_from_the_future_is_made_anew_when_the_clock_was_set_back():
    clock = Clock(1_700_000_000.0)
    source = SelfMadeToken(LocalSigner("//Alice"), clock=clock)
    source.value()
    clock.now -= 3600
    assert opened(source.value())["iat"] == "2023-11-14T21:13:20.000Z"


def test_the_time_of_issue_is_utc_with_milliseconds_rounded_down():
    moment = datetime(2026, 7, 1, 12, 0, 0, 999_999, tzinfo=timezone.utc)
    content = opened(SelfMadeToken(LocalSigner("//Alice"), clock=Clock(moment.timestamp())).value())
    assert content["iat"] == "2026-07-01T12:00:00.999Z"


def sources() -> list[object]:
    made = SelfMadeToken(LocalSigner("//Alice"))
    made.value()
    return [IssuedToken(TOKEN), made]


@pytest.mark.parametrize("source", sources(), ids=["issued", "self-made"])
def test_a_token_source_never_shows_its_token(source):
    for shown in (repr(source), str(source), f"{source}"):
        assert source.value() not in shown
    assert not hasattr(source, "__dict__")


@pytest.mark.parametrize("source", sources(), ids=["issued", "self-made"])
def test_a_token_source_is_never_pickled_or_copied(source):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="never pickled"):
            pickle.dumps(source, protocol)
    for take in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="never pickled"):
            take(source)


def test_a_self_made_token_is_signed_outside_the_event_loop():
    threads = []

    class WatchedSigner(LocalSigner):
        __slots__ = ()

        def sign(self, kind, message):
            threads.append(threading.current_thread())
            return super().sign(kind, message)

    async def ask():
        endpoint = Endpoint("http://127.0.0.1:9", retry=ReadRetry(attempts=1))
        async with AsyncGatewayClient(endpoint, SelfMadeToken(WatchedSigner("//Alice"))) as client:
            for _ in range(2):
                with pytest.raises(GatewayUnreachable):
                    await client.active_era()

    asyncio.run(ask())
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


@pytest.mark.parametrize(
    "key",
    [
        "0x" + "5e" * 32,
        "0x" + "5E" * 32 + "//hard/soft",
        "//Alice",
        "//Alice//stash",
        "//Alice/0///secret",
        "///secret",
    ],
)
def test_a_private_key_is_never_taken_for_a_token(key):
    """A host in a signer's connection, or a key in a gateway's, would send it over the network in clear."""
    with pytest.raises(InvalidConnection, match="form of a private key") as refused:
        IssuedToken(key)
    assert key not in str(refused.value)


@pytest.mark.parametrize(
    "token", ["5e" * 32, "0x" + "5e" * 20, "a//b", "eyJwayI6Ii8vIn0=", "//" + "x8" * 20 + "==", "/abc"]
)
def test_a_token_that_only_resembles_a_key_is_one(token):
    assert IssuedToken(token).value() == token
