"""One set of network rules: each rule of authorities, proxies and redirects, tried with every client."""

import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults import TOKEN, status
from network_clients import CLIENTS, sound

from staking_gateway.errors import StakingGatewayError
from tests.contract.broken_server import BrokenServer
from tests.support.certificates import certify

HOST = "service.example"
_AUTHORITIES = ("requests_ca_bundle", "curl_ca_bundle", "ssl_cert_file")
_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", *_AUTHORITIES)
_HOSTS = {"loopback": "127.0.0.1", "expired": "127.0.0.1", "any": "0.0.0.0", "named": HOST}


@pytest.fixture(params=CLIENTS)
def call(request, monkeypatch, once):
    """Calls a URL with one client; every test that asks for it runs once for each client."""
    for name in _NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    client = CLIENTS[request.param]
    return lambda url, ca_bundle=None: client(url, ca_bundle)


@pytest.fixture(scope="module")
def pems(tmp_path_factory):
    """Certificates by kind; each is its own authority."""
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in _HOSTS}
    return {
        kind: certify(folder, host=_HOSTS[kind], days=-1 if kind == "expired" else 1)
        for kind, folder in folders.items()
    }


class SecureServers:
    """Servers with the certificates."""

    def __init__(self, pems):
        self.pems = {kind: str(path) for kind, path in pems.items()}
        self.started = []

    def start(self, kind):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.pems[kind], self.pems[kind].replace("server.pem", "server.key"))
        self.started.append(BrokenServer(context))
        self.started[-1].script = [sound]
        return self.started[-1]


@pytest.fixture
def secure(pems):
    servers = SecureServers(pems)
    yield servers
    for server in servers.started:
        server.close()


def failure(call, url, ca_bundle=None):
    """The text of the error that the client raises."""
    with pytest.raises(StakingGatewayError) as caught:
        call(url, ca_bundle)
    text = str(caught.value)
    assert TOKEN not in text
    assert "secretive" not in text
    return text


# authorities

TRUSTING = {
    "the setting": {"setting": "loopback"},
    "the variable of requests": {"REQUESTS_CA_BUNDLE": "loopback"},
    "the variable of OpenSSL": {"SSL_CERT_FILE": "loopback"},
    "requests before OpenSSL": {"REQUESTS_CA_BUNDLE": "loopback", "SSL_CERT_FILE": "named"},
}


@pytest.mark.parametrize("case", TRUSTING)
def test_an_authority_is_trusted_wherever_it_is_named(call, secure, monkeypatch, case):
    given = {name: kind and secure.pems[kind] for name, kind in TRUSTING[case].items()}
    setting = given.pop("setting", None)
    for name, path in given.items():
        monkeypatch.setenv(name, path)
    call(secure.start("loopback").url, setting)


@pytest.mark.parametrize("name", [name.upper() for name in _AUTHORITIES])
def test_a_variable_that_names_no_certificates_is_named(call, secure, monkeypatch, name):
    monkeypatch.setenv(name, "/nowhere")
    assert failure(call, secure.start("loopback").url).startswith(f"{name}: is not a readable file of certificates")


# certificates


@pytest.mark.parametrize(
    ("kind", "trusted", "words"),
    [
        ("expired", True, "has expired. Check this machine's clock"),
        ("named", True, "certificate is not valid for '127.0.0.1'. Check this machine's clock"),
        ("loopback", False, "self-signed certificate. Set ca_bundle to its authority's file"),
    ],
)
def test_a_certificate_is_refused_for_a_reason(call, secure, kind, trusted, words):
    server = secure.start(kind)
    text = failure(call, server.url, secure.pems[kind] if trusted else None)
    assert words in text
    assert f"127.0.0.1:{server.port}" in text
    assert server.count == 0


def in_plain_text(listener):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 No\r\n\r\n")


def test_a_server_without_tls_is_named(call):
    with socket.create_server(("127.0.0.1", 0)) as plain, ThreadPoolExecutor(1) as thread:
        thread.submit(in_plain_text, plain)
        assert re.search("TLS|SSL", failure(call, f"https://127.0.0.1:{plain.getsockname()[1]}"))


# proxies


def tunnelling(server, before=b""):
    def behave(exchange):
        assert exchange.request.verb == "CONNECT"
        exchange.send(before + b"HTTP/1.1 200 Connection established\r\n\r\n")
        exchange.tunnel(server.port)

    return behave


PROXIES = {
    "of the scheme": ("HTTPS_PROXY", "http://{}"),
    "without scheme": ("HTTPS_PROXY", "{}"),
    "of all schemes": ("ALL_PROXY", "http://{}"),
    "with a login": ("HTTPS_PROXY", "http://user:p%40ss@{}"),
}


@pytest.mark.parametrize("case", PROXIES)
def test_a_proxy_of_the_environment_is_used(call, proxied, secure, monkeypatch, case):
    server = secure.start("named")
    proxied.script = [tunnelling(server)]
    name, form = PROXIES[case]
    monkeypatch.setenv(name, form.format(f"127.0.0.1:{proxied.port}"))
    call(f"https://{HOST}:{server.port}", secure.pems["named"])
    (request,) = proxied.requests
    assert (request.verb, request.target) == ("CONNECT", f"{HOST}:{server.port}")
    assert request.header("Proxy-Authorization") == (["Basic dXNlcjpwQHNz"] if "login" in case else [])
    assert not request.header("Authorization")
    assert not server.requests[0].header("Proxy-Authorization")


def test_plain_calls_go_through_their_proxy(call, proxied, server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxied.port}")
    server.script = [sound]
    proxied.script = [
        lambda exchange: (tunnelling(server) if exchange.request.verb == "CONNECT" else sound)(exchange) or False
    ]
    call(f"http://{HOST}:{server.port}")
    assert proxied.count > 0


def test_a_proxy_with_tls_is_verified_like_a_server(call, secure, monkeypatch, tmp_path):
    server, proxied = secure.start("named"), secure.start("loopback")
    proxied.script = [tunnelling(server)]
    monkeypatch.setenv("HTTPS_PROXY", f"https://127.0.0.1:{proxied.port}")
    assert f"through the proxy https://127.0.0.1:{proxied.port}" in failure(
        call, f"https://{HOST}:1", secure.pems["named"]
    )
    both = tmp_path / "both.pem"
    both.write_text("".join(Path(secure.pems[kind]).read_text() for kind in ("named", "loopback")))
    call(f"https://{HOST}:{server.port}", str(both))


@pytest.mark.parametrize("listed", ["0.0.0.0/8", "10.0.0.0/8, 0.0.0.0", "*"])
def test_no_proxy_is_used_for_a_listed_address_or_range(call, proxied, secure, monkeypatch, listed):
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxied.port}")
    monkeypatch.setenv("NO_PROXY", listed)
    call(f"https://0.0.0.0:{secure.start('any').port}", secure.pems["any"])
    assert proxied.connections == 0


def test_no_proxy_is_used_for_this_machine(call, proxied, server, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxied.port}")
    server.script = [sound]
    call(server.url)
    assert proxied.connections == 0


@pytest.mark.parametrize(("scheme", "code"), [("https", 407), ("https", 502), ("http", 407)])
def test_a_proxy_that_refuses_is_named_without_its_login(call, proxied, monkeypatch, scheme, code):
    monkeypatch.setenv(f"{scheme}_proxy", f"http://user:secretive@127.0.0.1:{proxied.port}")
    proxied.script = [status(f"{code} No")]
    text = failure(call, f"{scheme}://{HOST}")
    assert f"the proxy http://127.0.0.1:{proxied.port} answered HTTP {code}" in text


def test_a_proxy_that_cannot_be_reached_is_named(call, proxied, monkeypatch):
    proxied.close()
    monkeypatch.setenv("HTTPS_PROXY", f"user:secretive@127.0.0.1:{proxied.port}")
    text = failure(call, f"https://{HOST}")
    assert f"no connection to {HOST}:443 through the proxy http://127.0.0.1:{proxied.port}" in text


@pytest.mark.parametrize("named", ["socks5://127.0.0.1:9", "ftp://127.0.0.1:9"])
def test_a_proxy_of_another_kind_is_refused_by_name(call, monkeypatch, named):
    monkeypatch.setenv("ALL_PROXY", named)
    assert f"ALL_PROXY: the proxy {named}" in failure(call, f"https://{HOST}")


# redirects


def test_a_redirect_is_refused_and_followed_nowhere(call, server):
    server.script = [status("307 Temporary Redirect", b"", "Location: https://user:secretive@elsewhere.example/v2")]
    assert "HTTP 307" in failure(call, server.url)
    assert server.count == 1
