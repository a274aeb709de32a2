"""The connections: what they may hold, what is refused before anything is sent, and how they are tested."""

import asyncio
import re
from contextlib import suppress
from unittest.mock import ANY

import pytest
from airflow.cli.cli_parser import get_parser
from airflow.cli.commands.connection_command import connections_test
from names import ACTIVE, ALICE, BOB, NETWORK
from simulated_chain import calls

from staking_gateway import ChainInfo, errors
from staking_gateway.errors import InvalidConnection, SigningError
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner
from staking_gateway_provider.connections import ConnectionMissing, GatewayExtras, NodeExtras, SignerExtras
from staking_gateway_provider.hooks.gateway import StakingGatewayHook, StakingSignerHook, SubstrateHook
from staking_gateway_provider.reporting import explain
from tests.contract.faults import no_such_method, status

TOKEN = "aSecretToken.42"
PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
ALICE_SEED = "0xe5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a"
ALICE_KEY = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d"
HOOKS = {
    "gw": (StakingGatewayHook, GatewayExtras, {"host": "https://gateway.example", "password": TOKEN}),
    "key": (StakingSignerHook, SignerExtras, {"password": "//Alice"}),
    "node": (SubstrateHook, NodeExtras, {"host": "wss://node.example"}),
}
"""The hook, the extras and a sound connection of each kind."""


@pytest.fixture
def hook_of(connect):
    """A hook of a connection; arguments replace the fields of a sound one."""

    def make(name, **fields):
        hook, _, sound = HOOKS[name]
        connect(name, **{"conn_type": hook.conn_type, **sound, **fields})
        return hook(name)

    return make


def open_all(hook):
    """Make all clients of a hook; they must see the connection alike."""
    return [hook.get_conn(), *([asyncio.run(hook.aget_conn())] if isinstance(hook, StakingGatewayHook) else [])]


def refusal(hook, match=""):
    """The error of a hook; it quotes no secret."""
    with pytest.raises(errors.StakingGatewayError, match=match) as refused:
        hook.get_conn()
    for secret in (TOKEN, PHRASE, ALICE_SEED, "user:pass"):
        assert secret not in str(refused.value)
    return refused.value


SIGNER_AT = {"host": "https://signer.example", "login": ALICE}
REFUSED = [
    ("gw", {"host": None}, "host", "https://gateway.example"),
    ("gw", {"host": "https://user:pass@gateway.example"}, "host", "Remove them; the access token goes into"),
    ("gw", {"host": "http://gateway.example"}, "host", "Use https, or set allow_http"),
    ("gw", {"host": "gateway.example", "port": 443}, "port", "https://gateway.example"),
    ("gw", {"schema": "https"}, "schema", "Leave it empty"),
    ("gw", {"password": None}, "password", "Store the issued access token"),
    ("gw", {"password": f"{TOKEN}\n"}, "password", "Copy it again, on one line"),
    ("gw", {"extra": {"tokn": 1}}, "extra 'tokn'", "Remove it, or use one of bearer_signer_conn_id"),
    ("gw", {"extra": {"allow_http": "perhaps"}}, "extra 'allow_http'", "Write true or false"),
    ("gw", {"extra": {"read_timeout": "nan"}}, "extra 'read_timeout'", "Input should be"),
    ("gw", {"extra": {"read_attempts": 0}}, "extra 'read_attempts'", "Input should be greater than or equal to 1"),
    ("gw", {"extra": {"ca_bundle": "/no/such/file.pem"}}, "extra 'ca_bundle'", "Name a PEM file"),
    ("gw", {"extra": {"send_path": "send"}}, "extra 'send_path'", "Write it like /send"),
    ("gw", {"login": TOKEN}, "login", "the access token goes into Password"),
    ("gw", {"extra": {"bearer_payer": BOB}}, "extra 'bearer_payer'", "set bearer_signer_conn_id"),
    ("gw", {"extra": "[1]"}, "extra", 'Write it like {"allow_http": true}'),
    ("gw", {"extra": {"node_conn_id": 5}}, "extra 'node_conn_id'", "Input should be a valid string"),
    ("key", {"password": None}, "password", "Set it to a mnemonic"),
    ("key", {"login": PHRASE}, "login", "Copy the account's address again"),
    ("key", {"extra": {"acount": ALICE}}, "extra 'acount'", "Remove it, or use one of allow_http, ca_bundle"),
    ("key", {"extra": {"gateways": [5]}}, "extra 'gateways'", "Write them with commas between"),
    ("key", {"port": 5}, "port", "Leave it empty; a remote signer's whole URL goes into Host"),
    ("key", {"host": "https://signer.example"}, "login", "Set it to the address of the account"),
    ("key", {**SIGNER_AT, "host": "http://signer.example"}, "host", "Use https, or set allow_http"),
    ("node", {"host": None}, "host", "ws://127.0.0.1:9944"),
    ("node", {"host": "ws://node.example"}, "host", "Use wss, or set allow_ws"),
    ("node", {"host": f"wss://me:{TOKEN}@node.example"}, "host", "Remove them"),
    ("node", {"schema": "wss"}, "schema", "Leave it empty"),
    ("node", {"login": "me"}, "login", "Leave it empty"),
    ("node", {"password": TOKEN}, "password", "an access key of the node belongs into Host"),
    ("node", {"extra": {"genesis_hash": "0x12"}}, "extra 'genesis_hash'", "Write 0x and 64 hex digits"),
    ("node", {"extra": {"genesis_hash": True}}, "extra 'genesis_hash'", "Input should be a valid string"),
    ("node", {"extra": {"timeout": 0}}, "extra 'timeout'", "Input should be greater than or equal to 0.1"),
]


@pytest.mark.parametrize(("name", "fields", "field", "remedy"), REFUSED)
def test_a_field_that_cannot_be_used_is_refused_by_name_with_a_remedy(  # noqa: PLR0917 - columns
    hook_of, nothing_is_sent, name, fields, field, remedy
):
    error = refusal(hook_of(name, **fields), f"^Connection '{name}', ")
    assert isinstance(error, InvalidConnection)
    assert error.field == f"Connection '{name}', {field}"
    assert remedy in error.problem.remedy


@pytest.mark.parametrize("conn_type", ["staking_gateway", "generic"])
def test_a_connection_of_any_type_works_by_its_fields(hook_of, conn_type):
    """Airflow's type chooses the form; connections of before have the type `staking_gateway`."""
    for name in HOOKS:
        open_all(hook_of(name, conn_type=conn_type))


def test_a_missing_connection_is_told_with_the_argument_or_the_extra_that_names_it(hook_of):
    missing = "The conn_id `nope` isn't defined. "
    for kind, _, _ in HOOKS.values():
        error = refusal(kind("nope"), f"^{kind.conn_name_attr}: {missing}")
        assert isinstance(error, ConnectionMissing)
        assert kind("nope").test_connection() == (False, str(error))
    for extra, password in (("node_conn_id", TOKEN), ("bearer_signer_conn_id", None)):
        hook = hook_of("gw", password=password, extra={extra: "nope"})
        refusal(hook, f"^Connection 'gw', extra {extra!r}: {missing}{Topic.CONNECTION_MISSING.remedy}$")


def test_a_name_of_the_dag_is_not_blamed_on_staking_yaml(network):
    network()
    own, of_the_file = (
        explain(refusal(StakingGatewayHook(conn_id), "isn't defined"), NETWORK).remedy
        for conn_id in ("nope", "staking_gateway_default")
    )
    assert own == Topic.CONNECTION_MISSING.remedy
    assert f"networks.{NETWORK}.gateway_conn_id in " in of_the_file


SECRETS = [
    "//Alice//payer",
    PHRASE,
    ALICE_SEED,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K",
    "user:pa55w0rd@db.example",
]


@pytest.mark.parametrize("name", HOOKS)
def test_no_error_quotes_a_secret_in_the_wrong_field(hook_of, nothing_is_sent, name):
    sound = {"host": "https://gateway.example", "password": TOKEN, "login": None}
    refused = 0
    for secret in SECRETS:
        places = [{field: secret} for field in ("conn_type", "host", "login", "schema")]
        places += [{"extra": {extra: secret}} for extra in HOOKS[name][1].model_fields]
        for place in (*places, {"extra": {secret: 1}}, {"extra": secret}):
            text = ""
            try:
                hook_of(name, **{**sound, **place}).get_conn()
            except errors.StakingGatewayError as error:
                text = f"{error} {error!r}"
            assert secret not in text, place
            refused += bool(text)
    assert refused > 20


@pytest.mark.parametrize(
    ("name", "fields", "secrets"),
    [
        ("gw", {}, {TOKEN}),
        ("key", {"password": PHRASE}, {PHRASE}),
        ("node", {"host": "wss://node.example/polkadot"}, set()),
        ("node", {"host": "wss://node.example/v1/0123456789abcdef"}, {"/v1/0123456789abcdef", "0123456789abcdef"}),
    ],
)
def test_airflow_masks_passwords_and_the_access_keys_of_nodes(hook_of, monkeypatch, name, fields, secrets):
    masked = []
    monkeypatch.setattr("staking_gateway_provider.connections.mask_secret", masked.append)
    hook_of(name, **fields).get_conn()
    assert set(masked) == secrets


class TestGateway:
    def test_host_and_password_are_the_base_url_and_the_access_token(self, gateway):
        with StakingGatewayHook().get_conn() as client:
            assert client.active_era() == ACTIVE
            assert client.chain_info() == ChainInfo("staking-gateway simulator", "1")

    def test_a_connection_written_as_a_uri_works_unless_airflow_takes_its_path_for_a_schema(self, monkeypatch):
        password = f"staking-gateway://:{TOKEN}"
        monkeypatch.setenv("AIRFLOW_CONN_GW", f"{password}@https%3A%2F%2Fgateway.example%2Fv1/?read_attempts=2")
        for client in open_all(StakingGatewayHook("gw")):
            caller = getattr(client, "client", client)
            assert (caller.base_url, caller.endpoint.retry.attempts) == ("https://gateway.example/v1", 2)
        monkeypatch.setenv("AIRFLOW_CONN_GW", f"staking-gateway://https://:{TOKEN}@gateway.example/v1")
        refusal(StakingGatewayHook("gw"), r"'gw', schema: is set\. Leave it empty; .* Host, e\.g\. https://")


class TestOwnTokens:
    """A signer's connection may make the access tokens."""

    def test_are_made_instead_of_an_issued_one(self, gateway, hook_of):
        extra = {"bearer_signer_conn_id": "staking_signer_user", "bearer_payer": BOB}
        hook = hook_of("gw", host=gateway.url, password=None, extra=extra)

        async def active_era():
            async with await hook.aget_conn() as client:
                return await client.active_era()

        with hook.get_conn() as client:
            assert client.active_era() == asyncio.run(active_era()) == ACTIVE

    def test_are_refused_beside_one_and_as_the_signer_is(self, hook_of, nothing_is_sent):
        extra = {"bearer_signer_conn_id": "key"}
        hook_of("key", extra={"gateways": "https://gateway.example"})
        refusal(hook_of("gw", extra=extra), "'gw', password: holds a token beside bearer_signer_conn_id. Keep one")
        wrong = hook_of("gw", password=None, extra={**extra, "bearer_payer": PHRASE})
        refusal(wrong, "'gw', extra 'bearer_payer': is neither an SS58 address nor")
        hook_of("key", password=None, extra={"gateways": "https://gateway.example"})
        refusal(hook_of("gw", password=None, extra=extra), "'key', password: is empty")

    @pytest.mark.parametrize("host", ["https://evil.example", "http://gateway.example", "https://gateway.example:8443"])
    def test_are_not_signed_for_a_gateway_that_the_signers_connection_does_not_name(
        self, hook_of, nothing_is_sent, monkeypatch, host
    ):
        """A person who may test connections could otherwise have a token signed, and sent to a host of their own."""
        monkeypatch.setattr(LocalSigner, "sign", lambda self, kind, message: pytest.fail("signed"))
        for named in ({}, *({"gateways": one} for one in ("", "https://gateway.example/v1", [f"{host}.evil.example"]))):
            hook_of("key", extra=named)
            hook = hook_of("gw", host=host, password=None, extra={"allow_http": True, "bearer_signer_conn_id": "key"})
            error = refusal(hook, "^Connection 'key', extra 'gateways': does not name http")
            assert host in error.fault
            assert hook.test_connection() == (False, str(error))

    def test_are_signed_for_gateways_that_it_names_and_on_this_machine(self, hook_of, nothing_is_sent):
        for host, named in (
            ("https://gateway.example/v1/", "https://gateway.example/v1"),
            ("https://Gateway.example", ["https://other.example", "https://gateway.example:443/"]),
            ("https://gateway.example:8443", "https://other.example, https://gateway.example:8443"),
            ("http://127.0.0.1:8650", None),
        ):
            hook_of("key", extra={"gateways": named})
            open_all(hook_of("gw", host=host, password=None, extra={"bearer_signer_conn_id": "key"}))


class TestSigner:
    @pytest.mark.parametrize("secret", ["//Alice", ALICE_SEED, f"{PHRASE}//Alice"])
    def test_a_local_key_signs_for_its_account_and_no_other(self, hook_of, nothing_is_sent, secret):
        for login in (ALICE, ALICE_KEY, None):
            for signer in open_all(hook_of("key", password=secret, login=login)):
                assert isinstance(signer, LocalSigner)
                assert signer.account.hex == ALICE_KEY
        error = refusal(hook_of("key", password=secret, login=BOB), "^Connection 'key', password: ")
        assert isinstance(error, SigningError)
        assert f"not to {BOB}. {Topic.WRONG_KEY.remedy}" in str(error)

    def test_a_remote_signer_is_asked_at_its_url(self, hook_of, nothing_is_sent):
        for signer in open_all(hook_of("key", host="https://signer.example/v1", login=ALICE, password=TOKEN)):
            assert signer.endpoint.base_url == "https://signer.example/v1"
            assert signer.account.address == ALICE


class TestNode:
    def test_host_is_the_url_of_the_node(self, hook_of, nothing_is_sent):
        for fields, url in (
            ({"host": "ws://127.0.0.1", "port": 9944}, "ws://127.0.0.1:9944"),
            ({"host": f"wss://node.example/{TOKEN}?x=1"}, f"wss://node.example/{TOKEN}?x=1"),
            ({"host": "https://node.example"}, "https://node.example"),
            ({"host": "ws://node.example", "extra": {"allow_ws": True}}, "ws://node.example"),
        ):
            for reader in open_all(hook_of("node", **fields)):
                assert reader.url == url


@pytest.fixture
def connection_test(monkeypatch, capsys):
    """What `airflow connections test` prints, in one line, and whether that is a success. Its exit status is 0 before Airflow 3.3.2."""
    monkeypatch.setenv("AIRFLOW__CORE__TEST_CONNECTION", "Enabled")
    monkeypatch.setenv("_AIRFLOW_PROCESS_CONTEXT", "")
    monkeypatch.setenv("COLUMNS", "1000")

    def run(conn_id):
        with suppress(SystemExit):
            connections_test(get_parser().parse_args(["connections", "test", conn_id]))
        said = " ".join(capsys.readouterr().out.split())
        return "Connection success!" in said, said

    return run


class TestConnectionsTest:
    """`airflow connections test`, which the form's button does as well."""

    def test_a_gateway_that_answers_passes(self, gateway, hook_of, connection_test, broken):
        assert connection_test("staking_gateway_default") == (True, ANY)
        assert StakingGatewayHook().test_connection() == (True, "The gateway serves staking-gateway simulator 1")
        assert calls(gateway) == {"/query": 2, "getChainInfo": 2}
        broken.script = [no_such_method]
        told = "The gateway accepts the token; it does not report its chain's name"
        assert hook_of("gw", host=broken.url).test_connection() == (True, told)

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"password": "another"}, r"password: getChainInfo: HTTP 403: .*\. Set it to a token this gateway accepts"),
            ({"host": "http://127.0.0.1:1"}, r"host: getChainInfo: no connection .*\. Check that it is the gateway's"),
            ({"host": "{url}/prefix"}, r"host: getChainInfo: HTTP 404: .*\. Check that it is the gateway's base URL"),
            ({"host": None}, r"host: is empty\. Set Host to the URL"),
        ],
    )
    def test_a_gateway_that_cannot_be_used_fails_and_says_which_field_to_correct(
        self, gateway, hook_of, connection_test, fields, match
    ):
        given = {"password": gateway.token, "extra": {"read_attempts": 1}, **fields}
        given["host"] = given.get("host", gateway.url) and given.get("host", gateway.url).format(url=gateway.url)
        hook_of("gw", **given)
        passed, said = connection_test("gw")
        assert not passed
        assert re.search(f"'gw', {match}", said), said
        assert gateway.token not in said
        assert "another" not in said

    def test_a_signer_passes_when_it_holds_the_key(self, hook_of, connection_test, broken):
        hook_of("key", login=ALICE)
        assert connection_test("key") == (True, ANY)
        broken.script = [lambda exchange: exchange.answer(b"{}")]
        hook_of("key", host=broken.url, login=ALICE, password=TOKEN)
        assert connection_test("key") == (True, ANY)
        (request,) = broken.requests
        assert (request.verb, request.header("Authorization")) == ("GET", [f"bearer {TOKEN}"])
        broken.script = [status("404 Not Found", b'{"reason": "no such key"}')]
        passed, said = connection_test("key")
        assert not passed
        assert f"Connection 'key', host: The remote signer refused for {ALICE}: HTTP 404, no such key. Correct" in said
        assert TOKEN not in said
