"""Both clients against a sound gateway: the same bytes out, the same values back, connections kept and closed."""

import asyncio
import gc
import json
import threading
import warnings

import pytest
from faults import ALICE, BOB, PAYOUT, REQUEST_ID, STASH, TOKEN, endpoint, envelope, raw, result, status

from staking_gateway import AsyncGatewayClient, ElectionWindow, GatewayClient, RequestStatus, StakingStatus, errors
from staking_gateway.accounts import check_statuses
from staking_gateway.errors import Failed, SendAnswer
from staking_gateway.gateway.calls import Dialect
from staking_gateway.gateway.client import SelfMadeToken
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.signing import LocalSigner
from staking_gateway.types import AccountId, ChainInfo, RequestState
from tests.support.failed import fails

BOB_HEX = AccountId.parse(BOB).hex
HASH = "0x" + "cd" * 32
PAYOUT_PARAMS = {
    "relayer": BOB,
    "user": ALICE,
    "payer": STASH,
    "era": "1391",
    "proxySignature": "0x" + "1a" * 64,
    "feePaymentSignature": "0x" + "2b" * 64,
    "paymentNonce": "9007199254740993",
}
FEE_PARAMS = {"relayer": BOB, "user": STASH, "transactionType": "proxyPayoutstakers"}
NONCE_PARAMS = {"accountId": ALICE, "nonceType": "staking"}
STATE = {"txHash": HASH, "status": "Processed", "blockNumber": 5, "transactionIndex": 1}
IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
CALLS = [
    # method and arguments, what is asked for where and with which params, what is answered, and what that means
    ("payout_stakers", PAYOUT, "/send proxyPayoutstakers", PAYOUT_PARAMS, REQUEST_ID, REQUEST_ID),
    ("staking_status", [ALICE], "/query getStakingStatus", {"accountId": ALICE}, "isStaking", IS),
    ("staking_status", [BOB_HEX], "/query getStakingStatus", {"accountId": BOB_HEX}, "isNotStaking", IS_NOT),
    ("staking_status", [BOB_HEX[2:]], "/query getStakingStatus", {"accountId": BOB_HEX[2:]}, "isStaking", IS),
    ("staking_status", [AccountId.parse(BOB_HEX)], "/query getStakingStatus", {"accountId": BOB_HEX}, "isStaking", IS),
    ("active_era", [], "/query getActiveEra", {}, "1392", 1392),
    ("election_window", [], "/query getEraElectionStatus", {}, "isOpen", ElectionWindow.OPEN),
    ("nonce", [ALICE, "staking"], "/query getNonce", NONCE_PARAMS, "7", 7),
    ("relayer_fee", [BOB, STASH], "/query getRelayerFees", FEE_PARAMS, "10000000000000000", 10**16),
    ("free_balance", [ALICE], "/query getAccountInfo", {"accountId": ALICE}, {"freeBalance": "340"}, 340),
    ("chain_info", [], "/query getChainInfo", {}, {"name": "net", "version": "9"}, ChainInfo("net", "9")),
    (
        "request_state",
        [REQUEST_ID],
        "/poll requestState",
        {"requestId": REQUEST_ID},
        STATE,
        RequestState(RequestStatus.PROCESSED, "Processed", HASH, 5, 1),
    ),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]}-{call[4]}"[:40])
def test_a_call_is_sent_and_answered_as_the_interface_document_says(connect, server, call):
    name, arguments, asked, params, answer, value = call
    server.script = [result(answer)]
    method = getattr(connect(endpoint(server)), name)
    assert (method(**arguments) if isinstance(arguments, dict) else method(*arguments)) == value

    (request,) = server.requests
    envelope = request.json
    assert (request.verb, f"{request.target} {envelope['method']}") == ("POST", asked)
    assert request.header("Content-Type") == ["application/json"]
    assert request.header("Authorization") == [f"bearer {TOKEN}"]
    assert request.header("Host") == [f"127.0.0.1:{server.port}"]
    assert request.header("Content-Length") == [str(len(request.body))]
    assert not request.header("Transfer-Encoding") + request.header("Cookie")
    assert type(envelope["id"]) is int
    assert envelope == {"jsonrpc": "2.0", "method": envelope["method"], "params": params, "id": envelope["id"]}


def test_a_path_prefix_is_kept_and_a_closing_slash_is_not_doubled(connect, server):
    server.script = [result("1392")]
    for prefix in ("/v1/gateway", "/v1/gateway/"):
        connect(Endpoint(server.url + prefix)).active_era()
    assert [request.target for request in server.requests] == ["/v1/gateway/query"] * 2


def test_a_dialect_changes_the_method_name_and_the_paths(connect, server):
    server.script = [result(REQUEST_ID)]
    dialect = Dialect(payout_method="proxyPayoutStakers", send_path="/submit")
    connect(endpoint(server), dialect=dialect).payout_stakers(**PAYOUT)
    assert server.requests[0].target == "/submit"
    assert server.requests[0].json["method"] == "proxyPayoutStakers"


def test_the_token_source_is_asked_for_every_call(connect, server):
    class Counting:
        asked = 0

        def value(self):
            self.asked += 1
            return f"token-{self.asked}"

    server.script = [status("503 Busy"), result("1392"), result(REQUEST_ID)]
    client = connect(endpoint(server), Counting())
    client.active_era()
    client.payout_stakers(**PAYOUT)
    assert [request.header("Authorization") for request in server.requests] == [
        ["bearer token-1"],
        ["bearer token-2"],
        ["bearer token-3"],
    ]


def test_an_error_of_the_token_source_passes_through_and_nothing_is_sent(connect, server):
    class Failing:
        def value(self):
            raise errors.SigningError("the signer is away")

    server.script = [result(REQUEST_ID)]
    with pytest.raises(errors.SigningError, match="the signer is away"):
        connect(endpoint(server), Failing()).payout_stakers(**PAYOUT)
    assert server.connections == 0


# kept connections


def test_consecutive_calls_share_a_connection_and_no_id(connect, server):
    server.script = [result("1392"), result(REQUEST_ID)]
    client = connect(endpoint(server))
    client.active_era()
    client.payout_stakers(**PAYOUT)
    assert [request.connection for request in server.requests] == [1, 1]
    assert len({request.json["id"] for request in server.requests}) == 2


def test_a_kept_connection_that_dies_under_a_payout_is_no_reason_to_send_it_again(connect, server):
    server.script = [result("1392"), raw(b"")]
    client = connect(endpoint(server))
    client.active_era()
    with pytest.raises(errors.ConnectionLost) as caught:
        client.payout_stakers(**PAYOUT)
    assert caught.value.how.sent is SendAnswer.LOST
    assert [request.connection for request in server.requests] == [1, 1]


def test_a_payout_after_the_gateway_closed_the_kept_connection_arrives_at_most_once(connect, server):
    server.script = [lambda exchange: exchange.result("1392"), result(REQUEST_ID)]
    client = connect(endpoint(server))
    client.active_era()
    assert server.connection_closed.wait(5)
    lost = None
    try:
        client.payout_stakers(**PAYOUT)
    except errors.ConnectionLost as error:  # the end was noticed only while writing
        lost = error.how.sent
    assert lost in (None, SendAnswer.LOST)
    assert [request.target for request in server.requests] == ["/query"] + ["/send"] * (lost is None)


def test_what_is_sent_after_an_answer_is_not_taken_for_the_next_one(connect, server):
    """An answer that came before its question is none: the next call has an id that nobody can guess."""

    def behave(exchange):
        number = exchange.request.json["id"]
        for value, call_id in (("1392", number), (REQUEST_ID, number + 1)):
            body = json.dumps({"jsonrpc": "2.0", "result": value, "id": call_id}).encode()
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return True

    server.script = [behave, status("503 Busy", b"{}")]
    client = connect(endpoint(server))
    assert client.active_era() == 1392
    with fails(Failed.FAILED, Failed.BROKEN, Failed.OTHER_ID) as caught:
        client.payout_stakers(**PAYOUT)
    assert caught.value.how.sent is SendAnswer.LOST


# use


@pytest.mark.asyncio
async def test_many_accounts_are_asked_for_at_once_over_as_many_connections(server):
    server.script, statuses = [result("isStaking")], []
    async with AsyncGatewayClient(endpoint(server), TOKEN) as client:
        accounts = [AccountId.parse(ALICE)] * 40
        await check_statuses(client, accounts, on_answer=lambda _, told: statuses.append(told), concurrency=4)
    assert statuses == [StakingStatus.IS_STAKING] * 40
    assert server.count == 40
    assert server.connections <= 4


@pytest.mark.asyncio
async def test_a_cancelled_call_stays_cancelled_and_leaves_nothing_open(server):
    arrived = threading.Event()

    def behave(exchange):
        arrived.set()
        exchange.hold()

    server.script = [behave]
    async with AsyncGatewayClient(endpoint(server), TOKEN) as client:
        task = asyncio.ensure_future(client.active_era())
        assert await asyncio.to_thread(arrived.wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await asyncio.to_thread(server.connection_closed.wait, 5)
    assert server.count == 1


def use_and_close(kind, address):
    """A call, a failed call, one more, then close; the client is gone when this returns."""

    async def use():
        client = kind(address, TOKEN)

        async def call(name):
            answer = getattr(client, name)()
            return await answer if kind is AsyncGatewayClient else answer

        assert await call("active_era") == 1392
        with fails(Failed.WRONG_RESULT):
            await call("chain_info")
        assert await call("active_era") == 1392
        await call("close")

    asyncio.run(use())


@pytest.mark.parametrize("kind", [GatewayClient, AsyncGatewayClient])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_closing_leaves_nothing_open(server, tls_server, certificate, kind, scheme):
    called = {"http": server, "https": tls_server}[scheme]
    called.script = [result("1392")]
    address = endpoint(called, ca_bundle=str(certificate), retry=ReadRetry(attempts=1))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        use_and_close(kind, address)
        gc.collect()
    assert [str(warning.message) for warning in seen] == []
    assert called.connection_closed.wait(5)
    assert called.connections == 1


@pytest.mark.asyncio
async def test_a_self_made_token_waits_for_a_thread_only_when_it_must_be_signed(server, monkeypatch):
    server.script, signed, to_thread = [result("1392")], [], asyncio.to_thread
    monkeypatch.setattr(asyncio, "to_thread", lambda make: signed.append(make) or to_thread(make))
    async with AsyncGatewayClient(endpoint(server), SelfMadeToken(LocalSigner("//Alice"))) as client:
        assert await client.active_era() == await client.active_era() == 1392
    assert len(signed) == 1


@pytest.mark.parametrize("kind", [GatewayClient, AsyncGatewayClient])
def test_a_client_never_shows_its_token(kind):
    client = kind("https://gateway.example", TOKEN)
    assert TOKEN not in repr(client) + str(client) + repr(vars(client))


def test_the_waiting_client_offers_reads_of_the_blocking_one_and_no_payout():
    def methods(kind):
        return {name for name in dir(kind) if not name.startswith("_")}

    assert methods(GatewayClient) - methods(AsyncGatewayClient) == {"on_error", "payout_stakers", "pays_by_itself"}
    assert methods(AsyncGatewayClient) <= methods(GatewayClient)


def test_a_gateway_that_spells_the_payout_differently_in_its_table_of_fees_tells_the_fee(connect, server):
    refused = envelope(
        error={"code": -32602, "message": "Invalid params", "data": {"gatewayError": "invalid transaction type"}}
    )
    server.script = [refused, result({"proxyPayoutStakers": "7", "proxyBond": "9"})]
    client = connect(endpoint(server))
    assert client.relayer_fee(BOB, STASH) == 7
    assert "transactionType" not in server.requests[-1].json["params"]
    for fees in (refused, result({"proxyBond": "9"}), status(401)):
        server.script = [refused, fees]
        with fails(
            Failed.OTHER_SPELLING, match=r"-32602: Invalid params \(inv.*; the call said proxyPayoutstakers\. Set"
        ):
            client.relayer_fee(BOB, STASH)
