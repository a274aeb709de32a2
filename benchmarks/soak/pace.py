"""The chains' time: it follows the machine's, and creeps while Airflow has more to do than it can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from benchmarks.soak.network import FIRST

if TYPE_CHECKING:
    from collections import Counter

    from benchmarks.soak.network import Network

MOST_READY = 12
"""Tasks that run or could, above which the chains wait: half as many again as Airflow runs at a time here."""
MOST_RUNS = 6
"""Runs of eras that have ended, above which their chain waits: Airflow runs eight of a DAG at a time."""
_CREEP = 0.25
"""How fast a chain goes on meanwhile. Payouts are confirmed in its time: one that stood still would keep Airflow busy for ever."""
_HASTE = 2.0
"""How fast a chain that has waited follows, as a multiple of its own pace."""


@dataclass(frozen=True)
class Work:
    """What Airflow has to do.

    :param ready: tasks that run or could, of all networks.
    :param runs: runs of a network's eras that have ended on its chain, by network; those of a paused DAG, which stand still, left out.
    """

    ready: int
    runs: Counter[str]

    def is_too_much(self, network: str) -> bool:
        """Whether a network's chain should wait."""
        return self.ready > MOST_READY or self.runs[network] > MOST_RUNS


def step(behind: float, passed: float, *, wait: bool) -> float:
    """By how much the clock of a chain is put forward.

    :param behind: seconds it is behind the machine's.
    :param passed: seconds since it was last asked for.
    :param wait: whether Airflow has too much to do.
    :returns: seconds; never more than it is behind, for an era ends by its calendar at the earliest.
    """
    return max(0.0, min(behind, (_CREEP if wait else _HASTE) * passed))


class ChainClock:
    """Moves the clock of one network's chain.

    :ivar ends: when each era really ended.
    """

    def __init__(self, network: Network) -> None:
        self.ends: dict[int, datetime] = {}
        self._network = network
        self._active = FIRST - 1
        self._time = network.start - timedelta(seconds=network.course.era_seconds)
        self._asked_at: datetime | None = None

    @property
    def ended(self) -> int:
        """How many of the soak's eras have ended."""
        return min(max(self._active - FIRST, 0), self._network.course.eras_each)

    @property
    def active(self) -> int:
        return self._active

    def go_on(self, *, wait: bool) -> None:
        """Put the clock forward by what is right now.

        :param wait: let it creep.
        :raises requests.RequestException: the simulator is not there; the next call makes up for it.
        """
        now = datetime.now(timezone.utc)
        passed = (now - (self._asked_at or now)).total_seconds()
        self._asked_at = now
        forward = step((now - self._time).total_seconds(), passed, wait=wait)
        if forward:
            self.note(self._network.control.advance(seconds=forward), now)

    def note(self, state: dict[str, Any], now: datetime) -> None:
        """Take in where the chain is.

        :param state: the simulator's `/control/state`.
        """
        self._time = datetime.fromisoformat(state["chain_time"])
        for era in range(self._active, state["active_era"]):
            self.ends[era] = now
        self._active = state["active_era"]
