"""Storing and reading many staking statuses.

One statement stores them: the database splits one JSON text into rows. Single rows cost several times as much processor time, which the
calls to the gateway need. They are read row by row: there may be millions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.tables import UtcTime, account_statuses
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from staking_gateway.ledger.database import Database
    from staking_gateway.types import AccountId

_KEY = ("network", "era", "account_key")
_EACH = ("account_key", "address", "status")
_stored = account_statuses.c
_oldest = (
    sa.select(_stored.era, _stored.account_key)
    .where(_stored.network == sa.bindparam("of_network"), _stored.era < sa.bindparam("before"))
    .order_by(_stored.era, _stored.account_key)
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)  # PostgreSQL: another task deletes the others
)
FORGET_STATUSES = account_statuses.delete().where(
    _stored.network == sa.bindparam("of_network"), sa.tuple_(_stored.era, _stored.account_key).in_(_oldest)
)
"""Deletes the oldest statuses of a network. Its parameters are `of_network`, `before` (an era) and `most` (rows)."""
_STATUSES = {status.value: status for status in StakingStatus}
_LOOKED_UP = 10_000
"""The most accounts that one statement looks up in the primary key. SQLite takes 32,766 parameters."""
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
    insert = database.insert(account_statuses)
    replace = {name: insert.excluded[name] for name in ("address", "status", "checked_at")}
    columns = ("network", "era", *_EACH, "checked_at")
    return insert.from_select(columns, select).on_conflict_do_update(index_elements=_KEY, set_=replace)


def as_rows(statuses: Iterable[tuple[AccountId, StakingStatus]]) -> tuple[int, str]:
    """The number of accounts, and their JSON text. If an account occurs twice, the last status counts."""
    rows = {account.public_key: (account.hex, account.address, status.value) for account, status in statuses}
    return len(rows), _encode(list(rows.values()))


def statuses_of(
    database: Database, network: str, eras: range, accounts: Collection[str] | None
) -> dict[int, dict[str, StakingStatus]]:
    """See `Ledger.statuses_of`."""
    column = account_statuses.c
    query = sa.select(column.era, column.account_key, column.status).where(column.network == network)
    if accounts is None:
        query = query.where(column.era >= eras.start, column.era < eras.stop)
    else:
        query = query.where(column.era.in_(eras), column.account_key.in_(accounts))
    found: dict[int, dict[str, StakingStatus]] = {}
    if eras:
        with database.reading() as connection:
            for era, account_key, status in connection.execute(query):
                found.setdefault(era, {})[account_key] = _STATUSES[status]
    return found


def newest_statuses(
    database: Database, network: str, eras: range, accounts: Collection[str]
) -> dict[str, tuple[int, StakingStatus]]:
    """See `Ledger.newest_statuses`.

    Whole eras are read, the newest first, while they have a missing account: mostly one era. Then the missing accounts are looked up.
    """
    column = account_statuses.c
    newest = sa.select(sa.func.max(column.era)).where(
        column.network == network, column.era >= eras.start, column.era < sa.bindparam("before")
    )
    of_era = sa.select(column.account_key, column.status).where(
        column.network == network, column.era == sa.bindparam("of_era")
    )
    found: dict[str, tuple[int, StakingStatus]] = {}
    missing, before = set(accounts), eras.stop
    with database.reading() as connection:
        while missing and (era := connection.scalar(newest, {"before": before})) is not None:
            known = {key: status for key, status in connection.execute(of_era, {"of_era": era}) if key in missing}
            found |= {key: (era, _STATUSES[status]) for key, status in known.items()}
            missing -= known.keys()
            before = era
            if not known:
                break
        else:
            return found
    looked_up = sorted(missing)
    for start in range(0, len(looked_up), _LOOKED_UP):
        some = looked_up[start : start + _LOOKED_UP]
        by_era = statuses_of(database, network, range(eras.start, before), some)
        for era in sorted(by_era, reverse=True):
            for account_key, status in by_era[era].items():
                found.setdefault(account_key, (era, status))
    return found
