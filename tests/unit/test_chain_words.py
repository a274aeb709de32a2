"""What a node's address may be."""

import pytest

from staking_gateway.chain import NodeEndpoint
from staking_gateway.errors import InvalidConnection

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
    *(({"timeout": wrong}, "Write seconds") for wrong in (0, True, float("nan"), 3601)),
    *(({"genesis_hash": wrong}, "Write 0x and 64 hex digits") for wrong in ("0x12", 5)),
    ({"ca_bundle": "/no/such/file"}, "Name a PEM file"),
]


class TestEndpoint:
    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("ws://127.0.0.1:9944", "ws://127.0.0.1:9944"),
            ("wss://node.example/key/s3cret?apikey=s3cret", "wss://node.example"),
            ("https://[2001:db8::1]:443/s3cret", "https://[2001:db8::1]:443"),
        ],
    )
    def test_path_and_query_are_kept_but_never_shown(self, url, name):
        endpoint = NodeEndpoint(url)
        assert (endpoint.url, endpoint.name) == (url, name)

    @pytest.mark.parametrize(("fields", "remedy"), NO_ENDPOINTS)
    def test_what_cannot_be_used_is_refused_by_name_with_a_remedy(self, fields, remedy):
        with pytest.raises(InvalidConnection) as caught:
            NodeEndpoint(**{"url": "wss://node.example", **fields})
        assert [caught.value.field] == list(fields)
        assert remedy in caught.value.problem.remedy
        assert "s3cret" not in str(caught.value)

    def test_plain_text_may_be_allowed_and_a_genesis_hash_be_spelt_in_capitals(self):
        endpoint = NodeEndpoint("ws://node.example", allow_ws=True, genesis_hash=f"0x{'AB' * 32}")
        assert (endpoint.url, endpoint.genesis_hash) == ("ws://node.example", "0x" + "ab" * 32)
