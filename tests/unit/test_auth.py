"""Access tokens: issued ones are passed on, self-made ones are what the gateway's own client makes, and none is shown."""

import base64
import copy
import json
import pickle
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from staking_gateway.errors import InvalidConnection
from staking_gateway.gateway import client
from staking_gateway.gateway.client import MAX_TOKEN_AGE, SelfMadeToken
from staking_gateway.http.endpoint import IssuedToken
from staking_gateway.signing import LocalSigner, access_token_message, verify
from staking_gateway.types import AccountId

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())
KEYS = {key["name"]: key for key in VECTORS["keys"]}
TOKEN = "aSecretToken.42"


class Clock:
    """Time that stands still until it is moved."""

    now = 1_700_000_000.0

    def __call__(self):
        return self.now


def opened(token):
    return json.loads(base64.b64decode(token, validate=True))


KEYLIKE = ["5e" * 32, "0x" + "5e" * 20, "a//b", "eyJwayI6Ii8vIn0=", "//" + "x8" * 20 + "==", "/abc"]


@pytest.mark.parametrize("token", [TOKEN, "eyJhbGciOiJub25lIn0.e30.", "a+/=", "x" * 5000, *KEYLIKE])
def test_an_issued_token_is_passed_on_as_it_is_also_one_that_resembles_a_key(token):
    assert IssuedToken(token).value() == token


HARD, SOFT = "0x" + "5e" * 32, "0x" + "5E" * 32 + "//hard/soft"
NO_TOKENS = {
    "token: is empty": ["", None, 5, b"token"],
    "token": [" ", TOKEN + "\n", TOKEN + "\r\nX-Evil: 1", " " + TOKEN, "a b", "a\tb", "tökén", "a\x00", "\x7f"],
    # A host in a signer's connection, or a key in a gateway's, would send it over the network in clear.
    "form of a private key": [HARD, SOFT, "//Alice", "//Alice//stash", "//Alice/0///secret", "///secret"],
}


@pytest.mark.parametrize(("token", "told"), [(token, told) for told, tokens in NO_TOKENS.items() for token in tokens])
def test_what_is_no_token_or_cannot_stand_in_a_header_or_is_a_key_is_refused_without_being_shown(token, told):
    with pytest.raises(InvalidConnection, match=told) as caught:
        IssuedToken(token)
    assert not isinstance(token, str) or not token.strip() or token not in str(caught.value)
    assert "Secret" not in str(caught.value)


MADE = [one for one in VECTORS["awt"] if one["has_payer"] == bool(one["payer_public_key"])]


@pytest.mark.parametrize("vector", MADE, ids=lambda vector: vector["id"])
def test_a_self_made_token_is_the_one_the_vectors_show(vector, monkeypatch):
    moment = datetime.fromisoformat(vector["iat"].replace("Z", "+00:00"))
    signer = LocalSigner(KEYS[vector["signer"]]["suri"])
    payer = AccountId.parse(vector["payer_public_key"]) if vector["payer_public_key"] else None
    monkeypatch.setattr(client, "time", moment.timestamp)
    token = SelfMadeToken(signer, payer=payer).value()

    expected = json.loads(vector["payload_json"])
    assert opened(vector["token"]) == expected
    content = opened(token)
    assert list(content) == list(expected)
    signature = content.pop("sig")
    assert content == {name: value for name, value in expected.items() if name != "sig"}
    message = access_token_message(signer.account, vector["iat"], vector["has_payer"], payer)
    assert "0x" + message.hex() == vector["message"]
    assert verify(message, signature, signer.account)


def test_a_token_is_kept_for_half_its_life_and_then_made_anew_as_when_the_clock_was_set_back(monkeypatch):
    monkeypatch.setattr(client, "time", clock := Clock())
    source = SelfMadeToken(LocalSigner("//Alice"))
    first = source.value()
    clock.now += MAX_TOKEN_AGE / 2 - 0.001
    assert source.value() == first
    clock.now += 0.001
    assert opened(source.value())["iat"] == "2023-11-14T22:13:50.000Z"
    assert opened(first)["iat"] == "2023-11-14T22:13:20.000Z"
    clock.now = Clock().now - 3600
    assert opened(source.value())["iat"] == "2023-11-14T21:13:20.000Z"


def sources():
    made = SelfMadeToken(LocalSigner("//Alice"))
    made.value()
    return [IssuedToken(TOKEN), made]


@pytest.mark.parametrize("source", sources(), ids=["issued", "self-made"])
def test_a_token_source_never_shows_its_token_and_is_never_pickled_or_copied(source):
    assert not [shown for shown in (repr(source), str(source), f"{source}") if source.value() in shown]
    assert not hasattr(source, "__dict__")
    pickles = [partial(pickle.dumps, protocol=number) for number in range(pickle.HIGHEST_PROTOCOL + 1)]
    for take in (*pickles, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="never pickled"):
            take(source)
