"""What a server sends back never shows what it was sent: its address, its token, a signature."""

import base64
import json

import pytest
from faults import ALICE, PAYOUT, envelope, status
from faults import REQUEST_ID as ID

from staking_gateway.chain import ChainReader
from staking_gateway.errors import ChainError, GatewayError, SigningError
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.signing import LocalSigner, MessageKind, payout_message
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from tests.support.nodes import close_nodes

TOKEN = "Tk7-" + base64.b64encode(b"an issued token, as long as many").decode()
PATH_KEY, QUERY_KEY, ENCODED_KEY = "B0XqPathKey99", "Qk3yValue", "a+b/c=dEf9"
SIGNATURE = "0x" + bytes(range(100, 164)).hex()
FEE_SIGNATURE = LocalSigner("//Alice").sign(MessageKind.PAYOUT, payout_message(ALICE, 1, 2))
PAYMENT = {**PAYOUT, "proxy_signature": SIGNATURE, "fee_payment_signature": FEE_SIGNATURE}
ONCE = ReadRetry(attempts=1)
WAYS = {
    "whole": lambda secret: f"refused: {secret}!",
    "after a long text": lambda secret: "x" * 185 + secret,
    "again and again": lambda secret: secret * 50,
    "between line breaks": lambda secret: f"no\r\n{secret}\x1b[31m\n",
}


def shown(error):
    """Everything that a log, a page or the ledger could take from an error."""
    return f"{error} {error!r} {vars(error)}"


def placed(text):
    """A gateway's answers with a text in every place."""
    for code in (-32600, -32603):
        yield {"error": {"code": code, "message": text, "data": text}}
        yield {"error": {"code": code, "message": "m", "data": {"gatewayError": text, "request": {"params": [text]}}}}
    for result in (text, [text], {text: text}, {"status": text}, {"name": text, "version": text}):
        yield {"result": result}
    yield {"error": text}
    yield {"result": "x", "id": text}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("secret", [TOKEN, SIGNATURE, FEE_SIGNATURE], ids=["token", "user's", "payer's"])
def test_a_gateway_that_quotes_the_request_shows_none_of_its_secrets(connect, server, way, secret):
    client = connect(Endpoint(server.url, retry=ONCE), TOKEN)
    payout, reads = (lambda: client.payout_stakers(**PAYMENT)), (client.chain_info, lambda: client.request_state(ID))
    answers = [envelope(**members) for members in placed(way(secret))]
    for call in (payout, *(reads if secret == TOKEN else ())):
        for answer in (*answers, status("200 OK", way(secret).encode())):
            server.script = [answer]
            try:
                told = str(call())
            except GatewayError as error:
                told = shown(error)
            assert secret not in told


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_signer_that_quotes_its_token_shows_none_of_it(server, way):
    server.script = [status("403 Forbidden", json.dumps({"reason": way(TOKEN)}).encode())]
    with pytest.raises(SigningError) as refused:
        RemoteSigner(server.url, TOKEN, AccountId.parse(ALICE)).check()
    assert TOKEN not in shown(refused.value)
    assert "\x1b" not in str(refused.value)


QUOTED = {
    "the path's key": PATH_KEY,
    "the path": f"/hook/{PATH_KEY}",
    "the query's key": QUERY_KEY,
    "the query": f"key={QUERY_KEY}&sig=a%2Bb%2Fc%3DdEf9",
    "the encoded key": "a%2Bb%2Fc%3DdEf9",
    "the decoded key": ENCODED_KEY,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("secret", QUOTED.values(), ids=QUOTED)
def test_a_node_that_quotes_its_address_shows_no_key_of_it(server, secret, way):
    address = f"{server.url}/hook/{PATH_KEY}?{QUOTED['the query']}"
    text = way(secret)
    server.script = [envelope(error={"code": [text], "message": text, "data": text})]  # also as its code
    with pytest.raises(ChainError) as refused:
        ChainReader(address, timeout=5).state()
    close_nodes()
    assert secret not in shown(refused.value)
