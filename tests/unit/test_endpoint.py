"""Where a token may be sent, and how patiently a read is repeated."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway import errors
from staking_gateway.chain import ChainReader
from staking_gateway.errors import Failed, InvalidConnection
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.http.meanings import how_of_status


@pytest.mark.parametrize(
    "base_url",
    [
        "https://gateway.example",
        "https://gateway.example:8443/v1/",
        "https://gäteway.example",
        "https://[2001:db8::1]:8443",
        "http://[::1]:8080",
        "http://localhost/x",
        "HTTP://LOCALHOST",
    ],
)
def test_an_address_is_taken_with_its_prefix(base_url):
    assert Endpoint(base_url).base_url == base_url.rstrip("/")


NO_ADDRESSES = [
    *("", None, 5, "gateway.example", "gateway.example:443", "//gateway.example"),
    *("https://", "https:gateway.example", "https:///send", "https://:443", "ftp://gateway.example"),
    *("https://user:secretive@gateway.example", "user:secretive@gateway.example", "https://@gateway.example"),
    *("https://gateway.example?token=secretive", "https://gateway.example/?", "https://gateway.example/#"),
    *(" https://gateway.example", "https://gateway.example\n", "https://gateway.example/a b"),
    *("https://gate\tway.example", "https://gateway.example\x00", "https://gateway.example\u200b"),
    *("https://gateway.example:port", "https://gateway.example:99999", "https://gateway.example:-1"),
    *("https://[::1", "https://[gateway]", "https://[::1].gateway.example", "https://gateway..example"),
    *(f"https://{'a' * 64}.example", "https://gateway%2eexample", "https://gateway.example\\.evil.example"),
    *("http://127.0.0.1\\@evil.example", "http://evil.example\\.localhost", "http://evil.example%2f.localhost"),
    *("http://evil.example;.localhost", "http://evil.example\u3002localhost"),
]


@pytest.mark.parametrize("base_url", NO_ADDRESSES)
def test_an_address_a_token_cannot_be_sent_to_is_refused_without_quoting_credentials(base_url):
    with pytest.raises(InvalidConnection) as caught:
        Endpoint(base_url, allow_http=False)
    assert caught.value.field == "base_url"
    assert "secretive" not in str(caught.value)
    assert len(str(caught.value)) < 400


ELSEWHERE = ["gateway.example", "192.0.2.7", "0.0.0.0", "10.0.0.1", "[2001:db8::1]", "localhost.example"]
ELSEWHERE += ["gateway.localhost", "127.0.0.1.example"]


@pytest.mark.parametrize("host", ELSEWHERE)
def test_plain_http_leaves_this_machine_only_when_allowed(host):
    with pytest.raises(InvalidConnection, match="unencrypted"):
        Endpoint(f"http://{host}")
    assert Endpoint(f"http://{host}", allow_http=True).base_url == f"http://{host}"


@given(st.text(st.characters(), max_size=60).map("https://{}".format) | st.text(max_size=60))
def test_no_text_given_as_an_address_escapes_as_a_foreign_error(text):
    try:
        assert Endpoint(text).base_url == text.rstrip("/")
    except InvalidConnection as error:
        str(error).encode()


@pytest.mark.parametrize(
    "content", [None, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_ca_bundle_without_certificates_is_refused_before_the_first_call(tmp_path, content):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InvalidConnection, match="ca_bundle"):
        Endpoint("https://gateway.example", ca_bundle=str(path))


LIKE = "Write it like wss://server.example"
NO_ENDPOINTS = [
    *(
        ({"url": url}, LIKE)
        for url in (
            *("", "node.example:9944", "ftp://node.example", "wss://", "wss://node.example\\x", "wss://node example"),
            *("wss://[::1", "wss://node.example:port", f"wss://{'n' * 64}.example"),
        )
    ),
    ({"url": "wss://me:s3cret@node.example"}, "Remove them"),
    ({"url": "wss://node.example/#x"}, LIKE),
    ({"url": "ws://node.example"}, "Use wss, or set allow_ws"),
    ({"url": "http://node.example"}, "Use https, or set allow_ws"),
    ({"genesis_hash": "0x12"}, "Write 0x and 64 hex digits"),
    ({"ca_bundle": "/no/such/file"}, "Name a PEM file"),
]


class TestNode:
    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("ws://127.0.0.1:9944", "ws://127.0.0.1:9944"),
            ("wss://node.example/key/s3cret?apikey=s3cret", "wss://node.example:443"),
            ("https://[2001:db8::1]:443/s3cret", "https://[2001:db8::1]:443"),
        ],
    )
    def test_path_and_query_are_kept_but_never_shown(self, url, name):
        endpoint = ChainReader(url)
        assert (endpoint.url, endpoint.name, "s3cret" in repr(endpoint)) == (url, name, False)

    @pytest.mark.parametrize(("fields", "remedy"), NO_ENDPOINTS)
    def test_what_cannot_be_used_is_refused_by_name_with_a_remedy(self, fields, remedy):
        with pytest.raises(InvalidConnection) as caught:
            ChainReader(**{"url": "wss://node.example", **fields})
        assert [caught.value.field] == list(fields)
        assert remedy in caught.value.problem.remedy
        assert "s3cret" not in str(caught.value)

    def test_plain_text_may_be_allowed_and_a_genesis_hash_be_spelt_in_capitals(self):
        endpoint = ChainReader("ws://node.example", allow_ws=True, genesis_hash=f"0x{'AB' * 32}")
        assert (endpoint.url, endpoint.genesis_hash) == ("ws://node.example", "0x" + "ab" * 32)


@pytest.fixture
def time(monkeypatch):
    """What a retry sees of time: sleeping moves it, nothing else does."""
    time = SimpleNamespace(now=1000.0, slept=[])

    def sleep(seconds):
        time.slept.append(seconds)
        time.now += seconds

    monkeypatch.setattr("time.monotonic", lambda: time.now)
    monkeypatch.setattr("time.sleep", sleep)
    return time


def run(retry, time, *faults, takes=0.0):
    """A read that meets these faults one after the other and then succeeds."""
    coming = iter(faults)

    def read():
        time.now += takes
        for fault in coming:
            raise fault
        return "read"

    return retry.call(read)


LOST = errors.ConnectionLost("lost", method="getActiveEra")


def busy(retry_after):
    return errors.GatewayError("busy", method="getActiveEra", status=429, retry_after=retry_after, how=Failed.TOO_MANY)


def test_a_read_pauses_between_attempts_and_never_longer_than_agreed(time):
    assert run(ReadRetry(attempts=9, total=60, max_wait=0.5), time, *[LOST] * 8) == "read"
    assert len(time.slept) == 8
    assert all(0 <= pause <= 0.5 for pause in time.slept)
    assert len(set(time.slept)) > 1  # random, so that many workers do not come back at the same moment


@pytest.mark.parametrize(
    ("retry", "faults", "takes", "pauses"),
    [
        (ReadRetry(), [errors.GatewayError("no", method="getActiveEra", status=401, how=Failed.NO_TOKEN)], 0, 0),
        (ReadRetry(attempts=3, total=60), [LOST] * 3, 0, 2),
        (ReadRetry(attempts=9, total=30), [LOST], 30, 0),
        (ReadRetry(attempts=3, total=30), [busy(30.0)], 0, 0),
    ],
    ids=["it lasts", "all attempts are made", "the first took all the time", "the gateway asks to wait too long"],
)
def test_a_read_ends_with_its_last_error_in_the_agreed_attempts_and_time(time, retry, faults, takes, pauses):
    with pytest.raises(errors.GatewayError) as caught:
        run(retry, time, *faults, takes=takes)
    assert (caught.value, len(time.slept)) == (faults[-1], pauses)


@pytest.mark.parametrize(("attempts", "lost"), [(1, 0), (4, 3)])
def test_a_denied_method_is_asked_for_once_more_at_once_and_in_the_same_attempt(time, attempts, lost):
    denied = errors.GatewayError(method="getActiveEra", how=Failed.NO_METHOD)
    assert run(ReadRetry(attempts=attempts), time, *[LOST] * lost, denied) == "read"
    assert len([pause for pause in time.slept if pause]) == lost


def test_the_wait_the_gateway_asks_for_is_kept(time):
    assert run(ReadRetry(attempts=3, total=30, max_wait=0.1), time, busy(12.0), busy(None)) == "read"
    assert 12.0 <= time.slept[0] <= 12.1
    assert time.slept[1] <= 0.1


@pytest.mark.parametrize("status", range(300, 600))
def test_a_status_is_transient_when_the_server_is_late_early_busy_or_broken(status):
    assert how_of_status(status).passes is (status in (408, 425, 429) or status >= 500)
