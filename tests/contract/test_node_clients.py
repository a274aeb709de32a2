"""Gateway clients that ask a node for era and window: whose word counts, and what a failure of either means."""

import asyncio
import logging
import threading

import pytest
from faults import TOKEN, no_such_method, result, status

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.chain import ChainReader, NodeEndpoint
from staking_gateway.errors import Failed
from staking_gateway.gateway.gateway import Gateway, if_supported, readiness
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.text import Token
from staking_gateway.types import ElectionWindow
from tests.chain import storage
from tests.support.failed import fails

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
STORED = {OPEN: "0x0109000000", CLOSED: "0x00"}


def says(word):
    """A gateway's answer to the question for the window."""
    return result({OPEN: "isOpen", CLOSED: "isClosed"}[word])


@pytest.fixture(params=["blocking", "async"])
def ask(request, node, server):
    """Reads era or window with a new client of one kind; every test that asks for it runs once for each kind."""
    endpoint = Endpoint(server.url, retry=ReadRetry(attempts=1))
    reader = ChainReader(NodeEndpoint(node.url("ws"), timeout=2))

    def blocking(fact):
        with Gateway(GatewayClient(endpoint, TOKEN), reader) as client:
            return getattr(client, fact)()

    async def asynchronous(fact):
        async with AsyncGatewayClient(endpoint, TOKEN, node=reader) as client:
            only_era = fact == "active_era"
            found = await readiness(client, era=0 if only_era else None, window=not only_era)
            return found.active if only_era else found.window

    return blocking if request.param == "blocking" else lambda fact: asyncio.run(asynchronous(fact))


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.INFO, "staking_gateway")
    return caplog


class TestNode:
    """What the node tells; the gateway is not asked."""

    def test_tells_the_era_also_0_and_whether_the_chain_pays_by_itself(self, ask, node, server):
        assert ask("active_era") == 7
        node.storage[storage.ACTIVE_ERA] = "0x0000000000"
        assert ask("active_era") == 0
        assert server.count == 0
        with Gateway(GatewayClient(server.url, TOKEN), ChainReader(node.url("ws"))) as gateway:
            assert (gateway.pays_by_itself(), gateway.era_paid(6)) == (False, None)
        assert server.count == 0


class TestWindow:
    @pytest.mark.parametrize("node_says", [OPEN, CLOSED])
    @pytest.mark.parametrize("gateway_says", [OPEN, CLOSED])
    def test_is_open_when_either_says_so_and_a_disagreement_is_logged(
        self, ask, node, server, logged, *, node_says, gateway_says
    ):
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[node_says]
        server.script = [says(gateway_says)]
        assert ask("election_window") is (OPEN if OPEN in (node_says, gateway_says) else CLOSED)
        disagreements = [record for record in logged.records if "taken as open" in record.getMessage()]
        assert len(disagreements) == (node_says is not gateway_says)

    @pytest.mark.parametrize("node_says", [OPEN, CLOSED])
    @pytest.mark.parametrize("silent", [no_such_method, status("404 Not Found")], ids=["rpc", "http"])
    def test_is_the_nodes_when_the_gateway_does_not_tell(self, ask, node, server, logged, *, node_says, silent):
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[node_says]
        server.script = [silent]
        assert ask("election_window") is node_says
        assert not logged.records

    def test_is_open_when_the_node_says_so_and_the_gateway_cannot_answer(self, ask, node, server, logged):
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[OPEN]
        server.close()
        assert ask("election_window") is OPEN
        assert "did not report the election window, and the node reports it open" in logged.text

    def test_is_not_closed_while_a_gateway_that_could_object_cannot_answer(self, ask, server):
        server.close()
        with fails(Failed.UNREACHABLE):
            ask("election_window")

    def test_is_not_closed_on_a_word_of_the_gateway_that_means_nothing(self, ask, server):
        server.script = [result("perhaps")]
        with fails(Failed.WRONG_RESULT):
            ask("election_window")

    @pytest.mark.parametrize("node_says", [OPEN, CLOSED])
    def test_is_not_told_with_a_token_the_gateway_refuses(self, ask, node, server, node_says):
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[node_says]
        server.script = [status("403 Forbidden")]
        with fails(Failed.BAD_TOKEN):
            ask("election_window")


@pytest.mark.parametrize("fact", ["active_era", "election_window"])
def test_nothing_is_guessed_when_the_node_is_gone(ask, node, server, fact):
    node.close()
    server.script = [says(CLOSED)]
    with fails(Failed.NODE_UNREACHABLE):
        ask(fact)
    assert server.count == 1, "whether it answers"


@pytest.mark.parametrize("fact", ["active_era", "election_window"])
def test_a_gateway_that_is_gone_too_is_named_in_place_of_its_node(ask, node, server, fact):
    node.close()
    server.close()
    with fails(Failed.UNREACHABLE):
        ask(fact)


def test_a_node_error_is_never_taken_for_a_gateway_that_does_not_tell(node, server):
    node.faults = ["unknown"]
    client = Gateway(GatewayClient(server.url, TOKEN), ChainReader(node.url("ws")))
    with client, fails(Failed.NODE_UNSUPPORTED):
        if_supported(client.active_era)


def test_a_slow_node_does_not_hold_up_the_event_loop(node, server):
    node.faults, server.script = ["silence"], [says(CLOSED)]
    reader = ChainReader(NodeEndpoint(node.url("ws"), timeout=0.2))

    async def asked():
        async with AsyncGatewayClient(server.url, TOKEN, node=reader) as client:
            question = asyncio.ensure_future(readiness(client))
            assert await asyncio.to_thread(node.asked.acquire, timeout=5)
            assert not question.done()
            return await asyncio.gather(question, return_exceptions=True)

    (outcome,) = asyncio.run(asked())
    assert outcome.how is Failed.NODE_UNREACHABLE
    assert threading.active_count() < 20


class TestToken:
    """The token of the chain, from `system_properties`."""

    @pytest.fixture
    def token(self, node, server):
        reader = ChainReader(NodeEndpoint(node.url("ws"), timeout=0.5))
        with Gateway(GatewayClient(Endpoint(server.url), TOKEN), reader) as client:
            yield client.token

    @pytest.mark.parametrize(
        ("symbol", "decimals"), [("DOT", 10), (["DOT"], [10]), (["ACA", "AUSD"], [12, 12]), ("X", 0)]
    )
    def test_is_the_first_one(self, node, token, symbol, decimals):
        node.results["system_properties"] = {"ss58Format": 0, "tokenSymbol": symbol, "tokenDecimals": decimals}
        first = [value[0] if isinstance(value, list) else value for value in (symbol, decimals)]
        assert token() == Token(*first)
