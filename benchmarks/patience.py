"""Waiting and noticing: what a deferred wait costs while nothing happens, and how soon it sees that something has."""

from __future__ import annotations

from benchmarks.processes import fresh
from benchmarks.results import Curve, Findings, Line, Scale, at_most, duration, number
from benchmarks.waiting import COUNTS, POLL_INTERVAL, waiting

_WAITING = "waiting"
_NOTICING = "noticing"
_POLLS = 40
"""Of the fixed poll, an era."""
_ERA_SECONDS = 6.0


def waiting_row(scale: Scale) -> Findings:
    """1, 8 and 64 triggers that wait for the same window, each count in a process of its own."""
    told = waiting(counts=COUNTS, seconds=scale.of(60, 10))
    by_count = told["by_count"]
    many, polled = by_count[COUNTS[-1]]["requests_per_minute"], 2 * 60 / POLL_INTERVAL
    asked = "; ".join(f"{number(by_count[count]['requests_per_minute'])} with {count:,}" for count in COUNTS)
    cpu = "; ".join(f"{number(by_count[count]['cpu'] * 100)} % with {count:,}" for count in COUNTS)
    memory = told["rss_per_trigger"] / 1000
    traced = told["traced_per_trigger"] / 1000
    share = told["cpu_per_trigger"] * 100
    lines = [
        Line(
            _WAITING,
            f"a fixed poll of era and window, {POLL_INTERVAL:g} s: requests a minute of each wait",
            f"{number(many / COUNTS[-1])} a minute",
            f"{number(polled)} a minute",
            many / COUNTS[-1] / polled,
            at_most(1.05),
            asked,
            f"{COUNTS[-1]:,} waits ask {number(many)} times a minute",
        ),
        Line(
            _WAITING,
            "processor time of each further wait",
            f"{number(share)} %",
            "0.1 % of a core",
            share,
            at_most(0.1, "%"),
            cpu,
            f"the processes used {cpu} of a core",
        ),
        Line(
            _WAITING,
            "memory of each further wait, by the resident set",
            f"{number(memory)} kB",
            "50 kB",
            memory,
            at_most(50, "kB"),
            f"Python itself allocated {number(traced)} kB for each",
            f"of {number(memory)} kB Python itself allocated {number(traced)} kB",
        ),
    ]
    curve = Curve(
        "waiting",
        "Requests of deferred waits on one gateway",
        "waits",
        "requests a minute",
        {"ours": [(float(count), by_count[count]["requests_per_minute"]) for count in COUNTS]},
    )
    return Findings(lines, [curve])


def noticing_row(scale: Scale) -> Findings:
    """From the closing of the window to the accepted payout: with the era calendar, and with a fixed poll."""
    eras = scale.of(30, 3)
    told = fresh("benchmarks.noticing", str(eras), str(_ERA_SECONDS))
    found, fixed = told["calendar"], told["fixed"]
    delay = Line(
        _NOTICING,
        f"a fixed poll, {_POLLS} an era: median delay",
        duration(found["median_delay"]),
        duration(fixed["median_delay"]),
        found["delay_ratio"],
        at_most(0.2),
        f"worst of {eras} eras: {duration(found['worst_delay'])}, fixed poll {duration(fixed['worst_delay'])}",
        f"sending alone is part of both delays; on average {duration(found['mean_delay'])} passed, "
        f"with the fixed poll {duration(fixed['mean_delay'])}",
    )
    requests = Line(
        _NOTICING,
        f"a fixed poll, {_POLLS} an era: requests",
        f"{found['questions'] / eras:.1f} an era",
        f"{fixed['questions'] / eras:.1f} an era",
        found["questions_ratio"],
        at_most(0.5),
        "linear in eras",
        f"{found['questions']:.0f} requests in {eras} eras, the fixed poll made {fixed['questions']:.0f}",
    )
    return Findings([delay, requests])
