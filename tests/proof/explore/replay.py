"""A path of the model, taken by the real engine on a real ledger: every read, write and outcome is compared.

It ties the model to the product. Random walks compare the two step by step; a counter-example is replayed in the same way.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import cache, partialmethod
from pathlib import Path
from typing import Any, cast

from staking_gateway import errors
from staking_gateway.errors import SendAnswer
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.records import Payout
from staking_gateway.payout import PayoutEngine, Wait
from staking_gateway.payout.evidence import Fact
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import AccountId, NonceKind
from tests.proof.explore.environment import Slot, State
from tests.proof.explore.model import World
from tests.proof.explore.reach import Rules
from tests.proof.explore.scenario import Scenario
from tests.proof.explore.story import follow, sentence
from tests.proof.explore.thoughts import WRITES, ends
from tests.proof.harness.processes import Process as Turn
from tests.proof.harness.processes import pause as give_way

_START = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
_TICK = timedelta(seconds=40)
_TIMES = ("not_found_grace", "lease", "settle_within", "lag", "finalized_within")
_OPERATOR = Actor("the operator")
_FAILED = {how.sent: how for how in errors.Failed}
_signer = cache(lambda key: LocalSigner(f"//{key}"))


class Differs(AssertionError):
    """The engine did something else than the model."""


class ChangedBack(Differs):
    """The ledger refuses a write to a part that was changed, and changed back; to the model it is the same part.

    The engine then looks again, from where the model has been. The two cannot go on side by side.
    """


class _Fails(errors.LedgerError):
    """A write of a path that fails, or whose answer is lost."""


class _Gateway(Gateway):
    """Answers what the path says it answered."""

    def __init__(self, replay: Replay, slot: int) -> None:
        self._replay, self._slot = replay, slot
        self.client, self.is_remote = self, False
        self.node = cast("Any", self) if replay.world.scenario.node else None

    def era_paid(self, era: int) -> Any:
        return None if self.node is None else self._read(Fact.ERA_PAID)

    def _read(self, fact: Fact, *_: Any) -> Any:
        both = self._replay
        if self._slot in both.slow:
            both.pause(self._slot, "read")
        if not both.reads or both.reads[0][0] is not fact:
            wanted = both.reads[0][0].value if both.reads else "nothing more"
            raise Differs(f"the engine reads {fact.value}, the model {wanted}")
        value = both.reads.pop(0)[2]
        if isinstance(value, Exception):
            raise errors.ConnectionLost("reset", method="read")
        if value is None:
            raise errors.GatewayError(method="read", how=errors.Failed.NO_METHOD)
        return value

    def payout_stakers(self, **params: Any) -> str:
        self._replay.pause(self._slot, "send")
        heard = self._replay.sent
        if heard.kind is SendAnswer.ACCEPTED:
            return str(heard.request)
        raise errors.GatewayError(method="payout", how=_FAILED[heard.kind])

    def nonce(self, account: AccountId, kind: NonceKind) -> Any:
        return self._read(Fact.STAKING_NONCE if kind is NonceKind.STAKING else Fact.PAYMENT_NONCE)

    pays_by_itself = partialmethod(_read, Fact.PAYS_BY_ITSELF)
    active_era = partialmethod(_read, Fact.ACTIVE_ERA)
    election_window = partialmethod(_read, Fact.WINDOW)
    relayer_fee = partialmethod(_read, Fact.FEE)
    request_state = partialmethod(_read, Fact.REQUEST)


def _stopping(write: Callable[..., Payout]) -> Any:
    """A write of the ledger that stops before and after, and when it is refused."""

    def stopping(ledger: _Ledger, *args: Any, **options: Any) -> Payout:
        both, slot = ledger.both
        both.pause(slot, "write")
        if both.fault == "failed":
            raise _Fails("the disk is full")
        try:
            written = write(ledger, *args, **options)
        except errors.LedgerConflict as error:
            both.pause(slot, "refused, changed" if "was changed by another" in str(error) else "refused")
            raise
        if both.fault == "unheard":
            raise _Fails("the connection is gone")
        both.pause(slot, "written")
        return written

    return stopping


class _Ledger(Ledger):
    """A process's own ledger. It shares the connections of the ledger it is made from."""

    def __init__(self, ledger: Ledger, replay: Replay, slot: int) -> None:
        self.__dict__.update(vars(ledger))
        self.both = replay, slot

    transition = _stopping(Ledger.transition)
    sign = _stopping(Ledger.sign)
    count_send = _stopping(Ledger.count_send)
    answer = _stopping(Ledger.answer)


class Replay:
    """The real engine in the world of a scenario, with an SQLite ledger of its own in a file."""

    def __init__(self, scenario: Scenario, file: Path, rules: Rules | None = None) -> None:
        self.world = World(scenario, rules)
        self.state = self.world.start()
        self.now = _START
        self.reads: list[Any] = []
        self.sent: Any = None
        self.fault = ""
        self.slow: set[int] = set()
        self._file = file
        self._ledger = Ledger(f"sqlite:///{file}", clock=lambda: self.now)
        self._turns: dict[int, Turn] = {}
        self._at: dict[int, str] = {}
        self._tries: dict[int, int] = {}

    def close(self) -> None:
        for turn in self._turns.values():
            turn.kill()
        self._ledger.close()

    def pause(self, slot: int, where: str) -> None:
        """Called by a process: stand still here."""
        self._at[slot] = where
        give_way()

    def take(self, step: tuple[Any, ...], after: State) -> None:
        """Take a step in both worlds, and compare them."""
        kind = step[0]
        if kind == "die":
            self._turns.pop(step[1]).kill()
            self.slow.discard(step[1])
        elif kind == "tick":
            self.now += _TICK
        elif kind == "event":
            self._event(step[1])
        elif kind in ("slow", "look", "read"):
            self._look(kind, step, after)
        elif kind in ("write", "refused", "failed", "unheard", "answer"):
            self._write(kind, step, after)
        elif kind == "send":
            process = self.world.process(after, step[1])
            self.sent = self.world.of[process.now] if process is not None else None
            self._expect(step[1], "write", self._resume(step[1]))
        self.state = after
        self._compare()

    def _event(self, words: str) -> None:
        if words == "the ledger's clock jumps ahead":
            self.now += (self.world.scenario.lag + 1) * _TICK
        elif words == "the ledger's clock goes back":
            self.now -= (self.world.scenario.lag + 1) * _TICK
        elif "backup" in words:
            restores, backup = words == "the backup is restored", self._file.with_suffix(".backup")
            with closing(sqlite3.connect(self._file)) as own, closing(sqlite3.connect(backup)) as kept:
                kept.backup(own) if restores else own.backup(kept)
            if restores and self.world.scenario.marked:
                self._ledger.restored("a test", _OPERATOR)

    def _start(self, slot: int) -> None:
        where = self.world.slots[slot]
        self._tries[slot] = self._tries.get(slot, 0) + 1
        actor = Actor(where.name, self._tries[slot])

        def body() -> None:
            engine, settings = None, -1
            while True:
                chosen = self.world.settings(self.state, slot)
                if engine is None or chosen != settings:
                    engine, settings = self._engine(slot, where, chosen, actor), chosen
                try:
                    step = engine.advance(self.world.records[where.parts[0]].era)
                    told = "wait" if isinstance(step, Wait) else f"ended {step.outcome.value}"
                except (errors.GatewayError, _Fails):
                    told = "raised"
                except (Differs, errors.StakingGatewayError) as error:
                    told = f"differs: {error}"
                lives = told == "wait" or (told == "raised" and self.world.scenario.lives)
                if not lives:
                    self._at[slot] = told
                    return
                self.pause(slot, told)

        self._turns[slot] = Turn(body)

    def _engine(self, slot: int, where: Slot, settings: int, actor: Actor) -> PayoutEngine:
        who = where.own[settings]
        times: Any = {name: getattr(who.terms, name) * _TICK for name in _TIMES}
        user, payer, relayer = map(_signer, (who.me.user_key, who.me.payer_key, who.me.relayer_key))
        genesis = f"0x{hashlib.sha256(who.terms.lane.encode()).hexdigest()}"
        terms = replace(
            who.terms, relayer=relayer.account, user=user.account, payer=payer.account, chain=genesis,
            poll_interval=timedelta(seconds=1), **times,
        )  # fmt: skip
        proofs = who.me.given or ProofMaker(user, payer)
        return PayoutEngine(terms, _Gateway(self, slot), proofs, _Ledger(self._ledger, self, slot), actor)

    def _resume(self, slot: int) -> str:
        if slot not in self._turns:
            self._start(slot)
        if not self._turns[slot].resume():
            self._turns.pop(slot)
        return self._at[slot]

    def _expect(self, slot: int, wanted: str, told: str) -> None:
        if not told.startswith(wanted) and (wanted, told) != ("ended PAID", "ended ALREADY_PAID"):
            raise Differs(f"{self.world.slots[slot].name}: the model expects {wanted!r}, the engine is at {told!r}")

    def _look(self, kind: str, step: tuple[Any, ...], after: State) -> None:
        slot = step[1]
        if kind == "slow":
            self.slow.add(slot)
            self._expect(slot, "read", self._resume(slot))
            return
        reads = step[4] if kind == "look" else (step[2],)
        place = self.world.slots[slot].parts[0]
        self.reads = [read for read in reads if not self.world.needs_no_call(self.state, read[0], read[1], place)]
        if kind == "read":
            self._expect(slot, "read", self._resume(slot))
            return
        self.slow.discard(slot)
        told = self._resume(slot)
        self._expect(slot, self._ends(step[3], self.world.process(after, slot) is not None), told)
        if self.reads:
            raise Differs(f"the model also reads {self.reads[0][0].value}")

    @staticmethod
    def _ends(act: Any, lives: bool) -> str:
        if isinstance(act, str):
            return "wait" if act == "waits" else act.replace("done", "ended")
        if isinstance(act, WRITES):
            return "write"
        return {"raise": "raised"}.get(told := ends(act, own=not lives), told.replace("done", "ended"))

    def _write(self, kind: str, step: tuple[Any, ...], after: State) -> None:
        slot = step[1]
        process = self.world.process(after, slot)
        if kind in ("failed", "unheard"):
            self.fault = kind
            told = self._resume(slot)
            self.fault = ""
            self._expect(slot, "raised", told)
            return
        told = self._resume(slot)
        if kind == "refused":
            self._expect(slot, "refused", told)
            return
        if told == "refused, changed":
            raise ChangedBack
        self._expect(slot, "written", told)
        if process is None or process.stage == "idle":
            told = self._resume(slot)
            if not told.startswith(("wait", "raised", "ended")):
                raise Differs(f"{self.world.slots[slot].name}: the model's call ends, the engine is at {told!r}")
        elif process.stage == "send":
            self._expect(slot, "send", self._resume(slot))

    def _compare(self) -> None:
        for wanted in self.world.all_parts(self.state):
            found = self._ledger.payout(wanted.network, wanted.era, wanted.part)
            mine, real = summary(wanted), ("PLANNED", None, [], []) if found is None else summary(found)
            for name, one, other in zip(("state", "hold", "copies", "sightings"), mine, real, strict=True):
                if one != other:
                    raise Differs(
                        f"era {wanted.era} part {wanted.part}: {name} is {one!r} in the model, {other!r} in the ledger"
                    )


def summary(part: Payout) -> tuple[Any, ...]:
    """What the model and the ledger say of a part alike: its state, its hold, its copies with their sends, and what was seen."""
    judged = {seen.slot for seen in part.sightings if seen.kind.judges}
    looks = {seen.slot: seen.kind.value for seen in part.sightings if seen.kind.value in ("passed", "stood")}
    words = [seen.kind.value for seen in part.sightings if seen.kind.value in ("paid", "expired", "denied")][-1:]
    seen = sorted((one.kind.value, str(one.nonce)) for one in part.sightings if one.kind.judges)
    seen += sorted((kind, str(slot[1])) for slot, kind in looks.items() if slot not in judged and kind != "stood")
    seen += [(word, "") for word in words if word != "denied"]
    copies = [
        (copy.staking_nonce, copy.payment_nonce, copy.fee, [send.answer for send in copy.sends]) for copy in part.copies
    ]
    return part.state.value, part.hold, copies, seen


def replay(scenario: Scenario, path: list[int], file: Path, *, rules: Rules | None = None) -> list[str]:
    """Take a path in both worlds, as `Verdict.violations` gives it; returns the steps in words.

    :param rules: the decision of the model's processes.
    :raises Differs: the engine did something else than the model.
    """
    told = []
    with closing(Replay(scenario, file, rules)) as both:
        for step, after in follow(both.world, path):
            told.append(sentence(both.world, step))
            both.take(step, after)
    return told


def walk(scenario: Scenario, file: Path, seed: int, steps: int = 60) -> int:
    """Take random steps in both worlds; returns how many were taken.

    :raises Differs: the engine did something else than the model; the text tells the seed and the way.
    """
    draw, told, taken = random.Random(seed), list[str](), 0
    with closing(Replay(scenario, file)) as both:
        try:
            while taken < steps and (possible := list(both.world.steps(both.state))):
                step, after = draw.choice(possible)
                told.append(sentence(both.world, step))
                both.take(step, after)
                taken += 1
        except ChangedBack:
            pass
        except Differs as error:
            raise Differs(f"{scenario.name}, seed {seed}: {error}\n  " + "\n  ".join(told)) from None
    return taken


def walks(scenario: Scenario, folder: Path, seeds: Sequence[int]) -> int | str:
    """Take random walks, one for each seed, each on a ledger of its own: how many steps were taken, or where the two differ."""
    total = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            try:
                total += walk(scenario, Path(own) / "ledger.db", seed)
            except Differs as error:
                return str(error)
    return total
