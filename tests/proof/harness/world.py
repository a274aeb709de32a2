"""A chain, its gateway and a ledger in one process, with one clock that moves only when told."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from staking_gateway.gateway.calls import Call, decode
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.http.session import Answer
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.fault_plan import FaultPlan
from staking_gateway_simulator.faulty_gateway import FaultyGateway
from staking_gateway_simulator.gateway import Call as HttpCall
from staking_gateway_simulator.settings import DEFAULT_TOKEN, SimulatorSettings
from staking_gateway_simulator.simulation import Simulation
from staking_gateway_simulator.truth import Truth, tell_truth
from tests.proof.harness.processes import pause

if TYPE_CHECKING:
    from pathlib import Path

    from staking_gateway.ledger import Actor
    from tests.proof.harness.storage import Storage

T = TypeVar("T")

START = datetime(2026, 6, 1, tzinfo=timezone.utc)
BATCH = 100
_HEADERS = {"Authorization": f"bearer {DEFAULT_TOKEN}"}


class Keys:
    """The development keys, derived once."""

    user = LocalSigner("//Alice")
    payer = LocalSigner("//Charlie")
    relayer = LocalSigner("//Bob")


class InProcessGateway(GatewayClient):
    """The product's client of the simulated gateway, faults included, without a network and without retries.

    Other processes may run before and after each call.
    """

    def __init__(self, world: World) -> None:
        super().__init__(Endpoint("http://localhost", retry=ReadRetry(attempts=1)), DEFAULT_TOKEN)
        self._world = world

    def _send(self, call: Call[T]) -> T:
        request_id = next(self._ids)
        pause()
        reply = self._world.front.respond(HttpCall(getattr(self.dialect, call.path), _HEADERS, call.body(request_id)))
        pause()
        error = reply.fault.error(call.method) if reply.fault is not None else None
        if error is not None or reply.answer is None:
            raise error or AssertionError("no answer and no fault")
        answer = reply.answer
        return decode(call, request_id, Answer(answer.status, answer.body, answer.headers))

    _read = _send


class World:
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
        self._real = START.timestamp()
        self._state_file = folder / "chain.db"
        self.plan = FaultPlan()
        self._settings = SimulatorSettings(
            start_time=START,
            unpaid_eras=eras,
            stakers=BATCH * (parts + spare),
            batch=BATCH,
            history_depth=1_000_000,
            token_max_age=10**8,
            **settings,
        )
        self._start_gateway()
        active = self.truth()["active_era"]
        self.eras = list(range(active - eras, active))
        self.terms = PayoutTerms(
            network,
            Keys.relayer.account,
            Keys.user.account,
            Keys.payer.account,
            # Each schedule has a chain of its own, in one ledger and with one user.
            chain=f"0x{hashlib.sha256(network.encode()).hexdigest()}",
            parts=parts,
            history_depth=1_000_000,
            max_replans=2,
        )
        self.storage = storage
        storage.clock = self.now
        self._engines: dict[Actor, PayoutEngine] = {}

    def close(self) -> None:
        """Give the state file back."""
        self.simulation.close()

    def now(self) -> datetime:
        """The present, for every process."""
        return datetime.fromtimestamp(self._real, timezone.utc)

    def elapse(self, seconds: float) -> None:
        """Let time pass, for the chain and for everybody else."""
        self._real += seconds

    def control(self, name: str, **fields: Any) -> None:
        """Change something through the simulator's control interface."""
        status, answer = Control(self.simulation, self.plan).respond("POST", name, json.dumps(fields).encode())
        if status != 200:
            raise AssertionError(f"{name} {fields}: {answer}")

    def restart_gateway(self) -> None:
        """The simulator dies and comes back with what is in its state file."""
        self.simulation.close()
        self._start_gateway()

    def _start_gateway(self) -> None:
        self.simulation = Simulation(self._settings, self._state_file, lambda: self._real)
        self.front = FaultyGateway(self.simulation, self.plan)

    def executed(self, era: int) -> int:
        """How many payouts of an era were executed."""
        self.simulation.settle()
        chain = self.simulation.chain
        return sum(chain.requests[event.request_id].accepted.era == era for event in chain.executed)

    def truth(self) -> Truth:
        """The simulator's own word on what happened."""
        return tell_truth(self.simulation)

    def engine(self, actor: Actor) -> PayoutEngine:
        """The payout engine of a process: all threads of one actor share it."""
        if actor not in self._engines:
            proofs, gateway = ProofMaker(Keys.user, Keys.payer), InProcessGateway(self)
            self._engines[actor] = PayoutEngine(self.terms, gateway, proofs, self.storage.ledger, actor, clock=self.now)
        return self._engines[actor]
