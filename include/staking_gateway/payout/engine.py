"""The payout engine: a short loop that asks `decide` what to do, does it, and feeds what came back into the evidence.

::

    advance(era):  loop { action = decide(record, me, evidence, now, terms); perform it }

    PLANNED -> SIGNED -> SUBMITTED -> CONFIRMED
       ^         |  |        '-> REJECTED -> signed anew, bounded
       |         |  '-> UNKNOWN (sent, no answer) -> settled by evidence, or the SAME bytes are sent again
       '- HELD <-'   (see `Hold`)                     EMPTY: nothing was left to pay

No rule lives here; `staking_gateway.payout.decide` has them all. The engine keeps nothing in memory between two calls: call it again
from another process, after a crash, or twice at once.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from staking_gateway import errors
from staking_gateway.errors import GatewayError, LedgerConflict
from staking_gateway.gateway.capabilities import if_supported
from staking_gateway.http.meanings import SendAnswer, meaning_of_send
from staking_gateway.ledger import Actor, LaneBusy, Ledger, NonceSpent, Payout, PayoutState
from staking_gateway.payout.decide import check_era, decide
from staking_gateway.payout.evidence import (
    Ask,
    Done,
    Evidence,
    Fact,
    Me,
    Move,
    Raise,
    Send,
    SendResult,
    Settle,
    Sign,
    Unreadable,
)
from staking_gateway.payout.fee_limits import read_spent
from staking_gateway.payout.foreign_nonces import warn_of_foreign_nonces
from staking_gateway.payout.lanes import blocker_of, shared_by
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import asks_node, is_local
from staking_gateway.signing import ProofMaker, Proofs
from staking_gateway.types import AccountId, NonceKind, parse_era

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from staking_gateway.payout.evidence import Action
    from staking_gateway.payout.terms import Gateway, PayoutTerms

_Result: TypeAlias = "Payout | Wait | Done"


def _spelt(key: str, configured: AccountId) -> AccountId:
    """The account of a stored payload, in the configured spelling while the configuration still means the same."""
    return configured if configured.hex == key else AccountId.parse(key)


class PayoutEngine:
    """Pays eras of one network.

    :param proofs: makes the proofs from fresh nonces, or is a ready-made pair for one era.
    :param actor: on whose behalf; named in the ledger's history.
    :param clock: gives the aware UTC time; None takes the clock that all processes of the ledger share.
    :raises KeyMismatch: a signer's key is not the one of the user or payer.
    """

    def __init__(
        self,
        terms: PayoutTerms,
        gateway: Gateway,
        proofs: ProofMaker | Proofs,
        ledger: Ledger,
        actor: Actor,
        *,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        given = proofs if isinstance(proofs, Proofs) else None
        if isinstance(proofs, ProofMaker):
            proofs.check(user=terms.user, payer=terms.payer)
        self._terms = terms if is_local(gateway) else replace(terms, needs_limits=True)
        self._gateway = gateway
        self._proofs = proofs
        self._ledger = ledger
        self._actor = actor
        self._clock = clock or ledger.now
        self._settled: list[Payout] = []
        self._me = Me(uuid.uuid4().hex, actor.run, actor.try_number, terms.user.hex, terms.payer.hex, given)

    @property
    def poll_interval(self) -> timedelta:
        """How long to wait between two calls of `advance` when nothing says otherwise."""
        return self._terms.poll_interval

    def take_settled(self) -> list[Payout]:
        """The parts that this engine settled since the last call: of its own era, and of others that were in its way."""
        settled, self._settled = self._settled, []
        return settled

    def advance(self, era: int) -> Wait | EraOutcome:
        """Do what can be done for an era now.

        :returns: what to wait for before the next call, or the outcome.
        :raises InvalidEra: the era is still running, or has not begun.
        :raises GatewayError: a call failed in a way that may pass; nothing is lost, call again.
        :raises LedgerError: the ledger failed; nothing is lost, call again.
        """
        era, seen = parse_era(era), Evidence()
        if not self._ledger.era_payouts(self._terms.network, era):
            impossible = self._impossible(era, seen)
            if impossible is not None:
                return self._finished(era, impossible.outcome, impossible.reason)
        terms = self._terms
        accounts = {"user": terms.user, "payer": terms.payer, "relayer": terms.relayer}
        for part in range(terms.parts or terms.max_parts):
            record = self._ledger.plan(terms.network, era, part, **accounts, actor=self._actor, chain=terms.lane)
            result, seen = self._work(record, self._me, seen), Evidence()
            if isinstance(result, Wait):
                return result
            if isinstance(result, Done):
                return self._finished(era, result.outcome, result.reason)
            if result.state is PayoutState.EMPTY:
                return self._paid(era)
        if terms.parts is None:
            reason = f"{terms.max_parts} parts are paid, and more may be left; raise max_parts"
            return self._finished(era, Outcome.PARTIAL, reason)
        return self._paid(era)

    def abandon(self, era: int, wait: Wait) -> EraOutcome:
        """The outcome when the caller stops waiting; the ledger keeps the state, and the next call goes on from it."""
        outcome = wait.abandoned
        parts = self._ledger.era_payouts(self._terms.network, era)
        if outcome is Outcome.UNKNOWN and not any(part.plans for part in parts):
            outcome = Outcome.NOT_TRIED
        return self._finished(era, outcome, f"gave up waiting: {wait.message}")

    def _paid(self, era: int) -> EraOutcome:
        parts = self._ledger.era_payouts(self._terms.network, era)
        mine = any(part.state is PayoutState.CONFIRMED and part.signed_by == self._actor.run for part in parts)
        return self._finished(era, Outcome.PAID if mine else Outcome.ALREADY_PAID, "")

    def _finished(self, era: int, outcome: Outcome, reason: str) -> EraOutcome:
        parts = tuple(self._ledger.era_payouts(self._terms.network, era))
        return EraOutcome(self._terms.network, era, outcome, reason, parts)

    # --- the loop ------------------------------------------------------------------------------------------------------

    def _impossible(self, era: int, seen: Evidence) -> Done | None:
        """Why an era without a record cannot be paid; it leaves none."""
        while True:
            action = check_era(era, seen, self._terms)
            if isinstance(action, Ask):
                setattr(seen, action.fact.value, self._read(action.fact, None))
            elif isinstance(action, Raise) and action.error is not None:
                raise action.error
            else:
                return action if isinstance(action, Done) else None

    def _work(self, record: Payout, me: Me, seen: Evidence) -> _Result:
        """Perform what `decide` says until the part is settled, or there is something to wait for.

        :param me: with `own` off, a payload in the way is worked on, and only until it is no longer in flight.
        """
        while not record.state.settled and (me.own or record.state.in_flight):
            action: Action | None = decide(record, me, seen, self._clock(), self._terms)
            if isinstance(action, Ask):
                setattr(seen, action.fact.value, self._read(action.fact, record))
                continue
            if isinstance(action, Send):
                self._send(record, seen)
                continue
            if isinstance(action, Settle):
                action = self._settle(record, action.blocker)
            elif isinstance(action, (Sign, Move)):
                record, action = self._write(record, action, seen)
            if isinstance(action, Raise):
                raise action.error or errors.StakingGatewayError("nothing can be done, and nothing says why")
            if action is not None:
                return action
            seen = seen.anew()
        return record

    def _settle(self, record: Payout, blocker: Payout) -> Wait | None:
        """Work on a payload that is in the way: its owner may not come back."""
        result = self._work(blocker, replace(self._me, own=False), Evidence())
        if isinstance(result, Payout):
            return None
        message = f"era {record.era} waits for era {blocker.era}, part {blocker.part}, which is {blocker.state.value}"
        return Wait(WaitFor.LANE, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)

    # --- reading -------------------------------------------------------------------------------------------------------

    def _read(self, fact: Fact, record: Payout | None) -> Any:
        """A fact: its value, None where the gateway does not offer it, or why it could not be read.

        :param record: None for an era without a record, of which the first four facts can be read.
        """
        gateway, ledger, terms = self._gateway, self._ledger, self._terms
        reads: dict[Fact, Callable[[], Any]] = {
            Fact.PAYS_BY_ITSELF: gateway.pays_by_itself,
            Fact.ACTIVE_ERA: self._active_era,
            Fact.WINDOW: gateway.election_window,
            Fact.FEE: lambda: gateway.relayer_fee(terms.relayer, terms.payer),
        }
        if record is not None:
            user, payer = terms.user, terms.payer
            if record.state.in_flight:
                user, payer = _spelt(record.user_key, user), _spelt(record.payer_key, payer)
            era_paid = getattr(gateway, "era_paid", None)
            reads |= {
                Fact.REQUEST: lambda: gateway.request_state(record.request_id or ""),
                Fact.ERA_PAID: lambda: era_paid and era_paid(record.era),
                Fact.STAKING_NONCE: lambda: gateway.nonce(user, NonceKind.STAKING),
                Fact.PAYMENT_NONCE: lambda: gateway.nonce(payer, NonceKind.PAYMENT),
                Fact.BLOCKER: lambda: blocker_of(record, ledger, terms, self._clock()),
                Fact.NONCES_USED: lambda: ledger.nonces_confirmed(terms.lane, user=terms.user, payer=terms.payer),
                Fact.PAYMENT_SHARED: lambda: shared_by(ledger.with_payment_nonce_of(record)),
                Fact.SPENT: lambda: read_spent(ledger, terms, run=self._actor.run, now=self._clock(), excluding=record),
            }
        try:
            return if_supported(reads[fact])
        except GatewayError as error:
            return Unreadable(error, permanent=isinstance(error, errors.TransactionTypeRefused))

    def _active_era(self) -> int:
        active = self._gateway.active_era()
        return active if asks_node(self._gateway) else self._terms.believed(active, self._clock())

    # --- acting --------------------------------------------------------------------------------------------------------

    def _send(self, record: Payout, seen: Evidence) -> None:
        """Send the payload of the ledger, byte for byte; the lease is looked at right before the first byte leaves."""
        seen.sends += 1
        if record.state.in_flight and (record.lease_until is None or self._clock() >= record.lease_until):
            return  # decided anew: the lease has ended, so another process may have taken the payload over
        terms = self._terms
        try:
            request_id = self._gateway.payout_stakers(
                relayer=_spelt(record.relayer_key, terms.relayer),
                user=_spelt(record.user_key, terms.user),
                payer=_spelt(record.payer_key, terms.payer),
                era=record.era,
                proxy_signature=record.proxy_signature or "",
                fee_payment_signature=record.fee_payment_signature or "",
                payment_nonce=record.payment_nonce or 0,
            )
        except GatewayError as error:
            seen.sent = SendResult(meaning_of_send(error), str(error), error=error)
            return
        cause = f"accepted as {request_id}"
        known: str | None = request_id
        if self._ledger.knows_request(record, request_id):
            # The state of a request that is also another payout's proves nothing about this one.
            known, cause = None, f"{cause}, the id of another payout; the nonces have to confirm it"
        seen.sent = SendResult(SendAnswer.ACCEPTED, cause, known)

    def _write(self, record: Payout, action: Sign | Move, seen: Evidence) -> tuple[Payout, Wait | Done | Raise | None]:
        """Write a change down, and a new payload before its first byte leaves.

        :returns: the record as it is now, and what to stop with, if anything.
        """
        ledger, actor = self._ledger, self._actor
        if isinstance(action, Sign):
            then, state, (cause, changes) = None, PayoutState.SIGNED, self._payload(record, seen)
        else:
            then, state, cause, changes = action.then, action.state, action.cause, dict(action.changes)
        if state.settled:
            changes["settled_by"] = str(actor)
        try:
            written = ledger.transition(record, state, cause, actor, charged="wasted" in changes, **changes)
        except (LaneBusy, NonceSpent) as error:
            message = f"era {record.era}: {error}"
            return record, Wait(WaitFor.LANE, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)
        except LedgerConflict:  # another process moved the record: what it says now decides
            return ledger.payout(record.network, record.era, record.part) or record, None
        if state.settled:
            self._settled.append(written)
        return written, then

    def _payload(self, record: Payout, seen: Evidence) -> tuple[str, dict[str, Any]]:
        """Make the proofs, or take the ready-made ones; returns the cause for the history, and the columns."""
        me, terms, proofs, again = self._me, self._terms, self._proofs, record.state.in_flight
        if isinstance(proofs, Proofs):
            # Only a staking nonce that has moved since tells an executed payout from a fee that was charged for nothing.
            proofs = proofs if proofs.staking_nonce is not None else replace(proofs, staking_nonce=seen.staking)
        else:
            nonces = {"staking_nonce": seen.staking, "payment_nonce": seen.payment}
            warn_of_foreign_nonces(self._ledger, terms, record.era, self._actor, **nonces)
            proofs = proofs.make(relayer=terms.relayer, era=record.era, relayer_fee=seen.fee, **nonces)
        fee, now = proofs.relayer_fee, self._clock()
        cause = f"signed with fee {fee}, staking nonce {proofs.staking_nonce}, payment nonce {proofs.payment_nonce}"
        return f"{cause}, again: {record.reason}" if again else cause, {
            "chain": terms.lane,
            "user_key": terms.user.hex,
            "payer_key": terms.payer.hex,
            "relayer_key": terms.relayer.hex,
            "proxy_signature": proofs.proxy_signature,
            "fee_payment_signature": proofs.fee_payment_signature,
            "fee": fee if fee is None or not again else max(fee, record.fee or 0),
            "staking_nonce": proofs.staking_nonce,
            "payment_nonce": proofs.payment_nonce,
            "plans": record.plans + 1,
            "signed_at": now,
            "signed_by": me.run,
            "signed_try": me.try_number,
            "signatures": record.signatures_by(me.run, me.try_number) + 1,
            "copies_out": again,
            "used_nonce": record.used_nonce if record.user_key == terms.user.hex else None,
            **OF_A_PAYLOAD,
            **me.lease(now, terms),
        }


OF_A_PAYLOAD: dict[str, Any] = {
    "request_id": None,
    "request_status": None,
    "accepted_at": None,
    "unanswered": 0,
    "unanswered_at": None,
    "refused": False,
    "disagree": None,
    "disagree_since": None,
    "over": None,
    "over_since": None,
    "hold": None,
    "reason": None,
    "fee_charged": None,
    "asked": True,
}
"""What the ledger knows of a payload that was not sent yet."""
