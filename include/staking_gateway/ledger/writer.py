"""Writing transitions on behalf of one actor."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from staking_gateway.ledger.records import PayoutState

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from staking_gateway.ledger.records import Actor, Payout
    from staking_gateway.ledger.store import Ledger


class LedgerWriter:
    """Moves payouts from state to state for one actor, and holds leases while it sends.

    :param lease: how long others leave a record alone that this writer has leased.
    :ivar settled: the parts it has settled; whoever reads them may empty the list.
    """

    def __init__(self, ledger: Ledger, actor: Actor, lease: timedelta, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._lease = lease
        self._clock = clock
        self._owner = uuid.uuid4().hex
        self.actor = actor
        self.settled: list[Payout] = []

    def move(self, payout: Payout, state: PayoutState, cause: str, **changes: object) -> Payout:
        """Change the state, and give up any lease."""
        return self._ledger.transition(
            payout, state, cause, self.actor, **{"lease_owner": None, "lease_until": None, **changes}
        )

    def lease(self, payout: Payout, state: PayoutState, cause: str, **changes: object) -> Payout:
        """Change the state, and hold the record while its payload is being sent."""
        until = self._clock() + self._lease
        return self.move(payout, state, cause, lease_owner=self._owner, lease_until=until, **changes)

    def release(self, payout: Payout, state: PayoutState, reason: str) -> Payout:
        """Leave the lane: no payload of this record can execute any more."""
        return self.move(payout, state, reason, reason=reason, unanswered=0, unanswered_at=None)

    def lose(self, payout: Payout, cause: str, sent_at: datetime, **changes: object) -> Payout:
        """A payload was sent, or may have been, and nobody told what became of it."""
        return self.move(
            payout,
            PayoutState.UNKNOWN,
            cause,
            unanswered=payout.unanswered + 1,
            unanswered_at=sent_at,
            **changes,
        )

    def settle(self, payout: Payout, state: PayoutState, cause: str, **changes: object) -> Payout:
        """Nothing is left to do for this part."""
        settled = self.move(payout, state, cause, settled_by=str(self.actor), reason=None, **changes)
        self.settled.append(settled)
        return settled

    def leased_by_another(self, payout: Payout) -> timedelta | None:
        """How much longer another process may be sending this payload; None when nobody is."""
        now = self._clock()
        if payout.lease_until is None or payout.lease_owner == self._owner or payout.lease_until <= now:
            return None
        return payout.lease_until - now
