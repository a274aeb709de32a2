"""Measuring two or more ways of doing the same, so that a busy machine is busy for all of them."""

from __future__ import annotations

import cProfile
import gc
import pstats
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PACKAGE = re.compile(r"site-packages/([\w.]+?)(?:/|\.py)")
_LIBRARY = re.compile(r"lib/python[0-9.]+/(\w+)")
_BUILT_IN = re.compile(r"built-in method (\w+)\.")
_PYTHON = frozenset(
    {"builtins", "__new__", "posix", "time", "_abc", "_functools", "_asyncio", "_socket", "_imp", "marshal"}
)
_OURS = re.compile(r"/(staking_gateway(?:_provider)?/\w+)")


class Figures:
    """What contenders came to, round by round."""

    def __init__(self, rounds: Mapping[str, list[float]]) -> None:
        self._rounds = rounds

    def __getitem__(self, name: str) -> float:
        """The median of a contender's figures."""
        return statistics.median(self._rounds[name])

    def ratio(self, first: str, second: str) -> float:
        """The median of the ratios of each round: what slowed one round down slowed both."""
        return statistics.median(
            one / other for one, other in zip(self._rounds[first], self._rounds[second], strict=True)
        )


def interleaved(contenders: Mapping[str, Callable[[], float]], rounds: int) -> Figures:
    """Run every contender once per round, in an order that turns from round to round.

    :param contenders: each measures itself once and returns its figure.
    """
    names = list(contenders)
    figures: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            gc.collect()
            figures[name].append(contenders[name]())
    return Figures(figures)


def where_time_goes(work: Callable[[], object], most: int = 6) -> str:
    """Profile a piece of work, and say which packages its time was spent in: the measured reason of a row not reached."""
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    shares: Counter[str] = Counter()
    stats: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (file, _, function), (_, _, own, _, _) in stats.items():
        shares[_place(file, function)] += own  # type: ignore[assignment]
    whole = sum(shares.values())
    return ", ".join(f"{place} {own / whole:.0%}" for place, own in shares.most_common(most))


def _place(file: str, function: str) -> str:
    for pattern in (_OURS, _PACKAGE, _LIBRARY):
        if match := pattern.search(file):
            return match[1].split("/")[0] if pattern is not _OURS else match[1].replace("/", ".")
    for word, place in (("sqlite3", "SQLite itself"), ("psycopg2", "PostgreSQL itself"), ("epoll", "waiting")):
        if word in function:
            return place
    built_in = _BUILT_IN.search(function)
    return built_in[1] if built_in and built_in[1] not in _PYTHON else "Python's built-ins"
