"""Every way a node and the connection to it break, over HTTP and websocket: what is asked again, what is told, and how soon."""

import os
import socket
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.sync.client import ClientConnection

from staking_gateway.chain import ChainReader, reader
from staking_gateway.chain import node as nodes
from staking_gateway.chain.wire import WebsocketWire
from staking_gateway.errors import Failed, InvalidConnection, may_pass
from tests.chain import storage
from tests.chain.fake_node import GENESIS
from tests.support.failed import fails


@pytest.fixture
def known(node, scheme):
    """A reader that has asked before: it keeps a connection and knows the runtime."""
    asking = ChainReader(node.url(scheme), timeout=5)
    assert asking.state().active_era == 7
    node.calls.clear()
    node.messages.clear()
    return asking


class TestAKeptConnection:
    @pytest.mark.parametrize("end", ["close_after", "abort_after"])
    def test_that_ends_between_two_questions_is_replaced_unnoticed(self, node, known, end):
        for _ in range(3):
            node.faults = [None, None, end]
            assert known.state().active_era == 7
            assert node.hung_up.wait(5)
            node.hung_up.clear()

    @pytest.mark.parametrize("end", ["close", "abort"])
    def test_that_ends_instead_of_an_answer_is_replaced_and_asked_again(self, node, known, end):
        for _ in range(3):
            node.faults = [None, end]
            assert known.state().active_era == 7
        assert node.calls["state_getRuntimeVersion"] == 3

    def test_is_checked_for_its_chain_when_it_is_replaced(self, node, scheme):
        asking = ChainReader(node.url(scheme), genesis_hash=GENESIS)
        asking.state()
        node.genesis = "0x" + "cd" * 32
        node.faults = [None, "abort"]
        with fails(Failed.OTHER_CHAIN):
            asking.state()

    def test_that_was_idle_is_replaced_before_it_is_used(self, node, known, monkeypatch):
        monkeypatch.setattr(nodes, "_IDLE_SECONDS", 0)
        assert known.state().active_era == 7
        assert node.calls["system_chain"] >= 1


class TestANewConnection:
    def test_is_not_read_before_it_has_asked_and_ends_when_it_could_not_ask(self, node, monkeypatch):
        """A read of TLS 1.3's tickets beside a write loses the request."""
        reads, early, read = threading.Event(), [], ClientConnection.recv_events

        def reading(connection):
            reads.set()
            read(connection)

        def unable(connection, *_):
            early.append(reads.wait(0.1))
            raise OSError

        monkeypatch.setattr(ClientConnection, "recv_events", reading)
        monkeypatch.setattr(ClientConnection, "handshake", unable)
        with fails(Failed.UNREACHABLE):
            WebsocketWire(node.url("ws"), 5, None, 1000)
        assert (early, reads.is_set()) == ([False], True)

    @pytest.mark.parametrize("end", ["close", "abort"])
    def test_that_ends_at_once_is_an_error_that_may_pass(self, node, scheme, once, end):
        node.faults = [end]
        with fails(Failed.NODE_UNREACHABLE, match="connection") as caught:
            ChainReader(node.url(scheme)).state()
        assert may_pass(caught.value)

    @pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
    def test_that_nobody_accepts_is_an_error_that_may_pass(self, node, scheme, once, kept):
        asking = ChainReader(node.url(scheme))
        if kept:
            asking.state()
        node.close()
        with fails(Failed.NODE_UNREACHABLE, match="connection"):
            asking.state()
        with fails(Failed.NODE_UNREACHABLE, match=r"no connection to 127\.0\.0\.1:\d+"):
            asking.state()


class TestSilence:
    def test_of_a_handshake_ends_with_the_timeout(self, once):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"ws://127.0.0.1:{silent.getsockname()[1]}"
            with fails(Failed.NODE_UNREACHABLE, match=r"no answer within the time limit"):
                ChainReader(url, timeout=0.2).state()

    @pytest.mark.parametrize("fault", ["silence", "drip"])
    @pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
    def test_ends_with_the_timeout_and_is_not_asked_again_after_it(self, node, scheme, fault, kept):
        asking = ChainReader(node.url(scheme), timeout=1)
        if kept:
            asking.state()
        node.faults = [fault]
        begun = time.monotonic()
        with fails(Failed.NODE_UNREACHABLE, match=r"no answer within the time limit\. .* or raise timeout"):
            asking.state()
        assert time.monotonic() - begun < 30
        assert asking.state().active_era == 7, "the next question is answered on a new connection"


class TestAnswers:
    @pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
    @pytest.mark.parametrize(
        ("fault", "kind", "match"),
        [
            ("not_json", Failed.NODE_ANSWER, r"not a JSON-RPC 2\.0 response.*\. Check that Host is a Substrate node"),
            ("not_rpc", Failed.NODE_ANSWER, r"not a JSON-RPC 2\.0 response.*\. Check that Host is a Substrate node"),
            ("other_id", Failed.NODE_ANSWER, r"asked with id \d+, answered with \d+\. Check that Host"),
            ("huge", Failed.NODE_ANSWER, r"the answer is too long\. Check that Host is a Substrate node"),
            ("busy", Failed.NODE_REFUSED, r"answers with error -32000: Server is busy\. Ask again"),
        ],
    )
    def test_that_cannot_be_used_are_told_and_the_next_one_is_read(
        self, node, scheme, once, *, kept, fault, kind, match
    ):
        asking = ChainReader(node.url(scheme))
        if kept:
            asking.state()
        node.faults = [fault]
        with fails(kind, match=match) as caught:
            asking.state()
        assert may_pass(caught.value)
        assert asking.state().active_era == 7

    def test_that_refuse_a_method_every_node_has_are_not_those_of_a_node(self, node, scheme):
        node.faults = ["unknown"]
        with fails(Failed.NODE_UNSUPPORTED, match="no Substrate node, or hides its state") as caught:
            ChainReader(node.url(scheme)).state()
        assert not may_pass(caught.value)
        assert len(node.messages) == 1

    def test_that_name_a_chain_by_no_hash_are_not_those_of_a_node(self, node, scheme):
        node.results["chain_getBlockHash"] = "0x7"
        with fails(Failed.NODE_UNSUPPORTED, match="no Substrate node, or hides its state"):
            ChainReader(node.url(scheme)).state()

    @pytest.mark.parametrize(
        ("status", "kind", "match"),
        [
            (401, Failed.NODE_UNSUPPORTED, "Correct the access key in Host"),
            (403, Failed.NODE_UNSUPPORTED, "Correct the access key in Host"),
            (404, Failed.NODE_UNSUPPORTED, "Correct Host"),
            (302, Failed.NODE_UNSUPPORTED, "Correct Host"),
            (429, Failed.NODE_UNREACHABLE, "may be overloaded"),
            (503, Failed.NODE_UNREACHABLE, "may be overloaded"),
        ],
    )
    def test_of_something_before_the_node_are_told_by_their_status(self, node, scheme, once, *, status, kind, match):
        node.faults = [status]
        with fails(kind, match=f"HTTP {status}.*{match}"):
            ChainReader(node.url(scheme)).state()

    @pytest.mark.parametrize(
        ("method", "result"),
        [
            ("chain_getBlockHash", None),
            ("chain_getHeader", None),
            ("chain_getHeader", {"number": "later"}),
            ("state_getRuntimeVersion", []),
            ("state_getRuntimeVersion", {"specVersion": True}),
            ("system_chain", {}),
            ("state_queryStorageAt", 7),
            *(
                ("state_queryStorageAt", [{"changes": [[storage.ACTIVE_ERA, value]]}])
                for value in (7, "07000000", "0x0", "0xg0")
            ),
        ],
    )
    def test_of_the_wrong_type_or_size_are_refused(self, node, scheme, once, method, result):
        node.results[method] = result
        with fails(Failed.NODE_ANSWER, match=rf"^{method}: node .*\. Check that Host is a"):
            ChainReader(node.url(scheme)).state()


class TestAnotherChain:
    def test_is_refused_before_anything_else_is_asked(self, node, scheme):
        other = "0x" + "cd" * 32
        match = f"genesis_hash is {GENESIS}, not {other}.*correct genesis_hash"
        with fails(Failed.OTHER_CHAIN, match=match) as caught:
            ChainReader(node.url(scheme), genesis_hash=other).state()
        assert not may_pass(caught.value)
        assert node.calls == {"chain_getBlockHash": 1, "system_chain": 1}

    def test_is_told_by_a_hash_of_64_digits(self):
        with pytest.raises(InvalidConnection, match="genesis_hash: is not the hash of a block"):
            ChainReader("ws://127.0.0.1:9", genesis_hash="0x7")


class TestManyAtOnce:
    def test_a_thread_waits_for_the_others_no_longer_than_for_an_answer(self, node, scheme, once):
        asking = ChainReader(node.url(scheme), timeout=1)
        asking.state()
        (shared,) = reader._nodes.values()
        with shared.lock, fails(Failed.NODE_UNREACHABLE, match=r"other threads have used the node for 1 s"):
            asking.state()

    def test_threads_share_one_connection_and_lose_no_answer(self, node, scheme):
        asking = ChainReader(node.url(scheme))
        with ThreadPoolExecutor(4) as threads:
            assert {state.active_era for state in threads.map(lambda _: asking.state(), range(40))} == {7}
        assert node.calls["system_chain"] == 1

    def test_a_forked_process_has_a_connection_of_its_own(self, node, known):
        with warnings.catch_warnings():  # newer Pythons warn of every fork of a process with threads; Airflow does fork
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if known.state().active_era == 7 else 1
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert status == 0
        assert known.state().active_era == 7
        assert node.calls["system_chain"] == 1, "the child introduced itself, the parent went on"
