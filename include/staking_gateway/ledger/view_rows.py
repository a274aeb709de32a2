"""Reading the SQL views, for exports. Rows are equal on SQLite and PostgreSQL, and only some of them are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.tables import (
    UtcTime,
    WholeNumber,
    account_rewards,
    account_statuses,
    era_facts,
    era_notices,
    payouts,
    reconciliations,
)
from staking_gateway.ledger.view_columns import Kind
from staking_gateway.ledger.views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Generator

    from staking_gateway.ledger.database import Database

_TYPES: dict[Kind, Any] = {
    Kind.TEXT: sa.Text(),
    Kind.INTEGER: sa.BigInteger(),
    Kind.BOOLEAN: sa.Boolean(),
    Kind.TIME: UtcTime(),
    Kind.NUMBER: WholeNumber(),
    Kind.AMOUNT: WholeNumber(),
    Kind.SCALED: sa.Float(),
    Kind.SECONDS: sa.Float(),
}
_ORDER = {
    "staking_eras": (),
    "staking_payouts": ("part",),
    "staking_fees": ("part", "signed_at", "payment_nonce"),
    "staking_rewards": ("account_key",),
    "staking_statuses": ("account_key",),
    "staking_reconciliation": ("subject",),
}
"""Order of the rows of an era, so that a file has the same bytes each time."""
_WITH_ERAS = (payouts, account_statuses, era_facts, era_notices, account_rewards, reconciliations)


class ViewRows:
    """Rows of the SQL views, at `Ledger.views`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def eras(self, network: str) -> range:
        """From the oldest to the newest era of which the ledger stores anything."""
        ends = [(end, table.c) for table in _WITH_ERAS for end in (sa.func.min, sa.func.max)]
        found: list[int] = [
            era
            for end, of in ends
            if (era := self._database.value(sa.select(end(of.era)).where(of.network == network))) is not None
        ]
        return range(min(found), max(found) + 1) if found else range(0)

    def rows(self, view: str, network: str, eras: range) -> Generator[sa.Row[Any]]:
        """The rows of a range of eras, in order. The columns are those of `VIEWS`. Close it, if not all rows are read."""
        table = sa.table(view, *(sa.column(column.name, _TYPES[column.kind]) for column in VIEWS[view].columns))
        where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
        order = table.c.era, *(sa.nulls_last(table.c[name]) for name in _ORDER[view])
        return self._database.stream(sa.select(table).where(*where).order_by(*order))
