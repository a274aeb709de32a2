"""What the ledger's records say: of a part by its copies, and of an era by its parts. Every question about the past is a predicate over what
was signed, sent and seen.

A copy is a signed payload. The chain executes a copy only while the user's staking nonce is the copy's, so a staking nonce that has
passed ends its copies, and nothing else does. A staking nonce of a part is *open* until it is judged: MINE, NOT_MINE or WAIVED.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from math import inf

from staking_gateway.errors import SendAnswer
from staking_gateway.ledger.records import Copy, Mark, Payout, PayoutState, Send, Sight, Sighting, Slot
from staking_gateway.payout.outcomes import Hold
from staking_gateway.types import RequestState

_LOOKS = (Sight.PASSED, Sight.STOOD)
_WORDS = (Sight.PAID, Sight.EXPIRED, Sight.DENIED)
SILENT = (None, SendAnswer.LOST.value, SendAnswer.DOOR.value, SendAnswer.WINDOW.value)
"""Answers that say nothing about the era."""
_NOT_TAKEN = (SendAnswer.DOOR.value, SendAnswer.WINDOW.value)
_REFUSED = (SendAnswer.REFUSED.value, SendAnswer.PAID.value, SendAnswer.NO_METHOD.value)
_PASSED_BY = (Hold.CHARGED.value, Hold.CONTRADICTION.value, Hold.FEE.value, Hold.LIMIT.value, Hold.UNSUPPORTED.value)

NEVER_TRIED = "never attempted"
STATE_WORDS = {
    PayoutState.PLANNED: "planned; nothing was sent",
    PayoutState.SIGNED: "signed; perhaps sent",
    PayoutState.SUBMITTED: "sent; not confirmed yet",
    PayoutState.UNKNOWN: "sent; result unknown",
    PayoutState.HELD: "held",
    PayoutState.REJECTED: "rejected",
}
"""What the state of an unsettled part means."""
SEEN_PAID = "paid by something else; seen on the chain"


@dataclass(frozen=True)
class Copies:
    """The copies of one part. `mark` is the newest restore of the ledger: what was sent before it is unknown."""

    part: Payout
    mark: Mark | None = None

    @cached_property
    def judged(self) -> dict[Slot, Sight]:
        """The verdict on each judged staking nonce of a user."""
        return {seen.slot: seen.kind for seen in self.part.sightings if seen.kind.judges}

    @cached_property
    def open(self) -> tuple[Copy, ...]:
        """The copies that may execute, or whose execution is not judged; all have one staking nonce. Oldest first."""
        left = [copy for copy in self.part.copies if copy.slot not in self.judged]
        return tuple(copy for copy in left if copy.slot == left[-1].slot)

    @property
    def slot(self) -> Slot | None:
        """The open staking nonce and its user; None without open copies."""
        return next((copy.slot for copy in self.open), None)

    @cached_property
    def sends(self) -> tuple[tuple[Copy, Send], ...]:
        """The sends of the open copies, newest first."""
        found = [(copy, send) for copy in self.open for send in copy.sends]
        return tuple(sorted(found, key=lambda one: one[1].number, reverse=True))

    @cached_property
    def witnesses(self) -> tuple[tuple[Copy, Send], ...]:
        """The same without dead bytes that were sent to ask, after the nonce had passed: their requests tell of no execution. The first send of a copy
        is never one of these, also when the clock went back after it.
        """
        since = self.passed.began if self.passed is not None else None
        return tuple(one for one in self.sends if since is None or one[1] == one[0].sends[0] or one[1].began <= since)

    @cached_property
    def unanswered(self) -> Send | None:
        """The newest send of the part, while it has no answer."""
        newest = max((one for copy in self.part.copies for one in copy.sends), key=lambda one: one.number, default=None)
        return newest if newest is not None and newest.answer is None else None

    @property
    def accepted(self) -> tuple[Copy, Send] | None:
        """The newest accepted send of the open copies."""
        return next((one for one in self.sends if one[1].answer == SendAnswer.ACCEPTED.value), None)

    @cached_property
    def passed(self) -> Sighting | None:
        """The look that showed the open staking nonce passed, unless a later one showed that it stands."""
        looked = _last([seen for seen in self.part.sightings if seen.slot == self.slot], _LOOKS)
        return None if looked is None or looked.kind is Sight.STOOD else looked

    def shown(self, now: datetime, request: tuple[Copy, Send, RequestState] | None) -> Sighting | None:
        """The look of `passed`. None when the request reads differently now, which it does not where no block is named, or when the clock went back to
        before the look.
        """
        if self.passed is None or self.passed.began > now:
            return None
        if request is None:
            return self.passed
        _, stored, told = request
        same = told.block_number in (None, stored.block_number) and stored.status == told.status.value
        return self.passed if same else None

    @property
    def word(self) -> Sighting | None:
        """PAID or EXPIRED, as first seen and not denied since."""
        word = _last(self.part.sightings, _WORDS)
        return None if word is None or word.kind is Sight.DENIED else word

    @cached_property
    def told_paid(self) -> tuple[datetime, datetime, datetime] | None:
        """The gateway called the era paid, with nothing else said since: when that was known at the earliest, and when the newest such send
        began and was answered. A slow answer tells of no earlier moment, and one from before the clock went back of no later one.
        """
        found: list[tuple[datetime, datetime]] = []
        for _, send in self.sends:
            if send.answer == SendAnswer.PAID.value and send.answered_at is not None:
                found.append((send.began, send.answered_at))
            elif send.answer not in SILENT:
                break
        return (min(answered for _, answered in found), *found[0]) if found else None

    def charged(self, copy: Copy) -> Sighting | None:
        """When the copy's payment nonce was first seen passed."""
        charges = (seen for seen in self.part.sightings if seen.kind is Sight.CHARGED)
        key = copy.payer_key, copy.payment_nonce
        return next((seen for seen in charges if (seen.payer_key, seen.nonce) == key), None)

    def has_unknown_sends(self, copy: Copy) -> bool:
        """Whether the copy may have been sent when this ledger does not know it: it is older than a restore."""
        return self.mark is not None and copy.id <= self.mark.copies

    def signatures_by(self, run: str, try_number: int) -> int:
        """How many copies a try of a run has signed."""
        return sum((copy.run, copy.try_number) == (run, try_number) for copy in self.part.copies)

    def refusals_of(self, run: str, try_number: int) -> int:
        """How many sends of a try of a run were refused, or failed."""
        return sum(
            (send.answer == SendAnswer.REFUSED.value or send.rejected_at is not None)
            and (send.run, send.try_number) == (run, try_number)
            for copy in self.part.copies
            for send in copy.sends
        )


def in_flight(part: Payout) -> bool:
    """Whether a payload of a part may still execute, and the part is not settled."""
    return not part.state.settled and bool(Copies(part).open)


def excluded(rival: Payout, slot: Slot) -> bool:
    """Whether a part is known not to have used a staking nonce."""
    return any(seen.kind is Sight.NOT_MINE and seen.slot == slot for seen in rival.sightings)


def executed(rival: Payout, slot: Slot) -> bool:
    """Whether a part is judged to have used a staking nonce."""
    return any(seen.kind is Sight.MINE and seen.slot == slot for seen in rival.sightings)


def sends_at(part: Payout, slot: Slot) -> Iterator[Send]:
    """The sends of a part's copies with a staking nonce."""
    return (send for copy in part.copies if copy.slot == slot for send in copy.sends)


def first_copy(part: Payout, slot: Slot) -> float:
    """The id of the part's first copy with a staking nonce: of several parts, the one with the lowest goes first. Infinite without one."""
    return next((copy.id for copy in part.copies if copy.slot == slot), inf)


def may_pass(rival: Payout, slot: Slot, now: datetime, after: timedelta) -> bool:
    """Whether another part may sign the staking nonce that this part signed first: this one has ended, has judged the nonce, or is held; or at
    least `after` ago it was sent three times in vain, was refused, or failed.
    """
    if rival.state is PayoutState.EMPTY or slot in Copies(rival).judged or rival.hold in _PASSED_BY:
        return True
    if sum(send.answer not in _NOT_TAKEN and now - send.began >= after for send in sends_at(rival, slot)) > 2:
        return True
    word = Copies(rival).word
    times = [] if word is None else [word.began]
    for send in sends_at(rival, slot):
        times += [send.rejected_at] if send.rejected_at is not None else []
        times += [send.answered_at] if send.answer in _REFUSED and send.answered_at is not None else []
    return any(now - time >= after for time in times)


def _last(sightings: Sequence[Sighting], kinds: tuple[Sight, ...]) -> Sighting | None:
    return next((seen for seen in reversed(sightings) if seen.kind in kinds), None)


def is_paid(records: Sequence[Payout], parts: int | None) -> bool:
    """Whether an era is paid by the ledger, by its parts; without a number of calls it repeats until nothing is left."""
    if any(record.state is PayoutState.EMPTY for record in records):
        return True
    confirmed = sum(record.state is PayoutState.CONFIRMED for record in records)
    return parts is not None and confirmed >= parts


def was_paid(records: Sequence[Payout]) -> bool:
    """Whether an old era was paid. Each of its parts is settled, however many parts an era has today."""
    return bool(records) and all(record.state.settled for record in records)


def is_seen_paid(records: Sequence[Payout], *, on_chain: bool) -> bool:
    """Whether something else has paid an era: `Facts.paid_on_chain` has it, and no payload of this ledger may still execute."""
    return on_chain and not any(in_flight(record) for record in records)


def unsettled(records: Sequence[Payout]) -> Payout | None:
    """The first part of an era that is not settled."""
    return next((record for record in records if not record.state.settled), None)


def is_capped(records: Sequence[Payout], parts: int | None, max_parts: int) -> bool:
    """Whether the next part of an era waits for a higher `max_parts`."""
    waiting = unsettled(records)
    return parts is None and waiting is not None and waiting.state is PayoutState.PLANNED and waiting.part >= max_parts


def why_unpaid(records: Sequence[Payout]) -> str:
    """Why an era is unpaid: the state of its first unsettled part, and the reason."""
    waiting, settled = unsettled(records), sum(record.state.settled for record in records)
    if waiting is None or (settled and waiting.state is PayoutState.PLANNED and not waiting.reason):
        return f"{settled} parts are paid, more may be unpaid" if settled else NEVER_TRIED
    why = waiting.reason
    words = STATE_WORDS[waiting.state]
    return f"{words} ({waiting.state.value}): {why}" if why else f"{words} ({waiting.state.value})"
