"""Storing many staking statuses with one statement.

The rows are one JSON text, which the database splits. Single rows cost several times as much, mostly in the interpreter, which the
calls to the gateway need at the same time.
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
_stored = staking_statuses.c
_oldest = (
    sa.select(_stored.era, _stored.account_key)
    .where(_stored.network == sa.bindparam("of_network"), _stored.era < sa.bindparam("before"))
    .order_by(_stored.era, _stored.account_key)
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)  # PostgreSQL: another task deletes the others
)
FORGET_STATUSES = staking_statuses.delete().where(
    _stored.network == sa.bindparam("of_network"), sa.tuple_(_stored.era, _stored.account_key).in_(_oldest)
)
"""Deletes the oldest statuses of a network. Its parameters are `of_network`, `before` (an era) and `most` (rows)."""
_encode = json.JSONEncoder(separators=(",", ":")).encode


def store_statement(database: Database) -> Any:
    """The statement. Its parameters are `network`, `era`, `checked_at` and `rows` (see `as_rows`)."""
    rows: sa.ColumnElement[Any] = sa.bindparam("rows", type_=sa.Text)
    split = sa.func.json_each(rows) if database.is_sqlite else sa.func.json_array_elements(sa.cast(rows, sa.JSON))
    row = split.table_valued(sa.column("value", sa.JSON)).c.value
    select = sa.select(
        sa.bindparam("network", type_=sa.String),
        sa.bindparam("era", type_=sa.BigInteger),
        *(row[place].as_string() for place in range(len(_EACH))),
        sa.bindparam("checked_at", type_=UtcTime),
    ).where(sa.true())  # without WHERE, SQLite would read ON CONFLICT as a join condition
    insert = database.insert(staking_statuses)
    replace = {name: insert.excluded[name] for name in ("address", "status", "checked_at")}
    columns = ("network", "era", *_EACH, "checked_at")
    return insert.from_select(columns, select).on_conflict_do_update(index_elements=_KEY, set_=replace)


def as_rows(statuses: Iterable[tuple[AccountId, StakingStatus]]) -> tuple[int, str]:
    """The number of accounts, and their JSON text. If an account occurs twice, the last status counts."""
    rows = {account.public_key: (account.hex, account.address, status.value) for account, status in statuses}
    return len(rows), _encode(list(rows.values()))
