"""What the demo shows: a live picture on a terminal, one line per event elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from demo.moment import Moment, changes
from demo.verdict import seconds_to_acceptance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from demo.verdict import PaidEra

TASKS = ("wait_for_window", "previous_era", "payout", "staking_status", "statuses_stored", "report")
_STYLES = {"success": "green", "failed": "bold red", "deferred": "magenta", "running": "bold", "up_for_retry": "yellow"}
_WIDE = 180
_ROWS = 12


class Screen:
    """Lines on standard output, each with the seconds since the start."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._last: Moment | None = None
        self.console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _WIDE)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def say(self, text: str) -> None:
        """One line."""
        self.console.print(f"[{self._elapsed():6.1f} s] {text}", markup=False)

    @contextlib.contextmanager
    def stage(self, title: str) -> Iterator[None]:
        """Something that takes a while, around its doing."""
        self.say(f"{title} ...")
        begin = time.monotonic()
        yield
        self.say(f"{title}: ready after {time.monotonic() - begin:.1f} s")

    def show(self, moment: Moment) -> None:
        """Show where things stand."""
        for line in changes(self._last, moment):
            self.say(line)
        self._last = moment

    def _elapsed(self) -> float:
        return time.monotonic() - self._start


class LiveScreen(Screen):
    """A picture that is drawn anew several times a second."""

    def __init__(self) -> None:
        super().__init__()
        self._stages: list[tuple[str, float, float | None]] = []
        self._moment: tuple[float, Moment] | None = None
        self._live = Live(
            get_renderable=self._draw,
            console=self.console,
            refresh_per_second=4,
            transient=False,
            redirect_stdout=False,
        )

    def __enter__(self) -> LiveScreen:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, text: str) -> None:
        """One line above the picture."""
        self.console.print(text, markup=False)

    @contextlib.contextmanager
    def stage(self, title: str) -> Iterator[None]:
        """A line of the picture, with a clock that runs until it is done."""
        begin = time.monotonic()
        self._stages.append((title, begin, None))
        yield
        self._stages[-1] = (title, begin, time.monotonic())

    def show(self, moment: Moment) -> None:
        """Draw this from now on; countdowns go on by themselves."""
        self._moment = (time.monotonic(), moment)

    def _draw(self) -> Group:
        parts: list[Text | Table] = [self._draw_stages()]
        if self._moment is not None:
            seen, moment = self._moment
            parts += [Text(), Text(moment.describe(time.monotonic() - seen), style="cyan"), _draw_runs(moment)]
        return Group(*parts)

    def _draw_stages(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for title, begin, end in self._stages:
            word = Text("ready", "green") if end else Text("...", "yellow")
            table.add_row(word, title, f"{(end or time.monotonic()) - begin:.1f} s")
        return table


def _draw_runs(moment: Moment) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for title in ("era", "run", *TASKS):
        table.add_column(title)
    for run in moment.runs[-_ROWS:]:
        states = [_mapped_state(run.tasks, task) for task in TASKS]
        cells = [Text("" if state == "none" else state, _STYLES.get(state, "")) for state in (run.state, *states)]
        table.add_row(str(run.era), *cells)
    return table


def _mapped_state(tasks: dict[str, str], task: str) -> str:
    """One word for a task, or for all tasks it is mapped to: the first that is not done."""
    states = [state for name, state in tasks.items() if name.partition("[")[0] == task]
    return next((state for state in states if state != "success"), "success") if states else "none"


def result_table(eras: tuple[PaidEra, ...], truth: dict[str, Any], width: int) -> Table:
    """The eras that were paid.

    :param width: columns there are; transactions are shortened when they do not fit.
    """
    table = Table(title="Paid by the scheduler")
    table.add_column("era", justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("request id", overflow="fold")
    table.add_column("transaction", overflow="fold")
    for title in ("accepted after", "staking", "not staking"):
        table.add_column(title, justify="right")
    for era in eras:
        after = seconds_to_acceptance(era, truth)
        hashes = [str(payout.tx_hash) for payout in era.payouts]
        table.add_row(
            str(era.era),
            era.outcome,
            "\n".join(str(payout.request_id) for payout in era.payouts),
            "\n".join(text if width >= _WIDE else f"{text[:8]}..{text[-4:]}" for text in hashes),
            "-" if after is None else f"{after:.1f} s",
            str(era.staking),
            str(era.not_staking),
        )
    table.caption = "accepted after: seconds from the close of the era's election window to the gateway's acceptance"
    return table
