"""How a row is described, once: the fields of a frozen dataclass give its table, the columns of its SQL view, and their documentation. A text in
`Annotated` documents a field; a field without one is in no view.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

import sqlalchemy as sa

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, parse_unsigned

metadata = sa.MetaData()
TABLES: dict[type, sa.Table] = {}


class UtcTime(sa.TypeDecorator[datetime]):
    """An aware UTC time; SQLite itself stores no zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: sa.Dialect) -> Any:
        if value is not None and value.tzinfo is None:
            raise InvalidInput("time", f"{value} has no time zone", "Use an aware time, e.g. in UTC")
        return None if value is None else value.astimezone(timezone.utc)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=timezone.utc) if dialect.name == "sqlite" else value.astimezone(timezone.utc)


class WholeNumber(sa.TypeDecorator[int]):
    """An unsigned integer of up to 128 bits as decimal text: it fits no SQL integer."""

    impl = sa.String(39)
    cache_ok = True

    def process_bind_param(self, value: int | None, _dialect: sa.Dialect) -> Any:
        return None if value is None else str(parse_unsigned(value, MAX_AMOUNT, field="number"))

    def process_result_value(self, value: Any | None, _dialect: sa.Dialect) -> int | None:
        return None if value is None else int(value)


class PlainText(sa.TypeDecorator[str]):
    """Foreign text, shortened, without NUL and lone surrogates, which databases refuse."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: sa.Dialect) -> Any:
        return value and value[:2_000].replace("\0", "?").encode("utf-8", "replace").decode()


class Kind(Enum):
    """Type of a view's column on PostgreSQL and on SQLite, and how an export reads it."""

    TEXT = ("text", "text", sa.Text())
    INTEGER = ("bigint", "integer", sa.BigInteger())
    BOOLEAN = ("boolean", "integer", sa.Boolean())
    TIME = ("timestamp with time zone", "text", UtcTime())
    NUMBER = ("numeric(39,0)", "text", WholeNumber())
    AMOUNT = ("numeric(39,0)", "text", WholeNumber())  # noqa: PIE796 - each has a type of its own
    SCALED = ("numeric", "real", sa.Float())
    SECONDS = ("double precision", "real", sa.Float())

    def __init__(self, postgresql: str, sqlite: str, read: sa.types.TypeEngine[Any]) -> None:
        self.postgresql, self.sqlite, self.read = postgresql, sqlite, read


Name: TypeAlias = Annotated[str, sa.String(250)]
Key: TypeAlias = Annotated[str, sa.String(66)]
Word: TypeAlias = Annotated[str, sa.String(32)]
Short: TypeAlias = Annotated[str, sa.String(16)]
Era: TypeAlias = Annotated[int, sa.BigInteger()]
Number: TypeAlias = Annotated[int, sa.BigInteger(), Kind.NUMBER]
Amount: TypeAlias = Annotated[int, WholeNumber(), Kind.AMOUNT]
Proof: TypeAlias = Annotated[str, sa.Text()]
Listed: TypeAlias = Annotated[Sequence[Any], sa.JSON()]
_PLAIN: dict[Any, tuple[sa.types.TypeEngine[Any], Kind]] = {
    str: (PlainText(), Kind.TEXT),
    int: (sa.Integer(), Kind.INTEGER),
    bool: (sa.Boolean(), Kind.BOOLEAN),
    datetime: (UtcTime(), Kind.TIME),
}


@dataclass(frozen=True)
class Column:
    """A column of a view; `sql` is its expression of the view's rows `v`, by default the column of the same name."""

    name: str
    kind: Kind
    meaning: str
    sql: str = ""

    def expression(self, dialect: str) -> str:
        """Its SQL. SQLite casts no other column: it finds no index for a cast one."""
        sql = self.sql or f"v.{self.name}"
        if dialect == "postgresql":
            return f"CAST({sql} AS {self.kind.postgresql})"
        return f"CAST({sql} AS {self.kind.sqlite})" if self.kind in (Kind.SCALED, Kind.NUMBER) else sql


def _columns(record: type, key: tuple[str, ...]) -> Iterator[sa.Column[Any]]:
    """The columns of a record's fields, but of tuples; `info` has the view's column."""
    for name, hint in get_type_hints(record, include_extras=True).items():
        plain, extras, nullable = hint, list[Any](), False
        while get_origin(plain) in (Annotated, Union, UnionType):
            plain, *more = (some for some in get_args(plain) if some is not NoneType)
            nullable = nullable or not more  # `Annotated` has more than a type
            extras += more
        if get_origin(plain) is tuple:
            continue
        sql, kind = _PLAIN.get(plain, (sa.String(32), Kind.TEXT))
        if isinstance(plain, type) and issubclass(plain, Enum):
            sql = sa.Enum(plain, native_enum=False, length=32, values_callable=lambda kind: [one.value for one in kind])
        sql = next((some for some in extras if isinstance(some, sa.types.TypeEngine)), sql)
        kind = next((some for some in extras if isinstance(some, Kind)), kind)
        shown = Column(name, kind, next((some for some in extras if isinstance(some, str)), ""))
        yield sa.Column(name, sql, primary_key=name in key, nullable=nullable and name not in key, info={"view": shown})


def table_of(record: type, table: str, *others: sa.schema.SchemaItem, key: tuple[str, ...] = ("id",)) -> sa.Table:
    """The table of a record, with columns that are no fields, constraints and indexes. An `id` is made where it is no field."""
    columns, numbered = list(_columns(record, key)), key == ("id",)
    given = [one for one in others if isinstance(one, sa.Column)]
    if numbered and all(column.name != "id" for column in columns):
        given = [sa.Column("id", sa.Integer, primary_key=True), *given]
    # Columns of a key come first: integrity_check of some versions of SQLite takes the others for NULL.
    rest = [one for one in others if not isinstance(one, sa.Column)]
    TABLES[record] = sa.Table(table, metadata, *given, *columns, *rest, sqlite_with_rowid=numbered)
    return TABLES[record]


_DECIMALS = "(SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era)"


def amount(name: str, meaning: str, sql: str = "") -> tuple[Column, Column]:
    """An amount, and the same in the unit of the token: a text such as `12e-3`, which each database reads as exactly as it can."""
    scaled = f"CAST({sql or name} AS TEXT) || 'e-' || {_DECIMALS}"
    return Column(name, Kind.AMOUNT, meaning, sql), Column(f"{name}_scaled", Kind.SCALED, meaning, scaled)


def columns_of(table: sa.Table, *names: str) -> tuple[Column, ...]:
    """The view's columns of some columns of a table, by default of all that have a meaning; an amount with its scaled one."""
    found = list[Column]()
    for name in names or [one.name for one in table.c if one.info["view"].meaning]:
        column = table.c[name].info["view"]
        found += amount(name, column.meaning) if column.kind is Kind.AMOUNT else (column,)
    return tuple(found)
