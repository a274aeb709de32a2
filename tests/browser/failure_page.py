"""docs/failures.md: what page, log, alert and commands said of each failure that was caused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from failures import Failure

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "failures.md"
PICTURES = DOCS / "screenshots" / "failures"
_HEAD = """<!-- Made by: FAILURES=write make browser -->

# Failures

Each failure of this page was caused on a live Airflow with the simulator. Page, log, alert and commands name the same cause and the same remedy.
Each remedy was then carried out. `FAILURES=write make browser` writes this page, and `FAILURES=compare make browser` compares its words.
"""
_STEADY = (
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
_OF_THE_MOMENT = r"; then start the catch-up|\| blocks era[^|]*(?=\||level )|[|=]"
"""What depends on whether the run of the era has given up when it is looked at, and the frames of tables."""


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


def page_of(seen: Sequence[Material]) -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(steady(_section(one)) for one in seen)])


def steady(text: str) -> str:
    """A text without what differs from one time to the next."""
    for pattern, instead in _STEADY:
        text = re.sub(pattern, instead, text)
    return text


def as_written(text: str) -> str:
    """The words of a page that are always the same."""
    return " ".join(re.sub(_OF_THE_MOMENT, " ", text).split())


def _section(seen: Material) -> str:
    failure = seen.failure
    parts = [
        f"## {failure.topic.heading} {'{'} #{failure.name.replace('_', '-')} {'}'}\n",
        f"{failure.caused} [Runbook](runbook.md#{failure.topic.anchor})\n",
        f"![The page: {failure.topic.heading}](screenshots/failures/{failure.name}.png)\n",
    ]
    if seen.log:
        parts.append(_block(f"The log of `{seen.task}`:", "\n".join(seen.log)))
    if seen.alerts:
        parts.append(_block("The alert:", seen.alerts[0]["text"]))
    parts.append(_block(f"`airflow staking doctor --network {failure.network}`:", seen.doctor))
    if failure.blocks:
        parts.append(_block(f"`airflow staking why --network {failure.network} --era {failure.era}`:", _end(seen.why)))
    parts.append(f"**Repaired:** {failure.repaired}\n")
    return "\n".join(parts)


def _end(why: str) -> str:
    """Cause, remedy and help, without the timeline."""
    return "\n".join(line for line in why.splitlines() if re.match(r"(Cause|Remedy|Help|Next)\b", line))


def _block(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return f"{title}\n\n```text\n{lines}\n```\n"
