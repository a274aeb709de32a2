"""What a node's words and addresses mean."""

import pytest

from staking_gateway.chain import NodeEndpoint
from staking_gateway.chain.block import judge_phase
from staking_gateway.errors import InvalidConnection
from staking_gateway.types import ElectionWindow

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED


STUCK = "the election is stuck in its emergency phase"
PHASES = {
    **dict.fromkeys(("Off", "off", "Signed", "Done"), ""),
    "Emergency": STUCK,
    **dict.fromkeys(("Resting", "Closed", ""), "is unknown and taken as not closed"),
}
WITH_FIELDS = [
    *({"Off": None}, {"Signed": 3}, {"SignedValidation": 1}, {"Unsigned": (True, 5)}, {"Snapshot": 2}, {"Export": 0}),
    {"Resting": 1},
]


class TestPhases:
    @pytest.mark.parametrize("value", [*PHASES, *WITH_FIELDS], ids=str)
    def test_only_off_is_closed_and_an_unknown_one_is_named(self, value):
        name = value if isinstance(value, str) else next(iter(value))
        window, phase, remark = judge_phase(value)
        assert (window, phase) == (CLOSED if name.lower() == "off" else OPEN, name)
        assert PHASES.get(name, "") in remark
        assert bool(remark) == bool(PHASES.get(name, ""))


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
