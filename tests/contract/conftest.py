"""Both clients behind one face, and the servers they are tried against."""

import asyncio
import inspect
import ssl

import pytest

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.chain import ChainReader
from staking_gateway.gateway import calls
from tests.chain import storage
from tests.chain.fake_node import serving
from tests.contract.broken_server import BrokenServer
from tests.contract.faults import TOKEN
from tests.support.certificates import certify

ERA_7 = "0x070000000100b2ac0d8c010000"


class Caller:
    """Calls a method of either client and waits for its answer."""

    def __init__(self, client, loop):
        self.client = client
        self._loop = loop

    def payout_stakers(self, **payload):
        return self.ask(calls.payout(**payload, payout_method=self.client.dialect.payout_method))

    def __getattr__(self, name):
        method = getattr(self.client, name)

        def call(*args, **kwargs):
            answer = method(*args, **kwargs)
            return self._loop.run_until_complete(answer) if inspect.isawaitable(answer) else answer

        return call


@pytest.fixture(params=["blocking", "async"])
def connect(request):
    """Makes a client of one kind; every test that asks for it runs once for each kind."""
    loop = asyncio.new_event_loop() if request.param == "async" else None
    kind = GatewayClient if loop is None else AsyncGatewayClient
    callers = []

    def make(base_url, token=TOKEN, **options):
        callers.append(Caller(kind(base_url, token, **options), loop))
        return callers[-1]

    yield make
    for caller in callers:
        caller.close()
    if loop is not None:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


@pytest.fixture
def server():
    """A gateway that answers as it is told."""
    running = BrokenServer()
    yield running
    running.close()


proxied = server
"""A second one: a proxy that no variable names yet."""


@pytest.fixture
def proxy(monkeypatch):
    """A server which the environment names as the proxy for everything."""
    running = BrokenServer()
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://user:pass@127.0.0.1:{running.port}")
    yield running
    running.close()


@pytest.fixture
def netrc(monkeypatch, tmp_path):
    """A file with other credentials for every host, which the environment names."""
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login thief password stolen\ndefault login thief password stolen\n")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A self-signed certificate for 127.0.0.1 and its key, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    path = folder / "gateway.pem"
    path.write_bytes(certify(folder).read_bytes() + (folder / "server.key").read_bytes())
    return path


@pytest.fixture
def tls_server(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    running = BrokenServer(context)
    yield running
    running.close()


@pytest.fixture(params=["ws", "http"])
def scheme(request):
    """How a node is reached."""
    return request.param


@pytest.fixture
def node():
    """A node of a chain with pallet-staking, in era 7, its election window closed."""
    with serving({storage.ACTIVE_ERA: ERA_7, storage.ERA_ELECTION_STATUS: "0x00"}) as running:
        yield running


@pytest.fixture
def asking(node):
    """A reader of the node."""
    return ChainReader(node.url("ws"), timeout=10)


@pytest.fixture
def once(monkeypatch):
    """Readers of a node ask once, so that a test sees what one attempt does."""
    monkeypatch.setattr("staking_gateway.chain.reader._ATTEMPTS", 1)
