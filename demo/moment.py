"""What the demo sees at a moment, and in words what has changed since the one before."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import takewhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Run:
    """A DAG run as the API tells it.

    :param era: its partition key; None for a run without.
    :param tasks: task, with its index if it is mapped, to state.
    """

    run_id: str
    run_type: str
    era: int | None
    state: str
    tasks: dict[str, str] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether it has come to an end."""
        return self.state in ("success", "failed")

    @property
    def label(self) -> str:
        """Its era, or its id when it has none."""
        return f"era {self.era}" if self.era is not None else self.run_id


@dataclass(frozen=True)
class Moment:
    """The chain and the runs, seen together.

    :param window: `open` or `closed`.
    :param window_changes_in: seconds until the window opens or closes; None when it never does.
    :param era_ends_in: seconds until the next era.
    """

    era: int
    window: str
    window_changes_in: float | None
    era_ends_in: float
    runs: tuple[Run, ...]

    @classmethod
    def of(cls, state: dict[str, Any], runs: list[Run]) -> Moment:
        window = {"isOpen": "open", "isClosed": "closed"}.get(state["window"], state["window"])
        change = state["next_window_change_at"]
        return cls(
            era=state["active_era"],
            window=window,
            window_changes_in=None if change is None else _seconds_until(change),
            era_ends_in=_seconds_until(state["next_era_at"]),
            runs=tuple(runs),
        )

    def describe(self, age: float = 0.0) -> str:
        """The chain in one line, as it is so many seconds later."""
        change = ""
        if self.window_changes_in is not None:
            verb = "opens" if self.window == "closed" else "closes"
            change = f", {verb} in {max(0.0, self.window_changes_in - age):.0f} s"
        ends = max(0.0, self.era_ends_in - age)
        return f"Era {self.era} is active and ends in {ends:.0f} s; the election window is {self.window}{change}"


def paid_in_a_row(runs: Iterable[Run]) -> list[Run]:
    """The scheduled runs that came to a good end, by era, up to the first one that has not.

    Runs may overtake each other: the first one may wait for the window while the second is on its way already.
    """
    scheduled = sorted((run for run in runs if run.run_type == "scheduled"), key=lambda run: run.era or 0)
    return list(takewhile(lambda run: run.state == "success", scheduled))


def changes(before: Moment | None, now: Moment) -> list[str]:
    """What has happened since the moment before, one line for each thing."""
    lines = []
    if before is None or before.era != now.era:
        lines.append(f"chain: era {now.era} has begun" if before else f"chain: era {now.era} is active")
    if before is None or before.window != now.window:
        lines.append(f"chain: the election window is {now.window}")
    earlier = {run.run_id: run for run in before.runs} if before else {}
    for run in now.runs:
        old = earlier.get(run.run_id)
        lines += _task_changes(old, run)
        if old is None or old.state != run.state:
            lines.append(f"{run.label}: {run.run_type} run is {run.state}")
    return lines


def _task_changes(old: Run | None, run: Run) -> list[str]:
    known = old.tasks if old else {}
    moved = [(task, state) for task, state in run.tasks.items() if state != "none" and known.get(task) != state]
    return [f"{run.label}: " + ", ".join(f"{task} {state}" for task, state in moved)] if moved else []


def _seconds_until(text: str) -> float:
    return max(0.0, (datetime.fromisoformat(text) - datetime.now(timezone.utc)).total_seconds())
