"""Who pays: the product, and a payer as they are commonly written, for comparison. Each runs in a process of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway.errors import GatewayError, InvalidInput, StakingGatewayError
from staking_gateway.payout.outcomes import Wait
from staking_gateway.signing import ProofMaker
from staking_gateway.types import ElectionWindow, NonceKind
from tests.proof.harness.world import Keys

if TYPE_CHECKING:
    from staking_gateway.ledger import Actor
    from tests.proof.harness.world import World

PATIENCE = timedelta(minutes=30)
"""How long a process waits for one era before it gives up, like a task's time-out."""

Pause: TypeAlias = Callable[[], None]
Verdict: TypeAlias = "tuple[bool, str]"
"""Whether the payer calls the era paid, and its reason if not."""
Payer: TypeAlias = "Callable[[World, Actor, int, Pause], Verdict]"


def engine(world: World, actor: Actor, era: int, pause: Pause) -> Verdict:
    """The product: the payout engine, driven as the Airflow operator drives it."""
    deadline = world.now() + PATIENCE
    payouts = world.engine(actor, world.gateway(pause), world.open_ledger(pause))
    step = payouts.advance(era)
    while isinstance(step, Wait):
        wake_at = world.now() + step.retry_in
        while world.now() < wake_at:
            pause()
        step = payouts.abandon(era, step) if world.now() >= deadline else payouts.advance(era)
    return step.outcome.is_green, step.reason


class NaivePayer:
    """A payer with the habits of its kind: its cursor moves when a payout is queued, a retry signs anew with fresh nonces, and
    an answer with a request id means paid.
    """

    def __init__(self) -> None:
        self._queued: set[tuple[int, int]] = set()

    def __call__(self, world: World, actor: Actor, era: int, pause: Pause) -> Verdict:
        """Pay all parts of an era."""
        del actor
        gateway = world.gateway(pause)
        proofs = ProofMaker(Keys.user, Keys.payer)
        terms = world.terms
        for part in range(terms.parts or 1):
            if (era, part) in self._queued:
                continue
            with contextlib.suppress(GatewayError):
                if gateway.election_window() is ElectionWindow.OPEN:
                    return False, "the window is open"
            for attempt in (1, 2, 3):
                try:
                    signed = proofs.make(
                        relayer=terms.relayer,
                        era=era,
                        relayer_fee=gateway.relayer_fee(terms.relayer, terms.payer),
                        staking_nonce=gateway.nonce(terms.user, NonceKind.STAKING),
                        payment_nonce=gateway.nonce(terms.payer, NonceKind.PAYMENT),
                    )
                    gateway.payout_stakers(
                        relayer=terms.relayer,
                        user=terms.user,
                        payer=terms.payer,
                        era=era,
                        proxy_signature=signed.proxy_signature,
                        fee_payment_signature=signed.fee_payment_signature,
                        payment_nonce=signed.payment_nonce,
                    )
                except (StakingGatewayError, InvalidInput) as error:
                    if attempt == 3:
                        return False, str(error)
                    pause()
                else:
                    self._queued.add((era, part))
                    break
        return True, ""
