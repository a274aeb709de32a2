"""The report of a range of eras as text and as a page: one HTML file, which loads nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from staking_gateway.ledger.range_report import RangeReport, ReportedEra, Total
from staking_gateway.text import amount, count, duration

_TEMPLATE = Path(__file__).with_name("report.html")
_MOST_BARS = 180
"""Eras in a plot, the newest ones: more bars cannot be told apart on a screen."""
_HEIGHT = 100.0
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Bar:
    """A bar of a plot; its sizes are percent of the plot's height.

    :param upper: the part of `height` with the colour of the second series.
    :param label: what the bar shows, in words.
    """

    height: float
    upper: float
    label: str
    known: bool


@dataclass(frozen=True)
class Plot:
    """A bar per era.

    :param series: names of the colours, of the lower and the upper part of a bar.
    :param most: the value at the top; None: no value is known.
    :param unknown: number of eras without a known value.
    """

    title: str
    series: tuple[str, ...]
    most: str | None
    bars: list[Bar]
    unknown: int


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
            _UNKNOWN if checked is None else f"{checked.staking} of {_accounts(checked)} checked (era {checked.era})",
        ),
        (
            "differences",
            (
                f"{len(report.differences)} in {count(report.compared, 'compared era')}"
                if report.compared
                else "not compared"
            )
            + (f"; {count(report.pruned, 'further era')} pruned" if report.pruned else ""),
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
    """The report as HTML."""
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    shown = report.eras[-_MOST_BARS:]
    number = Counter(era.state for era in shown)
    return template.render(
        report=report,
        now=f"{now:%Y-%m-%d %H:%M} UTC",
        summary=summary(report),
        notes=list(notes(report)),
        states=[(state, _words(state), number[state]) for state in report.states if number[state]],
        shown=shown,
        plots=list(_plots(report, shown)),
        rows=[_row(report, era) for era in reversed(report.eras)],
        words=_words,
    )


def _plots(report: RangeReport, shown: list[ReportedEra]) -> Iterator[Plot]:
    def tokens(value: float) -> str:
        return amount(int(value), report.token)

    yield _plot("Payment lag", ("lag",), shown, lambda era: era.lag_seconds, _lag)
    yield _plot("Fees", ("payouts", "wasted"), shown, lambda era: era.fee, tokens, upper=lambda era: era.wasted or 0)
    yield _plot("Rewards", ("reward",), shown, lambda era: era.reward, tokens)
    yield _plot(
        "Checked accounts",
        ("staking", "not staking"),
        shown,
        lambda era: None if era.staking is None else _accounts(era),
        lambda value: str(int(value)),
        upper=lambda era: era.not_staking or 0,
    )


def _plot(
    title: str,
    series: tuple[str, ...],
    eras: list[ReportedEra],
    value: Callable[[ReportedEra], float | None],
    text: Callable[[float], str],
    *,
    upper: Callable[[ReportedEra], float] = lambda _: 0,
) -> Plot:
    known = [found for found in map(value, eras) if found is not None]
    most = max(known, default=0)
    bars = []
    for era in eras:
        found = value(era)
        if found is None:
            bars.append(Bar(0, 0, f"era {era.era}: {_UNKNOWN}", known=False))
            continue
        label = f"era {era.era}: {text(found)}"
        if len(series) > 1:
            label = f"{label}, {series[1]} {text(upper(era))}"
        scale = _HEIGHT / most if most else 0
        bars.append(Bar(round(found * scale, 2), round(min(upper(era), found) * scale, 2), label, known=True))
    return Plot(title, series, text(most) if known else None, bars, len(eras) - len(known))


def _row(report: RangeReport, era: ReportedEra) -> dict[str, str]:
    return {
        "era": str(era.era),
        "state": _words(era.state),
        "lag": _lag(era.lag_seconds),
        "fee": _amount(report, era.fee),
        "wasted": _amount(report, era.wasted),
        "reward": _amount(report, era.reward),
        "staking": _UNKNOWN if era.staking is None else f"{era.staking} of {_accounts(era)}",
    }


def _accounts(era: ReportedEra) -> int:
    return (era.staking or 0) + (era.not_staking or 0)


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
