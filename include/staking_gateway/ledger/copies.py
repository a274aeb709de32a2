"""Payouts with their copies, sends and sightings, as they are read from the ledger."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

import sqlalchemy as sa

from staking_gateway.ledger.database import neighbours
from staking_gateway.ledger.records import Copy, Payout, PayoutState, Send, Sight, Sighting
from staking_gateway.ledger.tables import UNSETTLED, payout_copies, payout_sends, payout_sightings, payouts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from staking_gateway.ledger.database import Database
    from staking_gateway.ledger.records import FeeKey

Where: TypeAlias = "sa.ColumnElement[bool] | sa.TextClause"


def _columns(table: sa.Table, record: type) -> list[sa.Column[Any]]:
    """The columns of a record's fields, in their order."""
    return [table.c[field.name] for field in fields(record) if field.name in table.c]


PAYOUT_COLUMNS = _columns(payouts, Payout)
COPY_COLUMNS = _columns(payout_copies, Copy)
SEND_COLUMNS = _columns(payout_sends, Send)
SIGHTING_COLUMNS = _columns(payout_sightings, Sighting)
_STATE = payouts.c.keys().index("state")
_COPIES = (
    sa.select(payout_copies.c.payout_id, *COPY_COLUMNS, *SEND_COLUMNS)
    .select_from(payouts)
    .join(payout_copies, payout_copies.c.payout_id == payouts.c.id)
    .outerjoin(payout_sends, payout_sends.c.copy_id == payout_copies.c.id)
    .order_by(payout_copies.c.id, payout_sends.c.number)
)
_SIGHTINGS = (
    sa.select(payout_sightings.c.payout_id, *SIGHTING_COLUMNS)
    .select_from(payouts)
    .join(payout_sightings, payout_sightings.c.payout_id == payouts.c.id)
    .order_by(payout_sightings.c.id)
)
_PAYOUTS = sa.select(*PAYOUT_COLUMNS).order_by(payouts.c.era, payouts.c.part)
# Built once, because building these statements takes longer than running them.
_OF_PART = [payouts.c[name] == sa.bindparam(f"of_{name}") for name in ("network", "era", "part")]
_ONE = [query.where(*_OF_PART) for query in (_PAYOUTS, _COPIES, _SIGHTINGS)]
_same_nonce = (
    payout_sightings.c.payout_id == payout_copies.c.payout_id,
    payout_sightings.c.nonce.is_not_distinct_from(payout_copies.c.staking_nonce),
)
_verdicts = payout_sightings.c.kind.in_([kind.value for kind in Sight if kind.judges])
JUDGED = sa.exists().where(*_same_nonce, _verdicts).correlate(payout_copies)
"""Of a copy: it is known whether something of its part was executed with its staking nonce."""
_foreign = payout_sightings.c.kind == Sight.NOT_MINE.value
FOREIGN = sa.exists().where(*_same_nonce, _foreign).correlate(payout_copies)
"""Of a copy: something else used its staking nonce."""
_OPEN = sa.exists().where(payout_copies.c.payout_id == payouts.c.id, ~JUDGED).correlate(payouts)


class PayoutReads:
    """Reads of payouts; each has at most three queries, whatever it returns."""

    _database: Database
    _clock: Callable[[], datetime]

    def payout(self, network: str, era: int, part: int) -> Payout | None:
        values = {"of_network": network, "of_era": era, "of_part": part}
        with self._database.reading() as connection:
            found = _read(connection, _ONE, values)
        return found[0] if found else None

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

    def in_flight_of(self, network: str) -> list[Payout]:
        """The parts of a network that are not settled, and have a copy that may still be executed."""
        return self._payouts(payouts.c.network == network, UNSETTLED, _OPEN)

    def lane(self, chain: str, user_key: str, staking_nonce: int) -> list[Payout]:
        """The parts with a copy of a user and a staking nonce."""
        copies = sa.select(payout_copies.c.payout_id).where(*of_staking_nonce(chain, user_key, staking_nonce))
        return self._payouts(payouts.c.id.in_(copies.correlate(None)))

    def busy_chain(self, network: str) -> str | None:
        """`Payout.chain` of the newest part as of `in_flight_of`; None without one."""
        query = sa.select(payouts.c.chain).where(payouts.c.network == network, UNSETTLED, _OPEN)
        return self._database.value(query.order_by(payouts.c.id.desc()).limit(1))

    def busy_payer(self, chain: str, payer_key: str, payment_nonce: int, since: datetime) -> Payout | None:
        """The part that is not settled, and whose copy with this payment nonce is the newest that was signed after a time."""
        newest = (
            sa.select(payout_copies.c.payout_id)
            .join(payouts, payouts.c.id == payout_copies.c.payout_id)
            .where(*of_key((chain, payer_key, payment_nonce)), UNSETTLED)
            .where(payout_copies.c.signed_at > since)
            .order_by(payout_copies.c.id.desc())
            .limit(1)
        )
        found = self._payouts(payouts.c.id.in_(newest.correlate(None)))
        return found[0] if found else None

    def _payouts(self, *where: Where) -> list[Payout]:
        with self._database.reading() as connection:
            return read_payouts(connection, *where)


def read_payouts(connection: sa.Connection, *where: Where) -> list[Payout]:
    """The payouts that meet a condition on their row, with all that belongs to them, in the order of era and part."""
    return _read(connection, [query.where(*where) for query in (_PAYOUTS, _COPIES, _SIGHTINGS)])


def _read(connection: sa.Connection, queries: Iterable[sa.Select[Any]], values: Any = None) -> list[Payout]:
    """The rows of payouts are read first: what is added meanwhile is then too new, and a change of the payout is refused."""
    of_payouts, of_copies, of_sightings = queries
    rows = connection.execute(of_payouts, values).all()
    if not rows:
        return []
    copies = _copies(connection.execute(of_copies, values))
    sightings: dict[int, list[Sighting]] = {}
    for payout_id, *seen in connection.execute(of_sightings, values):
        sightings.setdefault(payout_id, []).append(as_sighting(seen))
    return [as_payout(row, copies.get(row[0], ()), tuple(sightings.get(row[0], ()))) for row in rows]


def _copies(rows: Iterable[Any]) -> dict[int, tuple[Copy, ...]]:
    """The copies of each payout; a row has the payout's id, a copy and one of its sends."""
    found: dict[int, dict[int, list[Any]]] = {}
    end = len(COPY_COLUMNS)
    for payout_id, *row in rows:
        values = found.setdefault(payout_id, {}).setdefault(row[0], [*row[:end], ()])
        if row[end] is not None:
            values[-1] = (*values[-1], Send(*row[end:]))
    return {payout_id: tuple(Copy(*values) for values in copies.values()) for payout_id, copies in found.items()}


def as_payout(row: Any, copies: tuple[Copy, ...], sightings: tuple[Sighting, ...]) -> Payout:
    # A test checks that columns and fields have the same order. Access by name would double the time.
    values = list(row)
    values[_STATE] = PayoutState(values[_STATE])
    return Payout(*[*values, copies, sightings])


def as_sighting(row: Any) -> Sighting:
    kind, *values = row
    return Sighting(Sight(kind), *values)


def of_staking_nonce(chain: str, user_key: str, staking_nonce: int) -> list[sa.ColumnElement[bool]]:
    """A copy is of a user and a staking nonce."""
    column = payout_copies.c
    return [column.chain == chain, column.user_key == user_key, _equal(column.staking_nonce, staking_nonce)]


def of_key(key: FeeKey) -> list[sa.ColumnElement[bool]]:
    """A copy is charged by a key."""
    column = payout_copies.c
    return [column.chain == key[0], column.payer_key == key[1], _equal(column.payment_nonce, key[2])]


def digits(nonce: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """The number of digits of a nonce: a part of its index."""
    return sa.func.length(sa.type_coerce(nonce, sa.String))


def _equal(nonce: sa.Column[int], value: int) -> sa.ColumnElement[bool]:
    """Compared as a pair, because SQLite then finds it in the index, which begins with the number of digits."""
    return sa.tuple_(digits(nonce), nonce) == _pair(nonce, value)


def at_least(nonce: sa.Column[int], value: int) -> sa.ColumnElement[bool]:
    """Compared as a pair, because nonces are text."""
    return sa.tuple_(digits(nonce), nonce) >= _pair(nonce, value)


def _pair(nonce: sa.Column[int], value: int) -> sa.Tuple:
    return sa.tuple_(sa.literal(len(str(value))), sa.literal(value, type_=nonce.type))
