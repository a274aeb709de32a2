"""The SQL views for other programs, and reading them. `docs/data.md` shows the columns; `views.sql` has their rows.

Names and types of columns are a promise; new columns come at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger import tables
from staking_gateway.ledger.describe import Column, Kind, amount, columns_of
from staking_gateway.text import Token

if TYPE_CHECKING:
    from staking_gateway.ledger.database import Database
    from staking_gateway.types import StakingStatus

_SQL = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
ERAS = (
    *columns_of(tables.era_facts, "network", "era", "chain", "ended_at"),
    Column("state", Kind.TEXT, "See [the states of an era](#states-of-an-era)"),
    Column("parts", Kind.INTEGER, "Number of rows of the era in `staking_payouts`"),
    Column("confirmed_parts", Kind.INTEGER, "Number of these whose payout was executed"),
    *amount(
        "fee",
        "Sum of the charged fees, also of those without a payout. NULL: the era has no row in `staking_payouts`, a payload may "
        "still execute, or a charged fee is unknown",
    ),
    *columns_of(tables.era_facts, "reward", "reward_source", "reward_block", "symbol", "decimals"),
    Column("first_signed_at", Kind.TIME, "When the first payload of the era was signed"),
    Column("confirmed_at", Kind.TIME, "When the last executed part was confirmed"),
    Column(
        "lag_seconds",
        Kind.SECONDS,
        "From `ended_at` to `confirmed_at`. NULL: the state is not `PAID`, one of the times is NULL, or `confirmed_at` comes before "
        "`ended_at`",
    ),
)
PAYOUTS = (
    *columns_of(tables.payouts, "network", "chain", "era", "part", "state", "user_key", "payer_key", "relayer_key"),
    *columns_of(tables.payout_copies, "staking_nonce", "payment_nonce"),
    *amount(
        "signed_fee",
        "Highest fee that was signed with the payment nonce of the last payload, charged or not. NULL: no payload was signed, "
        "or the fee is unknown",
    ),
    *amount(
        "fee",
        "Fee of the executed payload. NULL: the part was not executed, or the fee is unknown",
        "CASE WHEN confirmed_at IS NOT NULL THEN signed_fee END",
    ),
    *columns_of(tables.payout_sends, "request_id", "tx_hash", "block_number"),
    *columns_of(tables.payouts, "confirmed_by", "reason"),
    Column("plans", Kind.INTEGER, "Number of signed payloads"),
    Column("unanswered", Kind.INTEGER, "Sends of the last payload with an unknown result"),
    *columns_of(tables.payouts, "created_at", "updated_at"),
    *columns_of(tables.payout_copies, "signed_at"),
    Column("accepted_at", Kind.TIME, "When the gateway accepted the last payload"),
    *columns_of(tables.payouts, "confirmed_at", "settled_by", "hold"),
    Column("request_status", Kind.TEXT, "Newest state of the request"),
    Column("wasted", Kind.INTEGER, "Number of fees that were charged for the part without a payout"),
    Column("signed_by", Kind.TEXT, "Run that signed the last payload"),
    Column("signed_try", Kind.INTEGER, "Try of that run"),
)
FEES = (
    *columns_of(tables.payouts, "network", "era", "part"),
    Column("payment_nonce", Kind.NUMBER, "Payment nonce of the payer that the fee was charged with"),
    *amount("fee", "Charged fee. NULL: charged, but the amount is unknown"),
    Column("purpose", Kind.TEXT, "`payout`: of an executed payout. `wasted`: charged without a payout"),
    Column("signed_at", Kind.TIME, "When the payload was signed"),
    Column("signed_by", Kind.TEXT, "Run that signed the payload"),
)


@dataclass(frozen=True)
class View:
    """A view, with the order of the rows of an era, so that a file has the same bytes each time."""

    columns: tuple[Column, ...]
    order: tuple[str, ...]


VIEWS = {
    "staking_eras": View(ERAS, ()),
    "staking_payouts": View(PAYOUTS, ("part",)),
    "staking_fees": View(FEES, ("part", "signed_at", "payment_nonce")),
    "staking_rewards": View(columns_of(tables.account_rewards), ("account_key",)),
    "staking_statuses": View(columns_of(tables.account_statuses), ("account_key",)),
    "staking_reconciliation": View(columns_of(tables.reconciliations), ("subject",)),
}
"""The views by their names. None has signatures."""


def view_statements(dialect: str) -> Iterator[str]:
    """The statements that create the views on `sqlite` or `postgresql`. `v` is the alias of a view's rows."""
    parts = dict[str, str]()
    for part, text in re.findall(r"^--- (.+)\n((?:(?!---).*\n)+)", _SQL, re.MULTILINE):
        name, _, only = part.partition(" ")
        if only in ("", dialect):
            parts[name] = re.sub(r"^-- .*\n", "", text, flags=re.MULTILINE).format(**parts)
    for name, view in VIEWS.items():
        columns = ", ".join(f"{column.expression(dialect)} AS {column.name}" for column in view.columns)
        yield f"CREATE VIEW {name} AS SELECT {columns} FROM ({parts[name]}) AS v"  # noqa: S608 - only constants


_WITH_ERAS = (
    tables.payouts,
    tables.account_statuses,
    tables.era_facts,
    tables.era_notices,
    tables.account_rewards,
    tables.reconciliations,
)


class ViewRows:
    """Rows of the SQL views, at `Ledger.views`, equal on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def eras(self, network: str) -> range:
        """From the oldest to the newest era of which the ledger stores anything."""
        ends = [
            sa.select(end(table.c.era)).where(table.c.network == network).scalar_subquery()
            for table in _WITH_ERAS
            for end in (sa.func.min, sa.func.max)
        ]
        found = [era for era in self._database.rows(sa.select(*ends), tuple)[0] if era is not None]
        return range(min(found), max(found) + 1) if found else range(0)

    def token(self, network: str) -> Token | None:
        """The token of the newest era that has one; None: unknown."""
        facts = tables.era_facts.c
        known = facts.network == network, facts.decimals.is_not(None)
        query = sa.select(facts.symbol, facts.decimals).where(*known).order_by(facts.era.desc()).limit(1)
        found = self._database.rows(query, lambda row: Token(row.symbol, row.decimals))
        return found[0] if found else None

    def rows(self, view: str, network: str, eras: range) -> list[sa.Row[Any]]:
        """The rows of a range of eras, in order. The columns are those of `VIEWS`."""
        table = sa.table(view, *(sa.column(column.name, column.kind.read) for column in VIEWS[view].columns))
        where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
        order = table.c.era, *(sa.nulls_last(table.c[name]) for name in VIEWS[view].order)
        return self._database.rows(sa.select(table).where(*where).order_by(*order), lambda row: row)

    def accounts(self, network: str, eras: range) -> dict[int, Counter[StakingStatus]]:
        """How many accounts had which status in an era. Eras without any are left out."""
        column = tables.account_statuses.c
        query = sa.select(column.era, column.status, sa.func.count()).group_by(column.era, column.status)
        where = column.network == network, column.era >= eras.start, column.era < eras.stop
        found: dict[int, Counter[StakingStatus]] = {}
        for era, status, accounts in self._database.rows(query.where(*where), tuple):
            found.setdefault(era, Counter())[status] = accounts
        return found
