"""`airflow staking ledger export`: payouts as files other programs read safely."""

from __future__ import annotations

import csv
import io
import sys
import types
import weakref
from dataclasses import fields, replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from names import NETWORK, PARTY
from staking_commands import airflow

from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.view_columns import Kind
from staking_gateway.ledger.views import VIEWS
from staking_gateway.types import MAX_AMOUNT
from staking_gateway_provider import csv_rows
from staking_gateway_provider.commands import export

AT = datetime(2026, 6, 1, 12, 30, 15, 123456, tzinfo=timezone.utc)
SIGNATURES = {"proxy_signature": "0x" + "ab" * 64, "fee_payment_signature": "0x" + "cd" * 64}


@pytest.fixture(autouse=True)
def payouts(gateway, ledger):
    """Eras 7 to 9, of which 8 was refused with words a spreadsheet would run."""
    for era in (9, 7, 8):
        payout = ledger.plan(NETWORK, era, 0, **PARTY, actor=Actor("=run"))
        payout = ledger.transition(
            payout, PayoutState.SIGNED, "", Actor("r"), fee=MAX_AMOUNT, signed_at=AT, **SIGNATURES
        )
        ledger.transition(payout, PayoutState.REJECTED, "", Actor("r"), reason='=HYPERLINK("http://x";"y"),\n+1')
    return ledger


def run(file, *words):
    airflow("ledger", "export", "--network", NETWORK, "--file", file, *words)


def rows(file):
    with Path(file).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_payout_is_a_row_with_exact_amounts_and_utc_times(tmp_path, capsys):
    run(tmp_path / "all.csv")
    told = rows(tmp_path / "all.csv")
    assert [row["era"] for row in told] == ["7", "8", "9"]
    assert (told[0]["signed_fee"], told[0]["fee"]) == (str(MAX_AMOUNT), "")
    assert told[0]["signed_at"] == "2026-06-01T12:30:15.123456+00:00"
    assert told[0]["confirmed_at"] == ""
    assert told[0]["state"] == "REJECTED"
    assert (told[0]["fee_charged"], told[0]["copies_out"], told[0]["wasted"]) == ("", "false", "0")
    assert "3 payouts of 3 eras of testnet" in capsys.readouterr().err


def test_every_column_of_the_ledger_is_exported_or_left_out_by_name():
    exported = {export.OTHER_NAMES.get(column, column) for column in export.COLUMNS}
    assert exported | export.NOT_EXPORTED == {field.name for field in fields(Payout)}
    assert not exported & export.NOT_EXPORTED


def test_an_export_and_the_view_of_payouts_have_the_same_columns():
    columns = VIEWS["staking_payouts"].columns
    assert [column.name for column in columns if column.kind is not Kind.SCALED] == list(export.COLUMNS)


def test_no_signature_is_exported(tmp_path):
    run(tmp_path / "all.csv")
    text = (tmp_path / "all.csv").read_text()
    assert "signature" not in text
    assert not any(signature[2:] in text for signature in SIGNATURES.values())


BLANKS = [
    " ",
    "\t",
    "\n",
    "\r",
    "\x00",
    "\x0b",
    "\x1b",
    "\x1f",
    "\x85",
    "\xa0",
    "\u200b",
    "\u2028",
    "\u2060",
    "\ufeff",
    '"',
]
SEPARATORS = [";", "|", ",", "\t", "\n", "\r", "\u2028"]
BEGINS = ["=", "+", "-", "@", "\uff1d", "\uff20"]


@given(st.lists(st.sampled_from(["x", *BLANKS, *SEPARATORS, *BEGINS]), max_size=8).map("".join))
@example('x;"=1')
@example("x;\x00=1")
@example("\ufeff=1")
@example("x\u2028 \u200b=1")
def test_whatever_separator_a_spreadsheet_takes_no_cell_begins_as_a_formula(text):
    stream = io.StringIO()
    csv_rows.write_rows(stream, [["era", text, "reason"]])
    for separator in ",;|\t":
        for row in csv.reader(io.StringIO(stream.getvalue(), newline=""), delimiter=separator, strict=False):
            for line in [line for cell in row for line in cell.splitlines()]:
                seen = line.lstrip("".join(BLANKS))
                # In a file that is read with commas, a comma ends no cell, because such a cell is quoted.
                assert not seen.startswith(tuple(BEGINS)), (separator, row)


def test_a_range_of_eras_can_be_exported(tmp_path):
    run(tmp_path / "some.csv", "--from-era", 8, "--to-era", 8)
    assert [row["era"] for row in rows(tmp_path / "some.csv")] == ["8"]
    run(tmp_path / "none.csv", "--from-era", 100)
    assert (tmp_path / "none.csv").read_text() == ",".join(export.COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from-era", 9, "--to-era", 8], "from_era: era 9 comes after to_era 8"),
        (["--file", "-"], "file: '-' is no file"),
        (["--from-era", "x"], "from_era: 'x' is not a number"),
        (["--to-era", "x"], "to_era: 'x' is not a number"),
    ],
)
def test_a_range_that_is_none_is_refused_by_name(tmp_path, words, told):
    with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
        run(tmp_path / "none.csv", *words)
    assert not (tmp_path / "none.csv").exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"airflow staking: file: .*nowhere.* cannot be written: No such file"):
        run(tmp_path / "nowhere" / "all.csv")


def test_a_failed_export_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    target = tmp_path / "folder" / "all.csv"
    target.parent.mkdir()
    target.write_text("the old one")

    def full(stream, rows):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "write_rows", full)
    with pytest.raises(SystemExit, match="cannot be written: No space left on device"):
        run(target)
    assert target.read_text() == "the old one"
    assert list(target.parent.iterdir()) == [target]


def test_no_more_payouts_are_in_memory_than_the_ledger_reads_at_a_time(tmp_path, payouts, monkeypatch):
    one, alive, most = payouts.payout(NETWORK, 7, 0), weakref.WeakSet(), []

    def each_payout(*_):
        for part in range(2000):
            made = replace(one, part=part)
            alive.add(made)
            most.append(len(alive))
            yield made

    monkeypatch.setattr(Ledger, "each_payout", each_payout)
    run(tmp_path / "all.csv")
    assert [int(row["part"]) for row in rows(tmp_path / "all.csv")] == list(range(2000))
    assert max(most) < 10


# --- parquet ----------------------------------------------------------------------------------------------------------------


def test_parquet_without_pyarrow_names_the_extra_and_reads_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SystemExit, match=r"format: parquet needs pyarrow.*airflow-provider-staking-gateway\[parquet\]"):
        run(tmp_path / "all.parquet", "--format", "parquet")
    assert not (tmp_path / "all.parquet").exists()


def test_parquet_has_the_columns_of_the_csv_with_exact_amounts_and_real_times(tmp_path, monkeypatch):
    """What pyarrow is asked for, without pyarrow, which is no dependency."""
    written = {}

    class ParquetWriter:
        def __init__(self, path, schema):
            self.path, self.schema = path, schema

        def __enter__(self):
            return self

        def __exit__(self, *failure):
            Path(self.path).write_bytes(b"PAR1")

        def write_table(self, table):
            columns, schema = table
            assert schema == self.schema
            for (name, kind), (of_array, values) in zip(schema, columns, strict=True):
                assert kind == of_array
                written.setdefault(name, (kind, []))[1].extend(values)

    arrow, parquet = types.ModuleType("pyarrow"), types.ModuleType("pyarrow.parquet")
    arrow.string, arrow.int64, arrow.bool_ = lambda: "string", lambda: "int64", lambda: "bool"
    arrow.timestamp = lambda unit, tz: f"timestamp[{unit}, {tz}]"
    arrow.array, arrow.schema = lambda values, kind: (kind, values), lambda fields: fields
    arrow.table = lambda columns, schema: (columns, schema)
    parquet.ParquetWriter = ParquetWriter
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    run(tmp_path / "all.parquet", "--format", "parquet")
    assert list(written) == list(export.COLUMNS)
    assert written["era"] == ("int64", [7, 8, 9])
    assert written["signed_fee"] == ("string", [str(MAX_AMOUNT)] * 3)
    assert written["fee"] == ("string", [None] * 3)
    assert written["copies_out"] == ("bool", [False] * 3)
    assert written["signed_at"] == ("timestamp[us, UTC]", [AT] * 3)
    assert written["confirmed_at"] == ("timestamp[us, UTC]", [None] * 3)
    assert written["state"] == ("string", ["REJECTED"] * 3)
    assert (tmp_path / "all.parquet").read_bytes() == b"PAR1"
