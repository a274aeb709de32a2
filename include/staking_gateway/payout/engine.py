"""The payout engine: a short loop that asks `decide` what to do, does it, and feeds what came back into the evidence.

::

    advance(era):  loop { action = decide(part, copies, me, evidence, now, terms); perform it }

    PLANNED -> SIGNED -> SUBMITTED -> CONFIRMED
       ^         |  |        '-> REJECTED -> sent or signed again, bounded
       |         |  '-> UNKNOWN (sent, no answer) -> judged by evidence, or the SAME bytes are sent again
       '- HELD <-'   (see `Hold`)                     EMPTY: nothing was left to pay

No rule lives here; `staking_gateway.payout.decide` has them all. The engine keeps nothing in memory between two calls: call it again
from another process, after a crash or an error, or twice at once.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count
from math import inf
from typing import Any, TypeAlias, cast

from staking_gateway.eras import ActiveEra
from staking_gateway.errors import GatewayError, LedgerConflict, SendAnswer
from staking_gateway.gateway.gateway import Client, Gateway, if_supported
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.records import Copy
from staking_gateway.ledger.standing import LedgerStopped
from staking_gateway.payout.copies import Copies, is_capped
from staking_gateway.payout.decide import after_send, check_era, decide
from staking_gateway.payout.evidence import (
    Action,
    Ask,
    Done,
    Evidence,
    Fact,
    Lane,
    Me,
    Move,
    Raise,
    Reading,
    Repeat,
    SendResult,
    Settle,
    Sign,
)
from staking_gateway.payout.fee_limits import read_spent
from staking_gateway.payout.lanes import chain_of, check_user, learn_genesis, warn_of_foreign_nonces
from staking_gateway.payout.outcomes import EraOutcome, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.signing import ProofMaker, Proofs
from staking_gateway.types import AccountId, ConfirmBy, NonceKind, parse_era

_Result: TypeAlias = Payout | Wait | Done


class PayoutEngine:
    """Pays eras of one network.

    :param proofs: makes the proofs from fresh nonces, or is a ready-made pair for one era.
    :param actor: on whose behalf; named in the ledger's history.
    :param clock: gives the aware UTC time; None takes the clock that all processes of the ledger share.
    :raises SigningError: a signer's key is not the one of the user or payer.
    """

    def __init__(
        self,
        terms: PayoutTerms,
        gateway: Client | Gateway,
        proofs: ProofMaker | Proofs,
        ledger: Ledger,
        actor: Actor,
        *,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        given = proofs if isinstance(proofs, Proofs) else None
        if isinstance(proofs, ProofMaker):
            proofs.check(user=terms.user, payer=terms.payer)
        self._gateway = Gateway.of(gateway)
        self._terms = replace(terms, needs_limits=True) if self._gateway.is_remote else terms
        self._proofs = proofs
        self._ledger = ledger
        self._actor = actor
        self._clock = clock or ledger.now
        user, payer, relayer = terms.user, terms.payer, terms.relayer
        self._plan = partial(ledger.plan, terms.network, user=user, payer=payer, relayer=relayer, actor=actor)
        self._spelled = {account.hex: account for account in (user, payer, relayer)}
        self._me = Me(actor.run, actor.try_number, terms.user.hex, terms.payer.hex, terms.relayer.hex, given)

    def advance(self, era: int) -> Wait | EraOutcome:
        """Do what can be done for an era now.

        :returns: what to wait for before the next call, or the outcome.
        :raises InvalidEra: the era has not begun.
        :raises GatewayError: a call failed in a way that may pass, or LedgerError: nothing is lost, call again.
        :raises ConfigError: the user has a payload in flight in a lane that may be the same chain.
        """
        era, seen, terms = parse_era(era), Evidence(), self._terms
        impossible = None if self._ledger.era_payouts(terms.network, era) else self._impossible(era, seen)
        if impossible is not None:
            return self._stopped(era, impossible)
        chain = terms.chain or chain_of(self._gateway, self._ledger, terms.network)
        terms = self._terms = learn_genesis(self._ledger, replace(terms, chain=chain), self._actor)
        me = self._me
        for number in count() if terms.parts is None else range(terms.parts):
            part = self._plan(era, number, chain=terms.lane)
            if is_capped((part,), terms.parts, terms.max_parts):
                reason = f"{number} parts are paid, and more may be left; raise max_parts"
                return self._finished(era, Outcome.PARTIAL, reason)
            try:
                result, seen = self._work(part, me, seen), Evidence()
            except LedgerStopped as stopped:
                return Wait(WaitFor.STOPPED, f"era {era}: {stopped}", terms.poll_interval, Outcome.UNKNOWN)
            if not isinstance(result, Payout):
                return self._stopped(era, result)
            if result.state is PayoutState.EMPTY:
                return self._paid(era)
            me = replace(me, spent=me.given_is_of(result))
        return self._paid(era)

    def abandon(self, era: int, wait: Wait) -> EraOutcome:
        """The outcome when the caller stops waiting; the ledger keeps the state, and the next call goes on from it."""
        outcome = wait.abandoned
        parts = self._ledger.era_payouts(self._terms.network, era)
        if outcome is Outcome.UNKNOWN and not any(part.copies for part in parts):
            outcome = Outcome.NOT_TRIED
        return self._finished(era, outcome, f"gave up waiting: {wait.message}")

    def _stopped(self, era: int, stop: Wait | Done) -> Wait | EraOutcome:
        return stop if isinstance(stop, Wait) else self._finished(era, stop.outcome, stop.reason)

    def _paid(self, era: int) -> EraOutcome:
        parts = self._ledger.era_payouts(self._terms.network, era)
        mine = any(one.state is PayoutState.CONFIRMED and one.last and one.last.run == self._actor.run for one in parts)
        return self._finished(era, Outcome.PAID if mine else Outcome.ALREADY_PAID, "")

    def _finished(self, era: int, outcome: Outcome, reason: str) -> EraOutcome:
        parts = tuple(self._ledger.era_payouts(self._terms.network, era))
        return EraOutcome(self._terms.network, era, outcome, reason, parts)

    def _impossible(self, era: int, seen: Evidence) -> Wait | Done | None:
        """Why an era without a record cannot be paid; it leaves none."""
        for fact, read in ((Fact.PAYS_BY_ITSELF, self._gateway.pays_by_itself), (Fact.ACTIVE_ERA, self._active_era)):
            seen.readings[fact, None] = Reading(began=self._clock(), value=if_supported(read))
        automatic, active = (reading.value for reading in seen.readings.values())
        action = check_era(era, automatic, active, self._terms)
        if isinstance(action, Raise):
            raise action.error
        return action

    def _work(self, part: Payout, me: Me, seen: Evidence) -> _Result:
        """Perform what `decide` says until the part is settled, or there is something to wait for. With `own` off, another part is driven on, and only
        until the staking nonce of its copies has passed.
        """
        mark = self._ledger.mark()
        while True:
            copies = Copies(part, mark)
            if part.state.settled if me.own else not copies.open:
                return part
            action: Action | None = self._into_lane(part, copies) or decide(
                part, copies, me, seen, self._clock(), self._terms
            )
            if isinstance(action, Ask):
                self._read(action, part, seen)
                continue
            try:
                if isinstance(action, Settle):
                    action = self._settle(part, action.rival, seen)
                elif isinstance(action, (Sign, Repeat)):
                    part, action = self._send(part, copies, action, seen)
                elif isinstance(action, Move):
                    part, action = self._store(part, action)
            except LedgerConflict:  # another process changed the part: what it says now decides
                part, action = self._present(part), None
                mark, self._terms = self._ledger.mark(), learn_genesis(self._ledger, self._terms, self._actor)
            if isinstance(action, Raise):
                raise action.error
            if isinstance(action, (Wait, Done)):
                return action
            seen = seen.anew()

    def _into_lane(self, part: Payout, copies: Copies) -> Move | None:
        """Without open copies a part belongs to no lane, whatever it was planned in: it moves to the one in which it would be signed."""
        lane = self._terms.lane
        if copies.open or part.chain == lane:
            return None
        return Move(part.state, f"its lane is {lane}", changes={"chain": lane})

    def _present(self, part: Payout) -> Payout:
        """The part as the ledger has it now. A restored ledger may not have it: the next call plans it anew."""
        present = self._ledger.payout(part.network, part.era, part.part)
        if present is None:
            raise LedgerConflict(f"{part!r} is not in the ledger any more; was a backup restored?")
        return present

    def _settle(self, part: Payout, rival: Payout, seen: Evidence) -> Wait | None:
        """Drive another part on, once in a call: its owner may not come back."""
        result: _Result = rival
        if rival.id not in seen.driven:
            seen.driven.add(rival.id)
            result = self._work(rival, replace(self._me, own=False), Evidence(driven=seen.driven))
            if isinstance(result, Payout) or (isinstance(result, Wait) and result.reason is WaitFor.FINALITY):
                return None
        message = f"era {part.era} waits for era {rival.era}, part {rival.part}, which is {rival.state.value}"
        return Wait(WaitFor.LANE, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)

    def _read(self, ask: Ask, part: Payout, seen: Evidence) -> None:
        """Read a fact into the evidence: its value, None where the gateway does not offer it, or why it could not be read."""
        gateway, ledger, terms, chain, about = self._gateway, self._ledger, self._terms, part.chain, ask.about
        began = self._clock()
        facts: dict[Fact, Callable[[], Any]] = {
            Fact.PAYS_BY_ITSELF: gateway.pays_by_itself,
            Fact.ACTIVE_ERA: self._active_era,
            Fact.WINDOW: gateway.election_window,
            Fact.FEE: lambda: gateway.relayer_fee(terms.relayer, terms.payer),
            Fact.STAKING_NONCE: lambda: gateway.nonce(self._account(about), NonceKind.STAKING),
            Fact.PAYMENT_NONCE: lambda: gateway.nonce(self._account(about), NonceKind.PAYMENT),
            # the state of an id that came twice is no witness
            Fact.REQUEST: lambda: gateway.request_state(about) if ledger.request_ids(chain, about) == 1 else None,
            Fact.ERA_PAID: lambda: gateway.era_paid(part.era),
            Fact.COPIES: ledger.newest_copy,
            Fact.LANE: lambda: self._lane(part, *about),
            Fact.KEY_USED: lambda: any(
                copy.id == one.executed and one.state is PayoutState.CONFIRMED for one, copy in ledger.copies_of(about)
            ),
            Fact.KEY_SHARED: lambda: any(one.id != part.id for one, _ in ledger.copies_of(about)),
            Fact.BUSY: lambda: self._busy(chain, *about),
            Fact.SPENT: lambda: read_spent(ledger, terms, run=self._actor.run, now=began, key=about),
            Fact.FLOOR: lambda: ledger.floor(chain, about),
        }
        try:
            value = if_supported(facts[ask.fact])
        except GatewayError as error:
            value = error
        seen.readings[ask.fact, about] = Reading(value, began)

    def _lane(self, part: Payout, user: str, nonce: int) -> Lane:
        ledger, chain = self._ledger, part.chain
        around = nonce - 1, nonce, nonce + 1
        near = ledger.lane(chain, user, *around)
        before, same, after = (
            [one for one in near if any((copy.chain, copy.slot) == (chain, (user, at)) for copy in one.copies)]
            for at in around
        )
        rivals = tuple(one for one in same if one.id != part.id)
        lowest, highest, since = ledger.signed_nonces(chain, user)
        unknown = ledger.unknown_nonce(chain, user, excluding=part)
        return Lane(highest, lowest, rivals, bool(before), bool(after), since, unknown)

    def _busy(self, chain: str, payer: str, nonce: int) -> Payout | None:
        """The part that may still use a payment nonce: the newest to sign it, within the time for settling; also one that nobody confirmed."""
        copies, now, settle = self._ledger.copies_of((chain, payer, nonce)), self._clock(), self._terms.settle_within
        newer = [one for one, copy in copies if now - settle < copy.signed_at <= now]
        busy = [one for one in newer if not one.state.settled or one.confirmed_by == ConfirmBy.NONE.value]
        return None if not busy or busy[-1].user_key == self._terms.user.hex else busy[-1]

    def _active_era(self) -> int:
        """The active era. A gateway's is refused while it is further than `max_drift` ahead of the calendar's. One behind it asks for no era that has not
        ended: its chain may have stood still.
        """
        active, terms = self._gateway.active_era(), self._terms
        if terms.calendar is not None and self._gateway.node is None:
            told = ActiveEra.at(self._clock(), terms.calendar, active, terms.history_depth, max_drift=terms.max_drift)
            if not told.credible:
                told.check(terms.network)
        return active

    def _store(self, part: Payout, move: Move) -> tuple[Payout, Wait | Done | Raise | None]:
        """Write what was seen or judged; returns the part as it is now, and what to stop with, if anything."""
        changes = dict(move.changes)
        if move.state.settled and not part.state.settled:
            changes["settled_by"] = str(self._actor)
            terms, after = self._terms, part.part + 1
            if move.state is PayoutState.CONFIRMED and part.network == terms.network and after < (terms.parts or inf):
                self._plan(part.era, after, chain=terms.lane)  # before: an era that is not paid has a part that is not
        written = self._ledger.transition(
            part, move.state, move.cause, self._actor, sightings=move.sightings, reads=move.reads, **changes
        )
        return written, move.then

    def _send(
        self, part: Payout, copies: Copies, action: Sign | Repeat, seen: Evidence
    ) -> tuple[Payout, Wait | Done | Raise | None]:
        """Count a send, commit it, send, and store the answer. What cannot be committed is not sent."""
        ledger, actor = self._ledger, self._actor
        if isinstance(action, Sign):
            copy = self._signed(part, action, seen)
            part = ledger.sign(part, copy, f"signed with {copy}", actor, mark=copies.mark, known=action.known)
            copy = part.copies[-1]
        else:
            copy = action.copy
            part = ledger.count_send(part, copy.id, "sending the same payload again", actor, mark=copies.mark)
            copy = next(one for one in part.copies if one.id == copy.id)
        seen.sends += 1
        sent = self._submit(copy, part.era)
        move = after_send(part, Copies(part, copies.mark), sent, self._terms)
        part = ledger.answer(
            part,
            copy.id,
            replace(copy.sends[-1], answer=sent.kind.value, text=sent.text, request_id=sent.request_id),
            state=move.state,
            hold=move.changes.get("hold", part.hold),
            reason=move.changes.get("reason", part.reason),
            cause=move.cause,
            actor=actor,
        )
        return part, move.then

    def _submit(self, copy: Copy, era: int) -> SendResult:
        try:
            request_id = self._gateway.payout_stakers(
                relayer=self._account(copy.relayer_key),
                user=self._account(copy.user_key),
                payer=self._account(copy.payer_key),
                era=era,
                proxy_signature=copy.proxy_signature,
                fee_payment_signature=copy.fee_payment_signature,
                payment_nonce=copy.payment_nonce,
            )
        except GatewayError as error:
            return SendResult(error.how.sent, str(error), error=error)
        return SendResult(SendAnswer.ACCEPTED, f"accepted as {request_id}", request_id)

    def _signed(self, part: Payout, sign: Sign, seen: Evidence) -> Copy:
        """Make the proofs, or take the ready-made ones. LedgerConflict: midnight has passed since the day's fees were read."""
        terms, proofs, actor = self._terms, self._proofs, self._actor
        check_user(self._ledger, terms, sign.staking)
        if not isinstance(proofs, Proofs):
            staking, fee = cast("tuple[int, int]", (sign.staking, sign.fee))  # proofs are made of what is known
            nonces = {"staking_nonce": staking, "payment_nonce": sign.payment}
            warn_of_foreign_nonces(self._ledger, terms, part.era, **nonces)
            proofs = proofs.make(relayer=terms.relayer, era=part.era, relayer_fee=fee, **nonces)
        now, spent = self._clock(), seen.readings.get((Fact.SPENT, (part.chain, terms.payer.hex, sign.payment)))
        if spent is not None and spent.began.date() != now.date():
            raise LedgerConflict("midnight has passed since the fees of the day were read; read them again")
        return Copy(
            id=0,
            chain=terms.lane,
            user_key=terms.user.hex,
            payer_key=terms.payer.hex,
            relayer_key=terms.relayer.hex,
            staking_nonce=sign.staking,
            payment_nonce=sign.payment,
            fee=sign.fee,
            proxy_signature=proofs.proxy_signature,
            fee_payment_signature=proofs.fee_payment_signature,
            signed_at=now,
            run=actor.run,
            try_number=actor.try_number,
        )

    def _account(self, key: str) -> AccountId:
        """The account of a key, in the configured spelling while the configuration still means the same."""
        return self._spelled.get(key) or AccountId.parse(key)
