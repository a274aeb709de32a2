"""Gateway clients that ask a node for era and window: whose word counts, and what a failure of either means."""

import asyncio
import threading
from unittest.mock import Mock

import pytest
from faults import ALICE, TOKEN, no_such_method, result, status

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.chain import ChainReader
from staking_gateway.errors import Failed
from staking_gateway.gateway.gateway import Gateway, Readiness, if_supported, readiness
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
    reader = ChainReader(node.url("ws"), timeout=2)

    def blocking(fact):
        with Gateway(GatewayClient(endpoint, TOKEN), reader) as client:
            return getattr(client, fact)()

    async def asynchronous(fact):
        async with AsyncGatewayClient(endpoint, TOKEN, node=reader) as client:
            only_era = fact == "active_era"
            found = await readiness(client, era=0 if only_era else None, window=not only_era)
            return found.active if only_era else found.window

    return blocking if request.param == "blocking" else lambda fact: asyncio.run(asynchronous(fact))


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
    @pytest.mark.parametrize("gateway_says", [OPEN, CLOSED])
    def test_of_a_node_that_says_closed_is_what_the_gateway_says(self, ask, server, gateway_says):
        server.script = [says(gateway_says)]
        assert ask("election_window") is gateway_says

    @pytest.mark.parametrize("silent", [no_such_method, status("404 Not Found")], ids=["rpc", "http"])
    def test_is_the_nodes_when_the_gateway_does_not_tell(self, ask, server, silent):
        server.script = [silent]
        assert ask("election_window") is CLOSED

    def test_is_open_when_the_node_says_so_and_the_gateway_is_not_asked(self, ask, node, server):
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[OPEN]
        assert ask("election_window") is OPEN
        assert server.count == 0

    def test_is_not_closed_while_a_gateway_that_could_object_cannot_answer(self, ask, server):
        server.close()
        with fails(Failed.UNREACHABLE):
            ask("election_window")

    @pytest.mark.parametrize(
        ("answer", "row"), [(result("perhaps"), Failed.WRONG_RESULT), (status("403 Forbidden"), Failed.BAD_TOKEN)]
    )
    def test_is_not_closed_on_a_word_that_means_nothing_or_with_a_refused_token(self, ask, server, answer, row):
        server.script = [answer]
        with fails(row):
            ask("election_window")


@pytest.mark.parametrize("fact", ["active_era", "election_window"])
def test_nothing_is_guessed_when_the_node_is_gone(ask, node, server, fact):
    node.close()
    server.script = [says(CLOSED)]
    with fails(Failed.NODE_UNREACHABLE):
        ask(fact)


@pytest.mark.parametrize("fact", ["active_era", "election_window"])
def test_a_gateway_that_is_gone_too_is_named_in_place_of_its_node(node, server, fact):
    node.close()
    endpoint, reader = Endpoint(server.url, retry=ReadRetry(attempts=1)), ChainReader(node.url("ws"))
    with Gateway(GatewayClient(endpoint, TOKEN), reader) as gateway:
        for answer, row in ((says(CLOSED), Failed.NODE_UNREACHABLE), (status("503 Busy"), Failed.FAILED)):
            server.script = [answer]
            with fails(row):
                getattr(gateway, fact)()


def test_a_node_error_is_never_taken_for_a_gateway_that_does_not_tell(node, server):
    node.faults = ["unknown"]
    client = Gateway(GatewayClient(server.url, TOKEN), ChainReader(node.url("ws")))
    with client, fails(Failed.NODE_UNSUPPORTED):
        if_supported(client.active_era)


def test_a_slow_node_does_not_hold_up_the_event_loop(node, server):
    node.faults, server.script = ["silence"], [says(CLOSED)]
    reader = ChainReader(node.url("ws"), timeout=2)

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
    def token(self, node):
        return ChainReader(node.url("ws")).token

    @pytest.mark.parametrize(
        ("symbol", "decimals"), [("DOT", 10), (["DOT"], [10]), (["ACA", "AUSD"], [12, 12]), ("X", 0)]
    )
    def test_is_the_first_one(self, node, token, symbol, decimals):
        node.results["system_properties"] = {"ss58Format": 0, "tokenSymbol": symbol, "tokenDecimals": decimals}
        first = [value[0] if isinstance(value, list) else value for value in (symbol, decimals)]
        assert token() == Token(*first)


class TestAClientAlone:
    def test_has_no_node_and_tells_its_own_errors(self, server):
        heard = []
        with Gateway.of(GatewayClient(Endpoint(server.url, retry=ReadRetry(attempts=1)), TOKEN)) as gateway:
            gateway.report_errors(heard.append)
            assert (gateway.is_remote, gateway.base_url, Gateway.of(gateway) is gateway) == (False, server.url, True)
            server.script = [status("404 Not Found")]
            assert (gateway.chain_info(), gateway.free_balance(ALICE)) == (None, None)
            with fails(Failed.NO_PATH) as caught:
                gateway.chain_info(strict=True)
            server.script = [status("401 Unauthorized")]
            with fails(Failed.NO_TOKEN):
                gateway.chain_info()
            server.script = [no_such_method]
            assert gateway.chain_info(strict=True) is None
        assert caught.value in heard
        assert (gateway.genesis_hash(), gateway.era_paid(6)) == (None, None)

    def test_of_another_kind_has_no_address(self):
        gateway = Gateway(Mock(**{"active_era.return_value": 7, "election_window.return_value": OPEN}))
        gateway.report_errors(print)
        gateway.close()
        told = (
            gateway.base_url,
            gateway.chain_info(),
            gateway.free_balance(ALICE),
            gateway.active_era(),
            gateway.election_window(),
        )
        assert told == ("", None, None, 7, OPEN)

    def test_of_another_kind_is_asked_when_its_node_is_gone(self, node, once):
        asked = Mock()
        gateway = Gateway(asked, ChainReader(node.url("ws"), timeout=1))
        node.close()
        with fails(Failed.NODE_UNREACHABLE):
            gateway.active_era()
        asked.election_window.assert_called_once_with()


class TestReadiness:
    @pytest.mark.parametrize(
        ("facts", "ready", "message"),
        [
            ((7, 7, None), False, "era 7 has not ended, era 7 is active"),
            ((6, 7, OPEN), False, "era 7 is active, the election window is open"),
            ((6, 7, CLOSED), True, "era 7 is active, the election window is closed"),
            ((6, 7, None), True, "era 7 is active"),
            ((6, None, None), True, "this gateway reports neither era nor window"),
        ],
    )
    def test_is_told_by_what_was_read(self, facts, ready, message):
        found = Readiness(*facts)
        assert (found.ready, found.message) == (ready, message)

    @pytest.mark.parametrize(
        ("node_says", "gateway_says", "asked", "told"),
        [
            (None, ["7", "isClosed"], {"era": 6}, Readiness(6, 7, CLOSED)),
            (None, ["7"], {"era": 7}, Readiness(7, 7)),
            (None, ["7"], {"era": 6, "window": False}, Readiness(6, 7)),
            (None, ["isOpen"], {}, Readiness(None, None, OPEN)),
            (CLOSED, ["isOpen"], {"era": 6}, Readiness(6, 7, OPEN)),
            (CLOSED, ["isClosed"], {"era": 6}, Readiness(6, 7, CLOSED)),
            (OPEN, [], {"era": 6}, Readiness(6, 7, OPEN)),
        ],
    )
    def test_asks_for_no_more_than_it_needs(self, node, server, node_says, gateway_says, asked, told):  # noqa: PLR0917
        """A gateway that says nothing more is away."""
        node.storage[storage.ERA_ELECTION_STATUS] = STORED[node_says or CLOSED]
        server.script = [result(word) for word in gateway_says] or [status("503 Busy")]
        reader = ChainReader(node.url("ws"), timeout=2) if node_says else None

        async def ask():
            endpoint = Endpoint(server.url, retry=ReadRetry(attempts=1))
            async with AsyncGatewayClient(endpoint, TOKEN, node=reader) as client:
                return await readiness(client, **asked)

        assert asyncio.run(ask()) == told
        assert server.count == len(gateway_says)
