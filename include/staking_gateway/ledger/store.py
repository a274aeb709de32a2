"""The ledger: payouts, their events and staking statuses.

A change of a payout and its event are one transaction. The change is a compare-and-set on the payout's version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import sqlalchemy as sa

from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import InvalidInput, LedgerConflict
from staking_gateway.ledger import status_rows
from staking_gateway.ledger.database import Database, neighbours
from staking_gateway.ledger.facts import Facts
from staking_gateway.ledger.journal import Journal
from staking_gateway.ledger.range_report import RangeReports
from staking_gateway.ledger.records import AccountStatus, Actor, NoncesUsed, Payout, PayoutEvent, PayoutState
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.tables import IN_FLIGHT, account_statuses, payout_events, payouts, wasted_fees
from staking_gateway.ledger.view_rows import ViewRows
from staking_gateway.types import AccountId, NonceKind, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime


_Where: TypeAlias = "sa.ColumnElement[bool] | sa.TextClause"
_PART = ("network", "era", "part")
_IN_FLIGHT = [state.value for state in PayoutState if state.in_flight]
_STATE = payouts.c.keys().index("state")
# Built once, because building these two statements takes longer than running them.
_UPDATE_PAYOUT = (
    payouts.update()
    .where(payouts.c.id == sa.bindparam("of_payout"), payouts.c.version == sa.bindparam("read_version"))
    .returning(*payouts.c)
)
_INSERT_EVENT = payout_events.insert()
_FORGOTTEN_AT_ONCE = 5_000
"""Old statuses that are deleted in one transaction, so that others need not wait for it."""
_CHANGEABLE = set(payouts.c.keys()) - {"id", *_PART, "state", "version", "created_at", "updated_at"}


class Ledger:
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
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()

    def now(self) -> datetime:
        """The aware UTC time by one clock for all processes: the PostgreSQL server's, or this machine's for a file."""
        return self._clock() if self._clock is not utc_now else self._database.now()

    def plan(
        self,
        network: str,
        era: int,
        part: int,
        *,
        user: AccountId,
        payer: AccountId,
        relayer: AccountId,
        actor: Actor,
        chain: str | None = None,
    ) -> Payout:
        """The record of one part of an era, created in state PLANNED if missing; `chain` defaults to the network's name."""
        found = self.payout(network, era, part)
        if found is not None:
            return found
        now = self._clock()
        row = {
            "network": network,
            "chain": chain or network,
            "era": era,
            "part": part,
            "state": PayoutState.PLANNED.value,
            "version": 1,
            "user_key": user.hex,
            "payer_key": payer.hex,
            "relayer_key": relayer.hex,
            "plans": 0,
            "unanswered": 0,
            "created_at": now,
            "updated_at": now,
        }
        insert = self._database.insert(payouts).values(row).on_conflict_do_nothing(index_elements=_PART)
        with self._database.writing() as connection:
            created = connection.execute(insert.returning(*payouts.c)).first()
            if created is None:  # another process created the record
                where = [payouts.c[name] == row[name] for name in _PART]
                return _payout(connection.execute(sa.select(payouts).where(*where)).one())
            payout = _payout(created)
            connection.execute(_INSERT_EVENT, _event(payout, None, "planned", actor))
        return payout

    def payout(self, network: str, era: int, part: int) -> Payout | None:
        rows = self._payouts(payouts.c.network == network, payouts.c.era == era, payouts.c.part == part)
        return rows[0] if rows else None

    def era_payouts(self, network: str, era: int) -> list[Payout]:
        """All parts of an era, in order."""
        return self._payouts(payouts.c.network == network, payouts.c.era == era)

    def payouts_of(self, network: str, eras: range) -> dict[int, list[Payout]]:
        """All parts of a range of eras, in order. Eras without a record are left out."""
        found: dict[int, list[Payout]] = {}
        if eras:
            column = payouts.c.era
            for payout in self._payouts(payouts.c.network == network, column >= eras.start, column < eras.stop):
                found.setdefault(payout.era, []).append(payout)
        return found

    def payouts_among(self, network: str, eras: Collection[int]) -> dict[int, list[Payout]]:
        """As `payouts_of`, of single eras. Only neighbours are read together."""
        found: dict[int, list[Payout]] = {}
        for some in neighbours(eras):
            found |= self.payouts_of(network, some)
        return found

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
        return self._newest_chain(payouts.c.network == network)

    def busy_chain(self, network: str) -> str | None:
        """`Payout.chain` of a network's newest payload that may still execute; None without one."""
        return self._newest_chain(payouts.c.network == network, IN_FLIGHT)

    def _newest_chain(self, *where: _Where) -> str | None:
        return self._database.value(sa.select(payouts.c.chain).where(*where).order_by(payouts.c.id.desc()).limit(1))

    def in_flight(self, chain: str) -> list[Payout]:
        """Records of a chain whose payload may still execute."""
        return self._payouts(payouts.c.chain == chain, IN_FLIGHT)

    def in_flight_of(self, network: str) -> list[Payout]:
        """Records of a network whose payload may still execute, in the order of their index."""
        query = sa.select(payouts).where(payouts.c.network == network, IN_FLIGHT).order_by(payouts.c.id)
        return self._database.rows(query, _payout)

    def nonces_used(self, chain: str, *, user: AccountId, payer: AccountId) -> NoncesUsed:
        """The highest nonces of a user and a payer that payloads of this ledger have used or may still use."""
        column = payouts.c
        # An EMPTY part may have executed before its payload was refused as paid.
        alive = column.state.in_([state.value for state in PayoutState if state.in_flight or state.settled])
        return NoncesUsed(
            staking=self._highest(column.staking_nonce, column.chain == chain, column.user_key == user.hex, alive),
            payment=self._highest(column.payment_nonce, column.chain == chain, column.payer_key == payer.hex, alive),
        )

    def nonces_confirmed(self, chain: str, *, user: AccountId, payer: AccountId) -> NoncesUsed:
        """The highest staking nonce of a user and payment nonce of a payer that are known to be used."""
        column = payouts.c
        confirmed = sa.and_(column.state == PayoutState.CONFIRMED.value, column.confirmed_by != "none")
        of_user = column.chain == chain, column.user_key == user.hex
        staking = (
            self._highest(column.staking_nonce, *of_user, confirmed),
            self._highest(column.used_nonce, *of_user),
        )
        return NoncesUsed(
            max((nonce for nonce in staking if nonce is not None), default=None),
            self._highest(column.payment_nonce, column.chain == chain, column.payer_key == payer.hex, confirmed),
        )

    def nonces_on_record(self, chain: str, account: AccountId, kind: NonceKind) -> list[tuple[int, str, int]]:
        """The nonces of an account that payloads of this ledger have used or may have used; each with network and era.

        The last payload of an EMPTY part was refused, or its nonce stood still: it used no nonce, unless the part says so.
        """
        column = payouts.c
        whose, nonce = column.user_key, column.staking_nonce
        if kind is NonceKind.PAYMENT:
            whose, nonce = column.payer_key, column.payment_nonce
        used: sa.ColumnElement[bool] = column.state.in_([*_IN_FLIGHT, PayoutState.CONFIRMED.value])
        of_account = column.chain == chain, whose == account.hex
        if kind is NonceKind.STAKING:
            further = sa.select(column.used_nonce, column.network, column.era, column.wasted)
            further = further.where(*of_account, column.used_nonce.is_not(None))
        else:
            unknown = column.fee_charged.is_(None) & (column.state != PayoutState.EMPTY.value)
            used = sa.or_(used, column.fee_charged.is_(True), unknown)
            further = sa.select(wasted_fees.c.payment_nonce, column.network, column.era, sa.literal(1))
            further = further.join(payouts, column.id == wasted_fees.c.payout_id).where(*of_account)
        query = sa.select(nonce, column.network, column.era, sa.literal(1)).where(*of_account, used, nonce.is_not(None))
        # A part stores only the highest of the staking nonces that its failed payloads have used.
        return sorted(
            (last - back, network, era)
            for found in (query, further)
            for last, network, era, times in self._database.rows(found, tuple)
            for back in range(min(max(times, 1), last + 1))
        )

    def _highest(self, nonce: sa.Column[int], *where: sa.ColumnElement[bool]) -> int | None:
        """The highest nonce. Nonces are decimal text: more digits make the higher number."""
        query = sa.select(nonce).where(*where, nonce.is_not(None))
        return self._database.value(
            query.order_by(_digits(nonce).desc(), sa.type_coerce(nonce, sa.String).desc()).limit(1)
        )

    def with_payment_nonce_of(self, payout: Payout) -> list[Payout]:
        """Other records of the same payer with the same payment nonce."""
        column = payouts.c
        return self._payouts(
            column.chain == payout.chain,
            column.payer_key == payout.payer_key,
            _equal(column.payment_nonce, payout.payment_nonce),
            column.id != payout.id,
        )

    def knows_request(self, payout: Payout, request_id: str) -> bool:
        """Whether another payout of the same chain has this request id."""
        column = payouts.c
        return bool(
            self._payouts(column.chain == payout.chain, column.request_id == request_id, column.id != payout.id)
        )

    def committed_fees(self, network: str, since: datetime, *, excluding: Payout | None = None) -> int:
        """Fees of the payloads signed since a time, in the smallest unit.

        Counted are payloads that executed or may still execute, and fees that were charged without a payout.

        :param excluding: a record whose payload in flight is not counted.
        """
        return self._fees(network, excluding, payouts.c.signed_at >= since, wasted_fees.c.signed_at >= since)

    def fees_of_run(self, network: str, run: str, *, excluding: Payout | None = None) -> int:
        """As `committed_fees`, of the payloads that a run has signed."""
        return self._fees(network, excluding, payouts.c.signed_by == run, wasted_fees.c.signed_by == run)

    def _fees(
        self, network: str, excluding: Payout | None, signed: sa.ColumnElement[bool], wasted: sa.ColumnElement[bool]
    ) -> int:
        alive = sa.select(payouts.c.fee).where(
            payouts.c.network == network,
            payouts.c.state.in_([*_IN_FLIGHT, PayoutState.CONFIRMED.value]),
            payouts.c.id != (excluding.id if excluding else None),
            signed,
        )
        # Not a join, which SQLite would begin with all payouts of the network.
        ours = sa.exists().where(payouts.c.id == wasted_fees.c.payout_id, payouts.c.network == network)
        lost = sa.select(wasted_fees.c.fee).where(wasted, ours)
        return sum(fee or 0 for query in (alive, lost) for (fee,) in self._database.rows(query, tuple))

    def transition(
        self,
        payout: Payout,
        to_state: PayoutState,
        cause: str,
        actor: Actor,
        *,
        charged: bool = False,
        **changes: Any,
    ) -> Payout:
        """Change a record, unless it has changed since it was read.

        :param charged: the payload's fee was charged without a payout; the fee limits count it.
        :param changes: further columns to set.
        :returns: the changed record.
        :raises InvalidInput: one of the changes cannot be stored.
        :raises LaneBusy: the user has another payload in flight.
        :raises LedgerConflict: the record has changed; read it again.
        """
        if not changes.keys() <= _CHANGEABLE:
            refused = min(changes.keys() - _CHANGEABLE)
            raise InvalidInput("changes", f"{refused!r} cannot be set", f"Use {', '.join(sorted(_CHANGEABLE))}")
        values = {**changes, "state": to_state.value, "version": payout.version + 1, "updated_at": self._clock()}
        with self._database.writing() as connection:
            row = connection.execute(
                _UPDATE_PAYOUT, {**values, "of_payout": payout.id, "read_version": payout.version}
            ).first()
            if row is None:
                raise LedgerConflict(f"{payout!r} was changed by another process; read it again")
            changed = _payout(row)
            connection.execute(_INSERT_EVENT, _event(changed, payout.state, cause, actor))
            if charged and payout.fee is not None:
                wasted = {
                    "payout_id": payout.id,
                    "payment_nonce": payout.payment_nonce,
                    "fee": payout.fee,
                    "signed_at": payout.signed_at,
                    "signed_by": payout.signed_by or "",
                }
                connection.execute(self._database.insert(wasted_fees).values(wasted).on_conflict_do_nothing())
        return changed

    def events(self, payout: Payout) -> list[PayoutEvent]:
        """The history of a record, oldest first."""
        query = sa.select(payout_events).where(payout_events.c.payout_id == payout.id).order_by(payout_events.c.version)
        return self._database.rows(query, _as_event)

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

    def _payouts(self, *where: _Where) -> list[Payout]:
        query = sa.select(payouts).where(*where).order_by(payouts.c.era, payouts.c.part)
        return self._database.rows(query, _payout)


def _digits(nonce: sa.Column[int]) -> sa.ColumnElement[int]:
    return sa.func.length(sa.type_coerce(nonce, sa.String))


def _equal(nonce: sa.Column[int], value: int | None) -> sa.ColumnElement[bool]:
    """A nonce has a value. Compared as a pair, because SQLite then finds it in the index, which begins with the number of digits."""
    if value is None:
        return sa.false()
    return sa.tuple_(_digits(nonce), nonce) == sa.tuple_(
        sa.literal(len(str(value))), sa.literal(value, type_=nonce.type)
    )


def _event(payout: Payout, from_state: PayoutState | None, cause: str, actor: Actor) -> dict[str, Any]:
    """The event of a change; `payout` is the record after it."""
    return {
        "payout_id": payout.id,
        "at": payout.updated_at,
        "from_state": from_state.value if from_state else None,
        "to_state": payout.state.value,
        "version": payout.version,
        "cause": cause,
        "run": actor.run,
        "try_number": actor.try_number,
    }


def _as_event(row: sa.Row[Any]) -> PayoutEvent:
    return PayoutEvent(
        at=row.at,
        from_state=PayoutState(row.from_state) if row.from_state else None,
        to_state=PayoutState(row.to_state),
        version=row.version,
        cause=row.cause,
        run=row.run,
        try_number=row.try_number,
    )


def _payout(row: sa.Row[Any]) -> Payout:
    # A test checks that columns and fields have the same order. Access by name would double the time.
    values = list(row)
    values[_STATE] = PayoutState(values[_STATE])
    return Payout(*values)
