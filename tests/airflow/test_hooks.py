"""The connections: what they may hold, what is refused before anything is sent, and how they are tested."""

import asyncio
import json
import re
import socket
from unittest.mock import ANY

import pytest
from airflow.cli.cli_parser import get_parser
from airflow.cli.commands.connection_command import connections_test
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException
from names import ALICE, BOB

from staking_gateway import ChainInfo, errors
from staking_gateway.errors import InvalidConnection, KeyMismatch
from staking_gateway.signing import LocalSigner
from staking_gateway_provider.extras import GatewayExtras, NodeExtras, SignerExtras
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.hooks.substrate import SubstrateHook

TOKEN = "aSecretToken.42"
PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
ALICE_SEED = "0xe5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a"


@pytest.fixture
def nothing_is_sent(monkeypatch):
    """Fails when anybody opens a connection."""
    opened = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: opened.append(address))
    yield
    assert not opened


def gateway_hook(connect, **fields):
    connect("gw", **{"conn_type": "staking_gateway", "host": "https://gateway.example", "password": TOKEN, **fields})
    return StakingGatewayHook("gw")


def signer_hook(connect, **fields):
    connect("key", **{"conn_type": "staking_signer", "password": "//Alice", **fields})
    return StakingSignerHook("key")


def error_answer(code, message):
    def behave(exchange):
        error = {"code": code, "message": message}
        exchange.answer(json.dumps({"jsonrpc": "2.0", "error": error, "id": exchange.request.json["id"]}).encode())

    return behave


def open_both(hook):
    """Make both clients of a hook; both must see the connection alike."""

    async def opened():
        return await hook.aget_conn()

    with hook.get_conn() as client:
        return client, asyncio.run(opened())


def refusal(hook, match):
    """The error both ways of using a hook raise; it quotes no secret."""

    async def opened():
        await hook.aget_conn()

    with pytest.raises(errors.StakingGatewayError, match=match) as blocking:
        hook.get_conn()
    with pytest.raises(type(blocking.value), match=re.escape(str(blocking.value))):
        asyncio.run(opened())
    for secret in (TOKEN, PHRASE, ALICE_SEED, "user:pass"):
        assert secret not in str(blocking.value)
    return blocking.value


class TestGateway:
    def test_host_and_password_are_the_base_url_and_the_access_token(self, gateway):
        with StakingGatewayHook().get_conn() as client:
            assert client.active_era() == 1000
            assert client.chain_info() == ChainInfo("staking-gateway simulator", "1")

    @pytest.mark.parametrize(
        ("fields", "url"),
        [
            ({"host": "https://gateway.example/staking/v1"}, "https://gateway.example/staking/v1/send"),
            ({"host": "https://gateway.example/staking/"}, "https://gateway.example/staking/send"),
            ({"host": "https://gateway.example", "port": 8443}, "https://gateway.example:8443/send"),
            ({"host": "https://gateway.example/staking", "port": 8443}, "https://gateway.example:8443/staking/send"),
            ({"host": "http://[::1]", "port": 8650}, "http://[::1]:8650/send"),
            ({"host": "http://127.0.0.1:8650"}, "http://127.0.0.1:8650/send"),
        ],
    )
    def test_a_port_and_a_path_prefix_are_part_of_the_base_url(self, connect, fields, url):
        for client in open_both(gateway_hook(connect, **fields)):
            assert client._endpoint.url("/send") == url

    def test_a_connection_written_as_a_uri_works(self, monkeypatch):
        monkeypatch.setenv(
            "AIRFLOW_CONN_GW", f"staking-gateway://:{TOKEN}@https%3A%2F%2Fgateway.example%2Fv1/?read_attempts=2"
        )
        for client in open_both(StakingGatewayHook("gw")):
            assert client._endpoint.base_url == "https://gateway.example/v1"
            assert client._endpoint.retry.attempts == 2
            assert client._token.value() == TOKEN

    def test_a_uri_whose_path_airflow_takes_for_a_schema_is_refused(self, monkeypatch, nothing_is_sent):
        monkeypatch.setenv("AIRFLOW_CONN_GW", f"staking-gateway://https://:{TOKEN}@gateway.example/v1")
        refusal(StakingGatewayHook("gw"), r"'gw', schema: is set\. Leave it empty; .* Host, e\.g\. https://")

    @pytest.mark.parametrize("spelt", [str, lambda value: value])
    def test_numbers_and_flags_may_come_from_a_form_as_texts(self, connect, spelt):
        extra = {
            "allow_http": spelt(True),
            "connect_timeout": spelt(1.5),
            "read_timeout": spelt(20),
            "total_timeout": spelt(40),
            "read_attempts": spelt(2),
        }
        for client in open_both(gateway_hook(connect, host="http://gateway.example", extra=extra)):
            endpoint = client._endpoint
            assert (endpoint.timeouts.connect, endpoint.timeouts.read, endpoint.timeouts.total) == (1.5, 20, 40)
            assert endpoint.retry.attempts == 2

    def test_what_a_form_left_blank_takes_the_default(self, connect):
        blank = dict.fromkeys(GatewayExtras.model_fields, "") | {"allow_http": None, "read_attempts": None}
        plain, _ = open_both(gateway_hook(connect))
        for client in open_both(gateway_hook(connect, extra=blank)):
            assert (client._endpoint, client._dialect) == (plain._endpoint, plain._dialect)

    def test_method_and_paths_may_be_spelt_otherwise(self, connect):
        spelling = {"payout_method": "proxyPayoutStakers", "send_path": "/s", "query_path": "/q", "poll_path": "/p"}
        for client in open_both(gateway_hook(connect, extra=spelling)):
            assert vars(client._dialect) == spelling

    @pytest.mark.parametrize(
        ("fields", "field", "remedy"),
        [
            ({"host": None}, "host", "https://gateway.example"),
            ({"host": "gateway.example"}, "host", "https://gateway.example"),
            ({"host": "ftp://gateway.example"}, "host", "https://gateway.example"),
            ({"host": "https://gateway.example/?key=1"}, "host", "Remove everything from"),
            ({"host": "https://gateway.example/#top"}, "host", "Remove everything from"),
            ({"host": "https://user:pass@gateway.example"}, "host", "Remove them; the access token goes into"),
            ({"host": "https://gate way.example"}, "host", "https://gateway.example"),
            ({"host": "http://gateway.example"}, "host", "Use https, or set allow_http"),
            ({"host": "gateway.example", "port": 443}, "port", "https://gateway.example"),
            ({"host": "https://gateway.example:443", "port": 443}, "port", "https://gateway.example"),
            ({"host": "https://gateway.example", "schema": "https"}, "schema", "Leave it empty"),
            ({"password": None}, "password", "Store the issued access token"),
            ({"password": f"{TOKEN}\n"}, "password", "Copy it again, on one line"),
            ({"password": f"two {TOKEN}"}, "password", "Copy it again, on one line"),
            ({"extra": {"tokn": 1}}, "extra 'tokn'", "Remove it, or use one of bearer_signer_conn_id"),
            ({"extra": {"allow_http": "perhaps"}}, "extra 'allow_http'", "Write true or false"),
            ({"extra": {"allow_http": 1}}, "extra 'allow_http'", "Write true or false"),
            ({"extra": {"connect_timeout": "soon"}}, "extra 'connect_timeout'", "Write 0.1 to 600"),
            ({"extra": {"connect_timeout": 0}}, "extra 'connect_timeout'", "Write 0.1 to 600"),
            ({"extra": {"connect_timeout": True}}, "extra 'connect_timeout'", "Write 0.1 to 600"),
            ({"extra": {"total_timeout": 10**400}}, "extra 'total_timeout'", "Write 0.1 to 3600"),
            ({"extra": {"read_timeout": [5]}}, "extra 'read_timeout'", "Write 0.1 to 600"),
            ({"extra": {"read_timeout": "nan"}}, "extra 'read_timeout'", "Write 0.1 to 600"),
            ({"extra": {"read_attempts": 2.5}}, "extra 'read_attempts'", "Write 1 to 100"),
            ({"extra": {"read_attempts": 0}}, "extra 'read_attempts'", "Write 1 to 100"),
            ({"extra": {"ca_bundle": 5}}, "extra 'ca_bundle'", "Write it in quotes"),
            ({"extra": {"ca_bundle": "/no/such/file.pem"}}, "extra 'ca_bundle'", "Name a PEM file"),
            ({"extra": {"payout_method": ["x"]}}, "extra 'payout_method'", "Write it in quotes"),
            ({"extra": {"send_path": "send"}}, "extra 'send_path'", "Write it like /send"),
            ({"extra": {"send_path": "/send?x=1 y"}}, "extra 'send_path'", "Write it like /send"),
            ({"extra": {"payout_method": "bad\nname"}}, "extra 'payout_method'", "Write it like proxyPayoutstakers"),
            ({"login": TOKEN}, "login", "the access token goes into Password"),
            ({"conn_type": "http"}, "type", "Name a connection of type staking_gateway"),
            ({"extra": {"bearer_payer": BOB}}, "extra 'bearer_payer'", "set bearer_signer_conn_id"),
            ({"extra": "[1]"}, "extra", 'Write it like {"allow_http": true}'),
            ({"extra": "{not json"}, "extra", 'Write it like {"allow_http": true}'),
        ],
    )
    def test_a_field_that_cannot_be_used_is_refused_by_name_with_a_remedy(
        self, connect, nothing_is_sent, fields, field, remedy
    ):
        error = refusal(gateway_hook(connect, **fields), "^Connection 'gw', ")
        assert isinstance(error, InvalidConnection)
        assert error.field == f"Connection 'gw', {field}"
        assert remedy in error.remedy

    def test_a_token_may_be_made_by_a_signer_instead(self, gateway, connect):
        extra = {"bearer_signer_conn_id": "staking_signer_user", "bearer_payer": BOB}
        with gateway_hook(connect, host=gateway.url, password=None, extra=extra).get_conn() as client:
            assert client.active_era() == 1000

        async def active_era():
            async with await StakingGatewayHook("gw").aget_conn() as client:
                return await client.active_era()

        assert asyncio.run(active_era()) == 1000

    @pytest.mark.parametrize(
        ("fields", "signer", "match"),
        [
            ({}, {}, "'gw', password: holds a token beside bearer_signer_conn_id. Keep one"),
            ({"password": None}, {"password": None}, "'key', password: is empty"),
            (
                {"password": None, "extra": {"bearer_signer_conn_id": "key", "bearer_payer": PHRASE}},
                {},
                "'gw', extra 'bearer_payer': is neither an SS58 address nor",
            ),
        ],
    )
    def test_a_token_signer_is_refused_as_any_signer_is(self, connect, nothing_is_sent, fields, signer, match):
        signer_hook(connect, extra={"gateways": "https://gateway.example"}, **signer)
        refusal(gateway_hook(connect, **{"extra": {"bearer_signer_conn_id": "key"}, **fields}), match)

    @pytest.mark.parametrize(
        "host", ["https://evil.example", "http://gateway.example", "https://gateway.example:8443/v1"]
    )
    @pytest.mark.parametrize(
        "named", [None, "", "https://gateway.example/v1", ["https://gateway.example.evil.example"]]
    )
    def test_a_signer_signs_no_access_token_for_a_gateway_that_its_connection_does_not_name(
        self, connect, nothing_is_sent, monkeypatch, host, named
    ):
        """A person who may test connections could otherwise have a token signed, and sent to a host of their own."""
        monkeypatch.setattr(LocalSigner, "sign", lambda self, kind, message: pytest.fail("signed"))
        signer_hook(connect, extra={} if named is None else {"gateways": named})
        hook = gateway_hook(
            connect, host=host, password=None, extra={"allow_http": True, "bearer_signer_conn_id": "key"}
        )
        error = refusal(hook, "^Connection 'key', extra 'gateways': does not name http")
        assert host in error.problem
        passed, said = hook.test_connection()
        assert not passed
        assert said == str(error)

    @pytest.mark.parametrize(
        ("host", "named"),
        [
            ("https://gateway.example/v1/", "https://gateway.example/v1"),
            ("https://Gateway.example", ["https://other.example", "https://gateway.example:443/"]),
            ("https://gateway.example:8443", "https://other.example, https://gateway.example:8443"),
            ("http://127.0.0.1:8650", None),
        ],
    )
    def test_a_signer_signs_access_tokens_for_gateways_that_its_connection_names_and_on_this_machine(
        self, connect, nothing_is_sent, host, named
    ):
        signer_hook(connect, extra={"gateways": named})
        for client in open_both(
            gateway_hook(connect, host=host, password=None, extra={"bearer_signer_conn_id": "key"})
        ):
            assert client._token.value()

    @pytest.mark.parametrize("named", [5, [5], {"a": 1}])
    def test_a_list_of_gateways_that_is_none_is_refused(self, connect, named):
        refusal(signer_hook(connect, extra={"gateways": named}), "'key', extra 'gateways': is not a list of addresses")

    def test_extras_are_read_without_asking_airflow_to_mask_them(self, connect, monkeypatch):
        """Masking waits for the supervisor, which blocks the event loop of a triggerer."""
        monkeypatch.setattr(Connection, "extra_dejson", property(lambda self: pytest.fail("read through Airflow")))
        monkeypatch.setattr("airflow.sdk.definitions.connection.Connection.get_uri", lambda self: "")
        open_both(gateway_hook(connect, extra={"read_attempts": 2}))


class TestSigner:
    @pytest.mark.parametrize("secret", ["//Alice", ALICE_SEED, f"{PHRASE}//Alice"])
    @pytest.mark.parametrize(
        "login", [ALICE, "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d", None]
    )
    def test_a_local_key_signs_for_its_account(self, connect, nothing_is_sent, secret, login):
        hook = signer_hook(connect, password=secret, login=login)
        for signer in (hook.get_conn(), asyncio.run(hook.aget_conn())):
            assert isinstance(signer, LocalSigner)
            assert signer.account.hex == "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d"

    @pytest.mark.parametrize(
        ("fields", "field", "remedy"),
        [
            ({"password": None}, "password", "Set it to a mnemonic"),
            ({"password": f"{PHRASE} walk"}, "password", "Set it to a mnemonic"),
            ({"password": "0x1234"}, "password", "Set it to a mnemonic"),
            ({"login": "5Grwva"}, "login", "Copy the account's address again"),
            ({"login": PHRASE}, "login", "Copy the account's address again"),
            ({"extra": {"acount": ALICE}}, "extra 'acount'", "Remove it, or use one of allow_http, ca_bundle"),
            ({"extra": "{"}, "extra", "Write it like"),
            ({"extra": {"allow_http": "maybe"}}, "extra 'allow_http'", "Write true or false"),
            ({"extra": {"ca_bundle": 5}}, "extra 'ca_bundle'", "Write it in quotes"),
            ({"port": 5}, "port", "Leave it empty; a remote signer's whole URL goes into Host"),
            ({"schema": "x"}, "schema", "Leave it empty; a remote signer's whole URL goes into Host"),
            ({"host": "https://signer.example"}, "login", "Set it to the address of the account"),
            ({"host": "signer.example", "login": ALICE}, "host", "Write it like https://"),
            ({"host": "http://signer.example", "login": ALICE}, "host", "Use https, or set allow_http"),
            ({"host": "https://signer.example?x", "login": ALICE}, "host", "Remove everything from"),
            ({"host": "https://user:pass@signer.example", "login": ALICE}, "host", "Remove them"),
            ({"host": "https://signer.example", "login": ALICE, "password": "to\nken"}, "password", "Copy it again"),
            (
                {"host": "https://signer.example", "login": ALICE, "extra": {"ca_bundle": "/no/file"}},
                "extra 'ca_bundle'",
                "PEM",
            ),
            (
                {"host": "https://signer.example", "login": ALICE, "extra": {"ca_bundle": 1}},
                "extra 'ca_bundle'",
                "quotes",
            ),
            (
                {"host": "https://signer.example", "login": ALICE, "extra": {"allow_http": 1}},
                "extra 'allow_http'",
                "true",
            ),
        ],
    )
    def test_a_field_that_cannot_be_used_is_refused_by_name_with_a_remedy(
        self, connect, nothing_is_sent, fields, field, remedy
    ):
        error = refusal(signer_hook(connect, **fields), "^Connection 'key', ")
        assert isinstance(error, InvalidConnection)
        assert error.field == f"Connection 'key', {field}"
        assert remedy in error.remedy

    @pytest.mark.parametrize(
        "fields",
        [
            {"extra": {"allow_http": False, "ca_bundle": None}},
            {"extra": {"allow_http": "", "ca_bundle": ""}},
            {"host": "", "schema": "", "port": ""},
            {"host": None, "schema": None, "port": None, "extra": None},
        ],
    )
    def test_what_a_form_left_blank_does_not_hinder_a_local_key(self, connect, fields):
        assert signer_hook(connect, **fields).test_connection() == (True, f"Signs for {ALICE}")

    @pytest.mark.parametrize(
        "uri",
        [
            "staking-signer://:%2F%2FAlice@",
            "staking-signer://:%2F%2FAlice@/",
            f"staking-signer://{ALICE}:%2F%2FAlice@/?allow_http=false",
        ],
    )
    def test_a_local_key_written_as_a_uri_works(self, monkeypatch, uri):
        monkeypatch.setenv("AIRFLOW_CONN_KEY", uri)
        assert StakingSignerHook("key").test_connection() == (True, f"Signs for {ALICE}")

    @pytest.mark.parametrize("secret", ["//Alice", ALICE_SEED, f"{PHRASE}//Alice"])
    def test_a_key_of_another_account_is_refused(self, connect, nothing_is_sent, secret):
        error = refusal(signer_hook(connect, password=secret, login=BOB), "^Connection 'key', password: ")
        assert isinstance(error, KeyMismatch)
        assert f"not to {BOB}. Store the key of the configured account, or correct the account" in str(error)

    def test_a_remote_signer_is_asked_at_its_url(self, connect, nothing_is_sent):
        hook = signer_hook(connect, host="https://signer.example/v1", login=ALICE, password=TOKEN)
        for signer in (hook.get_conn(), asyncio.run(hook.aget_conn())):
            assert signer._endpoint.url("/sign") == "https://signer.example/v1/sign"
            assert signer.account.address == ALICE


@pytest.fixture
def connection_test(monkeypatch, capsys):
    """What `airflow connections test` prints, in one line, and whether it succeeds."""
    monkeypatch.setenv("AIRFLOW__CORE__TEST_CONNECTION", "Enabled")
    monkeypatch.setenv("_AIRFLOW_PROCESS_CONTEXT", "")
    monkeypatch.setenv("COLUMNS", "1000")

    def run(conn_id):
        passed = True
        try:
            connections_test(get_parser().parse_args(["connections", "test", conn_id]))
        except SystemExit as stop:
            passed = not stop.code
        return passed, " ".join(capsys.readouterr().out.split())

    return run


class TestConnectionsTest:
    """`airflow connections test`, which the form's button does as well."""

    def test_a_gateway_that_answers_passes(self, gateway, connection_test):
        assert connection_test("staking_gateway_default") == (True, ANY)
        assert StakingGatewayHook().test_connection() == (True, "The gateway serves staking-gateway simulator 1")
        assert gateway.control.truth()["calls"]["by_method"] == {"getChainInfo": 2}

    def test_a_gateway_that_does_not_tell_its_name_passes(self, connect, broken):
        broken.script = [error_answer(-32601, "Method not found")]
        assert gateway_hook(connect, host=broken.url).test_connection() == (
            True,
            "The gateway accepts the token; it does not report its chain's name",
        )

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            (
                {"password": "another"},
                r"'gw', password: getChainInfo: HTTP 403: .*\. Set it to a token this gateway accepts",
            ),
            (
                {"host": "http://127.0.0.1:1"},
                r"'gw', host: getChainInfo: no connection .*\. Check that it is the gateway's",
            ),
            (
                {"host": "{url}/prefix"},
                r"'gw', host: getChainInfo: HTTP 404: .*\. Check that it is the gateway's base URL",
            ),
            ({"host": None}, r"'gw', host: is empty\. Set Host to the URL"),
            ({"extra": {"tokn": TOKEN}}, r"'gw', extra 'tokn': is unknown\. Remove it"),
            (
                {"password": None, "extra": {"bearer_signer_conn_id": "nobody"}},
                "'gw', extra 'bearer_signer_conn_id': The conn_id `nobody` isn't defined",
            ),
        ],
    )
    def test_a_gateway_that_cannot_be_used_fails_and_says_which_field_to_correct(
        self, gateway, connect, connection_test, fields, match
    ):
        given = {"password": gateway.token, "extra": {"read_attempts": 1}, **fields}
        given["host"] = given.get("host", gateway.url) and given.get("host", gateway.url).format(url=gateway.url)
        gateway_hook(connect, **given)
        passed, said = connection_test("gw")
        assert not passed
        assert re.search(match, said), said
        for secret in (gateway.token, "another", TOKEN):
            assert secret not in said

    def test_a_local_key_passes_without_any_call(self, connect, connection_test, nothing_is_sent):
        hook = signer_hook(connect, login=ALICE)
        assert connection_test("key") == (True, ANY)
        assert hook.test_connection() == (True, f"Signs for {ALICE}")

    def test_a_remote_signer_passes_when_it_holds_the_key(self, connect, connection_test, broken):
        broken.script = [lambda exchange: exchange.answer(b"{}")]
        signer_hook(connect, host=broken.url, login=ALICE, password=TOKEN)
        assert connection_test("key") == (True, ANY)
        (request,) = broken.requests
        assert (request.verb, request.header("Authorization")) == ("GET", [f"bearer {TOKEN}"])

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"password": None}, r"'key', password: is empty\. Set it to a mnemonic"),
            ({"password": PHRASE[:-5]}, r"'key', password: is not a valid key\. Set it to a mnemonic"),
            ({"port": 5}, r"'key', port: is set without a Host\. Leave it empty"),
            ({"login": BOB}, rf"'key', password: the key belongs to {ALICE}, not to {BOB}\. Store the key of"),
            ({"host": "http://127.0.0.1:1", "login": ALICE}, r"'key', password: has the form of a private key"),
            ({"login": ALICE[:-1]}, r"'key', login: is neither an SS58 address nor a 0x public key\. Copy"),
            (
                {"host": "http://127.0.0.1:1", "login": ALICE, "password": "issued"},
                r"'key', host: The remote signer did not answer .* Correct Host, Login or Password",
            ),
        ],
    )
    def test_a_signer_that_cannot_be_used_fails_and_says_which_field_to_correct(
        self, connect, connection_test, fields, match
    ):
        signer_hook(connect, **fields)
        passed, said = connection_test("key")
        assert not passed
        assert re.search(match, said), said
        assert PHRASE[:20] not in said

    def test_a_remote_signer_that_lacks_the_key_fails(self, connect, connection_test, broken):
        broken.script = [lambda exchange: exchange.answer(b'{"reason": "no such key"}', "404 Not Found")]
        signer_hook(connect, host=broken.url, login=ALICE, password=TOKEN)
        passed, said = connection_test("key")
        assert not passed
        assert f"Connection 'key', host: The remote signer refused for {ALICE}: HTTP 404, no such key. Correct" in said
        assert TOKEN not in said


SECRETS = [
    "//Alice//payer",
    PHRASE,
    ALICE_SEED,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K",
    "user:pa55w0rd@db.example",
]
HOOKS = {
    "staking_gateway": (StakingGatewayHook, GatewayExtras),
    "staking_signer": (StakingSignerHook, SignerExtras),
    "substrate": (SubstrateHook, NodeExtras),
}


@pytest.mark.parametrize("conn_type", HOOKS)
def test_no_error_quotes_a_secret_in_the_wrong_field(connect, nothing_is_sent, conn_type):
    hook, extras = HOOKS[conn_type]
    sound = {"conn_type": conn_type, "host": "https://gateway.example", "password": TOKEN, "login": None}
    refused = 0
    for secret in SECRETS:
        places = [{name: secret} for name in ("conn_type", "host", "login", "schema")]
        places += [{"extra": {name: secret}} for name in extras.model_fields] + [
            {"extra": {secret: 1}},
            {"extra": secret},
        ]
        for place in places:
            connect("mistaken", **{**sound, **place})
            text = ""
            try:
                hook("mistaken").get_conn()
            except (errors.StakingGatewayError, AirflowNotFoundException) as error:
                text = f"{error} {error!r}"
            assert secret not in text, place
            refused += bool(text)
    assert refused > 20
