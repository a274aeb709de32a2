"""The ledger: payouts with their copies and events, and staking statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from staking_gateway.eras.calendar import utc_now
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.facts import Facts
from staking_gateway.ledger.journal import Journal
from staking_gateway.ledger.lanes import Lanes
from staking_gateway.ledger.range_report import RangeReports
from staking_gateway.ledger.records import PayoutState
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.statuses import Statuses
from staking_gateway.ledger.tables import payout_events, payouts
from staking_gateway.ledger.views import ViewRows
from staking_gateway.ledger.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class Ledger(Writes, Lanes, Statuses):
    """A durable record of every payout and staking status. Threads and processes may share it.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`.
    :param clock: returns the aware UTC time, for tests.
    :raises LedgerError: the ledger cannot be opened, or another version of the package made it.
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock
        self._database = Database(url)
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

    def newest_paid_era(self, network: str) -> int | None:
        """The newest era with an executed payout."""
        where = payouts.c.network == network, payouts.c.state == PayoutState.CONFIRMED.value
        return self._database.value(sa.select(payouts.c.era).where(*where).order_by(payouts.c.era.desc()).limit(1))
