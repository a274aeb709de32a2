"""Removing old rows that no payout needs.

The one rule: what a payout rule reads is kept. Payouts, their events, fees, notices, plans and anchors are never removed; triggers of the database
refuse it for payouts and events. What is left are tables for people: `PRUNED`. An era with something open keeps them too, and so does an era
that only a comparison shows as paid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict
from staking_gateway.ledger.records import PayoutState
from staking_gateway.ledger.tables import (
    DIFFERS,
    SEEN_PAID,
    account_rewards,
    account_statuses,
    era_notices,
    payouts,
    reconciliations,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import Actor

PRUNED = {
    "staking_statuses": account_statuses,
    "staking_rewards": account_rewards,
    "staking_reconciliation": reconciliations,
}
"""The tables that lose rows, by the views that show them."""
PRUNED_ERA = "pruned"
"""Notice with an era: its rows of these tables were exported and removed."""
_STORED_AT = {
    "staking_statuses": account_statuses.c.checked_at,
    "staking_rewards": account_rewards.c.noted_at,
    "staking_reconciliation": reconciliations.c.checked_at,
}
_SETTLED = [state.value for state in PayoutState if state.settled]


class Pruning:
    """Removal of old rows, at `Ledger.pruning`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pruned(self, network: str, eras: range) -> set[int]:
        """The eras of a range that were pruned."""
        return set(self._eras(era_notices, network, eras, era_notices.c.kind == PRUNED_ERA))

    def prunable(self, network: str, eras: range) -> list[int]:
        """The eras of a range with rows to remove, in order.

        An era is left out if it was pruned, if one of its payouts is not settled, or if a comparison with the chain differs or alone shows
        that the era is paid.
        """
        by_payouts = sa.exists().where(payouts.c.network == network, payouts.c.era == reconciliations.c.era)
        only_seen = sa.and_(SEEN_PAID, ~by_payouts.where(payouts.c.state.in_(_SETTLED)))
        kept = self.pruned(network, eras)
        kept.update(self._eras(payouts, network, eras, payouts.c.state.not_in(_SETTLED)))
        kept.update(self._eras(reconciliations, network, eras, DIFFERS))
        kept.update(self._eras(reconciliations, network, eras, only_seen))
        found: set[int] = set()
        for table in PRUNED.values():
            found.update(self._with_rows(table, network, eras))
        return sorted(found - kept)

    def _with_rows(self, table: sa.Table, network: str, eras: range) -> Iterator[int]:
        """The eras with rows, each by one look at the index: an era may have a million rows."""
        of = table.c.network == network, table.c.era >= sa.bindparam("start"), table.c.era < eras.stop
        query, era = sa.select(sa.func.min(table.c.era)).where(*of), eras.start - 1
        with self._database.reading() as connection:
            while (next_era := connection.scalar(query, {"start": era + 1})) is not None:
                yield (era := next_era)

    def count(self, network: str, era: int) -> int:
        """The number of rows that `remove` would remove."""
        query = [
            sa.select(sa.func.count()).select_from(table).where(*_of(table, network, era)) for table in PRUNED.values()
        ]
        return sum(self._database.value(one) or 0 for one in query)

    def remove(
        self,
        network: str,
        era: int,
        exported: Mapping[str, int],
        *,
        since: datetime,
        note: str,
        at: datetime,
        actor: Actor,
    ) -> int:
        """Note that an era is pruned, and remove its rows, in one transaction. Nothing changes if another prune has noted it.

        :param exported: number of exported rows by view; tables of other views are left alone.
        :param since: begin of the export.
        :param note: where the rows are.
        :returns: the number of removed rows.
        :raises LedgerConflict: rows have changed since the export began; nothing was removed.
        """
        removed = 0
        row = {"network": network, "era": era, "kind": PRUNED_ERA, "text": note, "at": at, "run": str(actor)}
        with self._database.writing() as connection:
            noted = self._database.insert(era_notices).values(row).on_conflict_do_nothing()
            if not connection.execute(noted).rowcount:
                return 0
            for view in PRUNED.keys() & exported.keys():
                table = PRUNED[view]
                newer = connection.scalar(
                    sa.select(sa.func.count())
                    .select_from(table)
                    .where(*_of(table, network, era), _STORED_AT[view] >= since)
                )
                deleted = connection.execute(table.delete().where(*_of(table, network, era))).rowcount
                shown = sa.table(view, sa.column("network"), sa.column("era"))
                left = connection.scalar(
                    sa.select(sa.func.count()).select_from(shown).where(shown.c.network == network, shown.c.era == era)
                )
                if newer or deleted + (left or 0) != exported[view]:
                    raise LedgerConflict(
                        f"Rows of era {era} of {network} in {view} have changed during the export. Nothing of the era was removed; "
                        "run it again"
                    )
                removed += deleted
        return removed

    def _eras(self, table: sa.Table, network: str, eras: range, *where: Any) -> list[int]:
        of = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
        return self._database.rows(sa.select(table.c.era).where(*of, *where).distinct(), lambda row: int(row.era))


def _of(table: sa.Table, network: str, era: int) -> tuple[sa.ColumnElement[bool], ...]:
    return table.c.network == network, table.c.era == era
