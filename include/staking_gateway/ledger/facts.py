"""Facts about eras beside their payouts: rewards, and whether ledger, gateway and chain agree."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.database import neighbours
from staking_gateway.ledger.records import AccountReward, EraFacts, Reconciliation
from staking_gateway.ledger.tables import DIFFERS, SEEN_PAID, account_rewards, era_facts, reconciliations

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from staking_gateway.ledger.database import Database

_OF_REWARD = ("reward", "reward_source", "reward_block")
_AUTHOR = ("noted_at", "run")


class Facts:
    """Facts about eras, at `Ledger.facts`. A later fact replaces an earlier one; unknown replaces nothing.

    A fact keeps its time and author while later ones are the same. So an exported row stays as it is.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def note_era(self, facts: EraFacts) -> None:
        """Store facts about an era. A known fact stays where the new one is None; a reward stays with its source and block."""
        insert = self._database.insert(era_facts)
        new, known = insert.excluded, era_facts.c
        replace = {
            **{name: sa.func.coalesce(new[name], known[name]) for name in ("chain", "ended_at", "symbol", "decimals")},
            **{name: sa.case((new.reward.is_(None), known[name]), else_=new[name]) for name in _OF_REWARD},
        }
        self._store(insert, era_facts, [asdict(facts)], replace)

    def note_rewards(self, rewards: Sequence[AccountReward]) -> None:
        """Store rewards of accounts, in place of earlier ones."""
        self._replace(account_rewards, [asdict(reward) for reward in rewards])

    def note_reconciliation(self, found: Sequence[Reconciliation]) -> None:
        """Store comparisons, in place of earlier ones of the same era and subject."""
        self._replace(reconciliations, [asdict(one) for one in found])

    def era(self, network: str, era: int) -> EraFacts | None:
        return self.eras(network, range(era, era + 1)).get(era)

    def eras(self, network: str, eras: range) -> dict[int, EraFacts]:
        """The facts of a range of eras. Eras without any are left out."""
        found = self._database.rows(_of(era_facts, network, eras), lambda row: EraFacts(**row._asdict()))
        return {facts.era: facts for facts in found}

    def rewards(self, network: str, era: int) -> list[AccountReward]:
        """The rewards of an era, in the order of the accounts' keys."""
        query = _of(account_rewards, network, range(era, era + 1))
        return self._database.rows(query, lambda row: AccountReward(**row._asdict()))

    def reconciliations(self, network: str, eras: range) -> list[Reconciliation]:
        """The newest comparisons of a range of eras, in order."""
        return self._database.rows(_of(reconciliations, network, eras), lambda row: Reconciliation(**row._asdict()))

    def differences(self, network: str) -> list[Reconciliation]:
        """The newest comparisons of a network whose sides differ, in the order of the eras."""
        query = sa.select(reconciliations).where(reconciliations.c.network == network, DIFFERS)
        query = query.order_by(reconciliations.c.era, reconciliations.c.subject)
        return self._database.rows(query, lambda row: Reconciliation(**row._asdict()))

    def paid_on_chain(self, network: str, eras: Collection[int]) -> set[int]:
        """Those of the eras that the newest comparison saw paid on the chain."""
        column, found = reconciliations.c, set[int]()
        for some in neighbours(eras):
            query = _of(reconciliations, network, some).with_only_columns(column.era).where(SEEN_PAID)
            found.update(self._database.rows(query, lambda row: int(row.era)))
        return found

    def _replace(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        insert = self._database.insert(table)
        self._store(
            insert, table, rows, {one.name: insert.excluded[one.name] for one in table.c if not one.primary_key}
        )

    def _store(self, insert: Any, table: sa.Table, rows: list[dict[str, Any]], newer: dict[str, Any]) -> None:
        """Insert rows, or change those with the same key in which more would change than time and author."""
        if rows:
            told = [table.c[name].is_distinct_from(value) for name, value in newer.items() if name not in _AUTHOR]
            author = {name: insert.excluded[name] for name in _AUTHOR if name in table.c}
            statement = insert.on_conflict_do_update(
                index_elements=table.primary_key.columns, set_={**newer, **author}, where=sa.or_(*told)
            )
            with self._database.writing() as connection:
                connection.execute(statement, rows)


def _of(table: sa.Table, network: str, eras: range) -> sa.Select[Any]:
    where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
    return sa.select(table).where(*where).order_by(*table.primary_key.columns)
