"""docs/failures.md: what page, log, alert and commands said of each failure that was caused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from failures import Failure

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "failures.md"
PICTURES = DOCS / "screenshots" / "failures"
_HEAD = """<!-- Made by: FAILURES=write make browser -->

# Failures

Each failure of this page was caused on a live Airflow with the simulator. Page, log, alert and commands name the same cause and the same remedy;
this page shows the remedy once. Each remedy was then carried out. `FAILURES=write make browser` writes this page, and `FAILURES=compare make browser`
compares its words.
"""
_STEADY = (
    (r"\b127\.0\.0\.1:\d+", "127.0.0.1:8080"),
    (r"http://(127\.0\.0\.1|192\.0\.2\.\d+|\d+\.\d+\.\d+\.\d+):\d+", "http://localhost"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?", "2026-01-01 00:00"),
    (r"\b\d+d \d+h( \d+m)?\b", "20d 22h"),
    (r"\b\d+ (min|s) ago\b", "1 min ago"),
    (r"/[^\s`:]*/staking\.yaml", "staking.yaml"),
    (r"\b0x[0-9a-f]{12,}", "0x..."),
    (r"scheduled__[\w:.+-]+", "scheduled__..."),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"),
)
"""What differs from one time to the next."""
_OF_THE_MOMENT = r"(?:A run that waits then|Its run then|The catch-up then|Then start the catch-up)[^.]*\."
"""What depends on whether the run of the era has given up when it is looked at."""
MOST_WORDS = 3500
_COLUMNS = 4


@dataclass(frozen=True)
class Material:
    """What was said of a failure.

    :param shown: the first card of the page.
    :param picture: of the page, PNG.
    :param task: the task whose log is shown; None without one.
    :param log: the lines of the log about the failure.
    :param alerts: the messages about the cause.
    :param doctor: output of the command; likewise `why`.
    """

    failure: Failure
    shown: str
    picture: bytes
    task: str | None
    log: Sequence[str]
    alerts: Sequence[dict[str, Any]]
    doctor: str
    why: str


def page_of(seen: Mapping[str, Material], order: Sequence[Failure], page: str) -> str:
    """The whole page: the sections of what was seen, and those of other failures as they are.

    :param order: all failures.
    :param page: as it is.
    """
    known = {part.partition(" }\n")[0].rpartition("#")[2]: part for part in re.split(r"(?m)^(?=## )", page)[1:]}
    sections = []
    for failure in order:
        anchor = failure.name.replace("_", "-")
        made = steady(_section(seen[failure.name])) if failure.name in seen else known.get(anchor, "")
        sections.append(made.rstrip() + "\n")
    return "\n".join([_HEAD, *sections])


def steady(text: str) -> str:
    """A text without what differs from one time to the next."""
    for pattern, instead in _STEADY:
        text = re.sub(pattern, instead, text)
    return text


def as_written(text: str) -> str:
    """The words of a page that are always the same."""
    return " ".join(re.sub(_OF_THE_MOMENT, " ", text).split())


def _section(seen: Material) -> str:
    failure, topic = seen.failure, seen.failure.topic
    remedy = re.search(r"^What to do: (.*)$", seen.shown, re.MULTILINE)
    lines = [("page", _beginning(seen.shown, topic.heading))]
    lines += [(f"log of {seen.task}", seen.log[0])] if seen.log else []
    lines += [("alert", seen.alerts[0]["text"].splitlines()[0])] if seen.alerts else []
    lines += [("doctor", _finding(seen.doctor, topic.heading))]
    return "\n".join(
        [
            f"## {topic.heading} {'{'} #{failure.name.replace('_', '-')} {'}'}\n",
            f"{failure.caused} [Runbook](runbook.md#{topic.anchor})\n",
            f"![The page: {topic.heading}](screenshots/failures/{failure.name}.png)\n",
            "```text",
            *(f"{place}: {words}" for place, words in lines),
            "```\n",
            f"**What to do:** {remedy[1] if remedy else failure.remedy or topic.remedy}\n",
            f"**Repaired:** {failure.repaired}\n",
        ]
    )


def _beginning(shown: str, heading: str) -> str:
    """Heading and facts of a card; in the list of networks, they are one line."""
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    at = next(at for at, line in enumerate(lines) if heading in line)
    return f"{heading}. {lines[at + 1]}" if lines[at] == heading else lines[at]


def _finding(report: str, heading: str) -> str:
    """What the doctor says of a cause, without remedy and help. Its table breaks lines."""
    found: list[list[str]] = []
    for row in report.splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) != _COLUMNS or cells[0] == "level":
            continue
        if cells[0]:
            found.append([cells[0]])
        if found:
            found[-1].append(cells[3])
    level, *lines = next(one for one in found if heading in " ".join(one))
    ends = (at for at, line in enumerate(lines) if line.startswith(("-> ", "blocks ", "Help: ")))
    return f"{level}: {' '.join(lines[: next(ends, None)])}"
