"""A chain, its gateway and a ledger in one process, with one clock that moves only when told; and who pays in it: the product, and a payer as it
is commonly written, which must be caught.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from staking_gateway.errors import StakingGatewayError
from staking_gateway.gateway.calls import Call
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.ledger import Actor
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Wait
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.signing import ProofMaker
from tests.proof.harness.processes import pause
from tests.proof.harness.storage import Storage
from tests.support.simulated import ALICE, BOB, CHARLIE, SimulatedGateway

T = TypeVar("T")

BATCH = 100


class InProcessGateway(GatewayClient):
    """The product's client of the simulated gateway, faults included, without a network and without retries.

    Other processes may run before and after each call.
    """

    def __init__(self, world: World) -> None:
        super().__init__(Endpoint("http://localhost", retry=ReadRetry(attempts=1)), world.token)
        self._world = world

    def _send(self, call: Call[T]) -> T:
        pause()
        try:
            answer: T = self._world.call(call)
        finally:
            pause()
        return answer


class World(SimulatedGateway):
    """Everything that outlives a process: the chain, the gateway's state file, the ledger, the clock.

    :param folder: for the gateway's state file.
    :param storage: its ledger may hold other worlds' networks too.
    :param network: this world's.
    :param eras: how many finished eras are unpaid at the start; `eras` lists them.
    :param parts: calls that are to be made for each era.
    :param spare: batches of stakers an era has beyond that. With some, a call too many is executed, and seen.
    :param settings: further ones of the simulator.
    """

    def __init__(
        self, folder: Path, storage: Storage, network: str, *, eras: int, parts: int, spare: int, **settings: Any
    ) -> None:
        super().__init__(
            state=folder / "chain.db",
            manual_clock=False,
            unpaid_eras=eras,
            stakers=BATCH * (parts + spare),
            batch=BATCH,
            history_depth=1_000_000,
            token_max_age=10**8,
            **settings,
        )
        active = self.truth["active_era"]
        self.eras = list(range(active - eras, active))
        chain = f"0x{hashlib.sha256(network.encode()).hexdigest()}"  # of its own, in one ledger and with one user
        self.terms = PayoutTerms(
            network, BOB.account, ALICE.account, CHARLIE.account, chain, parts, history_depth=1_000_000, max_replans=2
        )
        self.storage = storage
        storage.clock = self.now
        self._engines: dict[Actor, PayoutEngine] = {}

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.real, timezone.utc)

    def elapse(self, seconds: float) -> None:
        """Let time pass, for the chain and for everybody else."""
        self.real += seconds

    def restart_gateway(self) -> None:
        """The simulator dies and comes back with what is in its state file."""
        self.close()
        self.start(plan=self.plan, **self.settings)

    def executed(self, era: int) -> int:
        self.simulation.settle()
        chain = self.simulation.chain
        return sum(chain.requests[event.request_id].accepted.era == era for event in chain.executed)

    def engine(self, actor: Actor) -> PayoutEngine:
        """The payout engine of a process: all threads of one actor share it."""
        if actor not in self._engines:
            proofs, gateway = ProofMaker(ALICE, CHARLIE), InProcessGateway(self)
            self._engines[actor] = PayoutEngine(self.terms, gateway, proofs, self.storage.ledger, actor, clock=self.now)
        return self._engines[actor]


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
        for part in range(world.terms.parts or 1):
            for attempt in (1, 2, 3):
                try:
                    if (era, part) not in queued:
                        pause()
                        world.pay(world.params(era))
                        pause()
                        queued.add((era, part))
                except StakingGatewayError as error:
                    if attempt == 3:
                        return False, str(error)
                    _sleep(world, timedelta(seconds=7))
        return True, ""

    return pay
