"""Reading payouts with all that belongs to them; and questions about nonces and fees, over all copies."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import sqlalchemy as sa

from staking_gateway.ledger.database import LedgerPart
from staking_gateway.ledger.records import Copy, FeeKey, Payout, PayoutEvent, PayoutState, Send, Sight, Sighting
from staking_gateway.ledger.tables import (
    FLOOR,
    UNCONFIRMED,
    UNSETTLED,
    ledger_marks,
    payout_copies,
    payout_events,
    payout_sends,
    payout_sightings,
    payouts,
)
from staking_gateway.types import AccountId, NonceKind

Where: TypeAlias = "sa.ColumnElement[bool] | sa.TextClause"
_part, _copy, _seen = payouts.c, payout_copies.c, payout_sightings.c


def _columns(table: sa.Table, record: type) -> list[sa.Column[Any]]:
    return [table.c[field.name] for field in fields(record) if field.name in table.c]


COPY_COLUMNS = _columns(payout_copies, Copy)
_COPIES = (
    sa.select(_copy.payout_id, *COPY_COLUMNS, *_columns(payout_sends, Send))
    .select_from(payouts)
    .join(payout_copies, _copy.payout_id == _part.id)
    .outerjoin(payout_sends, payout_sends.c.copy_id == _copy.id)
    .order_by(_copy.id, payout_sends.c.number)
)
_SIGHTINGS = (
    sa.select(_seen.payout_id, *_columns(payout_sightings, Sighting))
    .select_from(payouts)
    .join(payout_sightings, _seen.payout_id == _part.id)
    .order_by(_seen.id)
)
_PAYOUTS = sa.select(*_columns(payouts, Payout)).order_by(_part.era, _part.part)
_QUERIES = (_PAYOUTS, _COPIES, _SIGHTINGS)
# Built once, because building these statements takes longer than running them.
_BY_ID = [query.where(_part.id == sa.bindparam("of_payout")) for query in _QUERIES]


def _seen_of_copy(*kinds: Sight) -> sa.ColumnElement[bool]:
    """Of a copy: whether its part has a sighting of one of these kinds about the copy's staking nonce."""
    same = _seen.user_key == _copy.user_key, _seen.nonce.is_not_distinct_from(_copy.staking_nonce)
    found = sa.exists().where(_seen.payout_id == _copy.payout_id, *same, _seen.kind.in_(kinds))
    return found.correlate(payout_copies)


_OPEN = ~_seen_of_copy(*(kind for kind in Sight if kind.judges))
"""Of a copy: it may still be executed."""


def read_payouts(connection: sa.Connection, *where: Where) -> list[Payout]:
    """The payouts that meet a condition on their row, in the order of era and part."""
    return _read(connection, [query.where(*where) for query in _QUERIES])


def read_payout(connection: sa.Connection, payout_id: int) -> Payout:
    (payout,) = _read(connection, _BY_ID, {"of_payout": payout_id})
    return payout


def _read(connection: sa.Connection, queries: Sequence[sa.Select[Any]], values: Any = None) -> list[Payout]:
    # The rows of payouts are read first: what is added meanwhile is then too new, and a change of the payout is refused.
    rows = connection.execute(queries[0], values).all()
    if not rows:
        return []
    copies = _copies(connection.execute(queries[1], values))
    sightings: dict[int, tuple[Sighting, ...]] = {}
    for payout_id, *seen in connection.execute(queries[2], values):
        sightings[payout_id] = (*sightings.get(payout_id, ()), Sighting(*seen))
    # A test checks that columns and fields have the same order. Access by name would double the time.
    return [Payout(*[*row, copies.get(row[0], ()), sightings.get(row[0], ())]) for row in rows]


def _copies(rows: Iterable[Any]) -> dict[int, tuple[Copy, ...]]:
    """The copies of each payout; a row has the payout's id, a copy and one of its sends."""
    found: dict[int, dict[int, list[Any]]] = {}
    end = len(COPY_COLUMNS)
    for payout_id, *row in rows:
        values = found.setdefault(payout_id, {}).setdefault(row[0], [*row[:end], ()])
        if row[end] is not None:
            values[-1] = (*values[-1], Send(*row[end:]))
    return {payout_id: tuple(Copy(*values) for values in copies.values()) for payout_id, copies in found.items()}


class Reads(LedgerPart):
    """Reads of payouts; each has at most three queries, whatever it returns."""

    def payout(self, network: str, era: int, part: int) -> Payout | None:
        return next(iter(self._payouts(_part.network == network, _part.era == era, _part.part == part)), None)

    def era_payouts(self, network: str, era: int) -> list[Payout]:
        return self._payouts(_part.network == network, _part.era == era)

    def payouts_of(self, network: str, eras: Sequence[int]) -> dict[int, list[Payout]]:
        """All parts of the eras from the first to the last; eras without a record are left out."""
        found: dict[int, list[Payout]] = {}
        if eras:
            for payout in self._payouts(_part.network == network, _part.era >= eras[0], _part.era <= eras[-1]):
                found.setdefault(payout.era, []).append(payout)
        return found

    def events(self, payout: Payout) -> list[PayoutEvent]:
        """The history of a record, oldest first."""
        events = payout_events.c
        query = sa.select(*_columns(payout_events, PayoutEvent)).where(events.payout_id == payout.id)
        return self._database.records(query.order_by(events.version), PayoutEvent)

    def runs_of(self, network: str, eras: range) -> dict[int, str]:
        """`Actor.run` of the last change to each era's payout. Eras without a record are left out."""
        events = payout_events.c
        query = sa.select(_part.era, events.run).join(payout_events, events.payout_id == _part.id)
        query = query.where(_part.network == network, _part.era >= eras.start, _part.era < eras.stop)
        return dict(self._database.rows(query.order_by(events.at, events.id), tuple))

    def eras_found_paid(self, network: str) -> dict[int, int]:
        """The eras that this ledger found paid: a part is EMPTY. Each with the number of its executed parts."""
        executed = sa.func.count().filter(_part.state == PayoutState.CONFIRMED)
        query = sa.select(_part.era, executed).where(_part.network == network).group_by(_part.era)
        empty = sa.func.count().filter(_part.state == PayoutState.EMPTY)
        return dict(self._database.rows(query.having(empty > 0), tuple))

    def oldest_era(self, network: str) -> int | None:
        return self._database.value(sa.select(sa.func.min(_part.era)).where(_part.network == network))

    def newest_era(self, network: str, state: PayoutState) -> int | None:
        query = sa.select(_part.era).where(_part.network == network, _part.state == state)
        return self._database.value(query.order_by(_part.era.desc()))

    def known_chain(self, network: str, *where: Where) -> str | None:
        """`Payout.chain` of a network's newest record that meets all conditions."""
        query = sa.select(_part.chain).where(_part.network == network, *where)
        return self._database.value(query.order_by(_part.id.desc()))

    def busy_chain(self, network: str, which: Where = UNSETTLED) -> str | None:
        """`known_chain` of the parts that are not settled, or UNCONFIRMED ones, and have a copy that may still be executed."""
        return self.known_chain(
            network, which, sa.exists().where(_copy.payout_id == _part.id, _OPEN).correlate(payouts)
        )

    def _payouts(self, *where: Where) -> list[Payout]:
        with self._database.reading() as connection:
            return read_payouts(connection, *where)

    def _with_copy(self, *where: Where) -> list[Payout]:
        return self._payouts(_part.id.in_(sa.select(_copy.payout_id).where(*where).correlate(None)))

    def lane(self, chain: str, user_key: str, *staking_nonces: int) -> list[Payout]:
        whose = _copy.chain == chain, _copy.user_key == user_key
        return self._with_copy(*whose, _copy.staking_nonce.in_(staking_nonces))

    def signed_nonces(self, chain: str, user_key: str) -> tuple[int | None, int | None, datetime | None]:
        """The lowest and the highest staking nonce that was signed for a user, and when the highest one was signed first."""
        whose = _copy.chain == chain, _copy.user_key == user_key
        lowest, highest = (self._end(end, _copy.staking_nonce, *whose) for end in (sa.func.min, sa.func.max))
        if highest is None:
            return None, None, None
        return lowest, highest, self._end(sa.func.min, _copy.signed_at, *whose, _copy.staking_nonce == highest)

    def highest_nonces(self, chain: str, *, user_key: str, payer_key: str) -> tuple[int | None, int | None]:
        """The highest staking nonce that was signed for a user, and the highest payment nonce for a payer."""
        return (
            self._end(sa.func.max, _copy.staking_nonce, _copy.chain == chain, _copy.user_key == user_key),
            self._end(sa.func.max, _copy.payment_nonce, _copy.chain == chain, _copy.payer_key == payer_key),
        )

    def _end(self, end: Callable[[Any], Any], column: sa.Column[Any], *where: sa.ColumnElement[bool]) -> Any | None:
        """The lowest or the highest value over some copies. Of one end at a time, SQLite needs one row of an index."""
        return self._database.value(sa.select(end(column)).where(*where))

    def unknown_nonce(self, chain: str, user_key: str, *, excluding: Payout) -> bool:
        """Whether another part has a copy of a user whose staking nonce is unknown, and may have been executed."""
        whose = _copy.chain == chain, _copy.user_key == user_key, _copy.staking_nonce.is_(None)
        unjudged = _copy.payout_id != excluding.id, ~_seen_of_copy(Sight.MINE, Sight.NOT_MINE)
        return self._database.value(sa.select(_copy.id).where(*whose, *unjudged)) is not None

    def floor(self, chain: str, user_key: str) -> int | None:
        """The staking nonce that was read first after the newest restore, if any."""
        last = sa.select(sa.func.max(ledger_marks.c.id)).where(ledger_marks.c.kind == "restored").scalar_subquery()
        newest = sa.select(ledger_marks.c.at).where(ledger_marks.c.id == last).scalar_subquery()
        query = sa.select(_seen.nonce).join(payouts, _part.id == _seen.payout_id)
        query = query.where(FLOOR, _seen.user_key == user_key, _part.chain == chain, _seen.began > newest)
        return self._database.value(query.order_by(_seen.id))

    def request_ids(self, chain: str, request_id: str) -> int:
        """The number of sends of a chain with a request id."""
        sends = payout_sends.c
        query = sa.select(sa.func.count()).select_from(payout_sends).join(payout_copies, _copy.id == sends.copy_id)
        return self._database.value(query.where(sends.request_id == request_id, _copy.chain == chain)) or 0

    def newest_copy(self) -> int:
        return self._end(sa.func.max, _copy.id) or 0

    def copies_of(self, key: FeeKey) -> list[tuple[Payout, Copy]]:
        """The copies with a payment nonce, oldest first, each with its part."""
        chain, payer, nonce = key
        parts = self._with_copy(_copy.chain == chain, _copy.payer_key == payer, _copy.payment_nonce == nonce)
        found = [(part, copy) for part in parts for copy in part.copies if copy.key == key]
        return sorted(found, key=lambda one: one[1].id)

    def lanes_in_flight(self, user_key: str, staking_nonce: int | None) -> set[tuple[str, str]]:
        """The lanes and networks with a copy of a user, not settled or green without confirmation, that may execute when this nonce stands."""
        unknown = _copy.staking_nonce.is_(None)
        stands = sa.true() if staking_nonce is None else sa.or_(unknown, _copy.staking_nonce >= staking_nonce)
        parts = (_copy.payout_id.in_(sa.select(_part.id).where(which)) for which in (UNSETTLED, UNCONFIRMED))
        where = sa.or_(*parts), _copy.user_key == user_key, _OPEN, stands
        return {*self._database.rows(sa.select(_copy.chain, _copy.network).where(*where), tuple)}

    def committed(
        self, network: str, *, day: datetime | None = None, run: str | None = None, excluding: FeeKey | None = None
    ) -> int:
        """The sum of the highest fees that a network, or one of its runs, has signed with each payment nonce, or with those that it first signed on the day
        that begins at `day`; an unknown fee counts 0.
        """
        mine = [_copy.network == network, *([] if run is None else [_copy.run == run])]
        where = [*mine, *([] if day is None else [_copy.signed_at >= day])]
        of_key = _copy.chain, _copy.payer_key, _copy.payment_nonce
        keys = sa.select(*of_key).where(*where).distinct().subquery()
        same = sa.and_(*mine, *(column == keys.c[column.name] for column in of_key))
        query = sa.select(*of_key, _copy.fee, _copy.signed_at).join_from(keys, payout_copies, same)
        found: dict[FeeKey, list[tuple[int, datetime]]] = {}
        for *key, fee, signed_at in self._database.rows(query.order_by(_copy.id), tuple):
            found.setdefault(tuple(key), []).append((fee or 0, signed_at))
        return sum(
            max(fee for fee, _ in signed)
            for key, signed in found.items()
            if key != excluding and (day is None or day <= signed[0][1] < day + timedelta(days=1))
        )

    def nonces_on_record(self, chain: str, account: AccountId, kind: NonceKind) -> list[tuple[int, str, int]]:
        """The nonces of an account that copies have used or may have used, in order; each with network and era."""
        staking = kind is NonceKind.STAKING
        whose, nonce = (_copy.user_key, _copy.staking_nonce) if staking else (_copy.payer_key, _copy.payment_nonce)
        query = sa.select(nonce, _part.network, _part.era).join(payouts, _part.id == _copy.payout_id)
        query = query.where(_copy.chain == chain, whose == account.hex, nonce.is_not(None))
        if staking:
            query = query.where(~_seen_of_copy(Sight.NOT_MINE))
        return sorted({tuple(row) for row in self._database.rows(query, tuple)})
