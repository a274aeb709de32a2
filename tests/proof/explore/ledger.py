"""What the ledger makes of a write, what it answers to questions, and what of a part a rule can still read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from staking_gateway.errors import SendAnswer
from staking_gateway.ledger.records import Copy, FeeKey, Payout, PayoutState, Send, Sight, Sighting, Slot
from staking_gateway.payout.evidence import Lane, Me, Move, Sign
from staking_gateway.payout.fee_limits import Spent
from staking_gateway.types import RequestStatus
from tests.proof.explore.scenario import Heard

_LOOKS = (Sight.PASSED, Sight.STOOD)
_WORDS = (Sight.PAID, Sight.EXPIRED, Sight.DENIED)
_TIMES = ("began", "answered_at", "read_at", "rejected_at")
_ACCEPTED, _PAID = SendAnswer.ACCEPTED.value, SendAnswer.PAID.value
_PROCESSED = RequestStatus.PROCESSED.value
NOW: Any = 0
_LONG_AGO: Any = -1000
"""When a send began whose order alone counts."""


def signed(part: Payout, sign: Sign, me: Me, chain: str, *, age: int, copy_id: int) -> Payout:
    """A part after `Ledger.sign`."""
    given = (me.given.proxy_signature, me.given.fee_payment_signature) if me.given else ("", "")
    copy = Copy(
        copy_id, chain, me.user_key, me.payer_key, me.relayer_key, sign.staking, sign.payment, sign.fee, *given,
        _ago(NOW, age), me.run, me.try_number, (Send(sends_of([part]) + 1, NOW, me.run, me.try_number),),
    )  # fmt: skip
    return replace(
        part, state=PayoutState.SIGNED, hold=None, reason=None, copies=(*part.copies, copy),
        user_key=me.user_key, payer_key=me.payer_key, relayer_key=me.relayer_key,
    )  # fmt: skip


def counted(part: Payout, copy_id: int, me: Me) -> Payout:
    """A part after `Ledger.count_send`."""
    more = Send(sends_of([part]) + 1, NOW, me.run, me.try_number)
    copies = tuple(replace(one, sends=(*one.sends, more)) if one.id == copy_id else one for one in part.copies)
    changes: dict[str, Any] = {} if part.state.settled else {"state": PayoutState.SIGNED, "hold": None, "reason": None}
    return replace(part, copies=copies, **changes)


def answered(part: Payout, heard: Heard, changes: dict[str, Any]) -> Payout:
    """A part after `Ledger.answer`."""
    told = {"answer": heard.kind.value, "answered_at": NOW, "request_id": heard.request}
    return replace(part, copies=_with_send(part, heard.copy, heard.number, told), **changes)


def moved(part: Payout, move: Move, age: int) -> Payout:
    """A part after `Ledger.transition`."""
    for copy_id, read in move.reads:
        told = {"status": read.status, "block_number": read.block_number, "read_at": _ago(read.read_at, age)}
        if all(one.rejected_at is None for one in copy_of(part, copy_id).sends if one.number == read.number):
            told["rejected_at"] = _ago(read.rejected_at, age)
        part = replace(part, copies=_with_send(part, copy_id, read.number, told))
    seen = [replace(one, began=_ago(one.began, age)) for one in move.sightings]
    return replace(part, state=move.state, sightings=(*part.sightings, *seen), **dict(move.changes))


def _with_send(part: Payout, copy_id: int, number: int, changes: dict[str, Any]) -> tuple[Copy, ...]:
    """The copies of a part, with what is known of one send."""
    copy = copy_of(part, copy_id)
    sends = tuple(replace(send, **changes) if send.number == number else send for send in copy.sends)
    return tuple(replace(copy, sends=sends) if one.id == copy_id else one for one in part.copies)


def copy_of(part: Payout, copy_id: int) -> Copy:
    return next(one for one in part.copies if one.id == copy_id)


def _ago(time: Any, age: int) -> Any:
    return None if time is None else time - age


class Horizon(NamedTuple):
    """How far back a rule asks: times before are equal.

    :param seen: for what was seen, and for answers that name the era; `accepted` for the answer to an accepted send.
    :param signed: for the time of a signature. `named`: whether a rule asks for request ids of copies that are judged, or
        a process that reads slowly still knows them as unjudged.
    """

    seen: int
    accepted: int
    signed: int
    named: bool = False


def canonical(part: Payout, far: Horizon) -> Payout:
    """Forget what no rule can read any more, so that equal situations are equal."""
    if not part.copies and not part.sightings:
        return part if part.reason is None else replace(part, reason=None)
    judged = {seen.slot for seen in part.sightings if seen.kind.judges}
    sightings = _matter(part, judged, far)
    still = [copy for copy in part.copies if copy.slot not in judged]
    sends = sorted((send for copy in still for send in copy.sends), key=lambda send: send.number)
    accepted = [send for send in sends if send.answer == _ACCEPTED]
    paid = any(send.answer == _PAID for send in sends)
    look: Any = max((seen.began for seen in sightings if seen.kind is Sight.PASSED), default=NOW)
    copies = []

    def of_open(send: Send) -> Send:
        ordered = not paid and send != sends[-1] and send.began <= look
        return _sent(send, far, newest=send in accepted[-1:], ordered=ordered)

    for copy in part.copies:
        over = copy.slot in judged
        kept = tuple(_ended(send, far) if over else of_open(send) for send in copy.sends)
        copies.append(replace(copy, sends=kept, signed_at=_since(copy.signed_at, far.signed)))
    return _closer(
        replace(
            part, sightings=sightings, copies=tuple(copies), reason=None, settled_by=None, confirmed_at=None,
            confirmed_by=part.confirmed_by if part.state is PayoutState.CONFIRMED else None,
        ),
        far,
    )  # fmt: skip


def _matter(part: Payout, judged: set[Slot], far: Horizon) -> tuple[Sighting, ...]:
    """The sightings that a rule can read: of the same kind the newest one, or the first one of a charged fee."""
    kept: dict[Any, Sighting] = {}
    keys = {(one.payer_key, one.payment_nonce) for one in part.copies if one.slot not in judged}
    for seen in part.sightings:
        if seen.kind in _LOOKS:
            if seen.slot not in judged:
                kept["look", seen.slot] = seen
        elif seen.kind in _WORDS:
            kept["word",] = replace(seen, began=_since(seen.began, far.seen))
        elif seen.kind.judges:
            kept[seen.kind.value, seen.slot] = replace(seen, began=NOW)
        elif seen.kind is Sight.CHARGED and (seen.payer_key, seen.nonce) in keys:
            first = replace(seen, began=_since(seen.began, far.seen))
            kept.setdefault(("charged", seen.nonce, seen.payer_key), first)
    gone = (Sight.STOOD, Sight.DENIED)
    return tuple(kept[key] for key in sorted(kept, key=repr) if kept[key].kind not in gone)


def _ended(send: Send, far: Horizon) -> Send:
    """A send of a copy that can no longer execute: only the refusals of the present try count."""
    if send.answer is None:
        return replace(send, began=_since(send.began, far.accepted))
    rejected = None if send.rejected_at is None or not send.try_number else _ago(NOW, far.seen)
    known: dict[str, Any] = {} if far.named else {"request_id": None}
    return replace(
        send, began=_LONG_AGO, answered_at=None, read_at=None, status=None, block_number=None,
        rejected_at=rejected, **known,
    )  # fmt: skip


def _sent(send: Send, far: Horizon, *, newest: bool, ordered: bool) -> Send:
    """A send of a copy that may execute.

    :param newest: whether it is the newest accepted one; `ordered`: whether only its order counts.
    """
    if send.answer is None:
        return send
    done = send.status == _PROCESSED
    changes: dict[str, Any] = {"status": send.status if newest or done else None}
    changes["block_number"] = send.block_number if done else None
    if ordered:
        changes["began"] = _LONG_AGO
    if send.answer == _ACCEPTED:
        changes["answered_at"] = _since(send.answered_at, far.accepted) if newest else None
        changes["read_at"] = _since(send.read_at, far.seen) if newest else None
    elif send.answer != _PAID:
        changes["answered_at"] = _since(send.answered_at, far.seen)
    changes["rejected_at"] = _since(send.rejected_at, far.seen)
    return replace(send, **changes)


def _since(time: Any, oldest: int) -> Any:
    return None if time is None else max(time, -oldest)


def _closer(part: Payout, far: Horizon) -> Payout:
    """Cut the gaps between times that are compared with each other: looks, the newest send, and sends that were told "paid"."""
    times: set[Any] = {seen.began for seen in part.sightings if seen.kind in _LOOKS}
    sends = [send for copy in part.copies for send in copy.sends if send.began > _LONG_AGO]
    times |= {send.began for send in sends}
    paid = any(send.answer == _PAID for send in sends)
    if not times or min(times) >= -1:
        return part
    unanswered = {send.began for send in sends if send.answer is None}
    first = max(far.seen, far.accepted if unanswered else 0)
    known: dict[Any, Any] = {}
    before, after = 0, 0
    for time in sorted(times, reverse=True):
        if time <= 0:
            after -= min(before - time, first if not before else far.seen if paid else 1)
            if time in unanswered:
                after = min(after, max(time, -far.accepted))
            before, known[time] = time, after
    seen = tuple(
        replace(one, began=known.get(one.began, one.began)) if one.kind in _LOOKS else one for one in part.sightings
    )
    newest = max((send.began for send in sends if send.answer == _PAID), default=NOW)

    def closer(send: Send) -> Send:
        told: Any = send.answered_at
        if send.answer == _PAID and told is not None:  # rule 13 compares it with the newest such send
            gap = min(newest - told, far.seen)
            told = known.get(newest, newest) - gap if gap > 0 else _since(told, far.seen)
        return replace(send, began=known.get(send.began, send.began), answered_at=told)

    copies = tuple(replace(copy, sends=tuple(map(closer, copy.sends))) for copy in part.copies)
    return replace(part, sightings=seen, copies=copies)


def left_by(part: Payout, run: str) -> Payout:
    """A part after the try of a run has ended; the next try has another number, and no rule reads the names of ended runs."""

    def gone(one: Any) -> Any:
        return replace(one, run="", try_number=0) if (one.run, one.try_number) == (run, 1) else one

    copies = tuple(replace(gone(copy), sends=tuple(gone(send) for send in copy.sends)) for copy in part.copies)
    return replace(part, copies=copies)


def shifted(part: Payout, change: Callable[[Any], Any]) -> Payout:
    """A part with other times."""

    def of_send(send: Send) -> Send:
        times = {name: value for name in _TIMES if (value := getattr(send, name)) not in (None, _LONG_AGO)}
        return replace(send, **{name: change(value) for name, value in times.items()})

    copies = tuple(
        replace(copy, signed_at=change(copy.signed_at), sends=tuple(of_send(send) for send in copy.sends))
        for copy in part.copies
    )
    seen = tuple(one if one.kind.judges else replace(one, began=change(one.began)) for one in part.sightings)
    return replace(part, copies=copies, sightings=seen)


def rivals(parts: Iterable[Payout], part: Payout, slot: Slot) -> tuple[Payout, ...]:
    """Other parts with a copy of a user and a staking nonce, in the order of eras."""
    others = (one for one in parts if one.id != part.id)
    return tuple(one for one in others if any((copy.chain, copy.slot) == (part.chain, slot) for copy in one.copies))


def lane_of(parts: Sequence[Payout], part: Payout, user: str, nonce: int) -> Lane:
    """As `Fact.LANE`."""
    mine = [(one, copy) for one, copy in _copies(parts) if (copy.chain, copy.user_key) == (part.chain, user)]
    nonces = [copy.staking_nonce for _, copy in mine if copy.staking_nonce is not None]
    lowest, highest = min(nonces, default=None), max(nonces, default=None)
    since = min((copy.signed_at for _, copy in mine if copy.staking_nonce == highest), default=None)
    unknown = any(
        not any(seen.kind in (Sight.MINE, Sight.NOT_MINE) and seen.slot == copy.slot for seen in one.sightings)
        for one, copy in mine
        if copy.staking_nonce is None and one.id != part.id
    )
    others = rivals(parts, part, (user, nonce))
    return Lane(highest, lowest, others, nonce - 1 in nonces, nonce + 1 in nonces, since, unknown)


def key_used(parts: Iterable[Payout], key: FeeKey) -> bool:
    """As `Fact.KEY_USED`."""
    executed = (one for one in parts if one.state is PayoutState.CONFIRMED)
    return any(copy.key == key and copy.id == one.executed for one, copy in _copies(executed))


def key_shared(parts: Iterable[Payout], key: FeeKey, part: Payout) -> bool:
    """As `Fact.KEY_SHARED`."""
    return any(copy.key == key and one.id != part.id for one, copy in _copies(parts))


def busy_payer(parts: Iterable[Payout], key: FeeKey, user: str, settle: int) -> Payout | None:
    """As `Fact.BUSY`."""
    since = _ago(NOW, settle)
    found = [
        (copy.signed_at, one.id, one) for one, copy in _copies(parts) if copy.key == key and copy.signed_at > since
    ]
    busy = [one for one in found if not one[2].state.settled or one[2].confirmed_by == "none"]
    *_, newest = max(busy, key=lambda one: one[:2], default=(None,))
    return None if newest is None or newest.user_key == user else newest


def request_ids(parts: Iterable[Payout], chain: str, request: str) -> int:
    """As `Ledger.request_ids`."""
    sends = (send for _, copy in _copies(parts) if copy.chain == chain for send in copy.sends)
    return sum(send.request_id == request for send in sends)


def spent(parts: Iterable[Payout], network: str, key: FeeKey) -> Spent:
    """As `read_spent`; all of it is one day."""
    fees: dict[FeeKey, int] = {}
    for one, copy in _copies(parts):
        if one.network == network:
            fees[copy.key] = max(fees.get(copy.key, 0), copy.fee or 0)
    return Spent(sum(fees[other] for other in fees if other != key), 0, fees.get(key, 0))


def signed_since(parts: Iterable[Payout], part: Payout, me: Me, known: int) -> bool:
    """Whether a copy of the part's network, or of its user or payer, is newer than the newest known one."""
    newer = ((one, copy) for one, copy in _copies(parts) if copy.id > known)
    same = ((one.network, copy.user_key, copy.payer_key) for one, copy in newer)
    return any(me.user_key == user or me.payer_key == payer or part.network == network for network, user, payer in same)


def last_copy(parts: Iterable[Payout]) -> int:
    return max((copy.id for _, copy in _copies(parts)), default=0)


def _copies(parts: Iterable[Payout]) -> Iterator[tuple[Payout, Copy]]:
    return ((one, copy) for one in parts for copy in one.copies)


def sends_of(parts: Iterable[Payout]) -> int:
    """How many sends the ledger has counted."""
    return sum(len(copy.sends) for one in parts for copy in one.copies)
