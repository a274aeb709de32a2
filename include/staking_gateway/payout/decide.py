"""The decision of the payout engine: the next action for one part of an era. Pure, total, and explored in every state.

`decide` returns one action. It reads no clock, no disk and no network; the engine acts, and asks again. Three principles carry every rule.

* **Exclusive nonces.** While the user's staking nonce stands, a part is signed with that nonce only. A copy names its nonces, so the
  chain executes at most one copy of a staking nonce. Only a passed staking nonce ends a copy: no refusal, no payment nonce, no word.
* **Positive evidence.** A passed nonce is judged at a second look, whose reads began at least `lag` + `finalized_within` after the first
  and show the same. Green needs an own request that reads Processed, a nonce that no other part could use, or the node's word.
* **A signature is spent when it is stored.** Its fee counts from then on.

Every read may be `lag` old; a chain may take back what is younger than `finalized_within`. All times are those of the ledger's clock.
The rules, in order, for safety (S: not twice, not green and unpaid, not above a limit), liveness (L: every era ends) or courtesy (C).

1.  C  A send without an answer is a short while ago: wait for it. After that it counts as sent.

While a staking nonce of the part is open (`Copies.open`):

2.  C  Confirmation is switched off: the accepted part is green. Its copies stay open, and other eras drive them on.
3.  L  The nonce that is read is below the signed one: this read is late, or an earlier one was ahead. A part that signed the nonce
       of this read goes first. Without such a part, this one is held in doubt, and other parts sign the nonces below.
4.  S  The nonce has passed: store this first look, and wait until a second one shows the same, also of a request that reads Processed.
5.  S  An own request reads Processed: paid, unless a node denies it.
6.  S  Nothing else could use the nonce - no other part, nothing from before a restore, no foreign signer whose nonces show -, and not
       every send reads Rejected: paid, unless a node denies it.
7.  S  The node's word: paid, by this part if nothing else could use the nonce, or something else used the nonce. "Unpaid" counts once what
       was executed before the second look is final.
8.  S  Another part used the nonce: it is judged so, or its request reads Processed at two looks, the first when it is driven on.
9.  S  The gateway calls the era paid for dead bytes, twice: it is paid, by whatever. Dead bytes are sent to ask; nothing of them executes.
10. S  Otherwise the part is held in doubt, and judged anew at each look, until a person lets it be signed anew.
11. S  The nonce stands, though an earlier look showed it passed: the earlier look is void.
12. C  The request was accepted a short while ago, or reads Processed a short while ago: wait.
13. S  The era is called paid or expired: store the word. A later look that repeats it, with the nonce standing, ends the part; another
       one erases it.
14. C  The election window is open: wait. Nothing is sent.
15. C  This try was refused too often: end with the reason.
16. L  A copy that can be accepted now is sent again.
17. S  The copies are another user's, or of a network with limits of its own: only their bytes are repeated.
18. C  The payment nonce has passed alone: read the staking nonce once more before the part is signed again.

Before any signature:

19. S  The chain pays by itself, the era has not ended or has expired: nothing is asked for.
20. L  A node of the chain reports that the era is paid: nothing is left.
21. S  The ledger was restored, and an era of several calls may have been paid before: held for a person, or for a node's word.
22. C  This try has no signatures left: end with the reason.
23. S  The ledger was restored: wait, then read the staking nonce. What it was then confirms nothing by itself.
24. S  The staking nonce that is read was used, as is each below the highest signed one: wait for a newer one. Long after that signature
       it was skipped, because a read was ahead: it is signed.
25. L  Ready-made proofs whose nonces have passed, that fit none, or that another part of the era has, end with their reason.
26. L  Another part signed the same staking nonce first: drive it on, unless it has ended, has judged the nonce, is held, failed long ago, or
       was sent three times in vain. One of another network goes first while its bytes can be accepted.
27. C  Another user's part of the same payer may use the payment nonce: wait for it a while.
28. S  The part may be charged no more fees for nothing.
29. S  The fee is above a limit, or a gateway on another machine has none: hold the part.
30. L  Sign.
31. S  Without nonces one set of proofs is signed for a part. A failed or silent request ends it with the reason.
"""

from datetime import datetime
from math import inf

from staking_gateway.errors import InvalidEra, SendAnswer
from staking_gateway.ledger.records import Copy, Payout, PayoutState, Sight, Sighting, Slot
from staking_gateway.payout.copies import SILENT, Copies, excluded, executed, first_copy, may_pass
from staking_gateway.payout.evidence import (
    FAILED,
    Action,
    Case,
    Done,
    Evidence,
    Fact,
    Lane,
    Me,
    Move,
    NotRead,
    Raise,
    Repeat,
    Request,
    SendResult,
    Settle,
    Sign,
)
from staking_gateway.payout.fee_limits import above_limit, missing_limit
from staking_gateway.payout.outcomes import WINDOW_REASON, Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.text import count
from staking_gateway.types import ElectionWindow, RequestStatus

PAYS_BY_ITSELF = "this chain pays its stakers by itself; no payout can be requested"
_NO_WORD = (RequestStatus.NOT_FOUND, RequestStatus.SENDING_FAILED)
"""States without evidence. `SENDING_FAILED` is one: the gateway may have sent the payload before it failed."""


def decide(  # noqa: PLR0917 - its input, in the order of its parts
    part: Payout, copies: Copies, me: Me, seen: Evidence, now: datetime, terms: PayoutTerms
) -> Action:
    """The next action for one part of an era. `seen` is what was read since the part was; `Ask` asks for more. `now` is aware UTC."""
    case = Case(part, copies, me, seen, now, terms)
    try:
        if copies.unanswered is not None and case.within(terms.lease, copies.unanswered.began):
            return case.wait(WaitFor.LANE, "is being sent by another process, or its answer could not be stored")  # 1
        return _open(case) if copies.open else _to_be_signed(case)
    except NotRead as missing:
        return missing.action


def _open(case: Case) -> Action:
    if case.part.state is PayoutState.SUBMITTED and case.terms.confirm_by is ConfirmBy.NONE and case.me.own:
        return _paid(case, ConfirmBy.NONE.value, "accepted; confirmation is switched off")  # 2
    if case.nonce is None or case.staking is None:  # the state of the request is the only witness
        own = case.processed(case.copies)
        if own is not None:
            return _passed(case, case.reading(Fact.REQUEST, own[1].request_id).began)
        other = None if case.nonce is None else _another(case, case.read(Fact.LANE, case.slot))
        return other or _stands(case)
    return _passed(case, case.nonce_read) if case.staking > case.nonce else _stands(case)


def _passed(case: Case, began: datetime) -> Action:
    """Rule 4: the first look, and the wait for the second. The read that shows the nonce passed began at `began`."""
    own, message = case.processed(case.copies), "the copies can no longer execute; looking again when this is final"
    looked = case.copies.shown(case.now, own)
    if looked is None:
        first = case.look(Sight.PASSED, case.now)  # it may have passed while it was read
        return Move(case.part.state, message, (first,), case.first_reads(own), then=case.finality(message, case.now))
    if not case.me.own or began - looked.began < case.terms.final_after:
        return case.finality(message, looked.began)
    return _verdict(case, own, looked)


def _verdict(case: Case, own: Request | None, looked: Sighting) -> Action:
    """Rules 5 to 10: was it this part that used the nonce?"""
    nonce, node = case.nonce, case.glance(Fact.ERA_PAID)
    if node is None and case.unreadable(Fact.ERA_PAID):
        return case.wait(WaitFor.REPLAY, "the node cannot be asked whether the era is paid")
    denied = node is False and case.terms.parts == 1
    if denied and own is None:
        second = looked.began + case.terms.final_after
        if case.reading(Fact.ERA_PAID).began - second < case.terms.final_after:
            return case.finality("a node calls the era unpaid; asking again when this is final", second)
        return _not_mine(case, "something else used the staking nonce; a node calls the era unpaid")  # 7
    if denied:
        return _doubt(case, "the request reads Processed, and a node calls the era unpaid")  # 10
    if own is not None:
        return _paid(case, ConfirmBy.REQUEST_STATE.value, "Processed, and no copy can execute any more", own)  # 5
    lane: Lane = case.read(Fact.LANE, case.slot)
    exclusive = _exclusive(case, lane)
    if exclusive and not _all_rejected(case):
        return _paid(case, ConfirmBy.NONCE.value, "only this part could use the staking nonce")  # 6
    other = _another(case, lane)
    if other is not None:
        return other  # 8
    if node:
        cause = "a node calls the era paid"
        return _paid(case, "node", cause) if exclusive else _empty(cause)  # 7
    return _ask_dead(case, looked) or _doubt(case, f"it cannot be known what used staking nonce {nonce}")  # 9, 10


def _another(case: Case, lane: Lane) -> Action | None:
    """Rule 8."""
    for rival in lane.rivals:
        copies = Copies(rival, case.copies.mark)
        told = case.processed(copies) if copies.slot == case.slot else None
        looked = copies.shown(case.now, told)
        if told is not None and (looked is None or case.nonce_read - looked.began < case.terms.final_after):
            return Settle(rival)
        if told is not None or executed(rival, case.slot):
            return _not_mine(case, f"era {rival.era} used the staking nonce")
    return None


def _exclusive(case: Case, lane: Lane) -> bool:
    """Rule 6: no other part. A passed nonce before or after it that this ledger did not sign tells of another signer."""
    nonce, staking = case.nonce, case.read(Fact.STAKING_NONCE, case.user)
    if nonce is None or lane.unknown or (staking != nonce + 1 and not lane.next_signed):
        return False
    if nonce != lane.lowest and not lane.before_signed:
        return False
    if case.copies.mark is not None:
        floor = case.read(Fact.FLOOR, case.user)
        if floor is None or nonce <= floor:
            return False
    return all(excluded(rival, case.slot) for rival in lane.rivals)


def _all_rejected(case: Case) -> bool:
    """Whether every send is known, and reads Rejected."""
    if any(case.copies.has_unknown_sends(copy) for copy in case.copies.open):
        return False
    return all(told is not None and told.status in FAILED for _, _, told in case.requests(case.copies))


def _ask_dead(case: Case, looked: Sighting) -> Action | None:
    """Rule 9: a copy whose payment nonce has passed as well can neither execute nor cost a fee, so it may be sent to ask."""
    copies, terms, told = case.copies, case.terms, case.copies.told_paid
    if told is not None and told[1] - told[0] >= terms.final_after:
        return _empty("the gateway calls the era paid")  # this part may have used the nonce
    dead = next((copy for copy in reversed(copies.open) if case.payment_passed(copy)), None)
    if dead is None:
        return None
    last = copies.sends[0][1]
    if last.began > looked.began:
        if told is None and last.answer not in SILENT:
            return None
        if case.seen.sends or case.within(terms.final_after, last.answered_at or last.began):
            return case.finality("asking whether the era is paid", last.answered_at or last.began)
    if case.window_is_open:
        return case.wait(WaitFor.WINDOW, WINDOW_REASON)  # 14
    return Repeat(dead)


def _stands(case: Case) -> Action:
    """Rules 3, 11 and 12: by this read, no copy was executed."""
    nonce, staking = case.nonce, case.staking
    if case.copies.passed is not None:
        return case.stay("the staking nonce stands", case.look(Sight.STOOD, case.nonce_read))  # 11
    if staking not in (None, nonce):
        reason = f"the staking nonce is {staking}, and {nonce} was signed; is this another chain?"
        if case.nonce_read - case.copies.open[0].signed_at < case.terms.final_after:
            return case.wait(WaitFor.REPLAY, reason)  # 3
        below = _in_the_way(case, (case.user, staking))
        return Settle(below) if below is not None else _doubt(case, reason)  # 3
    return _accepted_lately(case) or _go_on(case)


def _accepted_lately(case: Case) -> Action | None:
    """Rule 12: what the newest accepted request says, and the wait for it."""
    copies, terms = case.copies, case.terms
    if copies.accepted is None:
        return None
    copy, send = copies.accepted
    told = case.request(send)
    word = told.status if told is not None else RequestStatus.UNREADABLE
    if told is not None and (told.status.succeeded or told.status in FAILED) and send.status != told.status.value:
        cause, reads = f"request {send.request_id} is {told.wire_status}", case.reads((copy, send, told))
        if told.status.succeeded or case.part.state.settled:
            return Move(case.part.state, cause, reads=reads)
        return Move(PayoutState.REJECTED, cause, reads=reads, changes={"reason": cause, "hold": None})
    if word.succeeded:
        waits = case.within(terms.final_after, send.read_at)
    elif word in FAILED or case.payment_passed(copy):
        waits = False
    else:
        waits = case.within(terms.not_found_grace if word in _NO_WORD else terms.settle_within, send.answered_at)
    words = f"request {send.request_id} is {told.wire_status if told else 'without a readable state'}"
    return case.wait(WaitFor.CONFIRMATION, words) if waits else None


def _go_on(case: Case) -> Action:
    """Rules 13 to 18: the nonce stands, and nothing was accepted lately."""
    part, copies, terms, me = case.part, case.copies, case.terms, case.me
    ends = _words(case) or _without_witness(case)
    if ends is not None:
        return ends
    if case.window_is_open:
        return case.wait(WaitFor.WINDOW, WINDOW_REASON, Outcome.HELD_WINDOW)  # 14
    if case.seen.sends:
        return case.wait(WaitFor.REPLAY, part.reason or "its fate is unknown; reading before it is sent again")
    if me.own and copies.refusals_of(me.run, me.try_number) > terms.max_replans:
        return Done(Outcome.REJECTED, part.reason or "refused without a reason")  # 15
    copy = next((one for one in reversed(copies.open) if not case.payment_passed(one)), copies.open[-1])
    payment = case.glance(Fact.PAYMENT_NONCE, copy.payer_key)
    mine = copy.user_key == me.user_key and part.network == terms.network and not part.state.settled
    mine = mine and (case.staking is not None or case.again)  # 31
    if not mine or (me.given is not None and (not me.own or me.given_is_of(part))):
        return _repeat_bytes(case, copy, payment)
    accounts = (copy.payer_key, copy.relayer_key) == (me.payer_key, me.relayer_key)
    fee = case.glance(Fact.FEE)
    if me.given is None and accounts and payment in (None, copy.payment_nonce) and fee in (None, copy.fee):
        return Repeat(copy)  # 16
    if payment is not None and payment < copy.payment_nonce and case.within(terms.lag, copy.signed_at):
        return case.wait(WaitFor.REPLAY, "the payment nonce is behind the signed one")
    return _nothing_left(case) or _charged_alone(case) or _restored(case) or _sign(case, case.nonce)


def _without_witness(case: Case) -> Action | None:
    """Rule 31: without nonces one set of proofs is sent, and a failed or silent request leaves nothing to go on with."""
    accepted = case.copies.accepted
    if accepted is None or case.again or case.staking is not None:
        return None
    told, request_id = case.request(accepted[1]), accepted[1].request_id
    if told is None:
        return Done(Outcome.UNKNOWN, f"accepted as {request_id}, not confirmed: no request state or nonce can be read")
    if told.status in FAILED:
        return Done(Outcome.REJECTED, f"request {request_id} is {told.wire_status}. {_remedy(case)}")
    return None


def _nothing_left(case: Case) -> Action | None:
    """Rule 13: the call after an era's last one finds nothing left. Where the chain charges for it, this is how it shows."""
    if not case.part.part or case.terms.parts is not None or case.copies.accepted is None:
        return None
    copy, send = case.copies.accepted
    charged = case.copies.charged(copy)
    if send.status not in [status.value for status in FAILED] or charged is None or not case.payment_passed(copy):
        return None
    if not case.me.own or case.nonce_read - charged.began < case.terms.final_after:
        return case.finality("a fee was charged, and nothing seems left to pay", charged.began)
    return _empty("nothing was left to pay; a fee was charged")


def _repeat_bytes(case: Case, copy: Copy, payment: int | None) -> Action:
    """Rule 17: this process has no other proofs for the copy's user, or not the limits of its network. Dead bytes let other parts pass."""
    if payment is None or payment <= copy.payment_nonce or not case.me.own:
        return Repeat(copy)
    needs = f"network {case.part.network}, and new proofs of user {copy.user_key}"
    return Done(Outcome.REJECTED, f"payment nonce {copy.payment_nonce} was used; a new signature needs {needs}")


def _charged_alone(case: Case) -> Action | None:
    """Rule 18: a staking nonce that was read before the payment nonce passed would waste a fee."""
    new = _keys(case)
    if new:
        return case.stay(f"payment nonce {new[0].nonce} has passed alone", *new)
    seen, since = map(case.copies.charged, case.copies.open), case.nonce_read - case.terms.lag
    if any(one is not None and since < one.began <= case.now for one in seen):
        return case.wait(WaitFor.REPLAY, "the payment nonce has passed alone; reading the staking nonce again")
    return None


def _words(case: Case) -> Action | None:
    """Rule 13: the era is called paid or expired."""
    part, terms, word = case.part, case.terms, case.copies.word
    if word is not None and word.began > case.now:  # the clock went back: the time counts from here
        word = None
    paid, active = case.glance(Fact.ERA_PAID), case.glance(Fact.ACTIVE_ERA)
    expired = active is not None and part.era < active - terms.history_depth
    kind = Sight.PAID if paid else Sight.EXPIRED if expired else Sight.DENIED
    if word is not None and word.kind is not kind:
        if case.unreadable(Fact.ERA_PAID if word.kind is Sight.PAID else Fact.ACTIVE_ERA) and kind is Sight.DENIED:
            return case.wait(WaitFor.REPLAY, f"the era was called {word.kind.value}; asking again")
        return case.stay(f"the era is not {word.kind.value} any more", Sighting(Sight.DENIED, case.now))
    if kind is not Sight.DENIED:
        said = f"the era is {kind.value}"
        if word is None:
            first = Sighting(kind, case.now)
            return case.stay(said, first, then=case.wait(WaitFor.FINALITY, f"{said}; looking again"))
        return _word_holds(case, word.began, kind)
    return _told_paid(case, denied=paid is False)


def _told_paid(case: Case, *, denied: bool) -> Action | None:
    """Rule 13, for the gateway's word: an answer to a send. Another send asks again."""
    told, after = case.copies.told_paid, case.terms.final_after
    if told is None or (denied and case.again):
        return None
    repeated = told[1] - told[0] >= after
    if repeated and not denied:
        return _word_holds(case, told[0], Sight.PAID)
    if not case.within(after, told[2]):
        return None
    if repeated:
        return _doubt(case, "the gateway calls the era paid, and a node says that it is not")
    return case.finality("the gateway calls the era paid; asking again when this is final", told[2])


def _word_holds(case: Case, since: datetime, kind: Sight) -> Action:
    """The word is repeated: it ends the part, once the staking nonce was read long enough after it."""
    if not case.me.own or case.nonce_read - since < case.terms.final_after:
        return case.finality(f"the era is {kind.value}; looking again when this is final", since)
    if kind is Sight.PAID:
        return _empty("the era was paid by something else")
    done = Done(Outcome.EXPIRED, f"era {case.part.era} expired before it was paid")
    if case.part.state is PayoutState.REJECTED:
        return done
    return Move(PayoutState.REJECTED, done.reason, changes={"reason": done.reason, "hold": None}, then=done)


def _to_be_signed(case: Case) -> Action:
    part, me, terms = case.part, case.me, case.terms
    impossible = check_era(part.era, case.read(Fact.PAYS_BY_ITSELF), case.read(Fact.ACTIVE_ERA), terms)
    if impossible is not None:
        return impossible  # 19
    if case.glance(Fact.ERA_PAID):
        return _empty("a node says that the era is paid")  # 20
    held = _held_for_a_person(case)
    if held is not None:
        return held  # 21
    if me.given_is_of(part):
        spent = f"the given proofs are spent: {part.reason or 'another part has them'}; supply new proofs"
        return Done(Outcome.REJECTED, spent)  # 25
    if terms.wait_for_closed_window and case.read(Fact.WINDOW) is ElectionWindow.OPEN:
        wait = case.wait(WaitFor.WINDOW, WINDOW_REASON, Outcome.HELD_WINDOW)
        return wait if part.hold is not None else case.hold(Hold.WINDOW, WINDOW_REASON, wait)
    staking = case.read(Fact.STAKING_NONCE, me.user_key)
    if staking is not None and _is_used(case, staking):
        reason = f"staking nonce {staking} is used already; waiting for a newer one. If the chain was started anew, use a new ledger"
        return case.wait(WaitFor.LANE, reason)  # 24
    return _restored(case) or _sign(case, staking)


def _is_used(case: Case, staking: int) -> bool:
    """Whether a staking nonce that is read was used. A part that has not judged it is asked first."""
    slot = case.me.user_key, staking
    if first_copy(case.part, slot) < inf:
        return True
    case.read(Fact.COPIES)  # before the lane
    lane: Lane = case.read(Fact.LANE, slot)
    if lane.rivals:
        return all(excluded(rival, slot) or executed(rival, slot) for rival in lane.rivals)
    if lane.highest is None or lane.since is None or staking > lane.highest:
        return False
    told = case.reading(Fact.STAKING_NONCE, case.me.user_key)
    return told.value is not None and told.began - lane.since < case.terms.final_after


def check_era(era: int, automatic: bool | None, active: int | None, terms: PayoutTerms) -> Wait | Done | Raise | None:
    """Rule 19: why an era cannot be paid; None when it can be. `automatic` is `Fact.PAYS_BY_ITSELF`, `active` `Fact.ACTIVE_ERA`."""
    if automatic:
        return Done(Outcome.UNSUPPORTED, PAYS_BY_ITSELF)
    if active is not None and era > active:
        return Raise(InvalidEra("era", f"{era} cannot be paid while era {active} is active", "Wait until it has ended"))
    if era == active:
        message = f"era {era}: it has not ended; the gateway says that it is active"
        return Wait(WaitFor.ERA, message, terms.poll_interval, Outcome.NOT_TRIED)
    if active is not None and era < active - terms.history_depth:
        return Done(Outcome.EXPIRED, f"era {era} is more than {terms.history_depth} eras old; its rewards are gone")
    return None


def _held_for_a_person(case: Case) -> Action | None:
    """Rule 21."""
    part, terms, mark = case.part, case.terms, case.copies.mark
    if mark is None or terms.parts == 1 or case.again or case.glance(Fact.ERA_PAID) is False:
        return None
    if terms.calendar is not None and terms.calendar.ended_after(
        mark.at, part.era, active=case.read(Fact.ACTIVE_ERA), now=case.now
    ):
        return None
    reason = "the ledger was restored, and the era may have been paid before"
    return case.hold(Hold.CONTRADICTION, reason, Done(Outcome.REJECTED, f"{reason}. {_remedy(case)}"))


def _sign(case: Case, staking: int | None) -> Action:
    """Rules 22 and 25 to 30, for the staking nonce that stands."""
    me, terms, known = case.me, case.terms, case.read(Fact.COPIES)
    if case.copies.signatures_by(me.run, me.try_number) > terms.max_replans:
        return Done(Outcome.REJECTED, case.part.reason or "rejected without a reason")  # 22
    payment, fee = case.glance(Fact.PAYMENT_NONCE, me.payer_key), case.glance(Fact.FEE)
    if me.given is None:
        payment, fee = case.read(Fact.PAYMENT_NONCE, me.payer_key), case.read(Fact.FEE)
        if None in (staking, payment, fee):
            return Done(Outcome.UNSUPPORTED, "this gateway does not report fees and nonces; supply ready-made proofs")
        sign = Sign(staking, payment, fee, known)
    else:
        nonce = me.given.nonce_near(staking, terms.user, terms.relayer, case.part.era)
        after = inf if staking is None and nonce is not None and _is_used(case, nonce) else staking
        for kind, mine, next_one in (("payment", me.given.payment_nonce, payment), ("staking", nonce, after)):
            if mine is not None and next_one is not None and next_one > mine:
                return Done(Outcome.REJECTED, f"{kind} nonce {mine} was used already; supply new proofs")  # 25
        if staking is not None and nonce is None:
            return Done(Outcome.REJECTED, f"the given proofs fit no staking nonce near {staking}; supply others")  # 25
        if staking is not None and nonce != staking:
            return case.wait(WaitFor.LANE, f"the given proofs have staking nonce {nonce}, and {staking} is next")
        fee = max((one for one in (fee, me.given.relayer_fee) if one is not None), default=None)
        if fee is None and (terms.needs_limits or terms.has_limits):
            case.read(Fact.FEE)
            return Done(Outcome.HELD_FEE, "limits are set, and the fee of these proofs is unknown; supply it")  # 29
        sign = Sign(nonce, me.given.payment_nonce, fee, known)
    return _others(case, sign) or _within_limits(case, sign)


def _restored(case: Case) -> Action | None:
    """Rule 23."""
    mark, terms, me = case.copies.mark, case.terms, case.me
    if mark is None:
        return None
    staking = case.reading(Fact.STAKING_NONCE, me.user_key)
    if staking.value is None or case.read(Fact.FLOOR, me.user_key) is not None:
        return None
    if staking.began - mark.at < terms.final_after:
        return case.finality("the ledger was restored; nothing is signed for a while", mark.at)
    floor = Sighting(Sight.FLOOR, staking.began, staking.value, user_key=me.user_key)
    return case.stay("the ledger was restored; this is the staking nonce", floor)


def _others(case: Case, sign: Sign) -> Action | None:
    """Rules 26 and 27: other parts with the same nonces go first."""
    first = None if sign.staking is None else _in_the_way(case, (case.me.user_key, sign.staking))
    if first is not None:
        return Settle(first)  # 26
    busy = None if case.copies.open else case.read(Fact.BUSY, (case.me.payer_key, sign.payment))
    if busy is not None:
        return case.wait(WaitFor.LANE, f"era {busy.era} may use payment nonce {sign.payment} of the same payer")  # 27
    return None


def _in_the_way(case: Case, slot: Slot) -> Payout | None:
    """The first part that signed a staking nonce before this one, and may still use it."""
    lane: Lane = case.read(Fact.LANE, slot)
    for rival in lane.rivals:
        later = first_copy(case.part, slot) < first_copy(rival, slot)
        if later or excluded(rival, slot) or may_pass(rival, slot, case.now, case.terms.final_after):
            continue
        newest = next(copy for copy in reversed(rival.copies) if copy.slot == slot)
        if (case.me.given is None and rival.network == case.terms.network) or not case.payment_passed(newest):
            return rival
    return None


def _within_limits(case: Case, sign: Sign) -> Action:
    """Rules 28 to 30."""
    part, me, terms = case.part, case.me, case.terms
    key = part.chain, me.payer_key, sign.payment
    others = {copy.key for copy in part.copies} - {key}
    wasted = [other for other in others if not case.read(Fact.KEY_USED, other)]
    if len(wasted) >= terms.max_fees_for_nothing and not case.again:
        why = f"{count(len(wasted), 'fee')} may be charged, and nothing was paid: {part.reason or 'no reason is known'}"
        why = part.reason if part.hold == Hold.CHARGED.value and part.reason else why
        return case.hold(Hold.CHARGED, why, Done(Outcome.REJECTED, f"{why}. {_remedy(case)}"))  # 28
    too_high = None if sign.fee is None else above_limit(sign.fee, case.read(Fact.SPENT, key), terms)
    if too_high is None:
        return sign  # 30
    hold = Hold.LIMIT if terms.needs_limits and missing_limit(terms) else Hold.FEE
    return case.hold(hold, too_high, Done(Outcome.HELD_FEE, too_high))  # 29


def after_send(part: Payout, copies: Copies, sent: SendResult, terms: PayoutTerms) -> Move:
    """What the answer to a send makes of the part, which has the send already. The answer itself is stored with it."""
    text, more = sent.text, len(copies.sends) > 1
    if part.state.settled or copies.passed is not None:
        return Move(part.state, f"asked whether the era is paid: {text}")
    window = Wait(WaitFor.WINDOW, f"era {part.era}: {text}", terms.poll_interval, Outcome.HELD_WINDOW)
    unsupported = Done(Outcome.UNSUPPORTED, f"this gateway has no payout method: {text}")
    results: dict[SendAnswer, tuple[PayoutState, Hold | None, Wait | Done | Raise | None]] = {
        SendAnswer.ACCEPTED: (PayoutState.SUBMITTED, None, None),
        SendAnswer.LOST: (PayoutState.UNKNOWN, None, None),
        SendAnswer.WINDOW: (PayoutState.HELD, Hold.WINDOW, window),
        SendAnswer.NO_METHOD: (PayoutState.HELD, Hold.UNSUPPORTED, unsupported),
        SendAnswer.DOOR: (PayoutState.UNKNOWN if more else PayoutState.PLANNED, None, Raise(sent.error)),
    }
    state, hold, then = results.get(sent.kind, (PayoutState.UNKNOWN if more else PayoutState.REJECTED, None, None))
    reason = None if sent.kind is SendAnswer.ACCEPTED else text
    return Move(state, text, changes={"reason": reason, "hold": hold and hold.value}, then=then)


def _doubt(case: Case, reason: str) -> Action:
    """Rule 10: the witnesses disagree, or there is none. Nothing is signed."""
    if case.again:  # to other parts with the nonce this proves nothing
        return _not_mine(case, "a person lets it be signed anew", kind=Sight.WAIVED)
    told = f"the witnesses disagree: {reason}"
    return case.hold(Hold.CONTRADICTION, told, Done(Outcome.UNKNOWN, f"{told}. {_remedy(case)}"))


def _remedy(case: Case) -> str:
    pay = f"airflow staking pay --network {case.part.network} --eras {case.part.era} --again"
    return f"Check transaction and era, then run: {pay}"


def _empty(cause: str) -> Action:
    """The era is paid, by something else or by this part: the nonces of its copies stay unjudged."""
    return Move(PayoutState.EMPTY, cause, changes={"reason": None, "hold": None})


def _keys(case: Case) -> tuple[Sighting, ...]:
    """The payment nonces of the open copies that have passed, and that no other part has signed."""
    left = [copy for copy in case.copies.open if case.copies.charged(copy) is None and case.payment_passed(copy)]
    mine = [key for key in dict.fromkeys(copy.key for copy in left) if not case.read(Fact.KEY_SHARED, key)]
    return tuple(Sighting(Sight.CHARGED, case.now, nonce, payer) for _, payer, nonce in mine)


def _paid(case: Case, by: str, cause: str, own: Request | None = None) -> Action:
    """A copy of the part was executed: that of the request, or else the newest with a passed payment nonce, best of all its alone."""
    final, copies = by != ConfirmBy.NONE.value, case.copies.open
    several = final and len({one.key for one in copies}) > 1
    sightings = (*(_keys(case) if several else ()), case.look(Sight.MINE, case.now)) if final else ()
    passed = [one for one in copies if several and case.copies.charged(one) is None and case.payment_passed(one)]
    alone = [one for one in passed if not case.read(Fact.KEY_SHARED, one.key)]
    copy = own[0] if own is not None else (alone or passed or copies)[-1]
    facts = {"confirmed_by": by, "confirmed_at": case.now, "executed": copy.id, "reason": None, "hold": None}
    return Move(PayoutState.CONFIRMED, cause, sightings, case.reads(own), facts)


def _not_mine(case: Case, cause: str, kind: Sight = Sight.NOT_MINE) -> Action:
    """Something else used the open staking nonce."""
    seen = (*_keys(case), case.look(kind, case.now))
    return Move(PayoutState.REJECTED, cause, seen, changes={"hold": None, "reason": cause})
