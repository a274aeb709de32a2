"""What long-lived programs weigh, whether they grow, and how much processor time they use."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LASTING_SECONDS = 120.0
"""Children younger than this are tasks and parses, which come and go; older ones belong to the program."""
WARM_UP_SECONDS = 180.0
"""What a program weighs at first, while it loads what it needs, says nothing about growth."""
FEWEST = 9
"""A life with fewer samples after its warm-up is not judged."""
MOST_GROWTH = 6.0
"""MB per 100 eras above which a process counts as growing, and its program with it; a leak of 64 kB an era would be seen. Processes
are judged one by one: a scheduler has many, and the sum of what each of them loads some day is no leak."""
TRIGGERER_GROWTH = 12.0
"""The same for the triggerer, whose own growth Airflow adds to: a bare Airflow 3.3.2 that ran 1,500 of its own `DateTimeTrigger`
grew by more than 100 kB for each, in both of its processes, and an era has several triggers. Growth of our own is what
`make leaks` looks for."""
DATABASE = "postgresql"
NOT_JUDGED = frozenset({DATABASE})
"""Its shared buffers fill up, and stay."""
_MEGABYTE = 1e6


@dataclass(frozen=True)
class Sample:
    """What a program and its lasting children weighed at a moment. In bytes.

    :param program: its name.
    :param birth: which of its lives, from 1: each kill begins another one.
    :param age: seconds since its start.
    :param eras: how many eras had ended, of all networks.
    :param rss: resident set, the pages several of its processes share counted for each.
    :param pss: proportional set: a page shared by n processes of the machine counts 1/n for each.
    :param each: the resident set of each of these processes, by its id.
    """

    program: str
    birth: int
    eras: int
    age: float
    rss: int
    pss: int
    each: Mapping[int, int]


def weigh(program: psutil.Process) -> tuple[float, int, int, dict[int, int]] | None:
    """Age in seconds of a process; RSS and PSS of it and its lasting descendants, and the RSS of each. None when it has just ended."""
    now = time.time()
    with contextlib.suppress(psutil.NoSuchProcess):
        age, lasting = now - program.create_time(), [program]
        for child in program.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if now - child.create_time() >= LASTING_SECONDS:
                    lasting.append(child)
        pss, each = 0, {}
        for process in lasting:
            with contextlib.suppress(psutil.NoSuchProcess):
                weight = process.memory_full_info()
                pss, each[process.pid] = pss + weight.pss, weight.rss
        return age, sum(each.values()), pss, each
    return None


def processor_seconds(program: psutil.Process) -> float:
    """Processor time a program has used so far, with all it has started."""
    used = 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in [program, *program.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                used += times.user + times.system + times.children_user + times.children_system
    return used


@dataclass(frozen=True)
class Trend:
    """How one program's memory went. In MB.

    :param start: PSS when it had warmed up for the first time; `middle` and `end` likewise, of whichever life it was in then.
    :param rss: resident set at the end.
    :param slope: growth per 100 eras of the resident set of its process that grew most, in its longest life after the warm-up; None
        when that was too short.
    :param eras: how many eras the slope was measured over.
    :param lives: how many lives there were.
    """

    program: str
    start: float
    middle: float
    end: float
    rss: float
    slope: float | None
    eras: int
    lives: int

    @property
    def grows(self) -> bool:
        """Whether it grows by more than is allowed."""
        return self.program not in NOT_JUDGED and self.slope is not None and self.slope > self.allowed

    @property
    def allowed(self) -> float:
        """How much it may grow, in MB per 100 eras."""
        return TRIGGERER_GROWTH if self.program == "triggerer" else MOST_GROWTH

    @property
    def verdict(self) -> str:
        """The same in words."""
        if self.program in NOT_JUDGED:
            return "shown"
        if self.slope is None:
            return "too short to tell"
        return "grows" if self.grows else "does not grow"


def trends(samples: Iterable[Sample]) -> list[Trend]:
    """One for each program, in the order they were first seen."""
    by_program: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_program[sample.program].append(sample)
    return [_trend(program, found) for program, found in by_program.items()]


def _trend(program: str, samples: Sequence[Sample]) -> Trend:
    warm = [sample for sample in samples if sample.age >= WARM_UP_SECONDS]
    lives: dict[int, list[Sample]] = defaultdict(list)
    for sample in warm:
        lives[sample.birth].append(sample)
    longest = max(lives.values(), key=lambda life: life[-1].eras - life[0].eras, default=list(samples[-1:]))
    weights = [sample.pss / _MEGABYTE for sample in warm or samples]
    return Trend(
        program,
        weights[0],
        weights[len(weights) // 2],
        weights[-1],
        samples[-1].rss / _MEGABYTE,
        _steepest(longest),
        longest[-1].eras - longest[0].eras,
        len({sample.birth for sample in samples}),
    )


def _steepest(life: Sequence[Sample]) -> float | None:
    """The slope of the process that grew most."""
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for sample in life:
        for process, weight in sample.each.items():
            points[process].append((sample.eras, weight / _MEGABYTE))
    return max((found for one in points.values() if (found := slope(one)) is not None), default=None)


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Growth per 100 of x, from the medians of the first and of the last third of the points: single outliers do not count.

    :returns: None when there are too few points, or x stands still.
    """
    third = len(points) // 3
    if len(points) < FEWEST:
        return None
    (first_x, first_y), (last_x, last_y) = (
        (statistics.median(x for x, _ in part), statistics.median(y for _, y in part))
        for part in (points[:third], points[-third:])
    )
    return None if last_x == first_x else 100 * (last_y - first_y) / (last_x - first_x)
