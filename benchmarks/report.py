"""The table, on screen and in RESULTS.md: the same lines in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from benchmarks.results_file import COSTS, ERA, GROWTH
from benchmarks.rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchmarks.results import Line

_HEADINGS = (
    "Row",
    "Against, in the same run",
    "Ours",
    "Peer or limit",
    "Ratio",
    "Must reach",
    "Verdict",
    "How it grows",
)
_COLOURS = {"reached": "green", "not reached": "red", "not measured": "yellow", "shown": "dim"}


def table(lines: Iterable[Line], title: str) -> Table:
    shown = Table(title=title, show_lines=True)
    for heading in _HEADINGS:
        shown.add_column(heading, overflow="fold")
    for line in lines:
        *cells, verdict, growth = _cells(line)
        shown.add_row(*cells, f"[{_COLOURS[verdict]}]{verdict}[/]", growth)
    return shown


def reasons(lines: Iterable[Line]) -> list[str]:
    """Why what is not reached is not, a sentence each."""
    return [f"{line.row}, {line.against}: {_short_of(line)}. {line.reason}" for line in lines if not line.reached]


def _short_of(line: Line) -> str:
    return "not measured" if line.value is None else f"{line.judged}, must be {line.bound}"


_INTRODUCTIONS = {
    COSTS: [
        "# What it costs",
        "",
        "Written by `make bench`; every figure and every reason is of this one run. Contenders took turns over several rounds: a figure is",
        "the median of its rounds, a ratio the median of the rounds' ratios. Servers ran in other processes.",
    ],
    ERA: [
        "## Per era",
        "",
        "Written by `make bench`; every figure and every reason is of this one run. It shows what an era costs Airflow with the shipped payout DAG,",
        "beside the leanest DAG with the same four tasks (`benchmarks/dags/leanest.py`): wait, previous era, payout, status check.",
        "Both took turns, with each executor. The leanest DAG sends no asset events. The processor time of PostgreSQL and Redis is not counted.",
    ],
    GROWTH: [
        "## Growth",
        "",
        "Written by `make bench`; every figure and every reason is of this one run. It shows what grows with networks, accounts, payouts",
        "and the length of an answer.",
    ],
}


def markdown(lines: list[Line], facts: Mapping[str, str], section: str = COSTS) -> str:
    """A section of RESULTS.md."""
    works = [f"- **{row.title}**: {row.work}" for row in ROWS.values() if row.section == section]
    level = "##" if section == COSTS else "###"
    return "\n".join(
        [
            *_INTRODUCTIONS[section],
            "",
            *(f"- {name}: {fact}" for name, fact in facts.items()),
            "",
            "| " + " | ".join(_HEADINGS) + " |",
            "|" + "---|" * len(_HEADINGS),
            *("| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(line)) + " |" for line in lines),
            "",
            f"{level} Not reached",
            "",
            *([f"- {reason}" for reason in reasons(lines)] or ["Nothing."]),
            "",
            f"{level} The work of each row",
            "",
            *works,
            "",
        ]
    )


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.row,
        line.against,
        line.ours,
        line.peer,
        line.judged,
        str(line.bound) if line.bound else "-",
        line.verdict,
        line.growth or "-",
    )
