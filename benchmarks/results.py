"""What a benchmark found: lines of a table, each judged."""

from __future__ import annotations

from dataclasses import dataclass


class MeasurementFailed(Exception):
    """Something did not work, so that its figures would mean nothing."""


@dataclass(frozen=True)
class Bound:
    """What a figure must reach.

    :param limit: at least this, or at most, when `most` is set.
    :param unit: written behind the figure; a ratio has `x`.
    """

    limit: float
    most: bool = False
    unit: str = "x"

    def holds(self, value: float) -> bool:
        """Whether a figure reaches it."""
        return value <= self.limit if self.most else value >= self.limit

    def __str__(self) -> str:
        return f"{'<=' if self.most else '>='} {number(self.limit)}{spaced(self.unit)}"


def at_least(limit: float, unit: str = "x") -> Bound:
    """The figure must not be smaller."""
    return Bound(limit, unit=unit)


def at_most(limit: float, unit: str = "x") -> Bound:
    """The figure must not be greater."""
    return Bound(limit, most=True, unit=unit)


@dataclass(frozen=True)
class Line:
    """One comparison of a row.

    :param row: name of the row, as in `ROWS`.
    :param against: the peer or the limit, in words.
    :param ours: our figure with its unit; `peer` likewise.
    :param value: what is judged, most often ours / peer; None where it could not be measured here, and `reason` says why.
    :param bound: what it must reach; None for a comparison that is only shown.
    :param growth: how it grows.
    :param reason: why it is not reached, as this run measured it.
    """

    row: str
    against: str
    ours: str
    peer: str
    value: float | None
    bound: Bound | None
    growth: str = ""
    reason: str = ""

    @property
    def reached(self) -> bool:
        return self.value is not None and (self.bound is None or self.bound.holds(self.value))

    @property
    def verdict(self) -> str:
        """The same in a word."""
        if self.value is None:
            return "not measured"
        if self.bound is None:
            return "shown"
        return "reached" if self.reached else "not reached"

    @property
    def judged(self) -> str:
        """The judged figure with its unit."""
        return "-" if self.value is None else f"{number(self.value)}{spaced(self.bound.unit if self.bound else 'x')}"


@dataclass(frozen=True)
class Scale:
    """How much to do.

    :param quick: a try-out: small samples, whose figures prove nothing.
    """

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """The full amount, or that of a try-out."""
        return quick if self.quick else full


def number(value: float) -> str:
    """A figure in as many digits as mean something."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"


def spaced(unit: str) -> str:
    """A unit as it stands behind a number."""
    return unit if unit in ("x", "%") else f" {unit}"


def rate(per_second: float, what: str = "checks") -> str:
    """So many a second."""
    return f"{number(per_second)} {what}/s"


def duration(seconds: float) -> str:
    """Seconds in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-6)} us"
