"""`airflow staking export`: the ledger's views as files other programs read safely."""

import csv
import io
import sys
from datetime import datetime, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from names import ALICE_STASH, NETWORK, PARTY
from staking_commands import airflow

from staking_gateway.ledger.records import AccountReward, Actor, EraFacts, PayoutState
from staking_gateway.ledger.views import VIEWS
from staking_gateway.types import MAX_AMOUNT, AccountId, StakingStatus
from staking_gateway_provider import exporting
from tests.support.ledgers import judged, put, signed

AT = datetime(2026, 6, 1, 12, 30, 15, 123456, tzinfo=timezone.utc)
STASH = AccountId.parse(ALICE_STASH)


@pytest.fixture(autouse=True)
def books(gateway, ledger):
    """Eras 7 to 9, refused with words a spreadsheet would run; statuses, rewards and facts of era 8."""
    for era in (9, 7, 8):
        payout = ledger.plan(NETWORK, era, 0, **PARTY, actor=Actor("=run"))
        why = '=HYPERLINK("http://x";"y"),\n+1'
        put(ledger, payout, PayoutState.REJECTED, Actor("r"), fee=MAX_AMOUNT, signed_at=AT, reason=why)
    noted = {"network": NETWORK, "era": 8, "noted_at": AT}
    ledger.facts.note(EraFacts(**noted, reward=MAX_AMOUNT, reward_source="storage", symbol="UNIT", decimals=18))
    reward = {"account_key": STASH.hex, "address": STASH.address, "amount": 5, "source": "events"}
    ledger.facts.note(AccountReward(**noted, **reward))
    ledger.record_statuses(NETWORK, 8, [(STASH, StakingStatus.IS_STAKING)])
    return ledger


@pytest.fixture
def target(tmp_path):
    return tmp_path / "warehouse"


def run(target, *words, file_format="csv"):
    airflow("export", "--network", NETWORK, "--target", target, "--format", file_format, *words)


def files(target):
    return sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())


def rows(target, view, era=8):
    with (target / NETWORK / view / f"era={era}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_view_and_era_with_rows_has_a_file_and_unknown_stays_unknown(target, capsys):
    run(target)
    eras = {"staking_eras": (7, 8, 9), "staking_payouts": (7, 8, 9), "staking_rewards": (8,), "staking_statuses": (8,)}
    assert files(target) == [f"{NETWORK}/{view}/era={era}.csv" for view, found in eras.items() for era in found]
    assert "9 rows of 3 eras of testnet are in 8 files" in capsys.readouterr().out
    (payout,) = rows(target, "staking_payouts")
    assert list(payout) == [column.name for column in VIEWS["staking_payouts"]]
    assert (payout["signed_fee"], payout["fee"], payout["confirmed_at"]) == (str(MAX_AMOUNT), "", "")
    assert payout["signed_at"] == "2026-06-01T12:30:15.123456+00:00"
    assert (payout["unanswered"], payout["wasted"]) == ("0", "0")
    assert float(payout["signed_fee_scaled"]) == MAX_AMOUNT / 10**18
    amounts = [(row["account_key"], row["amount"]) for row in rows(target, "staking_rewards")]
    assert amounts == [(STASH.hex, "5"), ("", str(MAX_AMOUNT))]
    assert [row["status"] for row in rows(target, "staking_statuses")] == ["isStaking"]
    assert rows(target, "staking_eras")[0]["reward"] == str(MAX_AMOUNT)


def test_an_export_rewrites_its_eras_with_the_same_bytes_and_touches_no_other_file(target):
    run(target)
    before = {path: (target / path).read_bytes() for path in files(target)}
    other = target / NETWORK / "staking_eras" / "era=7.csv"
    other.write_text("of another export")
    run(target, "--from-era", 8, "--from-era", 8, "--to-era", 8)
    assert other.read_text() == "of another export"
    run(target)
    assert {path: (target / path).read_bytes() for path in files(target)} == before


def test_rows_that_have_left_the_ledger_stay_in_their_file(target, network, books):
    """Statuses leave the ledger some at a time: what is left of an era is no file either."""
    network(statuses={"keep_eras": 10})
    run(target, "--tables", "staking_statuses")
    before = (target / NETWORK / "staking_statuses" / "era=8.csv").read_text()
    accounts = [AccountId.parse("0x" + f"{number:02x}" * 32) for number in range(1, 3)]
    books.record_statuses(NETWORK, 8, [(account, StakingStatus.IS_STAKING) for account in accounts])
    books.record_statuses(NETWORK, 19, [(STASH, StakingStatus.IS_STAKING)])
    run(target, "--tables", "staking_statuses")
    assert (target / NETWORK / "staking_statuses" / "era=8.csv").read_text() == before
    assert rows(target, "staking_statuses", 19)


def charge(ledger, era, state, **changes):
    payout = signed(ledger, ledger.payout(NETWORK, era, 0), staking_nonce=era, payment_nonce=900, fee=5)
    judged(ledger, payout, state, **changes)


@pytest.mark.parametrize("exported", [[], ["--from-era", 7, "--to-era", 7]])
def test_a_fee_that_has_moved_to_another_era_is_in_one_file(target, books, capsys, exported):
    charge(books, 7, PayoutState.REJECTED)
    run(target)
    assert [row["fee"] for row in rows(target, "staking_fees", 7)] == ["5"]
    charge(books, 9, PayoutState.CONFIRMED, confirmed_at=AT)
    before = files(target)
    capsys.readouterr()
    run(target, "--tables", "staking_fees", *exported)
    assert rows(target, "staking_fees", 7) == []
    header = (target / NETWORK / "staking_fees" / "era=7.csv").read_text()
    assert header.startswith("network,era,part,")
    moved = [] if exported else [f"{NETWORK}/staking_fees/era=9.csv"]
    assert files(target) == sorted([*before, *moved])
    assert f"of {1 + len(moved)} era" in capsys.readouterr().out


BLANKS = [*" \t\n\r\x00\x0b\x1b\x1f\x85\xa0\u200b\u2028\u2060\ufeff", '"']
SEPARATORS = [";", "|", ",", "\t", "\n", "\r", "\u2028"]
BEGINS = ["=", "+", "-", "@", "\uff1d", "\uff20"]


@given(st.lists(st.sampled_from(["x", *BLANKS, *SEPARATORS, *BEGINS]), max_size=8).map("".join))
@example('x;"=1')
@example("x;\x00=1")
@example("\ufeff=1")
@example("x\u2028 \u200b=1")
def test_whatever_separator_a_spreadsheet_takes_no_cell_begins_as_a_formula(text):
    stream = io.StringIO()
    exporting.write_rows(stream, [["era", text, "reason"]])
    for separator in ",;|\t":
        for row in csv.reader(io.StringIO(stream.getvalue(), newline=""), delimiter=separator, strict=False):
            for line in [line for cell in row for line in cell.splitlines()]:
                seen = line.lstrip("".join(BLANKS))
                # In a file that is read with commas, a comma ends no cell, because such a cell is quoted.
                assert not seen.startswith(tuple(BEGINS)), (separator, row)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from-era", 9, "--to-era", 8], "from_era: era 9 comes after era 8"),
        (["--from-era", 10], "from_era: the newest era in the ledger is 9. Write 9 or less"),
        (["--to-era", "x"], "to_era: 'x' is not a number"),
        (["--tables", "payouts"], "tables: 'payouts' is no view of the ledger. Write some of staking_eras, "),
        (["--target", "warehouse"], "target: 'warehouse' is neither an absolute path nor a URL"),
        (["--target", "s3://bucket/x"], r"target: s3:// cannot .*Install apache-airflow-providers-amazon\[s3fs\]"),
        (["--target", "nfs://host/x"], "target: nfs:// cannot be used here .*Install the Airflow provider of nfs://"),
        (["--network", "../x"], "network: neither staking.yaml nor the ledger has a network a text of 4 characters"),
    ],
)
def test_what_cannot_be_exported_is_refused_by_name_and_nothing_is_written(target, words, told):
    with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
        run(target, *words)
    assert not target.exists()


def test_a_failed_export_leaves_the_old_file_and_nothing_beside_it(target, monkeypatch):
    run(target)
    before = {path: (target / path).read_bytes() for path in files(target)}

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting.os, "fsync", full)
    with pytest.raises(SystemExit, match=r"cannot be written: No space left on device\."):
        run(target)
    assert {path: (target / path).read_bytes() for path in files(target)} == before


# --- parquet ----------------------------------------------------------------------------------------------------------------


def test_parquet_without_pyarrow_names_the_extra_and_writes_nothing(target, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit, match=r"format: parquet needs pyarrow.*airflow-provider-staking-gateway\[parquet\]"):
        run(target, file_format="parquet")
    assert not target.exists()
