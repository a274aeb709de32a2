"""Accounts, eras, amounts, signatures and request ids: what is taken, and what is refused by name."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scalecodec.utils.ss58 import ss58_encode

from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.types import (
    MAX_AMOUNT,
    MAX_ERA,
    MAX_NONCE,
    AccountId,
    is_request_id,
    parse_era,
    parse_eras,
    parse_hex,
    parse_unsigned,
)

KEYS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())["keys"]
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
ALICE_KEY = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d"


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key["name"])
def test_all_spellings_of_an_account_are_equal_and_keep_their_spelling(key):
    spellings = [key["ss58_42"], key["ss58_0"], key["ss58_2"]]
    accounts = [AccountId.parse(text) for text in spellings]
    assert [str(account) for account in accounts] == spellings
    keys = [key["public_key"], key["public_key"][2:], "0x" + key["public_key"][2:].upper()]
    accounts += [AccountId.parse(text) for text in keys]
    assert [account.spelling for account in accounts] == spellings + keys
    assert len(set(accounts)) == 1
    assert {account.hex for account in accounts} == {key["public_key"]}
    assert str(accounts[-1]) == key["ss58_42"], "a public key is spelt in the generic format"
    assert AccountId.parse(accounts[0]) is accounts[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        accounts[0].address = "5F"


@given(st.binary(min_size=32, max_size=32), st.sampled_from([0, 2, 42, 63, 64, 255, 16383]))
def test_every_key_in_every_network_format_is_read_back(key, ss58_format):
    account = AccountId.parse(ss58_encode(key, ss58_format))
    assert account.public_key == key
    assert AccountId.parse(account.hex) == account


NO_ADDRESSES = ["", "nobody", ALICE[:-1], ALICE[:-1] + "Z", ALICE + "1", ALICE.lower(), ALICE.replace("z", "I")]
NO_TEXT_OF_AN_ADDRESS = [ALICE + "\n", ALICE + "\x00", ALICE.replace("5", "\uff15"), "5" * 10_000, "\ud800"]
OTHER_LENGTHS = ["11111111", "F7Hs", ss58_encode(b"\x01" * 33, 42), ss58_encode(b"\x01" * 8, 42)]
NO_KEYS = ["0x", ALICE_KEY[:-1], ALICE_KEY + "00", ALICE_KEY + "\n", ALICE_KEY.replace("d", "g"), ALICE_KEY[2:-1]]


@pytest.mark.parametrize(
    "wrong", [*NO_ADDRESSES, None, 5, *NO_TEXT_OF_AN_ADDRESS, *OTHER_LENGTHS, *NO_KEYS, "0x" + "\u0663" * 64]
)
def test_a_text_that_names_no_account_is_refused_by_name(wrong):
    with pytest.raises(InvalidInput) as caught:
        AccountId.parse(wrong, field="payer")
    assert caught.value.field == "payer"
    assert str(caught.value).startswith("payer: ")
    assert len(str(caught.value).encode()) < 400


NOT_PLAIN = ["abc", "", "-1", "+1", "01", " 5", "5\n", "1_0", "0x5", "1.0", "\u0663", "\ud800", "9" * 5000]
NO_ERAS = [*NOT_PLAIN, -1, 2**32, str(2**32), True, 1.0, None, b"5", [5], float("nan"), 10**5000, -(10**5000)]


@pytest.mark.parametrize("wrong", NO_ERAS, ids=range(len(NO_ERAS)))
def test_an_era_is_an_unsigned_32_bit_number_or_its_digits(wrong):
    assert (parse_era(0), parse_era("1392"), parse_era(MAX_ERA)) == (0, 1392, MAX_ERA)
    with pytest.raises(InvalidEra) as caught:
        parse_era(wrong, field="era_to_pay")
    assert caught.value.field == "era_to_pay"
    str(caught.value).encode()


@pytest.mark.parametrize(
    ("text", "eras"),
    [
        ("1391", (1391,)),
        ("1391, 1395-1398", (1391, 1395, 1396, 1397, 1398)),
        (" 7 - 8,5,8 ", (5, 7, 8)),
        ("1-1000", tuple(range(1, 1001))),
    ],
)
def test_a_list_of_eras_and_ranges_names_each_era_once_in_order(text, eras):
    assert parse_eras(text) == eras


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' is not an era or a range"),
        ("x-7", "'x-7' is not an era or a range"),
        ("1402-1395", "era 1402 comes after era 1395"),
        (f"{MAX_ERA + 1}", "is not a number from 0 to"),
        ("1-1001", "more than 1 000 eras"),
        (["5"], "a list is not a number from 0 to"),
        ("05", "'05' is not a number from 0 to"),
    ],
)
def test_what_is_no_list_of_eras_is_refused_by_name(text, problem):
    with pytest.raises(InvalidEra, match=f"^chosen: .*{re.escape(problem)}"):
        parse_eras(text, field="chosen")


@pytest.mark.parametrize("limit", [MAX_ERA, MAX_NONCE, MAX_AMOUNT])
def test_the_limit_is_the_last_number_taken(limit):
    assert parse_unsigned(limit, limit, field="n") == parse_unsigned(str(limit), limit, field="n") == limit
    for wrong in (limit + 1, str(limit + 1)):
        with pytest.raises(InvalidInput, match="n: "):
            parse_unsigned(wrong, limit, field="n")


@pytest.mark.parametrize("wrong", ["", "ab" * 64, "0x" + "ab" * 63, "0x" + "ab" * 65, "0x" + "ab" * 64 + "\n", None, 5])
def test_a_signature_is_64_bytes_in_hex_and_is_never_quoted(wrong):
    with pytest.raises(InvalidInput, match="proof: not a signature") as caught:
        parse_hex(wrong, field="proof", size=64)
    assert "abab" not in str(caught.value)
    assert parse_hex("0x" + "aB" * 64, field="proof", size=64) == "0x" + "aB" * 64


def test_a_ready_made_proof_is_hex_of_any_length():
    assert parse_hex("0xaB", field="proof") == "0xaB"
    for wrong in (None, "aB", "0xg0"):
        with pytest.raises(InvalidInput, match="not a signature or proof"):
            parse_hex(wrong, field="proof")


def test_a_request_id_is_uuid_formatted():
    uuid = "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"
    assert is_request_id(uuid)
    assert is_request_id(uuid.upper())
    assert not any(is_request_id(wrong) for wrong in (uuid + "\n", uuid[1:], uuid.replace("-", ""), None, 5, [uuid]))
