"""One seeded schedule: faults, deaths, rivals and restarts in an order the seed decides, then peace, then the reckoning."""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway.ledger import Actor
from staking_gateway_simulator.fault_plan import FaultRule
from staking_gateway_simulator.faults import FAULTS
from tests.proof.harness.processes import Process
from tests.proof.harness.storage import Storage
from tests.proof.harness.world import Payer, World, engine
from tests.support.simulated import CHARLIE, FEE

RUNS = ("scheduled", "manual", "backfill")
MOST_PROCESSES = 3
_HEALING_TRIES = 20
_PERSON_COMES_AFTER = 3
_SETTLED = 1200
"""Seconds after which a request has its end, however many faults have held it up."""
TWICE = "were to be made"
"""Part of a broken promise: an era has more executed payouts than it was to have."""
_PEACEFUL_SECONDS = 7.0
_DOUBT = "the witnesses disagree"
"""Beginning of the reason of an era that is held in doubt."""
_ASKING = tuple(name for name, kind in FAULTS.items() if kind.applies_to("/poll", "requestState"))
_SENDING = tuple(
    name
    for name, kind in FAULTS.items()
    if kind.applies_to("/send", "proxyPayoutstakers") and not name.startswith("staking-nonce")
)
_FOREIGN_STAKING = ("staking-nonce-before", "staking-nonce-after")


@dataclass
class Result:
    """What a schedule came to.

    :param violations: broken promises, in words; empty when all were kept.
    :param faults: how often each fault took effect.
    :param doubts: eras that stay red where the chain executes a call too many: without a node nobody can know which was executed.
    :param story: what the ledger and the chain remember, when a promise was broken.
    """

    seed: int
    violations: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    doubts: list[int] = field(default_factory=list)
    executed: int = 0
    deaths: int = 0
    restarts: int = 0
    processes: int = 0
    story: list[str] = field(default_factory=list, compare=False)


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A folder for a while, in memory where the machine has such a place."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


_open: dict[str, Storage] = {}


def _storage(url: str) -> Storage:
    """This process's own connections to a ledger, for all its schedules: each has a network of its own."""
    if url not in _open:
        close_ledgers()
        _open[url] = Storage(url)
    return _open[url]


def close_ledgers() -> None:
    while _open:
        _open.popitem()[1].ledger.close()


def run_schedule(seed: int, folder: Path, ledger: str = "", payer: Payer | None = None) -> Result:
    """Run a schedule to its end; the seed decides everything.

    :param folder: for the simulator's state file, and for a ledger of this process in SQLite, unless `ledger` is the URL of another.
    :param payer: another one than the engine, which must be caught.
    """
    with tempfile.TemporaryDirectory(dir=folder) as own:
        storage = _storage(ledger or f"sqlite:///{folder / f'{os.getpid()}.db'}")
        schedule = _Schedule(seed, Path(own), storage, payer or engine)
        try:
            schedule.war()
            schedule.peace()
            if payer is None:
                schedule.reckon_the_ledger()
            if schedule.result.violations:
                schedule.tell_the_story()
        finally:
            schedule.close()
        return schedule.result


class _Schedule:
    def __init__(self, seed: int, folder: Path, storage: Storage, payer: Payer) -> None:
        self._random = random.Random(seed)
        self._payer = payer
        self._tries: Counter[str] = Counter()
        self._running: dict[Process, tuple[Actor, int]] = {}
        self.result = Result(seed)
        self._parts = self._random.choice((1, 1, 2, 3))
        # With spare batches the chain executes a call too many; without, it says that nothing is left.
        self._spare = self._random.choice((0, 2))
        self._storage, self._network = storage, f"seed {seed} in {folder.name}"
        self._world = World(
            folder,
            storage,
            self._network,
            eras=self._random.randint(1, 3),
            parts=self._parts,
            spare=self._spare,
            door_checks=self._random.random() < 0.8,
            fee_on_failure=self._random.random() < 0.5,
        )
        self._limit: int | None = None
        self._anew: set[int] = set()
        if self._random.random() < 0.3:
            self._limit = FEE * self._random.randint(1, self._parts * len(self._world.eras))
        self._world.terms = replace(self._world.terms, max_fee_per_day=self._limit)
        self._world.plan.set(self._rules(), seed)
        storage.counts.clear()
        storage.war(self._random)

    def _rules(self) -> list[FaultRule]:
        """Few kinds of faults at a time, and often, so that schedules differ in character; then a little of everything.

        Most happen around the payout call. Where every read failed, nobody would get as far as sending.
        """
        draw = self._random
        if draw.random() < 0.2:
            return []  # what the database does is then not hidden by what the gateway does
        rules = []
        foreign = not self._spare and draw.random() < 0.4
        if foreign:
            # By two, so that it can be told from the payload's own execution; see rule 6 of `payout.decide`.
            rules = [FaultRule(fault, probability=draw.uniform(0.05, 0.4), by=2) for fault in _FOREIGN_STAKING]
        rules += [FaultRule(draw.choice(_SENDING), path="/send", probability=draw.uniform(0.1, 0.7)) for _ in range(3)]
        rules += [FaultRule(draw.choice(_ASKING), path="/poll", probability=draw.uniform(0.1, 0.7)) for _ in range(2)]
        rules += [FaultRule(fault, path="/send", probability=draw.choice((0.0, 0.02))) for fault in _SENDING]
        # A signer beside this ledger shows in the nonces between its own; reads that are ahead would hide it.
        for fault in ("nonce-stale",) if foreign else ("nonce-stale", "nonce-ahead"):
            rules.append(FaultRule(fault, path="/query", probability=draw.choice((0.0, 0.1, 0.5))))
        return (
            rules if foreign else [*rules, FaultRule("any", path="/query", probability=draw.choice((0.0, 0.02, 0.1)))]
        )

    def war(self) -> None:
        draw, control = self._random, self._world.control
        moves: list[tuple[float, Callable[[], Any]]] = [
            (60, self._let_somebody_run),
            (6, self._start_somebody),
            (3, self._kill_somebody),
            (14, lambda: self._world.elapse(draw.choice((0.4, 1, 6, 6, 6, 30, 130)))),
            (1, self._world.restart_gateway),
            (2, lambda: control("window", state=draw.choice(("open", "closed", "auto", "closed")))),
            (1, lambda: control("fee", amount=str(draw.randint(1, 1000)))),
            (0.5, partial(control, "nonce", account=str(CHARLIE.account), kind="payment", by=1)),
            (0.4, partial(setattr, self._storage, "stopped", True)),
            (4, partial(setattr, self._storage, "stopped", False)),
        ]
        weights, actions = [weight for weight, _ in moves], [action for _, action in moves]
        for action in draw.choices(actions, weights, k=draw.randint(60, 400)):
            action()
            self.result.restarts += action == self._world.restart_gateway
            self._check_nothing_twice()
        self._kill_all()
        self._world.elapse(_SETTLED)
        charged = int(self._world.truth["fees_charged"])
        if self._limit is not None and charged > self._limit:
            self._violated(f"the chain charged {charged} of fees, the limit of the day is {self._limit}")

    def peace(self) -> None:
        """The faults end, and the limits are lifted. What the next runs and retries do must bring every era to green."""
        self.result.faults += self._world.plan.counts + self._storage.counts
        self._storage.war(None)
        self._world.plan.set([])
        self._world.control("window", state="closed")
        self._world.terms = replace(self._world.terms, max_fee_per_day=None, max_fees_for_nothing=10)
        red: dict[int, str] = dict.fromkeys(self._world.eras, "")
        for tries in range(_HEALING_TRIES):
            for era in list(red):
                if tries >= _PERSON_COMES_AFTER:
                    self._ask_a_person(era)
                process = self._start(era, "healing")
                while process.resume():
                    self._world.elapse(_PEACEFUL_SECONDS)
                self._world.terms = replace(self._world.terms, again=False)
                green, red[era] = self._verdict
                if green:
                    del red[era]
        for era, reason in red.items():
            # A person who let an executed call be signed anew has one call too many, which the chain refuses.
            one_too_many = era in self._anew and self._world.executed(era) == self._parts
            if not one_too_many and (not self._spare or not reason.startswith(_DOUBT)):
                self._violated(f"era {era} never becomes green: {reason}")
            self.result.doubts.append(era)
        self._world.elapse(_SETTLED)
        for era in self._world.eras:
            executed = self._world.executed(era)
            if executed > self._parts or (executed < self._parts and era not in self.result.doubts):
                self._violated(f"era {era} has {executed} executed payouts in the end, not {self._parts}")
        self.result.executed = len(self._world.truth["payouts"])

    def _ask_a_person(self, era: int) -> None:
        """An operator lets a part go on that stays red, once nothing of it can still execute, and the chain would refuse one call too many."""
        truth, executed = self._world.truth, self._world.executed(era)
        pending = any(request["era"] == era and request["ended_at"] is None for request in truth["requests"])
        if (executed == 0 or not self._spare) and not pending:
            self._world.terms = replace(self._world.terms, again=True)
            self._anew.add(era)

    def reckon_the_ledger(self) -> None:
        """The history must have a cause for each step, and no gap; a transaction that is shown was executed."""
        ledger, executed = self._storage.ledger, {payout["tx_hash"] for payout in self._world.truth["payouts"]}
        for era in self._world.eras:
            for number, record in enumerate(ledger.era_payouts(self._network, era)):
                if record.state.settled and record.tx_hash not in (None, *executed):
                    self._violated(f"era {era}, part {number} shows a transaction that was not executed")
                events = ledger.events(record)
                if [event.version for event in events] != list(range(1, len(events) + 1)):
                    self._violated(f"era {era}, part {number} has gaps in its history")
                if not all(event.cause for event in events):
                    self._violated(f"era {era}, part {number} moved without a cause")

    def tell_the_story(self) -> None:
        for era in self._world.eras:
            for record in self._storage.ledger.era_payouts(self._network, era):
                self.result.story.append(repr(record))
                self.result.story += [
                    f"  {event.at:%H:%M:%S} {event.to_state.value:9} {event.run}#{event.try_number}: {event.cause}"
                    for event in self._storage.ledger.events(record)
                ]
        for request in self._world.truth["requests"]:
            self.result.story.append(f"chain: {request}")

    def close(self) -> None:
        self._kill_all()
        self._storage.war(None)
        self._world.close()

    def _let_somebody_run(self) -> None:
        if not self._running:
            self._start_somebody()
            return
        process = self._random.choice([*self._running])
        for _ in range(self._random.choice((1, 2, 5, 20))):
            if not process.resume():
                self._running.pop(process)
                return

    def _start_somebody(self) -> None:
        """A process, or another thread of one that runs already: both call the same engine."""
        if self._running and self._random.random() < 0.15:
            actor, era = self._random.choice([*self._running.values()])
            self._running[self._thread(actor, era)] = actor, era
        elif len(self._running) < MOST_PROCESSES:
            self._start(self._random.choice(self._world.eras), self._random.choice(RUNS))

    def _kill_somebody(self) -> None:
        if self._running:
            dead = self._random.choice([*self._running.values()])
            for process in [one for one, whose in self._running.items() if whose == dead]:
                self._running.pop(process)
                process.kill()
            self.result.deaths += 1

    def _kill_all(self) -> None:
        while self._running:
            self._running.popitem()[0].kill()

    def _start(self, era: int, kind: str) -> Process:
        run = f"{kind} {era}"
        self._tries[run] += 1
        self.result.processes += 1
        actor = Actor(run, self._tries[run])
        process = self._thread(actor, era)
        self._running[process] = actor, era
        return process

    def _thread(self, actor: Actor, era: int) -> Process:
        def body() -> None:
            self._verdict = (False, "died")
            try:
                green, reason = self._payer(self._world, actor, era, self._random)
            except StakingGatewayError as error:
                green, reason = False, str(error)
            self._verdict = (green, reason)
            if green and (executed := self._world.executed(era)) != self._parts:
                self._violated(f"era {era} is green with {executed} of {self._parts} payouts executed")
            if not green and not reason:
                self._violated(f"era {era} is red without a reason")

        return Process(body)

    def _check_nothing_twice(self) -> None:
        for era in self._world.eras:
            if (executed := self._world.executed(era)) > self._parts:
                self._violated(f"era {era} has {executed} executed payouts, {self._parts} {TWICE}")

    def _violated(self, promise: str) -> None:
        if promise not in self.result.violations:
            self.result.violations.append(promise)
