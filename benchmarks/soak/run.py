"""A soak under way: the chains go on by themselves, the schedule pays, and what the course says is done to them."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import requests

from benchmarks.soak.course import Act
from benchmarks.soak.evidence import (
    AirflowEvidence,
    Idle,
    NetworkEvidence,
    gather_airflow,
    gather_network,
    unfinished_runs,
)
from benchmarks.soak.memory import DATABASE, Sample, processor_seconds, weigh
from benchmarks.soak.pace import ChainClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.soak.course import Course, Step
    from benchmarks.soak.network import Network
    from benchmarks.soak.stand import Stand

_TICK_SECONDS = 0.5
_WEIGH_ERAS = 2
_PAGE_ERAS = 5
_TELL_ERAS = 10
_DRAIN_SECONDS = 2700.0
"""How long the last runs may take. On a busy machine the last tasks are in a queue for minutes."""
_DRAIN_TICKS = 10


@dataclass
class Outcome:
    """What a soak came to, before it is judged.

    :param seconds: from the start of the first era to the end of the last one.
    :param held: seconds a chain waited because Airflow was busy, on average.
    :param drained: seconds it took after that until nothing was owed and no run was under way.
    :param kills: by program.
    :param processor: seconds of processor time each life of a program has used until its last weighing.
    :param pages: how often the Staking page's data was asked for, and answered.
    """

    networks: list[NetworkEvidence] = field(default_factory=list)
    airflow: AirflowEvidence = field(default_factory=AirflowEvidence)
    samples: list[Sample] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    processor: dict[tuple[str, int], float] = field(default_factory=dict)
    pages: int = 0
    seconds: float = 0.0
    held: float = 0.0
    drained: float = 0.0
    ledger_bytes: int = 0
    ledger_bytes_at_start: int = 0


class Soak:
    """One soak.

    :param stand: entered, and not brought up yet.
    :param tell: takes a line about the progress.
    """

    def __init__(self, stand: Stand, course: Course, tell: Callable[[str], object]) -> None:
        self._stand = stand
        self._course = course
        self._tell = tell
        self._outcome = Outcome()
        self._clocks = {network.name: ChainClock(network) for network in stand.networks}
        self._idle: dict[str, datetime] = {}
        self._idles: list[Idle] = []

    def run(self) -> Outcome:
        """All of it.

        :raises DemoFailed: a program has ended by itself.
        :raises MeasurementFailed: something that was waited for did not happen.
        """
        stand, outcome = self._stand, self._outcome
        stand.bring_up()
        self._tell("Airflow is up; the DAGs go")
        for network in stand.networks:
            for dag_id in (network.payout_dag, network.catch_up_dag):
                stand.pause(dag_id, paused=False)
        outcome.ledger_bytes_at_start = stand.ledger_bytes()
        self._go_through(self._course.steps())
        outcome.seconds = (datetime.now(timezone.utc) - stand.networks[0].start).total_seconds()
        held, begun = outcome.held, time.monotonic()
        self._drain()
        outcome.held, outcome.drained = held, time.monotonic() - begun
        outcome.networks = [
            gather_network(stand, network, self._idles, self._clocks[network.name].ends) for network in stand.networks
        ]
        outcome.airflow = gather_airflow(stand.engine)
        outcome.faults = stand.faults
        outcome.ledger_bytes = stand.ledger_bytes()
        return outcome

    # --- while eras pass -----------------------------------------------------------------------------------------------

    def _go_through(self, steps: list[Step]) -> None:
        """Until all eras have ended."""
        weighed = told = looked = 0
        while (ended := self._ended()) < self._course.total:
            while steps and ended >= steps[0].after:
                self._do(steps.pop(0))
            if ended - weighed >= _WEIGH_ERAS:
                weighed = ended
                self._weigh(ended)
            if ended - looked >= _PAGE_ERAS:
                looked = ended
                self._look_at_page(self._stand.networks[ended // _PAGE_ERAS % len(self._stand.networks)])
            if ended - told >= _TELL_ERAS:
                told = ended
                self._tell(self._progress(ended))
            self._tick()
        for step in steps:
            self._do(step)
        self._weigh(self._course.total)

    def _tick(self) -> None:
        """Wait a moment, in which time passes on the chains too."""
        self._stand.stack.services.check()
        begun = time.monotonic()
        time.sleep(_TICK_SECONDS)
        work = self._stand.work({name: clock.active for name, clock in self._clocks.items()})
        for name, clock in self._clocks.items():
            wait = work.is_too_much(name)
            # A simulator that was killed just now is not there yet; its clock follows later.
            with contextlib.suppress(requests.RequestException):
                clock.go_on(wait=wait)
            self._outcome.held += (time.monotonic() - begun) * wait / len(self._clocks)

    def _ended(self) -> int:
        """Eras that have ended, of all networks."""
        return sum(clock.ended for clock in self._clocks.values())

    def _do(self, step: Step) -> None:
        self._tell(f"after {step.after} eras, {step.target}: {step.act.value}")
        stand = self._stand
        if step.act is Act.KILL:
            stand.kill(step.target)
            self._outcome.kills[step.target] += 1
            return
        network = stand.network(step.target)
        if step.act in (Act.PAUSE, Act.RESUME):
            stand.pause(network.payout_dag, paused=step.act is Act.PAUSE)
            return
        account, now = network.accounts[0], datetime.now(timezone.utc)
        stand.wait(lambda: network.control.staking(account, step.act is Act.STAKE), "the account is told")
        if step.act is Act.IDLE:
            self._idle[account] = now
        else:
            self._idles.append(Idle(account, self._idle.pop(account), now))

    def _weigh(self, ended: int) -> None:
        for name in [*self._stand.names, DATABASE]:
            program, life = self._stand.program(name), (name, self._stand.births[name])
            weight = weigh(program) if program else None
            if program is not None and weight is not None:
                self._outcome.samples.append(Sample(name, life[1], ended, *weight))
                used = self._outcome.processor
                used[life] = max(used.get(life, 0.0), processor_seconds(program))

    def _look_at_page(self, network: Network) -> None:
        """As somebody who keeps the Staking page open; one who does not mind that the api-server is being killed now and then."""
        with contextlib.suppress(requests.RequestException):
            self._outcome.pages += self._stand.look_at_page(network)

    def _progress(self, ended: int) -> str:
        running = self._stand.count_runs()
        tries = ", ".join(f"{count} {state}" for state, count in sorted(running.items()))
        return f"{ended} of {self._course.total} eras have ended; runs: {tries or 'none'}"

    # --- when they have passed -----------------------------------------------------------------------------------------

    def _drain(self) -> None:
        """Without faults what is owed is paid, what is to be said is said, and the runs of the soak's eras end.

        The schedule goes on meanwhile: Airflow would stop the runs of a paused DAG where they are. What does not come to an end in
        time is found by the judge.
        """
        stand = self._stand
        for network in stand.networks:
            stand.count_faults(network)
            stand.wait(lambda network=network: network.control.set_faults(), "the faults are lifted")  # type: ignore[misc]
        self._tell("all eras have ended; what is owed is paid, and their runs come to an end")
        until = time.monotonic() + _DRAIN_SECONDS
        while time.monotonic() < until and not all(map(self._is_over, stand.networks)):
            for _ in range(_DRAIN_TICKS):
                self._tick()

    def _is_over(self, network: Network) -> bool:
        return not unfinished_runs(self._stand.engine, network) and self._stand.is_settled(network)
