"""The ledger: opening it, and the few statements it needs.

SQLite runs in WAL mode with one immediate transaction per write, so that writers queue instead of failing; PostgreSQL is used
as it comes. Every change of a payout is a compare-and-set on its version, together with its event, in one transaction.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from staking_gateway.errors import LedgerConflict, LedgerError
from staking_gateway.ledger.records import AccountStatus, Actor, Payout, PayoutEvent, PayoutState
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.tables import payout_events, payouts, staking_statuses
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_BUSY_TIMEOUT_SECONDS = 30
_LANES = ("one_in_flight_per_user", "one_in_flight_per_payer", "payouts.user_key", "payouts.payer_key")


class LaneBusy(LedgerConflict):
    """The user or the payer already has a signed payload in flight for another part or era."""


def _now() -> datetime:
    return datetime.now(timezone.utc)


class Ledger:
    """A durable record of every payout and status. Safe to share between threads and processes.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`.
    :param clock: gives the aware UTC time, for tests.
    :raises LedgerError: the ledger cannot be opened, or was written by a newer version.
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        try:
            parsed = sa.make_url(url)
            self._engine = sa.create_engine(parsed, pool_pre_ping=parsed.get_backend_name() != "sqlite")
        except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ImportError) as error:
            raise LedgerError(
                f"The ledger's URL cannot be used ({type(error).__name__}); use SQLite or PostgreSQL"
            ) from None
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise LedgerError(f"The ledger cannot live in {parsed.get_backend_name()}; use SQLite or PostgreSQL")
        self._where = parsed.render_as_string(hide_password=True)
        if parsed.get_backend_name() == "sqlite":
            _configure_sqlite(self._engine)
        with self._guard():
            ensure_schema(self._engine)

    def close(self) -> None:
        """Give back the connections."""
        self._engine.dispose()

    def plan(
        self, network: str, era: int, part: int, *, user: AccountId, payer: AccountId, relayer: AccountId, actor: Actor
    ) -> Payout:
        """The record of one part of an era, made in state PLANNED if there is none yet."""
        now = self._clock()
        row = {
            "network": network,
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
        found = self.payout(network, era, part)
        if found is not None:
            return found
        with self._writing() as connection:
            made = connection.execute(
                self._insert(payouts).values(row).on_conflict_do_nothing().returning(payouts.c.id)
            ).first()
            if made is not None:
                connection.execute(
                    payout_events.insert().values(
                        _event(made.id, now, actor, move=(None, PayoutState.PLANNED), version=1, cause="planned")
                    )
                )
        planned = self.payout(network, era, part)
        if planned is None:
            raise LedgerError(f"The ledger at {self._where} did not keep era {era} of {network}")
        return planned

    def payout(self, network: str, era: int, part: int) -> Payout | None:
        """One record, or None."""
        rows = self._payouts(payouts.c.network == network, payouts.c.era == era, payouts.c.part == part)
        return rows[0] if rows else None

    def era_payouts(self, network: str, era: int) -> list[Payout]:
        """All parts of an era, in order."""
        return self._payouts(payouts.c.network == network, payouts.c.era == era)

    def in_flight(self, network: str) -> list[Payout]:
        """Records of a network whose payload may still execute."""
        states = [state.value for state in PayoutState if state.in_flight]
        return self._payouts(payouts.c.network == network, payouts.c.state.in_(states))

    def knows_request(self, payout: Payout, request_id: str) -> bool:
        """Whether a request id is on record for another payout of the same network."""
        return bool(
            self._payouts(
                payouts.c.network == payout.network, payouts.c.request_id == request_id, payouts.c.id != payout.id
            )
        )

    def committed_fees(self, network: str, since: datetime) -> int:
        """Fees of the payloads signed since a time that executed or still may, in the smallest unit."""
        states = [state.value for state in PayoutState if state.in_flight or state is PayoutState.CONFIRMED]
        rows = self._payouts(payouts.c.network == network, payouts.c.state.in_(states), payouts.c.signed_at >= since)
        return sum(row.fee or 0 for row in rows)

    def transition(self, payout: Payout, to_state: PayoutState, cause: str, actor: Actor, **changes: Any) -> Payout:
        """Change a record, if nobody else has since it was read.

        :param changes: further columns to set.
        :returns: the record as it is now.
        :raises LaneBusy: the user or payer has another payload in flight.
        :raises LedgerConflict: the record changed meanwhile; read it again.
        """
        now = self._clock()
        values = {**changes, "state": to_state.value, "version": payout.version + 1, "updated_at": now}
        with self._writing() as connection:
            row = connection.execute(
                payouts.update()
                .where(payouts.c.id == payout.id, payouts.c.version == payout.version)
                .values(values)
                .returning(*payouts.c)
            ).first()
            if row is None:
                raise LedgerConflict(f"{payout!r} was changed by somebody else")
            connection.execute(
                payout_events.insert().values(
                    _event(
                        payout.id,
                        now,
                        actor,
                        move=(payout.state, to_state),
                        version=payout.version + 1,
                        cause=cause,
                    )
                )
            )
        return _payout(row)

    def events(self, payout: Payout) -> list[PayoutEvent]:
        """The history of a record, oldest first."""
        query = sa.select(payout_events).where(payout_events.c.payout_id == payout.id).order_by(payout_events.c.id)
        with self._reading() as connection:
            return [
                PayoutEvent(
                    at=row.at,
                    from_state=PayoutState(row.from_state) if row.from_state else None,
                    to_state=PayoutState(row.to_state),
                    version=row.version,
                    cause=row.cause,
                    run=row.run,
                    try_number=row.try_number,
                )
                for row in connection.execute(query)
            ]

    def record_statuses(self, network: str, era: int, statuses: Iterable[tuple[AccountId, StakingStatus]]) -> int:
        """Store the staking status of accounts in an era; a later check replaces an earlier one.

        :returns: how many were stored.
        """
        now = self._clock()
        rows = [
            {
                "network": network,
                "era": era,
                "account_key": account.hex,
                "address": account.address,
                "status": status.value,
                "checked_at": now,
            }
            for account, status in statuses
        ]
        if rows:
            insert = self._insert(staking_statuses)
            replace = {name: insert.excluded[name] for name in ("address", "status", "checked_at")}
            keys = ["network", "era", "account_key"]
            with self._writing() as connection:
                connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=replace), rows)
        return len(rows)

    def statuses(self, network: str, era: int) -> list[AccountStatus]:
        """The stored staking statuses of an era."""
        query = (
            sa.select(staking_statuses)
            .where(staking_statuses.c.network == network, staking_statuses.c.era == era)
            .order_by(staking_statuses.c.account_key)
        )
        with self._reading() as connection:
            return [
                AccountStatus(row.account_key, row.address, StakingStatus(row.status), row.checked_at)
                for row in connection.execute(query)
            ]

    def _payouts(self, *where: sa.ColumnElement[bool]) -> list[Payout]:
        query = sa.select(payouts).where(*where).order_by(payouts.c.era, payouts.c.part)
        with self._reading() as connection:
            return [_payout(row) for row in connection.execute(query)]

    def _insert(self, table: sa.Table) -> Any:
        return (sqlite if self._engine.dialect.name == "sqlite" else postgresql).insert(table)

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._guard(), self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._guard(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """No SQLAlchemy exception escapes; none of ours quotes a statement, for its values hold signatures."""
        try:
            yield
        except sa.exc.IntegrityError as error:
            text = str(error.orig)
            if any(lane in text for lane in _LANES):
                raise LaneBusy("the user or the payer has another payload in flight") from None
            raise LedgerConflict(f"The ledger at {self._where} refused a change: {text}") from None
        except sa.exc.DBAPIError as error:
            raise LedgerError(
                f"The ledger at {self._where} failed: {error.orig}. Check that it exists, can be written and has space"
            ) from None
        except (sa.exc.SQLAlchemyError, OSError) as error:
            raise LedgerError(f"The ledger at {self._where} failed: {type(error).__name__}") from None


def _configure_sqlite(engine: sa.Engine) -> None:
    """Let SQLAlchemy, not the driver, begin transactions, and begin them as writers; reads use AUTOCOMMIT."""

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_SECONDS * 1000}")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql("BEGIN IMMEDIATE")


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


def _payout(row: sa.Row[Any]) -> Payout:
    values = dict(row._mapping)  # noqa: SLF001 - the documented way to a row's names
    values["state"] = PayoutState(values["state"])
    return Payout(**values)
