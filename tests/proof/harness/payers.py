"""Who pays: the product, and a payer as it is commonly written, which must be caught. Each runs in a process of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway.errors import StakingGatewayError
from staking_gateway.payout.outcomes import EraOutcome, Wait
from staking_gateway.signing import ProofMaker
from staking_gateway.types import NonceKind
from tests.proof.harness.processes import pause
from tests.proof.harness.world import InProcessGateway
from tests.support.simulated import ALICE, CHARLIE

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from staking_gateway.ledger import Actor
    from tests.proof.harness.world import World

PATIENCE = timedelta(minutes=30)
"""How long a process waits for one era before it gives up, like a task's time-out."""

Verdict: TypeAlias = "tuple[bool, str]"
"""Whether the payer calls the era paid, and its reason if not."""
Payer: TypeAlias = "Callable[[World, Actor, int, random.Random], Verdict]"


def _sleep(world: World, time: timedelta) -> None:
    wake_at = world.now() + time
    while world.now() < wake_at:
        pause()


def engine(world: World, actor: Actor, era: int, draw: random.Random) -> Verdict:
    """The product: the payout engine, driven as the Airflow operator drives it, or by a caller that goes on after an error."""
    payouts, deadline = world.engine(actor), world.now() + PATIENCE
    step: Wait | EraOutcome | None = None
    while not isinstance(step, EraOutcome):
        try:
            is_late = world.now() >= deadline
            step = payouts.abandon(era, step) if is_late and step is not None else payouts.advance(era)
        except StakingGatewayError:
            if world.now() >= deadline or draw.random() < 0.3:
                raise
            _sleep(world, timedelta(seconds=draw.choice((0, 7, 60))))
        else:
            _sleep(world, step.retry_in if isinstance(step, Wait) else timedelta())
    return step.outcome.is_green, step.reason


def naive() -> Payer:
    """A payer as it is commonly written: it signs with fresh nonces after each error, and calls an era paid when its payouts are queued."""
    queued: set[tuple[int, int]] = set()

    def pay(world: World, actor: Actor, era: int, draw: random.Random) -> Verdict:
        del actor, draw
        for part in range(world.terms.parts or 1):
            for attempt in (1, 2, 3):
                try:
                    if (era, part) not in queued:
                        _send_anew(world, era)
                        queued.add((era, part))
                except StakingGatewayError as error:
                    if attempt == 3:
                        return False, str(error)
                    _sleep(world, timedelta(seconds=7))
        return True, ""

    return pay


def _send_anew(world: World, era: int) -> None:
    gateway, terms = InProcessGateway(world), world.terms
    signed = ProofMaker(ALICE, CHARLIE).make(
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
