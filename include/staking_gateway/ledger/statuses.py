"""Staking statuses of accounts, per era."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from staking_gateway.ledger.records import AccountStatus
from staking_gateway.ledger.tables import account_statuses
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from staking_gateway.ledger.database import Database
    from staking_gateway.types import AccountId

_FORGOTTEN_AT_ONCE = 5_000
"""Old statuses that are deleted in one transaction, so that others need not wait for it."""
_LOOKED_UP = 10_000
"""The most accounts that one statement looks up. SQLite takes 32,766 parameters."""
_column = account_statuses.c


class Statuses:
    """Staking statuses: a part of `Ledger`."""

    _database: Database
    _clock: Callable[[], datetime]

    def record_statuses(
        self, network: str, era: int, statuses: Iterable[tuple[AccountId, StakingStatus]], *, keep_from: int = 0
    ) -> int:
        """Store the staking statuses of accounts in an era, in place of earlier ones. If an account occurs twice, the last status counts.

        :param keep_from: statuses of earlier eras are deleted, some with each call; more of them than are stored.
        :returns: the number of accounts.
        """
        about, checked_at = {"network": network, "era": era}, self._clock()
        rows = {
            account.public_key: {
                **about,
                "account_key": account.hex,
                "address": account.address,
                "status": status.value,
                "checked_at": checked_at,
            }
            for account, status in statuses
        }
        if not rows:
            return 0
        insert = self._database.insert(account_statuses)
        newer = {name: insert.excluded[name] for name in ("address", "status", "checked_at")}
        oldest = (
            sa.select(_column.era, _column.account_key)
            .where(_column.network == network, _column.era < keep_from)
            .order_by(_column.era, _column.account_key)
            .limit(max(2 * len(rows), _FORGOTTEN_AT_ONCE))
            .with_for_update(skip_locked=True)  # PostgreSQL: another task deletes the others
        )
        with self._database.writing() as connection:
            key = account_statuses.primary_key.columns
            connection.execute(insert.on_conflict_do_update(index_elements=key, set_=newer), list(rows.values()))
            if keep_from > 0:
                old = sa.tuple_(_column.era, _column.account_key).in_(oldest)
                connection.execute(account_statuses.delete().where(_column.network == network, old))
        return len(rows)

    def newest_status_era(self, network: str) -> int | None:
        return self._database.value(sa.select(sa.func.max(_column.era)).where(_column.network == network))

    def statuses(self, network: str, era: int) -> list[AccountStatus]:
        query = sa.select(account_statuses).where(_column.network == network, _column.era == era)
        return self._database.rows(
            query.order_by(_column.account_key),
            lambda row: AccountStatus(**{**row._asdict(), "status": StakingStatus(row.status)}),
        )

    def statuses_of(
        self, network: str, eras: range, accounts: Collection[str] | None = None
    ) -> dict[int, dict[str, StakingStatus]]:
        """The stored staking statuses of a range of eras: era, then the account's 0x key. Eras without any are left out.

        :param accounts: 0x keys; None reads all accounts.
        """
        query = sa.select(_column.era, _column.account_key, _column.status).where(
            _column.network == network, _column.era >= eras.start, _column.era < eras.stop
        )
        if accounts is not None:
            query = query.where(_column.account_key.in_(accounts))
        found: dict[int, dict[str, StakingStatus]] = {}
        for era, key, status in self._database.rows(query, tuple):
            found.setdefault(era, {})[key] = StakingStatus(status)
        return found

    def newest_statuses(
        self, network: str, eras: range, accounts: Collection[str]
    ) -> dict[str, tuple[int, StakingStatus]]:
        """The newest stored status of accounts in a range of eras, with its era. Accounts without any are left out.

        :param accounts: 0x keys.
        """
        found: dict[str, tuple[int, StakingStatus]] = {}
        keys = sorted(accounts)
        for start in range(0, len(keys), _LOOKED_UP):
            some = keys[start : start + _LOOKED_UP]
            where = _column.network == network, _column.era >= eras.start, _column.era < eras.stop
            newest = sa.select(_column.account_key, sa.func.max(_column.era).label("era"))
            newest_of = newest.where(*where, _column.account_key.in_(some)).group_by(_column.account_key).subquery()
            query = sa.select(_column.account_key, _column.era, _column.status).join(
                newest_of,
                sa.and_(
                    _column.network == network,
                    _column.era == newest_of.c.era,
                    _column.account_key == newest_of.c.account_key,
                ),
            )
            for key, era, status in self._database.rows(query, tuple):
                found[key] = era, StakingStatus(status)
        return found
