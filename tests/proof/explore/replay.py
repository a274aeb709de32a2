"""A path of the model, taken by the real engine on a real ledger: every read, write and outcome is compared.

It ties the model to the product. Random walks compare the two step by step; a counter-example is replayed in the same way on SQLite or
PostgreSQL.
"""

from __future__ import annotations

import random
import uuid
from contextlib import closing
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import ConnectionLost, GatewayError, LedgerConflict, RpcInvalidRequest, StakingGatewayError
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.payout import PayoutEngine, PayoutTerms, Wait
from staking_gateway.payout.evidence import Fact
from staking_gateway.signing import LocalSigner, ProofMaker, Proofs
from staking_gateway.types import AccountId, NonceKind
from tests.proof.explore.model import World
from tests.proof.explore.scenario import LAG
from tests.proof.explore.story import follow, sentence
from tests.proof.explore.values import GRACE, LEASE, REPLANS, SETTLE, Process
from tests.proof.harness.processes import Process as Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from staking_gateway.types import ElectionWindow, RequestState
    from tests.proof.explore.scenario import Scenario
    from tests.proof.explore.values import Act, Record, State

_START = datetime(2026, 6, 1, tzinfo=timezone.utc)
_TICK = timedelta(seconds=40)
_COMPARED = (
    "state", "staking_nonce", "payment_nonce", "unanswered", "copies_out", "refused", "request_status", "disagree", "over", "hold",
    "fee_charged", "asked", "wasted", "used_nonce", "signatures",
)  # fmt: skip
_CAPPED = {"unanswered": 2, "wasted": 2, "signatures": REPLANS + 1}


class Differs(AssertionError):
    """The engine did something else than the model."""


class _Proofs(ProofMaker):
    """Signatures that cost no time; the gateway of the model does not look at them."""

    def __init__(self) -> None:
        super().__init__(LocalSigner("//Alice"), LocalSigner("//Charlie"))

    def check(self, *, user: AccountId, payer: AccountId) -> None:
        del user, payer

    def make(self, *, relayer: AccountId, era: int, relayer_fee: int, staking_nonce: int, payment_nonce: int) -> Proofs:
        del relayer
        text = f"0x{era:032x}{staking_nonce:032x}{payment_nonce:032x}{relayer_fee:032x}"
        return Proofs(text, text, payment_nonce, staking_nonce, relayer_fee)


class _Gateway:
    """Answers what the path says it answered."""

    def __init__(self, replay: Replay, slot: int) -> None:
        self._replay = replay
        self._slot = slot

    def _read(self, fact: Fact) -> Any:
        reads = self._replay.reads
        if not reads or reads[0][0] is not fact:
            raise Differs(f"the engine reads {fact.value}, the model {reads[0][0].value if reads else 'nothing more'}")
        return reads.pop(0)[1]

    def payout_stakers(self, **params: Any) -> str:
        """Send once."""
        del params
        self._replay.pause(self._slot, "send")
        told = self._replay.sent
        if told in ("accepted", "accepted twice, the second is answered"):
            return str(uuid.uuid4())
        if told == "paid":
            raise RpcInvalidRequest(
                method="payout", code=-32600, rpc_message="Invalid Request", gateway_error="already paid"
            )
        if told == "window":
            from staking_gateway.errors import ElectionWindowOpen

            raise ElectionWindowOpen(method="payout", code=-32600, rpc_message="election window is open")
        if told == "refused":
            raise RpcInvalidRequest(
                method="payout", code=-32600, rpc_message="Invalid Request", gateway_error="invalid nonce"
            )
        raise ConnectionLost("reset", method="payout")

    def pays_by_itself(self) -> bool:
        return bool(self._read(Fact.PAYS_BY_ITSELF))

    def active_era(self) -> int:
        return int(self._read(Fact.ACTIVE_ERA))

    def election_window(self) -> ElectionWindow:
        found: ElectionWindow = self._read(Fact.WINDOW)
        return found

    def nonce(self, account: AccountId, kind: NonceKind) -> int:
        """Next unused nonce."""
        del account
        return int(self._read(Fact.STAKING_NONCE if kind is NonceKind.STAKING else Fact.PAYMENT_NONCE))

    def relayer_fee(self, relayer: AccountId, payer: AccountId) -> int:
        del relayer, payer
        return int(self._read(Fact.FEE))

    def request_state(self, request_id: str) -> RequestState:
        del request_id
        found: RequestState = self._read(Fact.REQUEST)
        return found

    def era_paid(self, era: int) -> bool | None:
        """A node's answer."""
        del era
        both = self._replay
        if not both.reads:  # after a send: nothing executes between its answer and this read
            number = both.world.slots[self._slot].era
            return both.world.chain(both.state).left[number] == 0 if both.world.scenario.node else None
        paid: bool | None = self._read(Fact.ERA_PAID)
        return paid


class _Ledger(Ledger):
    """Stops before and after each write, and when a write is refused."""

    def __init__(self, ledger: Ledger, clock: Callable[[], datetime], pause: Callable[[str], None]) -> None:
        self.__dict__.update(vars(ledger))  # its connections
        self._clock, self._stop = clock, pause

    def transition(self, *args: Any, **changes: Any) -> Payout:
        self._stop("write")
        try:
            moved = Ledger.transition(self, *args, **changes)
        except LedgerConflict:
            self._stop("refused")
            raise
        self._stop("written")
        return moved

    def knows_request(self, payout: Payout, request_id: str) -> bool:
        """Requests of a path are never confused."""
        del payout, request_id
        return False


class Replay:
    """The real engine in the world of a scenario.

    :param ledger: is left with the records of a network of its own.
    """

    def __init__(self, scenario: Scenario, ledger: Ledger, *, name: str = "") -> None:
        if scenario.until_empty:
            raise ValueError("eras of several parts are not replayed")
        if scenario.bounds.back:
            raise ValueError("clocks that go back are not replayed")
        self.world = World(scenario)
        self.state = self.world.start()
        self.now = _START
        self.reads: list[Any] = []
        self.sent = ""
        self.outcomes: dict[int, str] = {}
        self._ledger = ledger
        self._turns: dict[int, Turn] = {}
        self._at: dict[int, str] = {}
        self._tries: dict[int, int] = {}
        self._name = name or uuid.uuid4().hex

    def close(self) -> None:
        """End the processes."""
        for turn in self._turns.values():
            turn.kill()

    def pause(self, slot: int, where: str) -> None:
        """Called by a process: stand still here."""
        self._at[slot] = where
        self._turns[slot].pause()

    def take(self, step: tuple[Any, ...], after: State) -> None:
        """Take a step in both worlds, and compare them.

        :raises Differs: they are not in the same state.
        """
        kind = step[0]
        if kind == "start":
            self._start(step[1])
        elif kind == "die":
            self._turns.pop(step[1]).kill()
        elif kind == "tick":
            self.now += _TICK
        elif kind == "look":
            self._look(step[:5], after)
            if len(step) > 5:
                self.take(step[5], after)
                return
        elif kind in ("write", "refused"):
            self._write(step)
        elif kind == "send":
            self._send(step, after)
        self._read_again(step, after)
        self.state = after
        self._compare()

    def _start(self, slot: int) -> None:
        where = self.world.slots[slot]
        era = self.world.scenario.eras[where.era]
        relayer, user, payer = (AccountId.parse(f"0x{number:064x}") for number in (1, 10 + era.user, 20 + era.payer))
        terms = PayoutTerms(
            f"{self._name} {era.network}", relayer, user, payer, chain=self._name, max_replans=REPLANS, history_depth=2,
            poll_interval=timedelta(seconds=1), not_found_grace=GRACE * _TICK, nonces_agree_within=LAG * _TICK,
            settle_within=SETTLE * _TICK, lease=LEASE * _TICK, max_fee_per_day=self.world.scenario.limit,
        )  # fmt: skip
        self._tries[slot] = self._tries.get(slot, 0) + 1
        actor = Actor(where.name, self._tries[slot])
        index = self.world.records[where.records[0]].era

        def clock() -> datetime:
            return self.now

        def body(_: Turn) -> None:
            ledger = _Ledger(self._ledger, clock, lambda place: self.pause(slot, place))
            engine = PayoutEngine(terms, _Gateway(self, slot), _Proofs(), ledger, actor, clock=clock)
            try:
                step = engine.advance(index)
                while isinstance(step, Wait):
                    self.pause(slot, "wait")
                    step = engine.advance(index)
                self._at[slot] = f"ended {step.outcome.value}"
            except Differs as error:
                self._at[slot] = f"differs: {error}"
            except GatewayError:
                self._at[slot] = "raised"
            except StakingGatewayError as error:
                self._at[slot] = f"differs: {error}"

        self._turns[slot] = Turn(body)
        self._at[slot] = "started"

    def _resume(self, slot: int) -> str:
        alive = self._turns[slot].resume()
        if not alive:
            self._turns.pop(slot)
        return self._at[slot]

    def _expect(self, slot: int, wanted: str, told: str) -> None:
        if not told.startswith(wanted):
            raise Differs(f"{self.world.slots[slot].name}: the model expects {wanted!r}, the engine is at {told!r}")

    def _look(self, step: tuple[Any, ...], after: State) -> None:
        del after
        _, slot, _, action, reads = step
        act: Act = self.world.of[action]
        ledger_facts = (Fact.BLOCKER, Fact.NONCES_USED, Fact.PAYMENT_SHARED, Fact.SPENT)
        self.reads = [read for read in reads if read[0] not in ledger_facts]
        told = self._resume(slot)
        if act.kind == "done" and act.outcome is not None and act.outcome.value == "PAID":
            self._expect(slot, "ended", told)
            return
        wanted = {"sign": "write", "move": "write", "send": "send", "wait": "wait", "raise": "raised"}
        self._expect(slot, wanted.get(act.kind, f"ended {act.outcome.value if act.outcome else ''}"), told)
        if self.reads:
            raise Differs(f"the model also reads {self.reads[0][0].value}")

    def _write(self, step: tuple[Any, ...]) -> None:
        kind, slot, _, action = step
        act: Act = self.world.of[action]
        told = self._resume(slot)
        self._expect(slot, "written" if kind == "write" else "refused", told)
        if kind == "refused":
            self._start_over(slot)
        elif act.then:
            then = {"wait": "wait", "done": "ended", "raise": "raised"}[act.then]
            self._expect(slot, then, self._resume(slot))

    def _read_again(self, step: tuple[Any, ...], after: State) -> None:
        """Processes between two steps whose record another one has changed."""
        for slot in range(len(self.world.slots)):
            before, now = self.world.process(self.state, slot), self.world.process(after, slot)
            if before is None or step[0] != "write" or step[1] == slot:
                continue
            if before.target >= 0 and before.action < 0 and now == Process(-1):
                self._start_over(slot)

    def _start_over(self, slot: int) -> None:
        """The model's process begins anew after a refused write; the engine goes on in the same call, which is the same."""
        turn = self._turns.pop(slot)
        turn.kill()
        self._tries[slot] -= 1
        self._start(slot)

    def _send(self, step: tuple[Any, ...], after: State) -> None:
        _, slot, _, self.sent = step
        told = self._resume(slot)
        process: Process | None = self.world.process(after, slot)
        if process is None:
            self._expect(slot, "raised", told)
        else:
            self._expect(slot, "write", told)
            if process.action < 0:
                self._start_over(slot)

    def _compare(self) -> None:
        for record in self.world.records:
            wanted: Record = self.world.record(self.state, record.id)
            found = self._ledger.payout(f"{self._name} {record.network}", record.era, 0)
            if found is None:
                if wanted.state is not PayoutState.PLANNED:
                    raise Differs(f"era {record.id} has no record")
                continue
            names: tuple[str, ...] = ("state",) if wanted.state.settled else _COMPARED
            if not wanted.state.in_flight:
                names = tuple(
                    name
                    for name in names
                    if name not in ("unanswered", "refused", "request_status", "disagree", "over")
                )
            for name in names:
                mine, real = getattr(wanted, name), getattr(found, name)
                if name in _CAPPED:
                    real = min(real, _CAPPED[name])
                    if name == "signatures" and wanted.signed_try != 1:
                        continue
                if mine != real:
                    raise Differs(f"era {record.id}: {name} is {mine!r} in the model, {real!r} in the ledger")


def replay(scenario: Scenario, path: list[int], ledger: Ledger) -> list[str]:
    """Take a path in both worlds.

    :param path: as `Verdict.violations` gives it.
    :returns: the steps in words.
    :raises Differs: the engine did something else than the model.
    """
    both = Replay(scenario, ledger)
    told = []
    try:
        for step, after in follow(both.world, path):
            told.append(sentence(both.world, step))
            both.take(step, after)
    finally:
        both.close()
    return told


def walk(scenario: Scenario, ledger: Ledger, seed: int, steps: int = 60) -> int:
    """Take random steps in both worlds.

    :returns: how many were taken.
    :raises Differs: the engine did something else than the model; the text tells the seed and the way.
    """
    draw = random.Random(seed)
    both = Replay(scenario, ledger)
    told: list[str] = []
    try:
        for taken in range(steps):
            possible = list(both.world.steps(both.state))
            if not possible:
                return taken
            step, after = draw.choice(possible)
            told.append(sentence(both.world, step))
            both.take(step, after)
    except Differs as error:
        raise Differs(f"{scenario.name}, seed {seed}: {error}\n  " + "\n  ".join(told)) from None
    finally:
        both.close()
    return steps


def walks(scenario: Scenario, url: str, seeds: Sequence[int]) -> int | str:
    """Take random walks on a ledger, one for each seed.

    :returns: how many steps were taken, or where the two differ.
    """
    with closing(Ledger(url)) as ledger:
        try:
            return sum(walk(scenario, ledger, seed) for seed in seeds)
        except Differs as error:
            return str(error)
