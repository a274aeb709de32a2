"""What happens when in a soak: how many eras, how fast they follow one another, and what is done to the system after which. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import cycle

PROGRAMS = ("scheduler", "triggerer", "dag-processor", "api-server")
"""Airflow's processes that live as long as the soak, but for the kills."""
_KILLED = (*PROGRAMS, "simulator")
_NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
_SHORTEST_STRETCH = 20
HISTORY_DEPTH = 84
"""Eras after which rewards are gone, as on most networks."""


class Act(Enum):
    """Something done to the system under way."""

    KILL = "SIGKILL to a program, which is then started again"
    PAUSE = "the network's payout DAG is paused"
    RESUME = "it goes on"
    IDLE = "one of the network's accounts stops staking"
    STAKE = "it stakes again"


@dataclass(frozen=True)
class Step:
    """One thing to do.

    :param after: when so many eras of all networks together have ended.
    :param target: the network; of a kill the program, a simulator as `simulator alpha`.
    """

    after: int
    act: Act
    target: str


@dataclass(frozen=True)
class Course:
    """The whole of a soak.

    :param eras: eras that must be paid, of all networks together, at least.
    :param pace: seconds from the end of one era to the end of the next, whichever network it belongs to, by the networks' calendars. The
        chains keep to them while Airflow keeps up.
    :param count: networks, 1 to 6, each a chain with a gateway, accounts and Airflow DAGs of its own. With more of them the eras of each
        last longer at the same pace, so that a task that is tried again after its quarter of a minute, as the DAGs have it, holds less up.
    :param accounts: accounts whose staking status is checked in each era.
    :param chance: of every fault, at every call it can happen to.
    :param seed: decides where chance has a part in it.
    :raises ValueError: a number that cannot be used; says what to write.
    """

    eras: int = 510
    pace: float = 4.0
    count: int = 5
    accounts: int = 10
    chance: float = 0.01
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.count <= len(_NAMES):
            raise ValueError(f"networks: {self.count} is not possible; write 1 to {len(_NAMES)}")
        if self.eras < self.count:
            raise ValueError(f"eras: {self.eras} is less than one of each network; write {self.count} or more")
        if not 0 < self.pace <= 3600:
            raise ValueError(f"seconds: {self.pace} is not possible; write more than 0 and at most 3600")
        if self.accounts < 1:
            raise ValueError(f"accounts: {self.accounts} is less than one; write 1 or more")
        if not 0 <= self.chance <= 1:
            raise ValueError(f"chance: {self.chance} is no probability; write 0 to 1")

    @property
    def networks(self) -> tuple[str, ...]:
        """Their names."""
        return _NAMES[: self.count]

    @property
    def era_seconds(self) -> float:
        """How long an era of one network lasts; the networks' eras end in turn."""
        return self.pace * self.count

    @property
    def eras_each(self) -> int:
        return -(-self.eras // self.count)

    @property
    def total(self) -> int:
        """Eras in fact: as many of each network."""
        return self.eras_each * self.count

    @property
    def stretch(self) -> int:
        """The eras after which the same kinds of things happen again: a fifth of a long soak."""
        return max(_SHORTEST_STRETCH, self.total // 5)

    def steps(self) -> list[Step]:
        """What is done, in order.

        In each stretch one network's payout DAG rests for ten of its eras (fewer in a short soak), and an account of another one does
        not stake for a while; twice a program is killed, each in its turn.
        """
        found = []
        for number, begin in enumerate(range(0, self.total - self.stretch + 1, self.stretch)):
            resting, idle = (self.networks[(number + more) % self.count] for more in (0, 1))
            rest = max(1, self.stretch // 10) * self.count
            pause = begin + self.stretch * 45 // 100
            found += [
                Step(begin + self.stretch // 10, Act.IDLE, idle),
                Step(begin + self.stretch * 4 // 10, Act.STAKE, idle),
                Step(pause, Act.PAUSE, resting),
                Step(min(pause + rest, begin + self.stretch - 1), Act.RESUME, resting),
            ]
        found += self._kills()
        return sorted(found, key=lambda step: step.after)

    def _kills(self) -> list[Step]:
        simulators = cycle(f"simulator {name}" for name in self.networks)
        every = self.stretch // 2
        return [
            Step(after, Act.KILL, next(simulators) if program == "simulator" else program)
            for after, program in zip(range(every, self.total, every), cycle(_KILLED), strict=False)
        ]
