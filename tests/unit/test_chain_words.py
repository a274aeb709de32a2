"""What a node's bytes, words and addresses mean."""

from datetime import datetime, timezone

import pytest
import xxhash

from staking_gateway.chain import NodeEndpoint, storage
from staking_gateway.chain.state import judge_phase
from staking_gateway.errors import InvalidConnection
from staking_gateway.types import ElectionWindow

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def twox128(name):
    return b"".join(xxhash.xxh64(name.encode(), seed=seed).intdigest().to_bytes(8, "little") for seed in (0, 1)).hex()


@pytest.mark.parametrize(
    ("key", "pallet", "item"),
    [
        (storage.ACTIVE_ERA, "Staking", "ActiveEra"),
        (storage.ERA_ELECTION_STATUS, "Staking", "EraElectionStatus"),
        (storage.MULTI_PHASE, "ElectionProviderMultiPhase", "CurrentPhase"),
        (storage.MULTI_BLOCK, "MultiBlockElection", "CurrentPhase"),
        (storage.NOW, "Timestamp", "Now"),
        (storage.EVENTS, "System", "Events"),
    ],
)
def test_a_key_is_the_hash_of_pallet_and_item(key, pallet, item):
    assert key == storage.key(pallet, item) == f"0x{twox128(pallet)}{twox128(item)}"


class TestActiveEra:
    @pytest.mark.parametrize(
        ("raw", "era", "started_at"),
        [
            # Westend's first change of eras, as its runtime stored it.
            ("010000000130f72ed18b010000", 1, datetime(2023, 11, 15, 4, 13, 18, tzinfo=timezone.utc)),
            ("0000000000", 0, None),
            ("ffffffff010000000000000000", 2**32 - 1, EPOCH),
        ],
    )
    def test_is_the_index_and_perhaps_the_start_in_milliseconds(self, raw, era, started_at):
        assert storage.decode_active_era(bytes.fromhex(raw)) == (era, started_at)

    @pytest.mark.parametrize(
        ("raw", "told"),
        [
            *(
                (raw, "bytes are not an active era")
                for raw in ("", "01000000", "010000000002", "01000000ff", "00" * 13)
            ),
            ("0100000001" + "ff" * 8, "not a valid time"),
        ],
    )
    def test_of_another_size_or_beyond_the_calendar_is_refused(self, raw, told):
        with pytest.raises(ValueError, match=told):
            storage.decode_active_era(bytes.fromhex(raw))


class TestElectionStatus:
    @pytest.mark.parametrize(
        ("raw", "told"),
        [
            (None, (CLOSED, "Close")),
            (b"\0", (CLOSED, "Close")),
            (b"\1\x09\0\0\0", (OPEN, "Open")),
            (b"\1" + b"\xff" * 8, (OPEN, "Open")),
        ],
    )
    def test_is_open_since_a_block_or_closed_as_it_is_when_nothing_is_stored(self, raw, told):
        assert storage.decode_election_status(raw) == told


CONTROLLER = bytes(range(32))
LEDGER = CONTROLLER + b"\x0b\0\0\x63\xa7\xb3\xb6" + b"\x24" + b"\x04" + b"\x14\xb9\x15"
"""Stash, total, active and one unlocking chunk; the list of claimed eras is missing."""


class TestRecordsOfPayouts:
    def test_points_name_the_stashes_that_earned_some(self):
        entries = [
            bytes([number]) * 32 + points.to_bytes(4, "little") for number, points in ((1, 20), (2, 0), (3, 2**31))
        ]
        raw = bytes(4) + b"\x0c" + b"".join(entries)
        assert storage.decode_reward_points(raw) == [bytes([1]) * 32, bytes([3]) * 32]
        assert storage.decode_reward_points(bytes(5)) == []
        for wrong in (b"", bytes(4), raw[:-1], raw + b"\0", bytes(4) + b"\x04", bytes(4) + b"\xff" * 68):
            with pytest.raises(ValueError, match="not such a list"):
                storage.decode_reward_points(wrong)

    @pytest.mark.parametrize("claimed", [[], [7], [0, 1391, 2**32 - 1]])
    def test_a_ledger_lists_the_claimed_eras(self, claimed):
        raw = LEDGER + bytes([len(claimed) << 2]) + b"".join(era.to_bytes(4, "little") for era in claimed)
        assert storage.decode_ledger(raw) == (CONTROLLER, claimed)
        for length in range(len(raw)):
            with pytest.raises(ValueError, match="bytes are not"):
                storage.decode_ledger(raw[:length])
        with pytest.raises(ValueError, match="bytes are not"):
            storage.decode_ledger(raw + b"\0")

    @pytest.mark.parametrize(
        ("own", "pages", "told"),
        [(b"\0", 0, 0), (b"\x04", 0, 1), (b"\x04", 1, 1), (b"\0", 3, 3), (b"\x04", 2**32 - 1, 2**32 - 1)],
    )
    def test_an_exposure_has_a_page_at_least_when_the_validator_has_stake(self, own, pages, told):
        raw = b"\x28" + own + (5).to_bytes(4, "little") + pages.to_bytes(4, "little")
        assert storage.decode_page_count(raw) == told
        for wrong in (b"", raw[:-1], raw + b"\0", b"\x28", b"\xff"):
            with pytest.raises(ValueError, match="bytes are not an exposure"):
                storage.decode_page_count(wrong)


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


LIKE = "Write it like ws://"
NO_ENDPOINTS = [
    *(
        ({"url": url}, LIKE)
        for url in (
            *("", "node.example:9944", "ftp://node.example", "wss://", "wss://node.example\\x", "wss://node example"),
            *("wss://[::1", "wss://node.example:port", f"wss://{'n' * 64}.example"),
        )
    ),
    ({"url": "wss://me:s3cret@node.example"}, "Remove them"),
    ({"url": "wss://node.example/#x"}, "Remove everything from #"),
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
        assert remedy in caught.value.remedy
        assert "s3cret" not in str(caught.value)

    def test_plain_text_may_be_allowed_and_a_genesis_hash_be_spelt_in_capitals(self):
        endpoint = NodeEndpoint("ws://node.example", allow_ws=True, genesis_hash=f"0x{'AB' * 32}")
        assert (endpoint.url, endpoint.genesis_hash) == ("ws://node.example", "0x" + "ab" * 32)
