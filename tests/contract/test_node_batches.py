"""Questions that travel together: one block is asked for everything at once, and no answer is taken for another's."""

import pytest

from staking_gateway import errors
from staking_gateway.chain import ChainReader, NodeEndpoint, storage
from staking_gateway.http.meanings import is_transient
from staking_gateway.types import ElectionWindow

IDENTITY = ["chain_getBlockHash", "system_chain"]
HEAD = ["chain_getBlockHash", "chain_getHeader"]
PROBES = ["chain_getHeader", *["state_getStorage"] * 4, "state_getRuntimeVersion"]
COLD = [IDENTITY, HEAD, PROBES]
REFUSED = (-32000, "Server is busy")
WRONG = {
    "huge": r"longer than 100000 bytes",
    "missing": r"the node answers \d of \d questions\. Ask again",
    "twice": r"the node answers one question twice\. Ask again",
    "foreign": r"belongs to another question\. Ask again",
    "other_id": r"belongs to another question\. Ask again",
    "nonsense": r"not JSON-RPC\. Check that Host is a Substrate node",
    "not_rpc": r"not JSON-RPC\. Check that Host is a Substrate node",
    "alone": r"not JSON-RPC\. Check that Host is a Substrate node",
}


@pytest.fixture(autouse=True)
def open_window(node):
    node.storage[storage.ERA_ELECTION_STATUS] = "0x0109000000"


@pytest.fixture
def asking(node, scheme):
    return ChainReader(NodeEndpoint(node.url(scheme), timeout=5, max_response_bytes=100_000))


def reads(asking):
    state = asking.state()
    return state.active_era == 7 and state.window is ElectionWindow.OPEN


def alone(messages):
    """The same questions, one in each message."""
    return [[method] for message in messages for method in message]


class TestTogether:
    def test_a_node_is_asked_three_times_when_nothing_is_known(self, node, asking):
        assert reads(asking)
        assert node.messages == COLD

    def test_what_the_runtime_does_not_have_is_not_asked_for_again(self, node, asking):
        asking.state()
        node.messages.clear()
        assert reads(asking)
        assert node.messages == [HEAD, ["chain_getHeader", *["state_getStorage"] * 2, "state_getRuntimeVersion"]]

    def test_everything_is_read_at_one_block_while_new_ones_come(self, node, asking):
        """A newest header of another block than the newest hash: the runtime is asked for anew, by the block's own header."""
        asking.state()
        node.messages.clear()
        node.results["chain_getHeader"] = {"parentHash": node.hash_of(98), "number": "0x63"}
        state = asking.state()
        assert state.block == 99
        node.results = {}
        runtimes = []

        def one_block_more(method, params, result):
            if method == "chain_getHeader" and not params:
                return {"parentHash": node.hash_of(node.block), "number": hex(node.block + 1)}
            if method == "state_getRuntimeVersion":
                runtimes.append(params[0])
            return result

        node.changing = one_block_more
        node.messages.clear()
        assert reads(asking)
        assert node.messages[-1] == ["state_getRuntimeVersion"]
        assert runtimes == [node.hash_of(100), node.hash_of(99)]


class TestOneOfSeveralAnswers:
    @pytest.mark.parametrize("key", [storage.ACTIVE_ERA, storage.ERA_ELECTION_STATUS, storage.MULTI_BLOCK])
    def test_with_an_error_ends_the_question(self, node, asking, once, key):
        node.errors["state_getStorage", key] = REFUSED
        with pytest.raises(errors.NodeRefused, match="Server is busy") as caught:
            asking.state()
        assert (caught.value.code, caught.value.method) == (-32000, "state_getStorage")
        assert caught.value.node == asking.endpoint.url
        node.errors.clear()
        node.messages.clear()
        assert reads(asking)
        assert node.messages == [HEAD, PROBES], "the connection is as good as before"


class TestAnswersThatDoNotFit:
    @pytest.mark.parametrize("fault", WRONG)
    @pytest.mark.parametrize("good", [0, 2])
    def test_are_not_used_and_the_next_connection_asks_one_by_one(self, node, asking, once, fault, good):
        node.faults = [None] * good + [fault]
        with pytest.raises(errors.NodeAnswerInvalid, match=WRONG[fault]) as caught:
            asking.state()
        assert is_transient(caught.value)
        node.messages.clear()
        assert reads(asking)
        assert node.messages == alone(COLD)


class TestANodeThatTakesNoBatches:
    @pytest.mark.parametrize("answer", ["refused", "close", "abort"])
    def test_is_asked_one_by_one_from_then_on(self, node, asking, answer):
        node.on_batch = answer
        assert reads(asking)
        assert node.messages[1:] == alone(COLD)
        node.messages.clear()
        assert reads(asking)
        assert all(len(message) == 1 for message in node.messages), "it was remembered"
        assert node.connections <= 3

    @pytest.mark.parametrize("status", [400, 413, 415, 422, 500, 501])
    def test_and_says_so_by_an_http_status_is_asked_one_by_one(self, node, status):
        node.on_batch = status
        asking = ChainReader(node.url("http"))
        assert reads(asking)
        assert reads(asking)
        assert node.messages.count(IDENTITY) == 1
        assert node.messages[1:11] == alone(COLD)

    def test_but_says_nothing_is_asked_one_by_one_after_the_timeout_over_every_connection(self, node, scheme, long_ago):
        node.on_batch = "silence"
        asking = ChainReader(NodeEndpoint(node.url(scheme), timeout=0.3))
        assert reads(asking), "a task asks once, in a process of its own"
        assert node.messages == [IDENTITY, *alone(COLD)]
        long_ago()
        node.messages.clear()
        assert reads(asking)
        assert node.messages[: len(IDENTITY)] == alone([IDENTITY]), "over a new connection"
        assert [message for message in node.messages if len(message) > 1] == []
