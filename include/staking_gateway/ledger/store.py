"""The ledger. Each write of a payout is one transaction: a compare-and-set of its version, the change, an event and a check of the invariant. The
time of the last change is compared too: a restored ledger repeats versions, and not their times.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidInput, LedgerConflict
from staking_gateway.ledger.database import Database
from staking_gateway.ledger.invariant import ACCEPTED, InvariantBroken, check
from staking_gateway.ledger.journal import Facts, Journal, Statuses
from staking_gateway.ledger.reads import COPY_COLUMNS, Reads, read_payout, read_payouts
from staking_gateway.ledger.records import Actor, Copy, Mark, Payout, PayoutEvent, PayoutState, Send, Sighting
from staking_gateway.ledger.schema import ensure_schema
from staking_gateway.ledger.standing import Standing
from staking_gateway.ledger.tables import payout_copies, payout_events, payout_sends, payout_sightings, payouts
from staking_gateway.ledger.views import ViewRows
from staking_gateway.types import AccountId

_SIGNED: dict[str, Any] = {"state": PayoutState.SIGNED, "hold": None, "reason": None}
_part, _sent = payouts.c, payout_sends.c
# Built once, because building these statements takes longer than running them.
_CHANGE = payouts.update().where(*(_part[of] == sa.bindparam(f"read_{of}") for of in ("id", "version", "updated_at")))
_copies = sa.select(payout_copies.c.id).where(payout_copies.c.payout_id == sa.bindparam("of_payout"))
# A restored ledger repeats the numbers of copies, and not the times of their sends.
_SEND = (
    *(_sent[name] == sa.bindparam(f"of_{name}") for name in ("copy_id", "number", "began")),
    _sent.copy_id.in_(_copies),
)
_ANSWER = payout_sends.update().where(*_SEND, _sent.answer.is_(None))
_ANSWERED = sa.select(_sent.answer, _sent.request_id).where(*_SEND)
_rejected = sa.bindparam("rejected", type_=_sent.rejected_at.type)
_READ = payout_sends.update().where(*_SEND).values(rejected_at=sa.func.coalesce(_sent.rejected_at, _rejected))
_ADD_COPY = payout_copies.insert().returning(payout_copies.c.id)
_ADD_SEND, _ADD_EVENT = payout_sends.insert(), payout_events.insert()


class Ledger(Standing, Reads, Statuses):
    """A durable record of every payout and staking status. Threads and processes may share it.

    :param url: SQLAlchemy URL, `sqlite:////path/to/file` or `postgresql://...`.
    :raises LedgerError: the ledger cannot be opened, or another version of the package made it.
    :raises LedgerConflict: each change of a payout, when it has changed since it was read; read it again.
    :raises InvariantBroken: each of them, when the payout contradicts itself, or would afterwards.
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(Database(url, clock))
        self.journal = Journal(self._database)
        self.facts = Facts(self._database)
        self.views = ViewRows(self._database)
        try:
            ensure_schema(self._database)
            self._detect()
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()

    def now(self) -> datetime:
        """The aware UTC time by one clock for all processes, also in what is stored."""
        return self._database.now()

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
        now, key = self.now(), {"network": network, "era": era, "part": part}
        owners = {"user_key": user.hex, "payer_key": payer.hex, "relayer_key": relayer.hex}
        row = {"chain": chain or network, "state": PayoutState.PLANNED, "version": 1}
        insert = self._database.insert(payouts).values({**key, **owners, **row, "created_at": now, "updated_at": now})
        with self._database.writing() as connection:
            made = connection.scalar(insert.on_conflict_do_nothing(index_elements=[*key]).returning(payouts.c.id))
            if made is not None:
                return _note(connection, made, "planned", actor)
            (payout,) = read_payouts(connection, *(payouts.c[name] == value for name, value in key.items()))
        return payout

    def sign(
        self,
        payout: Payout,
        copy: Copy,
        cause: str,
        actor: Actor,
        *,
        mark: Mark | None = None,
        known: int | None = None,
    ) -> Payout:
        """Store a signed payload and its first send, before the first byte leaves. The part becomes SIGNED.

        :param mark: the newest mark that the caller knows; LedgerConflict when there is a newer one.
        :param known: `newest_copy` before the caller read lane and fees; LedgerConflict when one of the network, user or payer was signed
            since: both would count the same fees against a limit.
        :raises LedgerStopped: a person stopped the ledger.
        """
        row = {column.name: getattr(copy, column.name) for column in COPY_COLUMNS[1:]}
        values = {**_SIGNED, **{name: row[name] for name in ("chain", "user_key", "payer_key", "relayer_key")}}
        with self._database.writing() as connection:
            now = self._change(connection, payout, values)
            self._allow(connection, mark)
            if known is not None:  # in whatever lane: a lane may get another name meanwhile
                new = payout_copies.c
                owners = new.network == payout.network, new.user_key == copy.user_key, new.payer_key == copy.payer_key
                if connection.scalar(sa.select(new.id).where(new.id > known, sa.or_(*owners))) is not None:
                    raise LedgerConflict("another payload was signed meanwhile; read the lane and the fees again")
            copy_id = connection.scalar(_ADD_COPY, {**row, "payout_id": payout.id, "network": payout.network})
            _count(connection, payout, copy_id, actor, now)
            return _checked(connection, payout, cause, actor)

    def count_send(self, payout: Payout, copy_id: int, cause: str, actor: Actor, *, mark: Mark | None = None) -> Payout:
        """As `sign`, the next send of a copy. The part becomes SIGNED, unless it is settled."""
        with self._database.writing() as connection:
            now = self._change(connection, payout, {} if payout.state.settled else _SIGNED)
            self._allow(connection, mark)
            _count(connection, payout, copy_id, actor, now)
            return _checked(connection, payout, cause, actor)

    def answer(
        self,
        payout: Payout,
        copy_id: int,
        sent: Send,
        *,
        state: PayoutState,
        hold: str | None,
        reason: str | None,
        cause: str,
        actor: Actor,
    ) -> Payout:
        """Store what one send brought, in any case. If the payout has changed since it was read, its state, hold and reason stay as they are.

        :param sent: the send of the copy, with its answer, the text of it, and the id of its request.
        :raises LedgerConflict: the send has another answer, or the ledger has no such send.
        :raises InvariantBroken: the answer is stored all the same, and nothing else.
        """
        if sent.request_id is not None and sent.answer != ACCEPTED:
            raise InvalidInput("request_id", f"the answer is {sent.answer!r}", f"Only an {ACCEPTED} send has a request")
        with self._database.writing() as connection:
            now = self._database.now(connection)
            told = {"answer": sent.answer, "answered_at": now, "text": sent.text, "request_id": sent.request_id}
            which = _of(payout, copy_id, sent)
            if not connection.execute(_ANSWER, {**which, **told}).rowcount:
                if connection.execute(_ANSWERED, which).first() != (sent.answer, sent.request_id):
                    what = f"another answer to send {sent.number} of copy {copy_id}, or no such send"
                    raise LedgerConflict(f"{payout!r} has {what}")
                return read_payout(connection, payout.id)
            try:
                with connection.begin_nested():
                    self._change(connection, payout, {"state": state, "hold": hold, "reason": reason})
                    return _checked(connection, payout, cause, actor)
            except (LedgerConflict, InvariantBroken) as error:
                refused = error
            new = {"version": _part.version + 1, "updated_at": now}
            connection.execute(payouts.update().where(_part.id == payout.id).values(new))
            after = _note(connection, payout.id, f"{cause} (an answer that came late)", actor)
        if isinstance(refused, InvariantBroken):
            raise refused
        return after

    def transition(
        self,
        payout: Payout,
        to_state: PayoutState,
        cause: str,
        actor: Actor,
        *,
        sightings: Sequence[Sighting] = (),
        reads: Sequence[tuple[int, Send]] = (),
        **changes: Any,
    ) -> Payout:
        """Change the record of a part.

        :param reads: the sends whose requests were read, with what was read; each with the id of its copy. A send keeps its first `rejected_at`.
        :param changes: any of chain, hold, reason, confirmed_by, confirmed_at, executed and settled_by.
        """
        with self._database.writing() as connection:
            self._change(connection, payout, {"state": to_state, **changes})
            for copy_id, sent in reads:
                _store_read(connection, payout, copy_id, sent)
            for seen in sightings:
                connection.execute(payout_sightings.insert(), {**vars(seen), "payout_id": payout.id})
            return _checked(connection, payout, cause, actor)

    def rekey(self, old_chain: str, new_chain: str, actor: Actor) -> int:
        """Give a lane another name, once its chain is known. Returns the number of its parts."""
        cause, copy = f"its lane {old_chain} is the chain {new_chain}", payout_copies.c
        with self._database.writing() as connection:
            new = {"chain": new_chain, "version": _part.version + 1, "updated_at": self._database.now(connection)}
            parts = payouts.update().where(_part.chain == old_chain).values(new).returning(_part.id)
            moved = connection.scalars(parts).all()
            connection.execute(payout_copies.update().where(copy.chain == old_chain).values(chain=new_chain))
            for payout_id in moved:
                _note(connection, payout_id, cause, actor)
        return len(moved)

    def _change(self, connection: sa.Connection, payout: Payout, values: dict[str, Any]) -> datetime:
        """Change the row of a payout, unless it has changed since it was read; returns the time of the change."""
        now = self._database.now(connection)
        read = {"read_id": payout.id, "read_version": payout.version, "read_updated_at": payout.updated_at}
        new = {**values, "version": payout.version + 1, "updated_at": now}
        if not connection.execute(_CHANGE, {**read, **new}).rowcount:
            raise LedgerConflict(f"{payout!r} was changed by another process; read it again")
        return now


def _checked(connection: sa.Connection, payout: Payout, cause: str, actor: Actor) -> Payout:
    """The payout after a change, which must keep the invariant."""
    after = _note(connection, payout.id, cause, actor)
    check(payout, after)
    return after


def _note(connection: sa.Connection, payout_id: int, cause: str, actor: Actor) -> Payout:
    """Store the event of a change; returns the payout after it."""
    after = read_payout(connection, payout_id)
    event = PayoutEvent(after.updated_at, after.state, after.version, cause, actor.run, actor.try_number)
    connection.execute(_ADD_EVENT, {**vars(event), "payout_id": payout_id})
    return after


def _count(connection: sa.Connection, payout: Payout, copy_id: int | None, actor: Actor, now: datetime) -> None:
    number = sum(len(one.sends) for one in payout.copies) + 1
    row = {"copy_id": copy_id, "number": number, "began": now, "run": actor.run}
    connection.execute(_ADD_SEND, {**row, "try_number": actor.try_number})


def _of(payout: Payout, copy_id: int, sent: Send) -> dict[str, Any]:
    """Parameters of `_SEND`: a send of the part's own copy."""
    return {"of_payout": payout.id, "of_copy_id": copy_id, "of_number": sent.number, "of_began": sent.began}


def _store_read(connection: sa.Connection, payout: Payout, copy_id: int, sent: Send) -> None:
    read = {name: getattr(sent, name) for name in ("status", "read_at", "block_number", "tx_hash")}
    if not connection.execute(_READ, {**_of(payout, copy_id, sent), **read, "rejected": sent.rejected_at}).rowcount:
        raise LedgerConflict(f"{payout!r} has no send {sent.number} of copy {copy_id} any more; read it again")
