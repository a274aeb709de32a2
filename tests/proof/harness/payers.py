"""Who pays: the product, and payers as they are commonly written, for comparison. Each runs in a process of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from staking_gateway.errors import GatewayError, SendAnswer, StakingGatewayError
from staking_gateway.payout.outcomes import EraOutcome, Wait
from staking_gateway.signing import ProofMaker
from staking_gateway.types import NonceKind, StakingStatus
from tests.proof.harness.processes import pause
from tests.proof.harness.world import InProcessGateway
from tests.support.simulated import ALICE, CHARLIE

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from staking_gateway.ledger import Actor
    from staking_gateway.signing import Proofs
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


HABITS = ("signs anew", "sends first", "trusts refusals")


class NaivePayer:
    """A payer that calls an era paid when its payouts are queued, with one of the habits of its kind.

    :param habit: `signs anew`: it signs with fresh nonces after each error. `trusts refusals`: it repeats the same bytes until
        one is refused, then signs anew. `sends first`: likewise, and it writes into the ledger, as a status, when it is accepted.
    """

    def __init__(self, habit: str) -> None:
        self._habit = habit
        self._queued: set[tuple[str, int]] = set()
        self._signed: dict[tuple[str, int], Proofs] = {}

    def __call__(self, world: World, actor: Actor, era: int, draw: random.Random) -> Verdict:
        """Pay all parts of an era."""
        del actor, draw
        for part in range(world.terms.parts or 1):
            name = f"{world.terms.network} part {part}"
            for attempt in (1, 2, 3):
                try:
                    if (name, era) not in self._queued and not world.storage.ledger.statuses(name, era):
                        self._pay(world, era, name)
                except StakingGatewayError as error:
                    if attempt == 3:
                        return False, str(error)
                    _sleep(world, timedelta(seconds=7))
        return True, ""

    def _pay(self, world: World, era: int, name: str) -> None:
        gateway, terms = InProcessGateway(world), world.terms
        signed = self._signed.get((name, era)) or ProofMaker(ALICE, CHARLIE).make(
            relayer=terms.relayer,
            era=era,
            relayer_fee=gateway.relayer_fee(terms.relayer, terms.payer),
            staking_nonce=gateway.nonce(terms.user, NonceKind.STAKING),
            payment_nonce=gateway.nonce(terms.payer, NonceKind.PAYMENT),
        )
        if self._habit != "signs anew":
            self._signed[name, era] = signed
        try:
            gateway.payout_stakers(
                relayer=terms.relayer,
                user=terms.user,
                payer=terms.payer,
                era=era,
                proxy_signature=signed.proxy_signature,
                fee_payment_signature=signed.fee_payment_signature,
                payment_nonce=signed.payment_nonce,
            )
        except GatewayError as error:
            if error.how.sent is not SendAnswer.LOST:
                self._signed.pop((name, era), None)
            raise
        if self._habit != "sends first":
            self._queued.add((name, era))
            return
        self._signed.pop((name, era), None)
        world.storage.ledger.record_statuses(name, era, [(terms.user, StakingStatus.IS_STAKING)])
