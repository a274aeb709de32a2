"""The decision of the payout engine: the next action for one part of an era. Pure, total, and explored in every state.

`decide` reads the record in the ledger and the evidence so far, and returns one action. It reads no clock, no disk and no network. The
engine performs the action and asks again.

Two principles carry every rule.

* **Exclusive nonces.** A staking nonce that was signed for one part of an era is signed for another part only when the first payload
  can no longer execute. A payload names its nonces, so it executes at most once. So the engine may always repeat the same bytes, or sign
  the same part again with the same staking nonce.
* **Exclusive evidence.** A staking nonce that moved by one confirms the only payload that could have moved it. A payload is green on
  two witnesses where both are available: the request's state and the nonces, or the chain itself.

A gateway may be several machines, and a read may lag behind the chain by up to `nonces_agree_within`. After this time, a read shows all
effects of an earlier event. No other passage of time proves anything. All times are those of the ledger's clock.

The rules, in order. Each serves safety (S: never twice, never green and unpaid, never above a limit), liveness (L: every era ends)
or courtesy (C: fewer calls and signatures).

A signed payload that may have executed, or still may (SIGNED, SUBMITTED, UNKNOWN):

1.  C  Another process is sending it: wait until its lease ends. (L: a time in the future was written before the clock went back. It
       counts from now.)
2.  S  The answer to a send is stored. A refusal frees the nonces only when the payload was sent once. "Paid already" ends the part
       unless a node denies it.
3.  L  This process has signed it, or leased it for a repetition: send it.
4.  S  The lease of the sending process has ended without an answer: the payload counts as sent.
5.  S  The request's state contradicts an earlier final state: nothing is signed.
6.  S  The staking nonce moved: the part is executed if nothing else can have moved the nonce. Otherwise the payload is dead.
7.  S  The request is final and the staking nonce has not moved: wait until a lagging read would show more, then believe the nonces.
8.  S  The payment nonce moved alone: the payload is dead. Its fee was charged for nothing, unless another user paid with that nonce.
9.  C  The payload was accepted a short while ago: wait for its confirmation.
10. S  The era is known to be paid or expired: wait until a lagging read would show an execution, then end the part.
11. C  The election window is open: wait. No signature, no retry.
12. L  The payload can no longer be accepted, or had no result twice: sign the part again with the same staking nonce.
13. L  Otherwise: send the same bytes again.

A part without such a payload (PLANNED, HELD, REJECTED):

14. S  The chain pays by itself, the era has not ended, or the era has expired: nothing is asked for.
15. L  A node of the chain reports that the era is paid: nothing is left.
16. S  A payload failed and its fee was charged, or its witnesses disagree: ask whether the era is paid, by repeating the dead bytes.
17. S  Too many fees were charged for nothing, or the witnesses still disagree: held until a person decides.
18. C  This try has no signatures left, or its ready-made proofs were refused: end with the reason.
19. C  The election window is open: hold the part and wait.
20. S  Another payload of the same user is in flight: settle it first. One of the same payer delays by `settle_within` at most.
21. S  The gateway reports a nonce that is already used: wait for a newer one.
22. S  The fee is above a limit, or a gateway on another machine has none: hold the part. (A payload in flight is repeated instead.)
23. L  Sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidEra
from staking_gateway.http.meanings import SendAnswer
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.evidence import (
    UNREAD,
    Ask,
    Done,
    Fact,
    Move,
    Raise,
    Send,
    SendResult,
    Settle,
    Shared,
    Sign,
    Unreadable,
)
from staking_gateway.payout.fee_limits import above_limit, missing_limit
from staking_gateway.payout.outcomes import WINDOW_REASON, Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy
from staking_gateway.text import count
from staking_gateway.types import ElectionWindow, RequestStatus

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.ledger import Payout
    from staking_gateway.payout.evidence import Action, Evidence, Me
    from staking_gateway.payout.terms import PayoutTerms

SENT_IN_VAIN = 1
"""How often the same bytes may have no result before the part is signed again with the same staking nonce."""
PAYS_BY_ITSELF = "this chain pays its stakers by itself; no payout can be requested"
_DENIED = "a node says that it is not"
NO_LEASE = {"lease_owner": None, "lease_until": None}
NOTHING_OUT = {**NO_LEASE, "unanswered": 0, "unanswered_at": None, "copies_out": False, "refused": False, "hold": None}
"""Columns of a record whose payloads can no longer execute."""

_TIMES = ("signed_at", "accepted_at", "disagree_since", "over_since")
_FAILED = (RequestStatus.REJECTED, RequestStatus.PAYER_REFUSED)
_NO_WORD = (RequestStatus.UNREADABLE, RequestStatus.NOT_FOUND, RequestStatus.SENDING_FAILED)
"""States without evidence. `SENDING_FAILED` is one: the gateway may have sent the payload before it failed."""


class _NotRead(Exception):
    """A rule needs a fact that is not read yet, or unreadable."""

    def __init__(self, action: Action) -> None:
        self.action = action


@dataclass(frozen=True)
class _Case:
    """The input of one decision. `request` is the known state of the record's request."""

    record: Payout
    me: Me
    seen: Evidence
    now: datetime
    terms: PayoutTerms
    request: RequestStatus = RequestStatus.UNREADABLE

    def read(self, fact: Fact) -> Any:
        """The value of a fact; None where the gateway does not have it."""
        value = self.seen.get(fact)
        if value is UNREAD:
            raise _NotRead(Ask(fact))
        if isinstance(value, Unreadable):
            gives_up = Done(Outcome.UNSUPPORTED, value.error.what) if value.permanent else Raise(value.error)
            raise _NotRead(gives_up)
        return value

    def glance(self, fact: Fact) -> Any:
        """The same for optional evidence: None also when it could not be read."""
        value = self.seen.get(fact)
        return None if isinstance(value, Unreadable) else self.read(fact)

    def within(self, limit: Any, since: datetime | None) -> bool:
        """Whether `since` is a time, at most `limit` ago."""
        return since is not None and self.now - since <= limit

    def wait(self, reason: WaitFor, message: str, abandoned: Outcome = Outcome.UNKNOWN) -> Wait:
        """Ask again after the poll interval."""
        request = self.record.request_id if reason is WaitFor.CONFIRMATION else None
        return Wait(reason, f"era {self.record.era}: {message}", self.terms.poll_interval, abandoned, request)

    @property
    def sent_once(self) -> bool:
        """Whether the result of every copy is known."""
        return not self.record.unanswered and not self.record.copies_out

    @property
    def word(self) -> str:
        """The request's state as the gateway spells it; of a failed request also the transaction, if the gateway names it."""
        if self.request is RequestStatus.UNREADABLE:
            return "without a readable state"
        transaction = self.seen.request.tx_hash if self.request in _FAILED else None
        return f"{self.seen.request.wire_status}{f' (transaction {transaction})' if transaction else ''}"


def decide(record: Payout, me: Me, seen: Evidence, now: datetime, terms: PayoutTerms) -> Action:
    """The next action for one part of an era. The module's docstring lists the rules.

    :param record: the part in the ledger.
    :param me: the process that asks.
    :param seen: the evidence since the record was read; the action `Ask` asks for more.
    :param now: aware UTC time.
    :returns: one action.
    """
    case = _Case(record, me, seen, now, terms)
    try:
        return _in_flight(case) if record.state.in_flight else _to_be_paid(case)
    except _NotRead as missing:
        return missing.action


# --- a payload that may have executed, or still may ----------------------------------------------------------------------


def _in_flight(case: _Case) -> Action:
    record, now = case.record, case.now
    ahead = {name: now for name in _TIMES if (time := getattr(record, name)) is not None and time > now}
    if record.lease_until is not None and record.lease_until > now + case.terms.lease:
        ahead["lease_until"] = now + case.terms.lease
    if ahead and case.seen.sent is UNREAD:  # an answer is stored first: only this process has it
        return Move(record.state, "the clock went back", ahead)  # 1
    leased = record.lease_until is not None and record.lease_until > now
    if leased and record.lease_owner != case.me.owner:
        return case.wait(WaitFor.LANE, "is being sent by another process")  # 1
    if case.seen.sent is not UNREAD:
        return _write_answer(case, case.seen.sent)  # 2
    if leased:
        return Send()  # 3
    if record.lease_owner is not None:
        return _lost(case, f"found {record.state.value}, perhaps sent", record.updated_at)  # 4
    unconfirmed = case.terms.confirm_by is ConfirmBy.NONE and record.network == case.terms.network
    if record.state is PayoutState.SUBMITTED and unconfirmed:
        return _confirmed(case, ConfirmBy.NONE, "accepted; confirmation is switched off")
    return _witnesses(case)


def _write_answer(case: _Case, sent: SendResult) -> Action:
    """Rule 2: the result of a send."""
    text = sent.text
    if sent.kind is SendAnswer.ACCEPTED:
        facts = {"request_id": sent.request_id, "request_status": None, "accepted_at": case.now, "refused": False}
        return Move(PayoutState.SUBMITTED, text, {**NO_LEASE, **facts, "disagree": None, "reason": None, "hold": None})
    if sent.kind is SendAnswer.LOST:
        return _lost(case, f"sent, no usable answer: {text}", case.now, reason=text)
    if not case.sent_once:
        return _repetition_refused(case, sent)
    free = {**NOTHING_OUT, "reason": text}
    if sent.kind is SendAnswer.PAID:
        return _said_to_be_paid(case, text, free)
    if sent.kind is SendAnswer.WINDOW:
        wait = case.wait(WaitFor.WINDOW, text, Outcome.HELD_WINDOW)
        return Move(PayoutState.HELD, text, {**free, "hold": Hold.WINDOW.value}, then=wait)
    if sent.kind is SendAnswer.NO_METHOD:
        done = Done(Outcome.UNSUPPORTED, f"this gateway has no payout method: {text}")
        return Move(PayoutState.HELD, text, {**free, "hold": Hold.UNSUPPORTED.value}, then=done)
    if sent.kind is SendAnswer.DOOR:
        return Move(PayoutState.PLANNED, text, free, then=Raise(sent.error))
    return Move(PayoutState.REJECTED, text, free)


def _repetition_refused(case: _Case, sent: SendResult) -> Action:
    """Rule 2: an earlier copy may still execute, so a refusal of the repetition frees nothing."""
    cause = f"repetition refused: {sent.text}"
    facts: dict[str, Any] = {**NO_LEASE, "reason": sent.text}
    then: Wait | Raise | None = None
    if sent.kind is SendAnswer.PAID:
        facts |= _over(case, "paid")
    elif sent.kind is SendAnswer.WINDOW:
        then = case.wait(WaitFor.WINDOW, sent.text)
    elif sent.kind is SendAnswer.REFUSED:
        facts["refused"] = True
    else:
        then = Raise(sent.error)
    return Move(PayoutState.UNKNOWN, cause, facts, then=then)


def _witnesses(case: _Case) -> Action:
    """Rules 5 to 9: the request's state and the nonces."""
    record, terms, told = case.record, case.terms, case.record.request_status
    if record.request_id is not None and terms.confirm_by is not ConfirmBy.NONCE:
        request = case.glance(Fact.REQUEST)
        case = case if request is None else _Case(record, case.me, case.seen, case.now, terms, request.status)
    if told is not None and case.request.value != told and case.request not in _NO_WORD and not _looked(case):
        reason = f"request {record.request_id} is {case.word} after it was {told}; check the transaction"
        # A replica that lags behind may still call it pending.
        behind = not _is_final(case) and case.within(terms.nonces_agree_within, record.disagree_since)
        return case.wait(WaitFor.REPLAY, reason) if behind else _contradiction(case, reason)  # 5
    if record.state is PayoutState.SUBMITTED and not _is_final(case) and case.request is not RequestStatus.UNREADABLE:
        limit = terms.not_found_grace if case.request in _NO_WORD else terms.settle_within
        if case.within(limit, record.accepted_at):
            return case.wait(WaitFor.CONFIRMATION, f"request {record.request_id} is {case.word}")  # 9
    staking = None if record.staking_nonce is None else case.read(Fact.STAKING_NONCE)
    if staking is None:
        return _without_nonces(case)
    if staking < record.staking_nonce:
        reason = f"the staking nonce is {staking}, and {record.staking_nonce} was signed; is this another chain?"
        return _once_agreed(case, "went back", reason) or _contradiction(case, reason)
    return _nonce_stands(case) if staking == record.staking_nonce else _nonce_moved(case, staking)


def _nonce_moved(case: _Case, staking: int) -> Action:
    """Rule 6: the payload can no longer execute. Did it execute?"""
    record = case.record
    if case.request.succeeded:
        return _confirmed(case, ConfirmBy.REQUEST_STATE, f"request {case.word}, and the staking nonce moved")
    if _is_behind(case, case.read(Fact.PAYMENT_NONCE)):
        cause = "the staking nonce has moved, and the payment nonce has not"
        dead = _dead(case, f"something else used the nonce: {cause}", used=True)
        return _once_agreed(case, "staking moved", cause) or dead
    if staking > (record.staking_nonce or 0) + 1:
        return _dead(case, "the staking nonce moved past other payloads too", used=True, doubt=True)
    if case.request in _FAILED and case.sent_once:
        cause = f"request {record.request_id} is {case.word}, but its staking nonce {record.staking_nonce} was used"
        dead = _dead(case, cause, used=True, doubt=True, hold=Hold.CONTRADICTION)
        return _once_agreed(case, "failed, but moved", cause) or dead
    confirmed = _confirmed(case, ConfirmBy.NONCE, "the nonces moved past the signed ones")
    if case.request in _FAILED or case.request in _NO_WORD:
        return confirmed
    cause = f"the staking nonce has moved, and request {record.request_id} is {case.word}"
    return _once_agreed(case, "moved, not final", cause) or confirmed


def _nonce_stands(case: _Case) -> Action:
    """Rules 7 to 9: by this read, the payload has not executed."""
    record, cause = case.record, "the payment nonce has moved, and the staking nonce has not"
    if _is_final(case):
        cause = f"request {record.request_id} is {case.word}, and the staking nonce stands still"
        wait = _once_agreed(case, "final, not moved", cause, request_status=case.request.value)
        if wait is not None:
            return wait  # 7
    payment = case.read(Fact.PAYMENT_NONCE)
    if payment is not None and not _is_behind(case, payment):
        shared = case.read(Fact.PAYMENT_SHARED)
        text = "a fee was charged" if shared is None else "another user's payload has the same payment nonce"
        dead = _dead(case, f"{cause}; {text}", charged=shared is None, doubt=shared is Shared.IN_FLIGHT)
        return dead if _is_final(case) else _once_agreed(case, "payment moved", cause) or dead  # 8
    if _is_final(case) and case.sent_once:
        return _dead(case, f"request {record.request_id} is {case.word}, and nothing was paid")
    if record.state is not PayoutState.SUBMITTED:
        return _send_again(case)
    if case.request is RequestStatus.UNREADABLE and case.within(case.terms.settle_within, record.accepted_at):
        return case.wait(WaitFor.CONFIRMATION, "the staking nonce has not moved yet")  # 9
    cause = f"request {record.request_id} is {case.word}, and nothing was executed"
    return _lost(case, cause, case.now, reason=cause)


def _without_nonces(case: _Case) -> Action:
    """The gateway or the ready-made proofs have no staking nonce: the request's state is the only witness."""
    record = case.record
    if case.request.succeeded:
        return _confirmed(case, ConfirmBy.REQUEST_STATE, f"request {case.word}")
    if case.request in _FAILED and case.sent_once:
        return _dead(case, f"request {record.request_id} is {case.word}")
    if record.state is not PayoutState.SUBMITTED:
        return _send_again(case)
    if case.seen.request is None or record.request_id is None:
        reason = f"accepted as {record.request_id}, not confirmed: this gateway reports no request states or nonces"
        return Done(Outcome.UNKNOWN, reason)
    if case.within(case.terms.settle_within, record.accepted_at):
        return case.wait(WaitFor.CONFIRMATION, f"request {record.request_id} is {case.word}")
    return _lost(case, f"request {record.request_id} came to no end", case.now)


def _send_again(case: _Case) -> Action:
    """Rules 10 to 13: the payload has not executed, and was not accepted lately."""
    record, terms = case.record, case.terms
    if record.over is not None:
        return _end_of_era(case)  # 10
    active = case.glance(Fact.ACTIVE_ERA)
    if active is not None and record.era < active - terms.history_depth:
        return Move(record.state, "the era has expired", _over(case, "expired"))
    if case.glance(Fact.ERA_PAID):
        return Move(record.state, "a node says that the era is paid", _over(case, "paid"))
    if terms.wait_for_closed_window and case.glance(Fact.WINDOW) is ElectionWindow.OPEN:
        return case.wait(WaitFor.WINDOW, WINDOW_REASON)  # 11
    if case.seen.sends:
        message = f"{record.reason or 'its fate is unknown'}; reading nonces before sending it again"
        return case.wait(WaitFor.REPLAY, message)
    in_vain = record.refused or record.unanswered > SENT_IN_VAIN
    if in_vain and _can_replace(case):
        why = record.reason or ""
        if record.signatures_by(case.me.run, case.me.try_number) <= terms.max_replans:
            signs = _sign(case)
            if not (isinstance(signs, Done) and signs.outcome is Outcome.HELD_FEE):
                return signs  # 12
            why = signs.reason
        if record.refused and case.me.own:
            return Done(Outcome.UNKNOWN, why)
    return Move(PayoutState.UNKNOWN, "sending the same payload again", case.me.lease(case.now, terms))  # 13


def _end_of_era(case: _Case) -> Action:
    """Rule 10: the era is over, and this payload did not pay it."""
    record, cause = case.record, "the era expired before the payload executed"
    if case.within(case.terms.nonces_agree_within, record.over_since):
        return case.wait(WaitFor.REPLAY, f"the era is {record.over}; reading the nonces once more before the part ends")
    if record.over != "paid":
        return Move(PayoutState.REJECTED, cause, {**NOTHING_OUT, "reason": cause})
    if case.glance(Fact.ERA_PAID) is False:
        may_sign = _looked(case) and _can_replace(case)
        return _sign(case) if may_sign else _contradiction(case, f"the era was reported as paid, and {_DENIED}")
    return Move(PayoutState.EMPTY, "the era was paid by somebody else", {**NOTHING_OUT, "reason": None})


def _can_replace(case: _Case) -> bool:
    """Whether this process has other proofs for the accounts of a payload, on this network's terms."""
    record, me = case.record, case.me
    mine = record.network == case.terms.network and (record.user_key, record.payer_key) == (me.user_key, me.payer_key)
    return mine and (me.given is None or (me.own and not me.given_is_of(record)))


# --- a part that has no such payload ---------------------------------------------------------------------------------------


def _to_be_paid(case: _Case) -> Action:
    record, me = case.record, case.me
    if case.seen.sent is not UNREAD:
        return _word_of_the_era(case, case.seen.sent)
    impossible = check_era(record.era, case.seen, case.terms)
    if impossible is not None:
        return impossible  # 14
    if case.glance(Fact.ERA_PAID):
        return Move(PayoutState.EMPTY, "a node says that the era is paid", {"reason": None, "hold": None})  # 15
    if not record.asked:
        return _hold_for_window(case) or Send()  # 16
    held = _hold_for_a_person(case)
    if held is not None:
        return held  # 17
    if record.state is PayoutState.REJECTED:
        if record.signatures_by(me.run, me.try_number) > case.terms.max_replans:
            return Done(Outcome.REJECTED, record.reason or "rejected without a reason")  # 18
        if me.given_is_of(record):
            return Done(Outcome.REJECTED, f"the given proofs were refused: {record.reason}; supply new proofs")  # 18
    window = _hold_for_window(case)
    if window is not None:
        return window  # 19
    blocker = case.read(Fact.BLOCKER)
    return _sign(case) if blocker is None else Settle(blocker)  # 20


def check_era(era: int, seen: Evidence, terms: PayoutTerms) -> Action | None:
    """Rule 14: why an era cannot be paid, or the next fact to read; None when the era can be paid."""
    for fact in (Fact.PAYS_BY_ITSELF, Fact.ACTIVE_ERA):
        value = seen.get(fact)
        if value is UNREAD:
            return Ask(fact)
        if isinstance(value, Unreadable):
            return Raise(value.error)
        if fact is Fact.PAYS_BY_ITSELF and value:
            return Done(Outcome.UNSUPPORTED, PAYS_BY_ITSELF)
    if seen.active is not None and era >= seen.active:
        problem = f"{era} cannot be paid while era {seen.active} is active"
        return Raise(InvalidEra("era", problem, "Wait until it has ended"))
    if seen.active is not None and era < seen.active - terms.history_depth:
        return Done(Outcome.EXPIRED, f"era {era} is more than {terms.history_depth} eras old; its rewards are gone")
    return None


def _said_to_be_paid(case: _Case, text: str, changes: dict[str, Any]) -> Action:
    """Rules 2 and 16: the gateway reports that the era is paid. Where a node is available, it must agree."""
    if case.glance(Fact.ERA_PAID) is not False:
        return Move(PayoutState.EMPTY, text, {**changes, "reason": None, "hold": None})
    reason = f"{text}, and {_DENIED}"
    return Move(PayoutState.REJECTED, reason, {**changes, "reason": reason, "hold": Hold.CONTRADICTION.value})


def _word_of_the_era(case: _Case, sent: SendResult) -> Action:
    """Rule 16: dead bytes were sent again to ask whether the era is paid. They can neither execute nor cost a fee."""
    if sent.kind is SendAnswer.PAID:
        return _said_to_be_paid(case, sent.text, {"asked": True})
    if sent.kind is SendAnswer.WINDOW:
        wait = case.wait(WaitFor.WINDOW, sent.text, Outcome.HELD_WINDOW)
        return Move(PayoutState.HELD, sent.text, {"hold": case.record.hold or Hold.WINDOW.value}, then=wait)
    if sent.kind is SendAnswer.DOOR:
        return Raise(sent.error)
    then = Raise(sent.error) if sent.kind is SendAnswer.LOST else None
    return Move(case.record.state, f"asked whether the era is paid: {sent.text}", {"asked": True}, then=then)


def _hold_for_a_person(case: _Case) -> Action | None:
    """Rule 17: the number of fees charged for nothing is limited."""
    record, terms = case.record, case.terms
    if record.fee_charged and record.request_status and record.part and terms.parts is None:
        # The call after the last batch finds nothing left, and costs a fee. An open window is another reason for its failure.
        empty = Move(PayoutState.EMPTY, "nothing was left to pay; a fee was charged", {"reason": None, "hold": None})
        return _hold_for_window(case) or empty
    hold = Hold.CONTRADICTION if record.hold == Hold.CONTRADICTION.value else Hold.CHARGED
    if _looked(case) or (hold is Hold.CHARGED and record.wasted < terms.max_fees_for_nothing):
        return None
    if record.state is not PayoutState.HELD or record.hold != hold.value:
        return Move(PayoutState.HELD, record.reason or "rejected", {"hold": hold.value})
    why = (
        f"{count(record.wasted, 'fee')} {'was' if record.wasted == 1 else 'were'} charged and nothing was paid"
        if hold is Hold.CHARGED
        else "the witnesses disagree"
    )
    remedy = f"airflow staking pay --network {record.network} --era {record.era} --again"
    return Done(Outcome.REJECTED, f"{why}: {record.reason}. Check transaction and era, then run: {remedy}")


def _hold_for_window(case: _Case) -> Action | None:
    """Rule 19: hold the part while the election window is open."""
    if not case.terms.wait_for_closed_window or case.read(Fact.WINDOW) is not ElectionWindow.OPEN:
        return None
    wait = case.wait(WaitFor.WINDOW, WINDOW_REASON, Outcome.HELD_WINDOW)
    if case.record.hold is not None:
        return wait
    facts = {"hold": Hold.WINDOW.value, "reason": WINDOW_REASON, "request_status": None}
    return Move(PayoutState.HELD, WINDOW_REASON, facts, then=wait)


def _sign(case: _Case) -> Action:
    """Rules 12 and 21 to 23: read what a signature needs, and sign."""
    record, me = case.record, case.me
    # The staking nonce is read last. If it has not moved, this part's earlier payload has not moved the payment nonce.
    values = [case.read(fact) for fact in me.needed]
    if me.given is None and None in values:
        return Done(Outcome.UNSUPPORTED, "this gateway does not report fees and nonces; supply ready-made proofs")
    staking, payment = me.nonces(case.seen)
    if record.state.in_flight and (staking, payment) != (record.staking_nonce, record.payment_nonce):
        return case.wait(WaitFor.REPLAY, "the nonces have moved since; reading them again")
    if staking is not None:
        used = case.read(Fact.NONCES_USED)
        if not used.newer(staking, payment):
            remedy = "waiting for newer ones. If the chain was started anew, use a new ledger"
            nonces = f"staking nonce {staking} or payment nonce {payment}"
            return case.wait(WaitFor.LANE, f"{nonces} is used already; {remedy}")  # 21
    return _within_limits(case)


def _within_limits(case: _Case) -> Action:
    """Rule 22: nothing is signed above a limit."""
    record, given = case.record, case.me.given
    fee = case.read(Fact.FEE) if given is None else given.relayer_fee
    if fee is None:
        return Sign()  # 23
    too_high = above_limit(fee, case.read(Fact.SPENT), case.terms)
    if too_high is None:
        return Sign()  # 23
    done = Done(Outcome.HELD_FEE, too_high)
    hold = Hold.LIMIT if case.terms.needs_limits and missing_limit(case.terms) else Hold.FEE
    if record.state.in_flight or record.hold == hold.value:
        return done
    return Move(PayoutState.HELD, too_high, {"hold": hold.value, "reason": too_high}, then=done)


# --- shared by the rules ------------------------------------------------------------------------------------------------------


def _looked(case: _Case) -> bool:
    """Whether a person asked this try to sign in spite of a hold. It signs once."""
    return case.terms.again and case.me.own and not case.record.signatures_by(case.me.run, case.me.try_number)


def _contradiction(case: _Case, reason: str) -> Action:
    """The witnesses disagree about a payload that may execute: nothing is signed."""
    done = Done(Outcome.UNKNOWN, f"the witnesses disagree: {reason}")
    if case.record.hold == Hold.CONTRADICTION.value:
        return done
    facts = {"hold": Hold.CONTRADICTION.value, "reason": done.reason}
    return Move(case.record.state, done.reason, facts, then=done)


def _is_final(case: _Case) -> bool:
    return case.request.succeeded or case.request in _FAILED


def _is_behind(case: _Case, payment: int | None) -> bool:
    """Whether the payer's nonce has not passed the signed one."""
    return payment is not None and payment <= (case.record.payment_nonce or 0)


def _once_agreed(case: _Case, kind: str, cause: str, **facts: Any) -> Action | None:
    """None once no read can lag behind the first observation. Before that, store the time of the first observation, or wait."""
    wait = case.wait(WaitFor.REPLAY, f"{cause}; reading again before anything else")
    if case.record.disagree != kind:
        return Move(case.record.state, cause, {"disagree": kind, "disagree_since": case.now, **facts}, then=wait)
    return wait if case.within(case.terms.nonces_agree_within, case.record.disagree_since) else None


def _lost(case: _Case, cause: str, sent_at: datetime, **facts: Any) -> Move:
    """A payload was or may have been sent, and its result is unknown."""
    count = {"unanswered": case.record.unanswered + 1, "unanswered_at": sent_at}
    return Move(PayoutState.UNKNOWN, cause, {**NO_LEASE, **count, **facts})


def _dead(
    case: _Case, cause: str, *, charged: bool = False, used: bool = False, doubt: bool = False, hold: Hold | None = None
) -> Move:
    """No payload of the part can still execute, and by the witnesses none did.

    :param charged: a fee was charged for nothing.
    :param used: the staking nonce is used.
    :param doubt: perhaps a payload of this part used it.
    """
    facts = {
        **NOTHING_OUT,
        "reason": cause,
        "fee_charged": charged,
        "asked": not (charged or doubt),
    }
    if used:
        facts["used_nonce"] = case.record.staking_nonce
    # A fee that was perhaps charged for a payout counts against the limits, and not as charged for nothing.
    wasted = {"wasted": case.record.wasted + charged} if charged or doubt else {}
    return Move(PayoutState.REJECTED, cause, {**facts, **wasted, "hold": hold.value if hold else None})


def _confirmed(case: _Case, by: ConfirmBy, cause: str) -> Move:
    facts: dict[str, Any] = {"confirmed_by": by.value, "confirmed_at": case.now, "reason": None}
    if by is ConfirmBy.REQUEST_STATE:
        facts |= {"tx_hash": case.seen.request.tx_hash, "block_number": case.seen.request.block_number}
    return Move(PayoutState.CONFIRMED, cause, {**NOTHING_OUT, **facts, "fee_charged": True})


def _over(case: _Case, why: str) -> dict[str, Any]:
    return {} if case.record.over else {"over": why, "over_since": case.now}
