"""`airflow staking ledger export`: every payout of a network as a file for other programs. Signatures stay where they are."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, closing, suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidInput
from staking_gateway.text import count
from staking_gateway_provider.commands.output import for_people, progress, report_errors, show_one, tell
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.csv_rows import spelt, write_rows
from staking_gateway_provider.networks import open_ledger

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator

    from staking_gateway.ledger import Payout

COLUMNS = {
    "network": "text",
    "chain": "text",
    "era": "int",
    "part": "int",
    "state": "text",
    "user_key": "text",
    "payer_key": "text",
    "relayer_key": "text",
    "staking_nonce": "amount",
    "payment_nonce": "amount",
    "signed_fee": "amount",
    "fee": "amount",
    "request_id": "text",
    "tx_hash": "text",
    "block_number": "amount",
    "confirmed_by": "text",
    "reason": "text",
    "plans": "int",
    "unanswered": "int",
    "created_at": "time",
    "updated_at": "time",
    "signed_at": "time",
    "accepted_at": "time",
    "confirmed_at": "time",
    "settled_by": "text",
    "hold": "text",
    "copies_out": "bool",
    "refused": "bool",
    "request_status": "text",
    "disagree": "text",
    "disagree_since": "time",
    "over": "text",
    "over_since": "time",
    "fee_charged": "bool",
    "used_nonce": "amount",
    "asked": "bool",
    "wasted": "int",
    "signed_by": "text",
    "signed_try": "int",
    "signed_payloads": "int",
    "given_up_by": "text",
}
"""Exported columns and their types. An amount is decimal text, because it may need 128 bits. A time is UTC. `fee` is the paid fee."""
_ROW_GROUP = 10_000
"""Payouts of a group of rows in a Parquet file; so many are in memory."""
OTHER_NAMES = {"signed_fee": "fee", "signed_payloads": "signatures"}
"""Columns that have another name in the ledger."""
NOT_EXPORTED = {
    "id",
    "version",
    "proxy_signature",
    "fee_payment_signature",
    "unanswered_at",
    "lease_owner",
    "lease_until",
}
"""Columns of the ledger that are not exported: signatures, and columns for the engine."""


@report_errors
def export(arguments: Namespace) -> None:
    """`airflow staking ledger export`: the file appears when it is complete."""
    from staking_gateway.types import MAX_ERA, parse_era

    first = parse_era(arguments.from_era, field="from_era") if arguments.from_era is not None else 0
    last = parse_era(arguments.to_era, field="to_era") if arguments.to_era is not None else MAX_ERA
    if first > last:
        raise InvalidInput("from_era", f"era {first} comes after to_era {last}", "Swap the two")
    if arguments.file == "-":
        raise InvalidInput("file", "'-' is no file", "Name a file; it is replaced when the new one is complete")
    write = _write_csv if arguments.format == "csv" else _parquet_writer()
    eras, network = range(first, last + 1), chosen_network(arguments)
    seen = _Seen()
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger, ExitStack() as stack:
        step = stack.enter_context(progress("Exporting", ledger.count_payouts(network, eras)))
        payouts = seen.counted(ledger.each_payout(network, eras), step)
        _replace(Path(arguments.file).expanduser(), lambda path: write(path, payouts))
    if for_people(arguments.output):
        tell(f"{count(seen.payouts, 'payout')} of {count(seen.eras, 'era')} of {network} are in {arguments.file}")
        return
    told = {"network": network, "file": arguments.file, "format": arguments.format}
    show_one({**told, "payouts": seen.payouts, "eras": seen.eras}, arguments.output)


class _Seen:
    """Counts payouts in the order of their eras while they are written."""

    def __init__(self) -> None:
        self.payouts = self.eras = 0

    def counted(self, payouts: Iterable[Payout], step: Callable[[], None]) -> Iterator[Payout]:
        era = None
        for payout in payouts:
            self.payouts += 1
            self.eras += payout.era != era
            era = payout.era
            yield payout
            step()


def _replace(target: Path, write: Callable[[Path], None]) -> None:
    """Write a file beside the target, then replace the target: no reader gets half a file."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
        try:
            write(Path(name))
            Path(name).replace(target)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise InvalidInput(
            "file", f"{target} cannot be written: {error.strerror}", "Name a file in a folder you may write to"
        ) from None


def _write_csv(path: Path, payouts: Iterable[Payout]) -> None:
    def rows() -> Iterator[Iterable[object]]:
        yield COLUMNS
        for payout in payouts:
            yield [_value(payout, name) for name in COLUMNS]

    with path.open("w", encoding="utf-8", newline="") as stream:
        write_rows(stream, rows())


def _value(payout: Payout, column: str) -> Any:
    """A payload that was signed and never executed has cost nothing."""
    if column == "fee" and payout.confirmed_at is None:
        return None
    return getattr(payout, OTHER_NAMES.get(column, column))


def _parquet_writer() -> Callable[[Path, Iterable[Payout]], None]:
    """Looked up before anything is read.

    :raises InvalidInput: pyarrow is not installed.
    """
    try:
        pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidInput(
            "format",
            "parquet needs pyarrow, which is not installed",
            "Install airflow-provider-staking-gateway[parquet], or write --format csv",
        ) from None

    def write(path: Path, payouts: Iterable[Payout]) -> None:
        kinds = {
            "text": pa.string(),
            "amount": pa.string(),
            "int": pa.int64(),
            "bool": pa.bool_(),
            "time": pa.timestamp("us", tz="UTC"),
        }
        schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        rest = iter(payouts)
        with parquet.ParquetWriter(path, schema) as writer:
            while group := list(islice(rest, _ROW_GROUP)):
                columns = [
                    pa.array([_parquet_value(_value(payout, name), kind) for payout in group], kinds[kind])
                    for name, kind in COLUMNS.items()
                ]
                writer.write_table(pa.table(columns, schema=schema))

    return write


def _parquet_value(value: Any, kind: str) -> Any:
    return spelt(value) if value is not None and kind in ("text", "amount") else value
