"""The report of a range of eras as text and as a page: one HTML file, which loads nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from staking_gateway.ledger.range_report import RangeReport, ReportedEra, Total
from staking_gateway.text import amount, count, duration

_TEMPLATE = Path(__file__).with_name("report.html")
_MOST_BARS = 180
"""Eras in a plot, the newest ones: more bars cannot be told apart on a screen."""
_UNKNOWN = "unknown"


def summary(report: RangeReport) -> list[tuple[str, str]]:
    """Labels and values of the sums."""
    worst, checked = report.worst_lag, report.checked
    lags, median = len(report.lags), report.median_lag
    return [
        ("eras", str(len(report.eras))),
        *((_words(state), str(number)) for state, number in report.states.items()),
        ("fees", _sum(report, report.fee)),
        ("of them wasted", _sum(report, report.wasted)),
        ("rewards", _sum(report, report.reward)),
        ("median lag", _UNKNOWN if median is None else f"{_lag(median)} ({count(lags, 'era')})"),
        ("worst lag", _UNKNOWN if worst is None else f"{_lag(worst.lag_seconds)} (era {worst.era})"),
        (
            "accounts staking",
            _UNKNOWN if checked is None else f"{_staking(checked)} checked (era {checked.era})",
        ),
        (
            "differences",
            f"{len(report.differences)} in {count(report.compared, 'compared era')}"
            if report.compared
            else "not compared",
        ),
    ]


def notes(report: RangeReport) -> Iterator[str]:
    """What a reader of the sums should know."""
    if report.begins is None:
        yield f"Note: the ledger has no era of {report.network}"
    elif report.first < report.begins:
        yield f"Note: the ledger of {report.network} begins with era {report.begins}; earlier eras are unknown"


def differences(report: RangeReport) -> Iterator[str]:
    for one in report.differences:
        yield f"Difference in era {one.era}, {one.subject}: {one.text}"


def page(report: RangeReport, now: datetime) -> str:
    """The report as HTML: the template draws the bars."""

    def tokens(value: int | None) -> str:
        return _amount(report, value)

    shown = report.eras[-_MOST_BARS:]
    plots = [
        # title, names of the lower and the upper colour, a value in words, and of each era the value and its upper part
        ("Payment lag", ["lag"], _lag, [(era.lag_seconds, 0) for era in shown]),
        ("Fees", ["payouts", "wasted"], tokens, [(era.fee, era.wasted or 0) for era in shown]),
        ("Rewards", ["reward"], tokens, [(era.reward, 0) for era in shown]),
        (
            "Checked accounts",
            ["staking", "not staking"],
            str,
            [(_accounts(era), era.not_staking or 0) for era in shown],
        ),
    ]
    return (
        Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        .from_string(_TEMPLATE.read_text(encoding="utf-8"))
        .render(
            report=report,
            now=f"{now:%Y-%m-%d %H:%M} UTC",
            summary=summary(report),
            notes=list(notes(report)),
            numbers=Counter(era.state for era in shown),
            shown=shown,
            plots=plots,
            words=_words,
            lag=_lag,
            tokens=tokens,
            accounts=_staking,
        )
    )


def _staking(era: ReportedEra) -> str:
    return _UNKNOWN if era.staking is None else f"{era.staking} of {_accounts(era)}"


def _accounts(era: ReportedEra) -> int | None:
    return None if era.staking is None else era.staking + (era.not_staking or 0)


def _words(state: str) -> str:
    return state.lower().replace("_", " ")


def _lag(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else duration(timedelta(seconds=seconds))


def _amount(report: RangeReport, value: int | None) -> str:
    return _UNKNOWN if value is None else amount(value, report.token)


def _sum(report: RangeReport, total: Total) -> str:
    """A sum; a lower bound while it lacks eras."""
    if total.known is None:
        return _UNKNOWN
    known = amount(total.known, report.token)
    return f"at least {known}; unknown for {count(total.unknown_eras, 'era')}" if total.unknown_eras else known
