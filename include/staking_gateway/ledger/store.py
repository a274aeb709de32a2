"""The ledger: the few statements it needs.

Every change of a payout is a compare-and-set on its version, together with its event, in one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import InvalidInput, LedgerConflict
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.journal import Journal
from staking_gateway.ledger.records import AccountStatus, Actor, NoncesUsed, Payout, PayoutEvent, PayoutState
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.status_rows import as_rows, storing
from staking_gateway.ledger.tables import payout_events, payouts, staking_statuses, wasted_fees
from staking_gateway.text import without_signatures
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime


_PART = ("network", "era", "part")
_STATE = payouts.c.keys().index("state")
# Made once: building these two anew took longer than running them.
_MOVE = (
    payouts.update()
    .where(payouts.c.id == sa.bindparam("of_payout"), payouts.c.version == sa.bindparam("read_version"))
    .returning(*payouts.c)
)
_NOTE = payout_events.insert()
_CHANGEABLE = set(payouts.c.keys()) - {"id", *_PART, "state", "version", "created_at", "updated_at"}


class Ledger:
    """A durable record of every payout and status. Safe to share between threads and processes.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`.
    :param clock: gives the aware UTC time, for tests.
    :raises LedgerError: the ledger cannot be opened, or was written by a newer version.
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._clock = clock
        self._database = Database(url)
        self._store_statuses = storing(self._database)
        self.journal = Journal(self._database, clock)
        try:
            ensure_schema(self._database)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Give back the connections."""
        self._database.close()

    def now(self) -> datetime:
        """The aware UTC time by the clock that all processes of this ledger share: the server's, or this machine's for a file."""
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
        """The record of one part of an era, made in state PLANNED if there is none yet.

        :param chain: what the nonces belong to; None takes the network's name.
        """
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
            "copies_out": False,
            "refused": False,
            "asked": True,
            "wasted": 0,
            "signatures": 0,
            "created_at": now,
            "updated_at": now,
        }
        insert = self._database.insert(payouts).values(row).on_conflict_do_nothing(index_elements=_PART)
        with self._database.writing() as connection:
            made = connection.execute(insert.returning(*payouts.c)).first()
            if made is None:  # somebody else was faster
                where = [payouts.c[name] == row[name] for name in _PART]
                return _payout(connection.execute(sa.select(payouts).where(*where)).one())
            connection.execute(
                _NOTE,
                _event(made.id, now, actor, move=(None, PayoutState.PLANNED), version=1, cause="planned"),
            )
        return _payout(made)

    def payout(self, network: str, era: int, part: int) -> Payout | None:
        """One record, or None."""
        rows = self._payouts(payouts.c.network == network, payouts.c.era == era, payouts.c.part == part)
        return rows[0] if rows else None

    def era_payouts(self, network: str, era: int) -> list[Payout]:
        """All parts of an era, in order."""
        return self._payouts(payouts.c.network == network, payouts.c.era == era)

    def payouts_of(self, network: str, eras: range) -> dict[int, list[Payout]]:
        """All parts of a range of eras, in order; eras without any are left out."""
        found: dict[int, list[Payout]] = {}
        if eras:
            column = payouts.c.era
            for payout in self._payouts(payouts.c.network == network, column >= eras.start, column < eras.stop):
                found.setdefault(payout.era, []).append(payout)
        return found

    def runs_of(self, network: str, eras: range) -> dict[int, str]:
        """Who made the last change to an era's payout, see `Actor.run`; eras without a record are left out."""
        column = payouts.c.era
        query = (
            sa.select(column, payout_events.c.run)
            .join(payout_events, payout_events.c.payout_id == payouts.c.id)
            .where(payouts.c.network == network, column >= eras.start, column < eras.stop)
            .order_by(payout_events.c.at, payout_events.c.id)
        )
        with self._database.reading() as connection:
            return {row.era: row.run for row in connection.execute(query)} if eras else {}

    def oldest_era(self, network: str) -> int | None:
        """The oldest era there is a record of."""
        with self._database.reading() as connection:
            oldest: int | None = connection.scalar(
                sa.select(sa.func.min(payouts.c.era)).where(payouts.c.network == network)
            )
            return oldest

    def known_chain(self, network: str) -> str | None:
        """What the nonces of a network's newest record belong to, see `Payout.chain`; None when there is no record."""
        query = sa.select(payouts.c.chain).where(payouts.c.network == network).order_by(payouts.c.id.desc()).limit(1)
        with self._database.reading() as connection:
            known: str | None = connection.scalar(query)
            return known

    def busy_chain(self, network: str) -> str | None:
        """What the nonces of a network's newest payload that may still execute belong to; None when there is none."""
        states = [state.value for state in PayoutState if state.in_flight]
        query = (
            sa.select(payouts.c.chain)
            .where(payouts.c.network == network, payouts.c.state.in_(states))
            .order_by(payouts.c.id.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            busy: str | None = connection.scalar(query)
            return busy

    def in_flight(self, chain: str) -> list[Payout]:
        """Records of a chain whose payload may still execute."""
        states = [state.value for state in PayoutState if state.in_flight]
        return self._payouts(payouts.c.chain == chain, payouts.c.state.in_(states))

    def nonces_used(self, chain: str, *, user: AccountId, payer: AccountId) -> NoncesUsed:
        """The highest nonces of a user and a payer that this ledger's payloads have used, or still may."""
        column = payouts.c
        # An EMPTY part may have executed before it was refused as paid.
        alive = column.state.in_([state.value for state in PayoutState if state.in_flight or state.settled])
        return NoncesUsed(
            staking=self._highest(column.staking_nonce, column.chain == chain, column.user_key == user.hex, alive),
            payment=self._highest(column.payment_nonce, column.chain == chain, column.payer_key == payer.hex, alive),
        )

    def nonces_confirmed(self, chain: str, *, user: AccountId, payer: AccountId) -> tuple[int | None, int | None]:
        """The highest staking nonce of a user and payment nonce of a payer that are known to be used."""
        column = payouts.c
        confirmed = sa.and_(column.state == PayoutState.CONFIRMED.value, column.confirmed_by != "none")
        of_user = column.chain == chain, column.user_key == user.hex
        staking = (
            self._highest(column.staking_nonce, *of_user, confirmed),
            self._highest(column.used_nonce, *of_user),
        )
        return (
            max((nonce for nonce in staking if nonce is not None), default=None),
            self._highest(column.payment_nonce, column.chain == chain, column.payer_key == payer.hex, confirmed),
        )

    def _highest(self, nonce: sa.Column[int], *where: sa.ColumnElement[bool]) -> int | None:
        """Nonces are decimal text: the longest is the highest."""
        digits = sa.type_coerce(nonce, sa.String)
        query = (
            sa.select(nonce)
            .where(*where, nonce.is_not(None))
            .order_by(sa.func.length(digits).desc(), digits.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            highest: int | None = connection.scalar(query)
            return highest

    def was_given_up_elsewhere(self, payout: Payout) -> bool:
        """Whether version 0.1.0 gave up a payload of another part with the same staking nonce: it may be what used the nonce."""
        column = payouts.c
        return bool(
            self._payouts(
                column.chain == payout.chain,
                column.user_key == payout.user_key,
                column.staking_nonce == payout.staking_nonce,
                column.given_up_by.is_not(None),
                column.id != payout.id,
            )
        )

    def with_payment_nonce_of(self, payout: Payout) -> list[Payout]:
        """Other records of the same payer with the same payment nonce."""
        column = payouts.c
        return self._payouts(
            column.chain == payout.chain,
            column.payer_key == payout.payer_key,
            column.payment_nonce == payout.payment_nonce,
            column.id != payout.id,
        )

    def knows_request(self, payout: Payout, request_id: str) -> bool:
        """Whether a request id is on record for another payout of the same chain."""
        return bool(
            self._payouts(
                payouts.c.chain == payout.chain, payouts.c.request_id == request_id, payouts.c.id != payout.id
            )
        )

    def committed_fees(self, network: str, since: datetime, *, but: Payout | None = None) -> int:
        """Fees of the payloads signed since a time, in the smallest unit: those that executed, those that still may, and those
        that were charged for nothing.

        :param but: a record whose payload in flight is left out.
        """
        return self._fees(network, but, payouts.c.signed_at >= since, wasted_fees.c.signed_at >= since)

    def fees_of_run(self, network: str, run: str, *, but: Payout | None = None) -> int:
        """The same of the payloads a run has signed.

        :param but: a record whose payload in flight is left out.
        """
        return self._fees(network, but, payouts.c.signed_by == run, wasted_fees.c.signed_by == run)

    def _fees(
        self, network: str, but: Payout | None, signed: sa.ColumnElement[bool], wasted: sa.ColumnElement[bool]
    ) -> int:
        states = [state.value for state in PayoutState if state.in_flight or state is PayoutState.CONFIRMED]
        alive = sa.select(payouts.c.fee).where(
            payouts.c.network == network,
            payouts.c.state.in_(states),
            payouts.c.id != (but.id if but else None),
            signed,
        )
        lost = sa.select(wasted_fees.c.fee).join(payouts).where(payouts.c.network == network, wasted)
        with self._database.reading() as connection:
            return sum(fee or 0 for query in (alive, lost) for fee in connection.scalars(query))

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
        """Change a record, if nobody else has since it was read.

        :param charged: the fee of the record's payload was charged for nothing; it is kept for the fee limits.
        :param changes: further columns to set.
        :returns: the record as it is now.
        :raises InvalidInput: one of the changes cannot be stored.
        :raises LaneBusy: the user has another payload in flight.
        :raises LedgerConflict: the record changed meanwhile; read it again.
        """
        if not changes.keys() <= _CHANGEABLE:
            refused = min(changes.keys() - _CHANGEABLE)
            raise InvalidInput("changes", f"{refused!r} cannot be set", f"Use {', '.join(sorted(_CHANGEABLE))}")
        now = self._clock()
        version = payout.version + 1
        values = {**changes, "state": to_state.value, "version": version, "updated_at": now}
        with self._database.writing() as connection:
            row = connection.execute(_MOVE, {**values, "of_payout": payout.id, "read_version": payout.version}).first()
            if row is None:
                raise LedgerConflict(f"{payout!r} was changed by somebody else; read it again")
            connection.execute(
                _NOTE,
                _event(payout.id, now, actor, move=(payout.state, to_state), version=version, cause=cause),
            )
            if charged and payout.fee is not None:
                wasted = {
                    "payout_id": payout.id,
                    "payment_nonce": payout.payment_nonce,
                    "fee": payout.fee,
                    "signed_at": payout.signed_at,
                    "signed_by": payout.signed_by or "",
                }
                connection.execute(self._database.insert(wasted_fees).values(wasted).on_conflict_do_nothing())
        return _payout(row)

    def events(self, payout: Payout) -> list[PayoutEvent]:
        """The history of a record, oldest first."""
        query = sa.select(payout_events).where(payout_events.c.payout_id == payout.id).order_by(payout_events.c.version)
        with self._database.reading() as connection:
            return [_as_event(row) for row in connection.execute(query)]

    def record_statuses(self, network: str, era: int, statuses: Iterable[tuple[AccountId, StakingStatus]]) -> int:
        """Store the staking status of accounts in an era; a later check replaces an earlier one.

        :returns: how many accounts were stored.
        """
        count, rows = as_rows(statuses)
        if count:
            values = {"network": network, "era": era, "checked_at": self._clock(), "rows": rows}
            with self._database.writing() as connection:
                connection.execute(self._store_statuses, values)
        return count

    def newest_status_era(self, network: str) -> int | None:
        """The newest era that has statuses."""
        query = sa.select(sa.func.max(staking_statuses.c.era)).where(staking_statuses.c.network == network)
        with self._database.reading() as connection:
            newest: int | None = connection.scalar(query)
            return newest

    def statuses(self, network: str, era: int) -> list[AccountStatus]:
        """The stored staking statuses of an era."""
        query = (
            sa.select(staking_statuses)
            .where(staking_statuses.c.network == network, staking_statuses.c.era == era)
            .order_by(staking_statuses.c.account_key)
        )
        with self._database.reading() as connection:
            return [
                AccountStatus(row.account_key, row.address, StakingStatus(row.status), row.checked_at)
                for row in connection.execute(query)
            ]

    def statuses_of(self, network: str, eras: range) -> dict[int, dict[str, StakingStatus]]:
        """The stored staking statuses of a range of eras: era, then the account's 0x key; eras without any are left out."""
        column, known = staking_statuses.c.era, {status.value: status for status in StakingStatus}
        query = sa.select(column, staking_statuses.c.account_key, staking_statuses.c.status).where(
            staking_statuses.c.network == network, column >= eras.start, column < eras.stop
        )
        found: dict[int, dict[str, StakingStatus]] = {}
        if eras:
            with self._database.reading() as connection:
                for era, account_key, status in connection.execute(query):
                    found.setdefault(era, {})[account_key] = known[status]
        return found

    def _payouts(self, *where: sa.ColumnElement[bool]) -> list[Payout]:
        query = sa.select(payouts).where(*where).order_by(payouts.c.era, payouts.c.part)
        with self._database.reading() as connection:
            return [_payout(row) for row in connection.execute(query)]


def _event(
    payout_id: int,
    at: datetime,
    actor: Actor,
    *,
    move: tuple[PayoutState | None, PayoutState],
    version: int,
    cause: str,
) -> dict[str, Any]:
    from_state, to_state = move
    return {
        "payout_id": payout_id,
        "at": at,
        "from_state": from_state.value if from_state else None,
        "to_state": to_state.value,
        "version": version,
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
        cause=without_signatures(row.cause),  # version 0.1.0 kept what gateways quoted
        run=row.run,
        try_number=row.try_number,
    )


def _payout(row: sa.Row[Any]) -> Payout:
    # The columns are in the order of the fields, which a test holds them to: names would cost half a read.
    values = list(row)
    values[_STATE] = PayoutState(values[_STATE])
    return Payout(*values)
