"""What a soak came to, in words: the same figures on screen and in RESULTS.md. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.results import number
from benchmarks.soak.judge import executed_by_era, why_red
from benchmarks.soak.memory import MOST_GROWTH, TRIGGERER_GROWTH, WARM_UP_SECONDS, trends
from benchmarks.soak.pace import MOST_READY, MOST_RUNS
from staking_gateway.alerts.announcement import RAISED
from staking_gateway.ledger.records import PayoutState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.soak.course import Course
    from benchmarks.soak.memory import Trend
    from benchmarks.soak.run import Outcome

_MOST_SHOWN = 20
_BIGGEST_TABLES = 6


def figures(course: Course, outcome: Outcome) -> dict[str, str]:
    """Name to figure, in the order they are told."""
    eras, airflow = course.total, outcome.airflow
    minutes = outcome.seconds / 60
    rows = sum(airflow.rows.values())
    grown = outcome.ledger_bytes - outcome.ledger_bytes_at_start
    calls: Counter[str] = sum((Counter(one.truth["calls"]["by_path"]) for one in outcome.networks), Counter())
    return {
        "Eras": f"{eras:,}: {course.eras_each} of each of {course.count} networks, one every {course.pace:g} s at the soonest",
        "Wall time": f"{minutes:.1f} minutes, {eras / minutes:.1f} eras a minute; for {outcome.held:.0f} s of it a chain "
        f"waited, on average, since Airflow had more than {MOST_READY} tasks or {MOST_RUNS} of its runs to do; {outcome.drained:.0f} s more until the last run had ended",
        "Processor time": _processor(course, outcome),
        "Payouts executed": _payouts(outcome),
        "Runs": _runs(outcome),
        "Tasks": f"{airflow.tries:,} tries, {airflow.retries:,} of them again",
        "Calls": f"{sum(calls.values()):,}: {_counts(calls)}",
        "Faults": f"{sum(outcome.faults.values()):,} of {len(outcome.faults)} kinds, each with a chance of {course.chance:.0%} at every call",
        "Killed": _counts(outcome.kills) or "nothing",
        "Alerts": _alerts(outcome),
        "Staking page": f"looked at {outcome.pages:,} times",
        "Ledger": f"{outcome.ledger_bytes / 1e6:.2f} MB, {grown / max(1, eras) / 1000:.2f} kB an era",
        "Airflow's database": f"{rows:,} rows, {rows / eras:.0f} an era; {_counts(dict(airflow.rows.most_common(_BIGGEST_TABLES)))}",
    }


def _processor(course: Course, outcome: Outcome) -> str:
    by: Counter[str] = Counter()
    for (program, _), seconds in outcome.processor.items():
        by[program.partition(" ")[0]] += round(seconds)
    used = sum(outcome.processor.values())
    return f"{used:,.0f} s, {used / course.total:.1f} s an era: {_counts(by)}"


def _payouts(outcome: Outcome) -> str:
    executed, by, unneeded = 0, Counter[str](), 0
    for network in outcome.networks:
        paid = executed_by_era(network.truth)
        executed += sum(len(paid.get(era, ())) for era in network.eras)
        requests = [request for request in network.truth["requests"] if request["era"] in network.eras]
        unneeded += len(requests) - sum(len(paid.get(era, ())) for era in network.eras)
        for era in network.eras:
            for record in network.payouts.get(era, ()):
                if record.state is PayoutState.CONFIRMED:
                    by[
                        "catch-ups" if (record.settled_by or "").startswith("staking_catch_up") else "the era's run"
                    ] += 1
    return f"{executed:,}, settled by {_counts(by)}; {unneeded} more requests were accepted, and never executed"


def _runs(outcome: Outcome) -> str:
    runs = [run for network in outcome.networks for run in network.runs if run.era is None or run.era in network.eras]
    red = Counter(why_red(run) for run in runs if run.state == "failed")
    of_eras = sum(run.era is not None for run in runs)
    told = f"{of_eras:,} of an era, {len(runs) - of_eras:,} catch-ups; {sum(red.values())} red"
    return f"{told}: {_counts(red)}" if red else told


def _alerts(outcome: Outcome) -> str:
    raised: Counter[str] = Counter()
    messages = cleared = 0
    for network in outcome.networks:
        for message in {message["id"]: message for message in network.messages}.values():
            about = [one for one in message["conditions"] if one["era"] is None or one["era"] in network.eras]
            messages += bool(about)
            if message["phase"] == RAISED:
                raised.update(one["kind"] for one in about)
            else:
                cleared += len(about)
    return f"{messages} messages: {_counts(raised) or 'none'} about a condition, {cleared} about its end"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items(), key=lambda item: -item[1]))


def memory_rows(found: Iterable[Trend]) -> list[tuple[str, ...]]:
    """A row of the table for each program: name, PSS at the start, middle and end, RSS, growth, verdict."""
    return [
        (
            trend.program,
            *(f"{number(weight)} MB" for weight in (trend.start, trend.middle, trend.end, trend.rss)),
            "-" if trend.slope is None else f"{trend.slope:+.2f} MB over {trend.eras} eras",
            trend.verdict,
        )
        for trend in found
    ]


MEMORY_HEADINGS = (
    "Program, with its lasting children",
    "PSS, warmed up",
    "PSS, middle",
    "PSS, end",
    "RSS, end",
    "RSS, growth per 100 eras",
    "Verdict",
)


def growing(found: Iterable[Trend]) -> list[str]:
    """Programs that grow, one line each."""
    return [
        f"{trend.program} grows by {trend.slope:.1f} MB per 100 eras, which is more than {trend.allowed:g}"
        for trend in found
        if trend.slope is not None and trend.grows
    ]


def markdown(course: Course, outcome: Outcome, wrong: Sequence[str], facts: Mapping[str, str]) -> str:
    """The section of RESULTS.md.

    :param wrong: every violation.
    :param facts: about the machine.
    """
    found = trends(outcome.samples)
    table = [MEMORY_HEADINGS, ("---",) * len(MEMORY_HEADINGS), *memory_rows(found)]
    shown = [*wrong[:_MOST_SHOWN], *([f"and {len(wrong) - _MOST_SHOWN} more"] if len(wrong) > _MOST_SHOWN else [])]
    return "\n".join(
        [
            "## Soak",
            "",
            f"Written by `make soak`. A live Airflow (LocalExecutor, PostgreSQL) ran the DAGs of {course.count} networks as they are shipped, on",
            "schedule, against simulated gateways whose chains would have paid each era four times. Programs were killed by turns; for a",
            "tenth of each stretch one network's payout DAG was paused, which left its eras to the catch-up, and an account stopped staking",
            "for a while. In the end the chains' own record was compared with the ledger, the runs, the statuses and the alerts: an era paid",
            "twice or not at all, a record or a green run that is not true, a status that is missing or wrong, and an alert without reason,",
            "told twice or left out are violations.",
            "",
            *(f"- {name}: {fact}" for name, fact in {**facts, **figures(course, outcome)}.items()),
            f"- **Violations: {len(wrong) or 'none'}**",
            *(f"  - {line}" for line in shown),
            "",
            *("| " + " | ".join(row) + " |" for row in table),
            "",
            f"Growth is that of the program's process that grew most, in the longest life between two kills, after its first {WARM_UP_SECONDS:.0f} s; up",
            f"to {MOST_GROWTH:g} MB per 100 eras are allowed, and {TRIGGERER_GROWTH:g} for the triggerer, to whose growth Airflow adds its own.",
            "",
            f"Faults that happened: {_counts(outcome.faults) or 'none'}.",
            "",
        ]
    )
