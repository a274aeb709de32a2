"""Files of the ledger's SQL views: `<target>/<network>/<view>/era=<number>.<csv|parquet>`.

A file appears, or replaces an older one, when it is complete. An era without rows in a view gets no file. Statuses that were removed from the
ledger stay in their file. A fee that has moved to another era leaves its old file, which may then have no rows.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

from airflow.sdk import ObjectStoragePath

from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.describe import Column, Kind
from staking_gateway.ledger.views import VIEWS
from staking_gateway.problem import Topic
from staking_gateway.text import shown

FORMATS = ("csv", "parquet")
_PACKAGES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "apache-airflow-providers-amazon[s3fs]"),
    **dict.fromkeys(("gs", "gcs"), "apache-airflow-providers-google"),
    **dict.fromkeys(("abfs", "abfss", "adl"), "apache-airflow-providers-microsoft-azure"),
}
"""The packages that bring a scheme of a target to Airflow."""
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_UNSEEN = r"\s\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\"'"
"""Blanks, control and format characters, and quotation marks: a spreadsheet may skip them."""
_ENDS = r";|\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029"
"""Characters that some spreadsheets take for the end of a cell or of a line. A comma is none: cells with commas are quoted."""
_FORMULA = re.compile(rf"(^|[{_ENDS}])(?=[{_UNSEEN}]*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])")
"""Where a formula may begin. The last four characters are the wide forms of the first four."""


@dataclass
class Written:
    """What an export has written.

    :ivar rows: number of rows by view; a view of which no era was whole is left out.
    :ivar eras: the eras with a file, in order.
    """

    files: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    eras: dict[int, None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"eras": len(self.eras), "files": self.files, "rows": dict(self.rows)}


class Exporter:
    """Writes eras of a network below a target; InvalidInput for what cannot be used, or has no package.

    :param target: a folder: an absolute path, or a URL for Airflow's `ObjectStoragePath`, such as `s3://conn_id@bucket/staking`.
    :param tables: names of views, as a list or a text with commas; all of them when empty.
    :param file_format: `parquet` or `csv`.
    """

    def __init__(self, target: object, *, tables: object = None, file_format: str = "csv") -> None:
        if file_format not in FORMATS:
            raise InvalidInput("format", f"{shown(file_format)} is unknown", f"Write {' or '.join(FORMATS)}")
        self.tables = _chosen_tables(tables)
        self._encode = _parquet_encoder() if file_format == "parquet" else _as_csv
        self._format = file_format
        self._folder = _folder(target)

    def write(self, ledger: Ledger, network: str, eras: Iterable[int], *, config: NetworkConfig) -> Written:
        """Write the files of eras; the settings say which statuses the ledger still has.

        :raises StakingGatewayError: a file cannot be written (topic EXPORT). Complete files stay.
        """
        if not _NAME.fullmatch(network):
            raise InvalidInput("network", f"{shown(network)} cannot name a folder", "Name a network of staking.yaml")
        written = Written()
        for era in eras:
            for view in self.tables:
                rows = ledger.views.rows(view, network, range(era, era + 1))
                if view == "staking_statuses" and not _has_all_statuses(ledger, network, era, config):
                    continue
                path = self._folder / network / view / f"era={era}.{self._format}"
                with _failures_of(path):
                    if rows or _has_lost_its_rows(path, ledger, network, view, era):
                        _put(path, self._encode(VIEWS[view], rows))
                        written.files += 1
                        written.eras[era] = None
                written.rows[view] += len(rows)
        return written


@contextmanager
def _failures_of(path: ObjectStoragePath) -> Iterator[None]:
    """The error about a file that cannot be written. Complete files stay, and nothing has left the ledger."""
    try:
        yield
    except StakingGatewayError:
        raise
    except Exception as error:  # each store has exceptions of its own
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        remedy = "Correct target, or the rights of its connection; then run it again"
        fault = f"target: {path} cannot be written: {reason}"
        raise StakingGatewayError(fault, topic=Topic.EXPORT, remedy=remedy) from error


def _has_all_statuses(ledger: Ledger, network: str, era: int, config: NetworkConfig) -> bool:
    """Whether no status of an era had left the ledger when the rows were read. Ask after the reading: a removal also stores a newer status."""
    return era >= config.oldest_kept_era(ledger.newest_status_era(network) or 0, utc_now())


def _has_lost_its_rows(path: ObjectStoragePath, ledger: Ledger, network: str, view: str, era: int) -> bool:
    """Whether the rows of a file are in another era now. Without a payout of the era, another ledger may have had them."""
    return view != "staking_statuses" and bool(ledger.era_payouts(network, era)) and path.exists()


def _chosen_tables(tables: object) -> list[str]:
    names = tables.split(",") if isinstance(tables, str) else tables or ()
    if not isinstance(names, Iterable):
        raise InvalidInput("tables", f"{shown(tables)} is no list", f"Write some of {', '.join(VIEWS)}")
    chosen = [str(name).strip() for name in names if str(name).strip()]
    for name in chosen:
        if name not in VIEWS:
            raise InvalidInput("tables", f"{shown(name)} is no view of the ledger", f"Write some of {', '.join(VIEWS)}")
    return [name for name in VIEWS if name in chosen or not chosen]


def _folder(target: object) -> ObjectStoragePath:
    text = str(target or "").strip()
    scheme, is_url, _ = text.partition("://")
    if not is_url and not Path(text).is_absolute():
        raise InvalidInput(
            "target",
            f"{text[:200]!r} is neither an absolute path nor a URL",
            "Write one like /data/staking or s3://conn_id@bucket/staking",
        )
    package = _PACKAGES.get(scheme, f"the Airflow provider of {scheme}://")
    try:
        path = ObjectStoragePath(text if is_url else f"file://{text}")
        path.fs  # noqa: B018 - makes the client of the store, and finds missing packages
    except (ImportError, ValueError) as error:
        raise InvalidInput("target", f"{scheme}:// cannot be used here ({error})", f"Install {package}") from None
    return path


def _put(path: ObjectStoragePath, content: bytes) -> None:
    """Write a whole file. On a disk it is written beside its place and moved; a store of objects gets it in one request."""
    if path.protocol not in ("", "file", "local"):
        path.fs.pipe_file(path.path, content)
        return
    place = Path(path.path)
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f"{place.name}.{uuid4().hex}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _as_csv(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    write_rows(text, [[column.name for column in columns], *rows])
    return text.getvalue().encode()


def write_rows(stream: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows to a file or a text in memory."""
    csv.writer(stream, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)


def cell(value: object) -> str:
    """A value as text. An apostrophe before a formula makes the formula a text (OWASP, CSV injection)."""
    return _FORMULA.sub(r"\1'", spelt(value))


def spelt(value: object) -> str:
    """A value as text, the same in every export: nothing for None, ISO 8601 for a time."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(getattr(value, "value", value))


def _parquet_encoder() -> Callable[[Sequence[Column], Sequence[Sequence[Any]]], bytes]:
    """:raises InvalidInput: pyarrow is not installed."""
    try:
        pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidInput(
            "format",
            "parquet needs pyarrow, which is not installed",
            "Install airflow-provider-staking-gateway[parquet], or choose csv",
        ) from None
    kinds = {
        Kind.INTEGER: pa.int64(),
        Kind.BOOLEAN: pa.bool_(),
        Kind.TIME: pa.timestamp("us", tz="UTC"),
        Kind.SCALED: pa.float64(),
        Kind.SECONDS: pa.float64(),
    }

    def encode(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> bytes:
        arrays = []
        for number, column in enumerate(columns):
            values = [row[number] for row in rows]
            if column.kind not in kinds:  # many programs have no numbers of 39 digits: they are texts
                values = [None if value is None else str(value) for value in values]
            arrays.append(pa.array(values, kinds.get(column.kind, pa.string())))
        stream = io.BytesIO()
        parquet.write_table(pa.table(arrays, names=[column.name for column in columns]), stream)
        return stream.getvalue()

    return encode
