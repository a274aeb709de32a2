"""Files of the ledger's SQL views: `<target>/<network>/<view>/era=<number>.<csv|parquet>`.

A file appears, or replaces an older one, when it is complete. An era without rows in a view gets no file. Statuses that have left the ledger
stay in their file. A fee that has moved to another era leaves its old file, which may then have no rows.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from staking_gateway.errors import ExportError, InvalidInput, StakingGatewayError
from staking_gateway.ledger.view_columns import Kind
from staking_gateway.ledger.views import VIEWS
from staking_gateway.text import shown
from staking_gateway_provider.csv_rows import write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from airflow.sdk import ObjectStoragePath

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger
    from staking_gateway.ledger.view_columns import Column

    Writer: TypeAlias = "Callable[[Path, Sequence[Column], Iterable[Sequence[Any]]], None]"

_PACKAGES = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "apache-airflow-providers-amazon[s3fs]"),
    **dict.fromkeys(("gs", "gcs"), "apache-airflow-providers-google"),
    **dict.fromkeys(("abfs", "abfss", "adl"), "apache-airflow-providers-microsoft-azure"),
}
"""The packages that bring a scheme of a target to Airflow."""
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_ROW_GROUP = 10_000
"""Rows of a group in a Parquet file; so many are in memory."""


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
    """Writes eras of a network below a target.

    :param target: a folder: an absolute path, or a URL for Airflow's `ObjectStoragePath`, such as `s3://conn_id@bucket/staking`.
    :param tables: names of views, as a list or a text with commas; all of them when empty.
    :param file_format: `parquet` or `csv`.
    :raises InvalidInput: one of them cannot be used, or its package is not installed.
    """

    def __init__(self, target: object, *, tables: object = None, file_format: str = "csv") -> None:
        self.tables = _chosen_tables(tables)
        self.file_format = file_format
        self._write = _writer(file_format)
        self._folder = _folder(target)
        self.target = str(target)

    def write(
        self,
        ledger: Ledger,
        network: str,
        eras: range,
        *,
        config: NetworkConfig | None = None,
        on_era: Callable[[], object] = lambda: None,
    ) -> Written:
        """Write the files of eras.

        :param config: the network's settings: they say which statuses the ledger still has.
        :param on_era: is called after each era.
        :raises InvalidInput: the network's name is none for a folder.
        :raises ExportError: a file cannot be written. Complete files stay.
        """
        if not _NAME.fullmatch(network):
            raise InvalidInput("network", f"{shown(network)} cannot name a folder", "Name a network of staking.yaml")
        written = Written()
        for era in eras:
            for view in self.tables:
                self._write_file(ledger, network, view, era, config=config, written=written)
            on_era()
        return written

    def _write_file(
        self, ledger: Ledger, network: str, view: str, era: int, *, config: NetworkConfig | None, written: Written
    ) -> None:
        path = self._folder / network / view / f"era={era}.{self.file_format}"
        # A file that cannot be written ends the read transaction too.
        with closing(ledger.views.rows(view, network, range(era, era + 1))) as found, _part_of(path) as part:
            rows = _Counted(found)
            changes = rows.any or (_rows_only_move(ledger, network, view, era) and path.exists())
            if changes:
                part.parent.mkdir(parents=True, exist_ok=True)
                self._write(part, VIEWS[view].columns, rows)
            if not _is_whole(ledger, network, view, era, config):
                return
            if changes:
                _put(part, path)
                written.files += 1
                written.eras[era] = None
            written.rows[view] += rows.count


def _rows_only_move(ledger: Ledger, network: str, view: str, era: int) -> bool:
    """Whether rows that a view no longer has of an era are in another era now. Without a payout of the era, another ledger may have had them."""
    return view == "staking_fees" and bool(ledger.era_payouts(network, era))


def _is_whole(ledger: Ledger, network: str, view: str, era: int, config: NetworkConfig | None) -> bool:
    """Whether no row of an era had left the ledger when the rows were read. Ask after the reading.

    The transaction that removes old statuses also stores newer ones.
    """
    from staking_gateway.accounts import oldest_kept_era
    from staking_gateway.eras.calendar import utc_now

    if view != "staking_statuses":
        return True
    return era >= oldest_kept_era(config, ledger.newest_status_era(network) or 0, utc_now())


class _Counted(Iterable[Any]):
    """Rows, which are read once and counted."""

    def __init__(self, rows: Iterator[Any]) -> None:
        first = list(islice(rows, 1))
        self.any = bool(first)
        self.count = 0
        self._rows = chain(first, rows)

    def __iter__(self) -> Iterator[Any]:
        for row in self._rows:
            self.count += 1
            yield row


def parse_eras(value: object) -> range:
    """Eras of a text such as `1391` or `1300-1399`, or of a number.

    :raises InvalidInput: it is neither.
    """
    from staking_gateway.types import parse_era

    ends = [parse_era(end.strip(), field="eras") for end in str(value).split("-", 1)]
    return era_range(ends[0], ends[-1], field="eras")


def era_range(first: int, last: int, *, field: str) -> range:
    """The eras from the first to the last.

    :raises InvalidInput: the first comes after the last.
    """
    if first > last:
        raise InvalidInput(field, f"era {first} comes after era {last}", "Swap the two")
    return range(first, last + 1)


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
    from airflow.sdk import ObjectStoragePath

    text = str(target or "").strip()
    scheme, is_url, _ = text.partition("://")
    if not is_url and not Path(text).is_absolute():
        raise InvalidInput(
            "target",
            f"{shown(text)} is neither an absolute path nor a URL",
            "Write one like /data/staking or s3://conn_id@bucket/staking",
        )
    package = _PACKAGES.get(scheme, f"the Airflow provider of {scheme}://")
    try:
        path = ObjectStoragePath(text if is_url else f"file://{text}")
        path.fs  # noqa: B018 - makes the client of the store, and finds missing packages
    except (ImportError, ValueError) as error:
        raise InvalidInput("target", f"{scheme}:// cannot be used here ({error})", f"Install {package}") from None
    return path


@contextmanager
def _part_of(path: ObjectStoragePath) -> Iterator[Path]:
    """A name for the new content of a file until `_put`. At the end of the block no file has this name.

    :raises ExportError: the block fails with an exception of the disk or of the store.
    """
    folder = Path(path.parent.path if _is_local(path) else tempfile.gettempdir())
    part = folder / f"{path.name}.{uuid4().hex}.part"
    try:
        try:
            yield part
        finally:
            with suppress(FileNotFoundError, NotADirectoryError):
                part.unlink()
    except StakingGatewayError:
        raise
    except OSError as error:
        raise ExportError(str(path), error.strerror or str(error)) from error
    except Exception as error:
        # Each store has exceptions of its own.
        raise ExportError(str(path), f"{type(error).__name__}: {error}") from error


def _put(part: Path, path: ObjectStoragePath) -> None:
    """Put a complete file into its place. A store of objects gets it in one request."""
    if _is_local(path):
        _keep(part)
        part.replace(path.path)
        _keep(part.parent)
    else:
        path.fs.put_file(str(part), path.path)


def _is_local(path: ObjectStoragePath) -> bool:
    return path.protocol in ("", "file", "local")


def _keep(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _writer(file_format: str) -> Writer:
    if file_format not in WRITERS:
        raise InvalidInput("format", f"{shown(file_format)} is unknown", f"Write {' or '.join(WRITERS)}")
    return WRITERS[file_format]()


def _csv_writer() -> Writer:
    def write(path: Path, columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
        with path.open("w", encoding="utf-8", newline="") as stream:
            write_rows(stream, chain([[column.name for column in columns]], rows))

    return write


def _parquet_writer() -> Writer:
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
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.BOOLEAN: pa.bool_(),
        Kind.TIME: pa.timestamp("us", tz="UTC"),
        Kind.NUMBER: pa.string(),  # many programs have no numbers of 39 digits
        Kind.AMOUNT: pa.string(),
        Kind.SCALED: pa.float64(),
        Kind.SECONDS: pa.float64(),
    }

    def write(path: Path, columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
        schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
        rest = iter(rows)
        with parquet.ParquetWriter(path, schema) as writer:
            while group := list(islice(rest, _ROW_GROUP)):
                arrays = [
                    pa.array(map(_as_text, values) if field.type == pa.string() else values, field.type)
                    for field, values in zip(schema, zip(*group, strict=True), strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=schema))

    return write


def _as_text(value: object) -> str | None:
    return None if value is None else str(value)


WRITERS: dict[str, Callable[[], Writer]] = {"csv": _csv_writer, "parquet": _parquet_writer}
"""What writes a file of a format; each is looked up before anything is read."""
