"""The payout engine: every unpaid part of an era becomes exactly one executed payout.

::

    PLANNED -> SIGNED -> SUBMITTED -> CONFIRMED
       ^         |  |        '-> REJECTED -> PLANNED, with fresh nonces, bounded
       |         |  '-> UNKNOWN (sent, no answer) -> settled by nonces, or the SAME bytes are sent again
       '- HELD <-'   (window open, fee too high)       EMPTY: the gateway says nothing is left to pay

The order of things is the whole point. The signed payload is in the ledger before its first byte leaves. While its fate is
unknown it is only ever repeated, byte for byte: it names its nonces, so it executes at most once. Before anything is signed
anew, the nonces have shown that the earlier payload did not execute and no longer can, or the new one names the same staking
nonce, so that only one of the two can.

`PayoutEngine.advance` does all that can be done without waiting and says what to wait for. It keeps nothing in memory: call it
again from another process, after a crash, or twice at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway import errors
from staking_gateway.capabilities import if_supported
from staking_gateway.ceilings import above_ceiling
from staking_gateway.eras import payable_eras, utc_now
from staking_gateway.errors import Fate, InvalidEra, LedgerConflict
from staking_gateway.ledger import Actor, LaneBusy, Ledger, NonceSpent, Payout, PayoutState
from staking_gateway.ledger.writer import LedgerWriter
from staking_gateway.outcomes import WINDOW_REASON, EraOutcome, Outcome, Wait, WaitFor
from staking_gateway.refusals import says_nothing_left
from staking_gateway.rivals import warn_of_others
from staking_gateway.settlement import PayloadFate, Settlement
from staking_gateway.signing import ProofMaker, Proofs
from staking_gateway.types import AccountId, ElectionWindow, NonceKind, parse_era

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from staking_gateway.terms import Gateway, PayoutTerms

PAYS_BY_ITSELF = "this chain pays its stakers by itself; there is nothing to ask for"
_SENT_IN_VAIN = 2
"""How often a payload may come to nothing before it is signed again, with the same staking nonce."""


def _spelt(key: str, configured: AccountId) -> AccountId:
    """The account of a stored payload, in the configured spelling while the configuration still means the same."""
    return configured if configured.hex == key else AccountId.parse(key)


def _are_of(payout: Payout, proofs: Proofs) -> bool:
    signed = payout.proxy_signature, payout.fee_payment_signature
    return (proofs.proxy_signature, proofs.fee_payment_signature) == signed


_Step: TypeAlias = "Payout | Wait | EraOutcome"


class PayoutEngine:
    """Pays eras of one network.

    :param proofs: makes the proofs from fresh nonces, or is a ready-made pair for one era.
    :param actor: on whose behalf; named in the ledger's history.
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
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if isinstance(proofs, ProofMaker):
            proofs.check(user=terms.user, payer=terms.payer)
        self._terms = terms
        self._gateway = gateway
        self._proofs = proofs
        self._ledger = ledger
        self._clock = clock
        self._era: int | None = None
        self._writer = LedgerWriter(ledger, actor, terms.lease, clock)
        self._settlement = Settlement(
            terms, gateway, ledger, self._writer, clock, ready_made=isinstance(proofs, Proofs)
        )

    @property
    def poll_interval(self) -> timedelta:
        """How long to wait between two calls of `advance` when nothing says otherwise."""
        return self._terms.poll_interval

    def take_settled(self) -> list[Payout]:
        """The parts that were settled by this engine since the last call: of its own era, and of others that were in its way."""
        settled, self._writer.settled = self._writer.settled, []
        return settled

    def advance(self, era: int) -> Wait | EraOutcome:
        """Do what can be done for an era now.

        :returns: what to wait for before the next call, or the outcome.
        :raises InvalidEra: the era is still running, or has not begun.
        :raises GatewayError: a call failed in a way that may pass; nothing is lost, call again.
        :raises LedgerError: the ledger failed; nothing is lost, call again.
        """
        era = self._era = parse_era(era)
        if not self._ledger.era_payouts(self._terms.network, era):
            impossible = self._check_era(era)
            if impossible is not None:
                return impossible
        for part in range(self._terms.parts or self._terms.max_parts):
            payout = self._planned(era, part)
            while not payout.state.settled:
                step = self._step(payout)
                if not isinstance(step, Payout):
                    return step
                payout = step
            if payout.state is PayoutState.EMPTY:
                return self._paid(era)
        if self._terms.parts is None:
            return self._finished(
                era, Outcome.PARTIAL, f"{self._terms.max_parts} parts are paid and more is owed; raise max_parts"
            )
        return self._paid(era)

    def abandon(self, era: int, wait: Wait) -> EraOutcome:
        """The outcome when the caller stops waiting; the ledger keeps the state, the next call goes on from it."""
        return self._finished(era, wait.abandoned, f"gave up waiting: {wait.message}")

    def _planned(self, era: int, part: int) -> Payout:
        terms = self._terms
        return self._ledger.plan(
            terms.network,
            era,
            part,
            user=terms.user,
            payer=terms.payer,
            relayer=terms.relayer,
            actor=self._writer.actor,
            chain=terms.lane,
        )

    def _paid(self, era: int) -> EraOutcome:
        mine = str(self._writer.actor)
        parts = self._ledger.era_payouts(self._terms.network, era)
        paid_now = any(part.state is PayoutState.CONFIRMED and part.settled_by == mine for part in parts)
        return self._finished(era, Outcome.PAID if paid_now else Outcome.ALREADY_PAID, "")

    def _finished(self, era: int, outcome: Outcome, reason: str) -> EraOutcome:
        parts = tuple(self._ledger.era_payouts(self._terms.network, era))
        return EraOutcome(self._terms.network, era, outcome, reason, parts)

    def _step(self, payout: Payout) -> _Step:
        try:
            if payout.state is PayoutState.SUBMITTED:
                return self._settlement.confirm(payout)
            if payout.state.in_flight:
                return self._reconcile(payout)
            return self._pay(payout)
        except LedgerConflict:
            # Somebody else moved the record: what it says now decides.
            return self._ledger.payout(payout.network, payout.era, payout.part) or payout

    def _pay(self, payout: Payout) -> _Step:
        """Sign a part that has no payload in flight, and send it."""
        obstacle = self._obstacle(payout)
        if obstacle is not None:
            return obstacle
        proofs = self._sign(payout)
        if not isinstance(proofs, Proofs):
            return proofs
        try:
            signed = self._writer.lease(
                payout,
                PayoutState.SIGNED,
                f"signed with fee {proofs.relayer_fee}, staking nonce {proofs.staking_nonce}, "
                f"payment nonce {proofs.payment_nonce}",
                **self._payload(payout, proofs),
            )
        except (LaneBusy, NonceSpent):
            return self._unblock(payout, proofs)
        return self._send(signed)

    def _wait_for_newer_nonces(self, payout: Payout, proofs: Proofs) -> Wait:
        """The nonces were read before another payload used them, or the gateway lags behind its chain."""
        message = (
            f"era {payout.era}: staking nonce {proofs.staking_nonce} or payment nonce {proofs.payment_nonce} belongs to another "
            "payout; waiting for the gateway to tell newer ones. If the chain was started anew, use a new ledger"
        )
        return Wait(WaitFor.LANE, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)

    def _obstacle(self, payout: Payout) -> Wait | EraOutcome | None:
        era = payout.era
        if payout.state is PayoutState.REJECTED and self._has_signed_enough(payout):
            return self._finished(era, Outcome.REJECTED, payout.reason or "rejected without a reason")
        expired = self._check_era(era)
        if expired is not None:
            return expired
        return self._hold_for_window(payout) if self._is_window_open() else None

    def _is_window_open(self) -> bool:
        """Whether the gateway says so, and it matters here."""
        waits = self._terms.wait_for_closed_window
        return waits and if_supported(self._gateway.election_window) is ElectionWindow.OPEN

    def _check_era(self, era: int) -> EraOutcome | None:
        if self._gateway.pays_by_itself():
            return self._finished(era, Outcome.UNSUPPORTED, PAYS_BY_ITSELF)
        active = if_supported(self._gateway.active_era)
        if active is None or era in payable_eras(active, self._terms.history_depth):
            return None
        if era >= active:
            raise InvalidEra("era", f"{era} cannot be paid while era {active} is active", "Wait until it has ended")
        reason = f"era {era} is more than {self._terms.history_depth} eras old; its rewards are gone"
        return self._finished(era, Outcome.EXPIRED, reason)

    def _has_signed_enough(self, payout: Payout) -> bool:
        """Whether this try has used up its signatures for a part."""
        signed = sum(
            event.to_state is PayoutState.SIGNED and Actor(event.run, event.try_number) == self._writer.actor
            for event in self._ledger.events(payout)
        )
        return signed > self._terms.max_replans

    def _hold_for_window(self, payout: Payout) -> Wait:
        if payout.state is not PayoutState.HELD or payout.reason != WINDOW_REASON:
            self._writer.move(payout, PayoutState.HELD, WINDOW_REASON, reason=WINDOW_REASON)
        return Wait(
            WaitFor.WINDOW,
            f"era {payout.era}: {WINDOW_REASON}",
            self._terms.poll_interval,
            abandoned=Outcome.HELD_WINDOW,
        )

    def _sign(self, payout: Payout) -> Proofs | EraOutcome:
        """Read fee and nonces, check the ceilings, then ask for both proofs."""
        terms = self._terms
        if isinstance(self._proofs, Proofs):
            return self._given(payout, self._proofs)
        fee = if_supported(lambda: self._gateway.relayer_fee(terms.relayer, terms.payer))
        # The staking nonce last: while it has not moved, the payment nonce was not moved by this part's earlier payload.
        payment_nonce = if_supported(lambda: self._gateway.nonce(terms.payer, NonceKind.PAYMENT))
        staking_nonce = if_supported(lambda: self._gateway.nonce(terms.user, NonceKind.STAKING))
        if fee is None or staking_nonce is None or payment_nonce is None:
            return self._finished(
                payout.era,
                Outcome.UNSUPPORTED,
                "this gateway does not tell fees and nonces; hand over ready-made proofs",
            )
        too_high = above_ceiling(fee, terms, self._ledger, run=self._writer.actor.run, now=self._clock(), payout=payout)
        if too_high:
            if not payout.state.in_flight and payout.reason != too_high:
                self._writer.move(payout, PayoutState.HELD, too_high, reason=too_high)
            return self._finished(payout.era, Outcome.HELD_FEE, too_high)
        nonces = {"staking_nonce": staking_nonce, "payment_nonce": payment_nonce}
        warn_of_others(self._ledger, terms, payout.era, self._writer.actor, **nonces)
        return self._proofs.make(
            relayer=terms.relayer,
            era=payout.era,
            relayer_fee=fee,
            **nonces,
        )

    def _given(self, payout: Payout, proofs: Proofs) -> Proofs | EraOutcome:
        """Proofs that were handed over, unless these very ones were refused."""
        if _are_of(payout, proofs) and payout.state is PayoutState.REJECTED:
            reason = f"the given proofs were refused: {payout.reason}; hand over new ones"
            return self._finished(payout.era, Outcome.REJECTED, reason)
        if proofs.staking_nonce is not None:
            return proofs
        # Only a staking nonce that has moved since tells an executed payout from a fee that was charged for nothing.
        return replace(
            proofs, staking_nonce=if_supported(lambda: self._gateway.nonce(self._terms.user, NonceKind.STAKING))
        )

    def _payload(self, payout: Payout, proofs: Proofs) -> dict[str, object]:
        terms = self._terms
        return {
            "chain": terms.lane,
            "user_key": terms.user.hex,
            "payer_key": terms.payer.hex,
            "relayer_key": terms.relayer.hex,
            "proxy_signature": proofs.proxy_signature,
            "fee_payment_signature": proofs.fee_payment_signature,
            "fee": proofs.relayer_fee,
            "staking_nonce": proofs.staking_nonce,
            "payment_nonce": proofs.payment_nonce,
            "plans": payout.plans + 1,
            "signed_at": self._clock(),
            "request_id": None,
            "accepted_at": payout.accepted_at if payout.state.in_flight else None,
            "reason": None,
        }

    def _send(self, payout: Payout) -> _Step:
        """Send the payload of the ledger, byte for byte, and write down what became of it."""
        terms = self._terms
        try:
            request_id = self._gateway.payout_stakers(
                relayer=_spelt(payout.relayer_key, terms.relayer),
                user=_spelt(payout.user_key, terms.user),
                payer=_spelt(payout.payer_key, terms.payer),
                era=payout.era,
                proxy_signature=payout.proxy_signature or "",
                fee_payment_signature=payout.fee_payment_signature or "",
                payment_nonce=payout.payment_nonce or 0,
            )
        except errors.GatewayError as error:
            return self._not_sent(payout, error)
        cause = f"accepted as {request_id}"
        if self._ledger.knows_request(payout, request_id):
            # The state of a request that is also another payout's proves nothing about this one.
            request_id, cause = "", f"{cause}, the id of another payout; the nonces have to confirm it"
        return self._writer.move(
            payout, PayoutState.SUBMITTED, cause, request_id=request_id or None, accepted_at=self._clock()
        )

    def _not_sent(self, payout: Payout, error: errors.GatewayError) -> _Step:
        if error.fate is Fate.UNKNOWN:
            cause = f"sent, no usable answer: {error}"
            lost = self._writer.lose(payout, cause, self._clock(), reason=str(error))
            return self._settlement.wait_for_replay(lost)
        if payout.unanswered:
            return self._replay_refused(payout, error)
        if says_nothing_left(error):
            return self._writer.settle(payout, PayoutState.EMPTY, str(error))
        if isinstance(error, errors.ElectionWindowOpen):
            return self._hold_for_window(self._writer.release(payout, PayoutState.PLANNED, str(error)))
        if isinstance(error, errors.RpcMethodNotFound):
            self._writer.release(payout, PayoutState.HELD, str(error))
            return self._finished(payout.era, Outcome.UNSUPPORTED, f"this gateway has no payout method: {error}")
        if isinstance(error, errors.RpcError):
            return self._writer.release(payout, PayoutState.REJECTED, str(error))
        self._writer.release(payout, PayoutState.PLANNED, str(error))
        raise error

    def _replay_refused(self, payout: Payout, error: errors.GatewayError) -> _Step:
        """An earlier send of this payload may still execute, so a refusal of the repetition settles nothing."""
        kept = self._writer.move(payout, PayoutState.UNKNOWN, f"repetition refused: {error}", reason=str(error))
        if isinstance(error, errors.ElectionWindowOpen):
            return Wait(WaitFor.WINDOW, str(error), self._terms.poll_interval, abandoned=Outcome.UNKNOWN)
        if not isinstance(error, errors.RpcError):
            raise error
        settled = self._settlement.by_nonce(kept)
        if not isinstance(settled, PayloadFate):
            return settled
        if says_nothing_left(error):
            # Its own execution may be what the gateway speaks of, and the nonces may not show it yet.
            if self._settlement.is_recent(kept):
                return self._settlement.wait_for_replay(kept)
            return self._writer.settle(kept, PayoutState.EMPTY, str(error))
        if self._can_replace(kept, settled):
            return self._sign_again(kept, settled)
        return self._settlement.wait_for_replay(kept)

    def _can_replace(self, payout: Payout, fate: PayloadFate) -> bool:
        """Whether there are other proofs for the accounts that signed a payload, on this network's terms."""
        terms = self._terms
        mine = terms.network, terms.user.hex, terms.payer.hex
        if (payout.network, payout.user_key, payout.payer_key) != mine:
            return False
        if isinstance(self._proofs, Proofs):
            return payout.era == self._era and not _are_of(payout, self._proofs)
        return fate is not PayloadFate.UNREADABLE

    def _sign_again(self, payout: Payout, fate: PayloadFate) -> _Step:
        """Replace a payload that comes to nothing by one of the SAME staking nonce: one of them can execute.

        Both nonces must be those of the payload: a read that is behind may hide that it executed.
        """
        if self._has_signed_enough(payout):
            return self._finished(payout.era, Outcome.UNKNOWN, payout.reason or "")
        proofs = self._sign(payout)
        if not isinstance(proofs, Proofs):
            return proofs
        agrees = fate is PayloadFate.UNREADABLE or proofs.payment_nonce == payout.payment_nonce
        if proofs.staking_nonce is None or proofs.staking_nonce != payout.staking_nonce or not agrees:
            return self._settlement.wait_for_replay(payout)
        cause = f"signed again with the same staking nonce {proofs.staking_nonce}: {payout.reason}"
        return self._send(self._writer.lease(payout, PayoutState.SIGNED, cause, **self._payload(payout, proofs)))

    def _reconcile(self, payout: Payout, *, resend: bool = True) -> _Step:
        """Settle a payload whose fate is unknown, or send the same bytes again."""
        left = self._writer.leased_by_another(payout)
        if left is not None:
            message = f"era {payout.era} is being sent by another process, for {left.total_seconds():.0f} s at most"
            return Wait(WaitFor.LANE, message, min(left, self._terms.poll_interval), abandoned=Outcome.UNKNOWN)
        if payout.state is PayoutState.SIGNED or payout.lease_owner is not None:
            # Whoever was sending it died: it may have been sent.
            return self._writer.lose(payout, f"found {payout.state.value}, perhaps sent", payout.updated_at)
        settled = self._settlement.by_nonce(payout)
        if not isinstance(settled, PayloadFate):
            return settled
        if not resend:
            return self._settlement.wait_for_replay(payout)
        hopeless = payout.unanswered > _SENT_IN_VAIN
        replaceable = hopeless and self._can_replace(payout, settled) and not self._has_signed_enough(payout)
        if replaceable and not self._is_window_open():
            return self._sign_again(payout, settled)
        return self._send(self._writer.lease(payout, PayoutState.UNKNOWN, "sending the same payload again"))

    def _unblock(self, payout: Payout, proofs: Proofs) -> _Step:
        """Settle what else the user or payer has in flight: its owner may be gone for good.

        What nobody took is given up in the end, and nothing is sent for it. What was accepted is not, so it is sent again.
        """
        user, payer = self._terms.user.hex, self._terms.payer.hex
        others = [
            other
            for other in self._ledger.in_flight(self._terms.lane)
            if other.user_key == user or other.payer_key == payer
        ]
        for other in others:
            settled = self._settle_other(other)
            if not isinstance(settled, Payout) or settled.state.in_flight:
                return Wait(
                    WaitFor.LANE,
                    f"era {payout.era} waits for era {other.era}, part {other.part}, which is {other.state.value}",
                    self._terms.poll_interval,
                    abandoned=Outcome.UNKNOWN,
                )
        return payout if others else self._wait_for_newer_nonces(payout, proofs)

    def _settle_other(self, other: Payout) -> _Step:
        try:
            if other.state is PayoutState.SUBMITTED:
                return self._settlement.confirm(other)
            return self._reconcile(other, resend=other.accepted_at is not None)
        except LedgerConflict:
            return self._ledger.payout(other.network, other.era, other.part) or other
