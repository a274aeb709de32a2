"""What became of a payload that was sent: told by the request's state, or else by the nonces.

A gateway is several machines, and one of them may be behind: what one read tells can be older than what the read before it told. So
nothing is concluded from one nonce that has moved without the other before they have had time to agree.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.capabilities import if_supported
from staking_gateway.errors import GatewayError
from staking_gateway.ledger.records import Payout, PayoutState
from staking_gateway.outcomes import Outcome, Wait, WaitFor
from staking_gateway.terms import ConfirmBy, Gateway, PayoutTerms
from staking_gateway.types import AccountId, NonceKind, RequestState, RequestStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from staking_gateway.ledger import Ledger
    from staking_gateway.ledger.writer import LedgerWriter


_NONCES_MOVED = "the nonces moved past the signed ones"


class PayloadFate(Enum):
    """What the nonces tell about a signed payload."""

    EXECUTED = "executed"
    DEAD = "its staking nonce was used by another payload"
    MAY_EXECUTE = "may still execute"
    STAKING_ONLY = "the staking nonce has moved, and the payment nonce has not"
    PAYMENT_ONLY = "the payment nonce has moved, and the staking nonce has not"
    UNREADABLE = "the gateway does not tell nonces"


class Settlement:
    """Finds out what became of the payloads of one network, and writes it down.

    :param ready_made: whether the proofs come from elsewhere, perhaps because the gateway tells no nonces.
    """

    def __init__(
        self,
        terms: PayoutTerms,
        gateway: Gateway,
        ledger: Ledger,
        writer: LedgerWriter,
        clock: Callable[[], datetime],
        *,
        ready_made: bool,
    ) -> None:
        self._terms = terms
        self._gateway = gateway
        self._ledger = ledger
        self._writer = writer
        self._ready_made = ready_made
        self._clock = clock

    def confirm(self, payout: Payout) -> Payout | Wait:
        """Find out what became of an accepted request."""
        if self._terms.confirm_by is ConfirmBy.NONE:
            return self._confirmed(payout, ConfirmBy.NONE, "accepted; confirmation is switched off")
        state = None
        if self._terms.confirm_by is not ConfirmBy.NONCE and payout.request_id is not None:
            try:
                state = self._request_state(payout.request_id)
            except GatewayError:
                # What cannot be asked for may be seen all the same.
                if self._terms.confirm_by is ConfirmBy.AUTO and self.fate(payout) is PayloadFate.EXECUTED:
                    return self._confirmed(payout, ConfirmBy.NONCE, _NONCES_MOVED)
                raise
        if state is None:
            return self._confirm_by_nonce(payout)
        if state.status.succeeded:
            return self._confirmed(
                payout,
                ConfirmBy.REQUEST_STATE,
                f"request {state.wire_status}",
                tx_hash=state.tx_hash,
                block_number=state.block_number,
            )
        if state.status.failed:
            return self._request_failed(payout, state)
        waited = self._clock() - (payout.accepted_at or payout.updated_at)
        if state.status is RequestStatus.NOT_FOUND and waited > self._terms.not_found_grace:
            cause = f"the gateway does not know request {payout.request_id}"
            return self._writer.lose(payout, cause, self._clock(), reason=cause)
        return self._not_yet(payout, f"request {payout.request_id} is {state.wire_status}")

    def _request_state(self, request_id: str) -> RequestState | None:
        return if_supported(lambda: self._gateway.request_state(request_id))

    def _not_yet(self, payout: Payout, message: str) -> Payout | Wait:
        """Wait for an accepted request. One that comes to no end may have been dropped: its payload is sent again, byte for byte."""
        if self._clock() - (payout.accepted_at or payout.updated_at) <= self._terms.settle_within:
            return Wait(
                WaitFor.CONFIRMATION, message, self._terms.poll_interval, Outcome.UNKNOWN, request_id=payout.request_id
            )
        settled = self.by_nonce(payout)
        if not isinstance(settled, PayloadFate):
            return settled
        cause = f"{message}, long after it was accepted"
        return self._writer.lose(payout, cause, self._clock(), reason=cause)

    def _confirm_by_nonce(self, payout: Payout) -> Payout | Wait:
        settled = self.by_nonce(payout)
        if not isinstance(settled, PayloadFate):
            return settled
        # Where proofs are made, the gateway told nonces; if it does not tell them now, that passes.
        silent = self._ready_made and settled is PayloadFate.UNREADABLE
        if self._terms.confirm_by is ConfirmBy.AUTO and silent:
            return self._confirmed(
                payout, ConfirmBy.NONE, "accepted; this gateway tells neither request states nor nonces"
            )
        return self._not_yet(payout, "the staking nonce has not moved yet")

    def _request_failed(self, payout: Payout, state: RequestState) -> Payout | Wait:
        reason = f"request {payout.request_id} is {state.wire_status}"
        if not payout.unanswered:
            return self._writer.release(payout, PayoutState.REJECTED, reason)
        # An earlier send of the same bytes, never answered, may be the one that executed, or still will.
        settled = self.by_nonce(payout)
        if not isinstance(settled, PayloadFate):
            return settled
        return self.wait_for_replay(self._writer.lose(payout, reason, self._clock(), reason=reason))

    def by_nonce(self, payout: Payout) -> Payout | Wait | PayloadFate:
        """Settle a payload if the nonces tell its fate, or wait until they agree.

        :returns: the record without its payload in flight, what to wait for, or the fate that settles nothing.
        """
        fate = self.fate(payout)
        if fate is PayloadFate.EXECUTED:
            return self._confirmed(payout, ConfirmBy.NONCE, _NONCES_MOVED)
        if fate in (PayloadFate.STAKING_ONLY, PayloadFate.PAYMENT_ONLY):
            # The nonce that moved was used elsewhere, once they have had time to agree: the payload can no longer execute.
            wait = self._until_they_agree(payout, fate)
            return self._writer.release(payout, PayoutState.REJECTED, fate.value) if wait is None else wait
        if fate is PayloadFate.DEAD:
            return self._writer.release(payout, PayoutState.REJECTED, fate.value)
        if fate is not PayloadFate.UNREADABLE and self._too_late(payout):
            return self._writer.release(payout, PayoutState.REJECTED, "it was never executed and no longer can be")
        return fate

    def _until_they_agree(self, payout: Payout, fate: PayloadFate) -> Wait | None:
        """Nonces that do not agree are read again for a while, counted from when this was first seen of this payload."""
        began = None
        for event in self._ledger.events(payout):
            if event.to_state is PayoutState.SIGNED:
                began = None
            elif event.cause == fate.value and began is None:
                began = event.at
        if began is None:
            payout = self._writer.move(payout, payout.state, fate.value)
            began = payout.updated_at
        if self._clock() - began > self._terms.nonces_agree_within:
            return None
        message = f"era {payout.era}: {fate.value}; reading both again before anything is signed or sent"
        return Wait(WaitFor.REPLAY, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)

    def is_recent(self, payout: Payout) -> bool:
        """Whether a payload was sent so lately that what it has changed need not show yet."""
        sent_at = payout.unanswered_at
        return sent_at is not None and self._clock() - sent_at <= self._terms.nonces_agree_within

    def fate(self, payout: Payout) -> PayloadFate:
        """The staking nonce moves only when a payout executes, the payment nonce only when a fee is charged.

        While a payload is in flight nobody else here signs for its user. So a staking nonce that moved by more than one was
        used elsewhere too: whether this payload executed is not told, but it no longer can, and planning the part again is
        safe, for the chain pays nobody twice.
        """
        payer, user = AccountId.parse(payout.payer_key), AccountId.parse(payout.user_key)
        # In this order: both move at once, so a payment nonce read after a moved staking nonce has moved as well.
        staking = if_supported(lambda: self._gateway.nonce(user, NonceKind.STAKING))
        payment = if_supported(lambda: self._gateway.nonce(payer, NonceKind.PAYMENT))
        if payment is None or staking is None:
            return PayloadFate.UNREADABLE
        fee_charged = payment > (payout.payment_nonce or 0)
        if payout.staking_nonce is None:
            return PayloadFate.EXECUTED if fee_charged else PayloadFate.MAY_EXECUTE
        moved = staking - payout.staking_nonce
        if moved <= 0:
            return PayloadFate.PAYMENT_ONLY if fee_charged else PayloadFate.MAY_EXECUTE
        if moved > 1:
            return PayloadFate.DEAD
        return PayloadFate.EXECUTED if fee_charged else PayloadFate.STAKING_ONLY

    def _too_late(self, payout: Payout) -> bool:
        """Whether a payload that has not executed never will: nobody ever took it, for long, or its era is gone."""
        # Without its staking nonce nothing else would ever end it.
        taken = payout.accepted_at is not None and payout.staking_nonce is not None
        if (
            not taken
            and payout.unanswered_at is not None
            and self._clock() - payout.unanswered_at > self._terms.settle_within
        ):
            return True
        active = if_supported(self._gateway.active_era)
        return active is not None and payout.era < active - self._terms.history_depth

    def _confirmed(self, payout: Payout, by: ConfirmBy, cause: str, **changes: object) -> Payout:
        return self._writer.settle(
            payout, PayoutState.CONFIRMED, cause, confirmed_by=by.value, confirmed_at=self._clock(), **changes
        )

    def wait_for_replay(self, payout: Payout) -> Wait:
        """Look again soon; the same payload may have to be sent once more."""
        message = f"era {payout.era}: {payout.reason or 'its fate is unknown'}; reading nonces before sending it again"
        return Wait(WaitFor.REPLAY, message, self._terms.poll_interval, abandoned=Outcome.UNKNOWN)
