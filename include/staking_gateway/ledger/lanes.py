"""Questions about nonces and fees, over all copies of a chain or a network."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.copies import FOREIGN, JUDGED, PayoutReads, at_least, digits, of_key, of_staking_nonce
from staking_gateway.ledger.records import PayoutState, Sight
from staking_gateway.ledger.tables import (
    FLOOR,
    UNCONFIRMED,
    UNSETTLED,
    ledger_marks,
    payout_copies,
    payout_sends,
    payout_sightings,
    payouts,
)
from staking_gateway.types import NonceKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from staking_gateway.ledger.records import FeeKey, Payout
    from staking_gateway.types import AccountId

_copy, _seen = payout_copies.c, payout_sightings.c
_KEY = (_copy.chain, _copy.payer_key, _copy.payment_nonce)
_ORDERS = (sa.asc, sa.desc)


class Lanes(PayoutReads):
    """Staking nonces of users, payment nonces of payers, and fees."""

    def signed_nonces(self, chain: str, user_key: str) -> tuple[int | None, int | None, datetime | None]:
        """The lowest and the highest staking nonce that was signed for a user, and when the highest one was signed first."""
        lowest, highest = (self._first(_copy.staking_nonce, chain, _copy.user_key == user_key, by) for by in _ORDERS)
        if highest is None:
            return None, None, None
        since = sa.select(sa.func.min(_copy.signed_at)).where(*of_staking_nonce(chain, user_key, highest))
        return lowest, highest, self._database.value(since)

    def unknown_nonce(self, chain: str, user_key: str, *, excluding: Payout) -> bool:
        """Whether another part has a copy of a user whose staking nonce is unknown, and may have been executed."""
        known = _seen.kind.in_((Sight.MINE.value, Sight.NOT_MINE.value))
        judged = (
            sa.exists().where(_seen.payout_id == _copy.payout_id, _seen.nonce.is_(None), known).correlate(payout_copies)
        )
        whose = _copy.chain == chain, _copy.user_key == user_key, _copy.payout_id != excluding.id
        query = sa.select(_copy.id).where(*whose, digits(_copy.staking_nonce).is_(None), ~judged)
        return self._database.value(query.limit(1)) is not None

    def floor(self, chain: str, user_key: str) -> int | None:
        """The staking nonce that was read first after the newest restore; None: none was read, or the ledger was never restored."""
        newest = sa.select(ledger_marks.c.at).order_by(ledger_marks.c.id.desc()).limit(1).scalar_subquery()
        query = (
            sa.select(_seen.nonce)
            .join(payouts, payouts.c.id == _seen.payout_id)
            .where(FLOOR, _seen.user_key == user_key, payouts.c.chain == chain, _seen.began > newest)
        )
        return self._database.value(query.order_by(_seen.id).limit(1))

    def request_ids(self, chain: str, request_id: str) -> int:
        """The number of sends of a chain with a request id."""
        query = (
            sa.select(sa.func.count()).select_from(payout_sends).join(payout_copies, _copy.id == payout_sends.c.copy_id)
        )
        return self._database.value(query.where(payout_sends.c.request_id == request_id, _copy.chain == chain)) or 0

    def highest_nonces(self, chain: str, *, user_key: str, payer_key: str) -> tuple[int | None, int | None]:
        """The highest staking nonce that was signed for a user, and the highest payment nonce for a payer."""
        return (
            self._highest(_copy.staking_nonce, chain, _copy.user_key == user_key),
            self._highest(_copy.payment_nonce, chain, _copy.payer_key == payer_key),
        )

    def _highest(self, nonce: sa.Column[int], chain: str, whose: sa.ColumnElement[bool]) -> int | None:
        return self._first(nonce, chain, whose, sa.desc)

    def _first(
        self, nonce: sa.Column[int], chain: str, whose: sa.ColumnElement[bool], order: Callable[[Any], Any]
    ) -> int | None:
        query = sa.select(nonce).where(_copy.chain == chain, whose, nonce.is_not(None))
        by_number = order(digits(nonce)), order(sa.type_coerce(nonce, sa.String))
        return self._database.value(query.order_by(*by_number).limit(1))

    def newest_copy(self) -> int:
        """The id of the newest copy in the ledger; 0 without one."""
        return self._database.value(sa.select(sa.func.max(_copy.id))) or 0

    def key_used(self, key: FeeKey) -> bool:
        """Whether the executed copy of a CONFIRMED part has this payment nonce."""
        return self._has_key(key, payouts.c.state == PayoutState.CONFIRMED.value, payouts.c.executed == _copy.id)

    def key_shared(self, key: FeeKey, *, excluding: Payout) -> bool:
        """Whether another part has a copy with a payment nonce: the chain may charge it, also when it cannot execute any more."""
        return self._has_key(key, payouts.c.id != excluding.id)

    def _has_key(self, key: FeeKey, *where: sa.ColumnElement[bool]) -> bool:
        query = sa.select(_copy.id).join(payouts, payouts.c.id == _copy.payout_id)
        return self._database.value(query.where(*of_key(key), *where).limit(1)) is not None

    def lanes_in_flight(self, user_key: str, staking_nonce: int | None) -> set[str]:
        """The lanes with a copy of a user that may still be executed when this staking nonce stands: of a part that is not settled, or of one
        that is green without confirmation.
        """
        stands = sa.true() if staking_nonce is None else at_least(_copy.staking_nonce, staking_nonce)
        queries = [
            sa.select(_copy.chain).where(
                _copy.payout_id.in_(sa.select(payouts.c.id).where(which)), _copy.user_key == user_key, ~JUDGED, also
            )
            for which, also in ((UNSETTLED, sa.true()), (UNCONFIRMED, stands))
        ]
        with self._database.reading() as connection:
            return {*connection.scalars(sa.union(*queries))}

    def first_signed(self, key: FeeKey) -> datetime | None:
        """When a copy with a payment nonce was first signed."""
        return self._database.value(sa.select(sa.func.min(_copy.signed_at)).where(*of_key(key)))

    def highest_fee(self, key: FeeKey) -> int | None:
        """The highest fee that was signed with a payment nonce, in the smallest unit; None: none, or it is unknown."""
        fees = self._database.rows(sa.select(_copy.fee).where(*of_key(key)), lambda row: row.fee)
        return max((fee for fee in fees if fee is not None), default=None)

    def committed(
        self, network: str, *, day: datetime | None = None, run: str | None = None, excluding: FeeKey | None = None
    ) -> int:
        """The fees that a network has signed, in the smallest unit: of each payment nonce the highest one. An unknown fee counts 0.

        :param day: the beginning of a day: only payment nonces that were first signed on this day.
        :param run: only payment nonces that this run has signed.
        :param excluding: a payment nonce that is not counted.
        """
        where = [_copy.network == network]
        where += [] if day is None else [_copy.signed_at >= day]
        where += [] if run is None else [_copy.run == run]
        keys = sa.select(*_KEY).where(*where).distinct().subquery()
        same = sa.and_(
            *(column == keys.c[column.name] for column in _KEY),
            digits(_copy.payment_nonce) == digits(keys.c.payment_nonce),
        )
        query = sa.select(*_KEY, _copy.fee, _copy.signed_at).select_from(keys).join(payout_copies, same)
        fees: dict[FeeKey, int] = {}
        first: dict[FeeKey, datetime] = {}
        for chain, payer_key, payment_nonce, fee, signed_at in self._database.rows(query, tuple):
            key = chain, payer_key, payment_nonce
            fees[key] = max(fees.get(key, 0), fee or 0)
            first[key] = min(first.get(key, signed_at), signed_at)
        on_day = (key for key in fees if day is None or day <= first[key] < day + timedelta(days=1))
        return sum(fees[key] for key in on_day if key != excluding)

    def nonces_on_record(self, chain: str, account: AccountId, kind: NonceKind) -> list[tuple[int, str, int]]:
        """The nonces of an account that copies have used or may have used, in order; each with network and era."""
        whose, nonce = _copy.user_key, _copy.staking_nonce
        if kind is NonceKind.PAYMENT:
            whose, nonce = _copy.payer_key, _copy.payment_nonce
        query = sa.select(nonce, payouts.c.network, payouts.c.era).join(payouts, payouts.c.id == _copy.payout_id)
        query = query.where(_copy.chain == chain, whose == account.hex, nonce.is_not(None))
        if kind is NonceKind.STAKING:
            query = query.where(~FOREIGN)
        return sorted({tuple(row) for row in self._database.rows(query, tuple)})
