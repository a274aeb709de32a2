"""The ledger: payouts with their copies and events, and staking statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from staking_gateway.eras.calendar import utc_now
from staking_gateway.ledger import status_rows
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.facts import Facts
from staking_gateway.ledger.journal import Journal
from staking_gateway.ledger.lanes import Lanes
from staking_gateway.ledger.range_report import RangeReports
from staking_gateway.ledger.records import AccountStatus, PayoutState
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.tables import account_statuses, payout_events, payouts
from staking_gateway.ledger.view_rows import ViewRows
from staking_gateway.ledger.writes import Writes
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from staking_gateway.types import AccountId

_FORGOTTEN_AT_ONCE = 5_000
"""Old statuses that are deleted in one transaction, so that others need not wait for it."""


class Ledger(Writes, Lanes):
    """A durable record of every payout and staking status. Threads and processes may share it.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`.
    :param clock: returns the aware UTC time, for tests.
    :raises LedgerError: the ledger cannot be opened, or another version of the package made it.
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock
        self._database = Database(url)
        self._store_statuses = status_rows.store_statement(self._database)
        self.journal = Journal(self._database, clock)
        self.facts = Facts(self._database)
        self.views = ViewRows(self._database)
        self.reports = RangeReports(self._database)
        try:
            ensure_schema(self._database)
            self._detect()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()

    def now(self) -> datetime:
        """The aware UTC time by one clock for all processes: the PostgreSQL server's, or this machine's for a file."""
        return self._clock() if self._clock is not utc_now else self._database.now()

    def runs_of(self, network: str, eras: range) -> dict[int, str]:
        """`Actor.run` of the last change to each era's payout. Eras without a record are left out."""
        column = payouts.c.era
        query = (
            sa.select(column, payout_events.c.run)
            .join(payout_events, payout_events.c.payout_id == payouts.c.id)
            .where(payouts.c.network == network, column >= eras.start, column < eras.stop)
            .order_by(payout_events.c.at, payout_events.c.id)
        )
        return dict(self._database.rows(query, tuple)) if eras else {}

    def eras_found_paid(self, network: str) -> dict[int, int]:
        """The eras that this ledger found paid: a part is EMPTY. Each with the number of its executed parts."""
        executed, empty = (
            sa.func.count(sa.case((payouts.c.state == state.value, 1)))
            for state in (PayoutState.CONFIRMED, PayoutState.EMPTY)
        )
        query = sa.select(payouts.c.era, executed).where(payouts.c.network == network).group_by(payouts.c.era)
        return dict(self._database.rows(query.having(empty > 0), tuple))

    def oldest_era(self, network: str) -> int | None:
        return self._database.value(sa.select(sa.func.min(payouts.c.era)).where(payouts.c.network == network))

    def newest_era(self, network: str) -> int | None:
        return self._database.value(sa.select(sa.func.max(payouts.c.era)).where(payouts.c.network == network))

    def known_chain(self, network: str) -> str | None:
        """`Payout.chain` of a network's newest record; None without a record."""
        newest = sa.select(payouts.c.chain).where(payouts.c.network == network).order_by(payouts.c.id.desc())
        return self._database.value(newest.limit(1))

    def record_statuses(
        self, network: str, era: int, statuses: Iterable[tuple[AccountId, StakingStatus]], *, keep_from: int = 0
    ) -> int:
        """Store the staking statuses of accounts in an era, in place of earlier ones.

        :param keep_from: statuses of earlier eras are deleted, some with each call; more of them than are stored.
        :returns: the number of accounts.
        """
        count, rows = status_rows.as_rows(statuses)
        if count:
            values = {"network": network, "era": era, "checked_at": self._clock(), "rows": rows}
            with self._database.writing() as connection:
                connection.execute(self._store_statuses, values)
                if keep_from > 0:
                    most = max(2 * count, _FORGOTTEN_AT_ONCE)
                    oldest = {"of_network": network, "before": keep_from, "most": most}
                    connection.execute(status_rows.FORGET_STATUSES, oldest)
        return count

    def newest_paid_era(self, network: str) -> int | None:
        """The newest era with an executed payout."""
        where = payouts.c.network == network, payouts.c.state == PayoutState.CONFIRMED.value
        return self._database.value(sa.select(payouts.c.era).where(*where).order_by(payouts.c.era.desc()).limit(1))

    def newest_status_era(self, network: str) -> int | None:
        column = account_statuses.c
        return self._database.value(sa.select(sa.func.max(column.era)).where(column.network == network))

    def statuses(self, network: str, era: int) -> list[AccountStatus]:
        query = (
            sa.select(account_statuses)
            .where(account_statuses.c.network == network, account_statuses.c.era == era)
            .order_by(account_statuses.c.account_key)
        )
        return self._database.rows(
            query, lambda row: AccountStatus(row.account_key, row.address, StakingStatus(row.status), row.checked_at)
        )

    def statuses_of(
        self, network: str, eras: range, accounts: Collection[str] | None = None
    ) -> dict[int, dict[str, StakingStatus]]:
        """The stored staking statuses of a range of eras: era, then the account's 0x key. Eras without any are left out.

        :param accounts: 0x keys; None reads all accounts.
        """
        return status_rows.statuses_of(self._database, network, eras, accounts)

    def newest_statuses(
        self, network: str, eras: range, accounts: Collection[str]
    ) -> dict[str, tuple[int, StakingStatus]]:
        """The newest stored status of accounts in a range of eras, with its era. Accounts without any are left out.

        :param accounts: 0x keys.
        """
        return status_rows.newest_statuses(self._database, network, eras, accounts)
