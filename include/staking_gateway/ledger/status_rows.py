"""Storing many staking statuses with one statement.

The rows travel as one JSON text, which the database itself takes apart. Handed over one by one they cost several times as much,
most of it in the interpreter, for which those who ask the gateway meanwhile would have to wait.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.tables import UtcTime, staking_statuses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from staking_gateway.ledger.database import Database
    from staking_gateway.types import AccountId, StakingStatus

_KEY = ("network", "era", "account_key")
_EACH = ("account_key", "address", "status")
_encode = json.JSONEncoder(separators=(",", ":")).encode


def storing(database: Database) -> Any:
    """The statement; its parameters are `network`, `era`, `checked_at` and `rows`, see `as_rows`. Make it once."""
    rows: sa.ColumnElement[Any] = sa.bindparam("rows", type_=sa.Text)
    apart = sa.func.json_each(rows) if database.is_sqlite else sa.func.json_array_elements(sa.cast(rows, sa.JSON))
    row = apart.table_valued(sa.column("value", sa.JSON)).c.value
    select = sa.select(
        sa.bindparam("network", type_=sa.String),
        sa.bindparam("era", type_=sa.BigInteger),
        *(row[place].as_string() for place in range(len(_EACH))),
        sa.bindparam("checked_at", type_=UtcTime),
    ).where(sa.true())  # else SQLite would take ON CONFLICT for the condition of a join
    insert = database.insert(staking_statuses)
    replace = {name: insert.excluded[name] for name in ("address", "status", "checked_at")}
    columns = ("network", "era", *_EACH, "checked_at")
    return insert.from_select(columns, select).on_conflict_do_update(index_elements=_KEY, set_=replace)


def as_rows(statuses: Iterable[tuple[AccountId, StakingStatus]]) -> tuple[int, str]:
    """How many accounts these are, and the text that carries them. Of an account that comes twice the last status counts."""
    rows = {account.public_key: (account.hex, account.address, status.value) for account, status in statuses}
    return len(rows), _encode(list(rows.values()))
