"""`airflow staking report`: sums of a range of eras, from the ledger alone; also as a page: one HTML file, which loads nothing."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from staking_gateway.eras import EraCalendar
from staking_gateway.errors import InvalidInput
from staking_gateway.health.state import OPEN, LiveFacts, NetworkState
from staking_gateway.ledger.views import RangeReport, ReportedEra
from staking_gateway.text import amount, count, duration
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import report_errors, show, tell, working
from staking_gateway_provider.commands.session import chosen_network, unknown_network
from staking_gateway_provider.networks import expanded, find_network, open_ledger
from staking_gateway_provider.ui.runs import read_airflow

_MOST_ERAS = 10_000
_DAY = timedelta(days=1)
_TEMPLATE = Path(__file__).with_name("report.html")
_MOST_BARS = 180
"""Eras in a plot, the newest ones: more bars cannot be told apart on a screen."""
_UNKNOWN = "unknown"


@report_errors
def report(arguments: Namespace) -> None:
    """`airflow staking report`: status 0 also when eras are unpaid."""
    name, now = chosen_network(arguments), datetime.now(timezone.utc)
    config = find_network(name)
    calendar = config.calendar if config else None
    with closing(open_ledger()) as ledger:
        stored = ledger.views.eras(name)
        if not stored and config is None:
            raise unknown_network(name)
        oldest, newest = (stored[0], stored[-1]) if stored else (None, None)
        since, in_hand = None, dict[int, bool]()
        if config is not None:
            state = NetworkState(name, config, ledger, LiveFacts(), now=now, airflow=partial(read_airflow, name))
            since, in_hand = state.first, {era: one.in_hand for era, one in state.cells.items() if one.state in OPEN}
        ended = calendar.last_finished(now) if calendar else None
        first_ones, last_ones = (
            [era for era in eras if era is not None] for eras in ((oldest, since), (ended, newest))
        )
        known = Known(name, calendar, min(first_ones, default=None), max(last_ones, default=None))
        first, last = _eras(vars(arguments)["from"], arguments.to, known, now)
        working(f"Summing up the eras {first} to {last} of {name}")
        token, eras = config.token if config else None, range(first, last + 1)
        found = ledger.views.report(name, eras, token=token, since=since, in_hand=in_hand)
    if arguments.html is not None:
        _write_page(arguments.html, page(found, known, now))
    show(
        arguments.output,
        {"network": name, "begins": known.oldest, **found.as_dict()},
        f"{name}: eras {first} to {last}",
        [{"measure": label, "value": value} for label, value in summary(found)],
        *notes(found, known),
        *differences(found),
    )


def _write_page(target: str, text: str) -> None:
    path = expanded("html", target)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            "html", f"{path} cannot be written: {error.strerror}", "Name a file in a folder you may write to"
        ) from None
    tell(f"The page is in {path}")


@dataclass(frozen=True)
class Known:
    """The eras that a report can have: the oldest of the installation, and the newest that has ended; without settings there is no calendar."""

    network: str
    calendar: EraCalendar | None
    oldest: int | None
    newest: int | None

    def __str__(self) -> str:
        if self.newest is None:
            return "The ledger has no ended era"
        if self.oldest is None or self.oldest > self.newest:
            return f"Era {self.newest} is the newest ended era"
        text = f"The ledger has the eras {self.oldest} to {self.newest}"
        if self.calendar is None:
            return text
        ends = (f"{self.calendar.end(era):%Y-%m-%d}" for era in (self.oldest, self.newest))
        return f"{text}, which ended from {' to '.join(ends)}"


def _eras(given_first: str | None, given_last: str | None, known: Known, now: datetime) -> tuple[int, int]:
    """The first and the last era of the report, of the options `--from` and `--to`."""
    first = known.oldest if given_first is None else _era(given_first, "from", known, now)
    last = known.newest if given_last is None else _era(given_last, "to", known, now)
    if first is None or last is None or known.newest is None:
        raise InvalidInput("from", f"the ledger has no era of {known.network}", "Write --from with an era or a day")
    if last > known.newest:
        if given_last is not None and given_last.isdecimal():
            raise InvalidInput("to", f"era {last} has not ended", str(known))
        last = known.newest
    if given_first is None:
        first = max(first, last - _MOST_ERAS + 1)
    elif not given_first.isdecimal() and known.oldest is not None and known.oldest <= last:
        first = max(first, known.oldest)
    if first > last:
        raise InvalidInput("from", f"no era ended from {given_first or first} to {given_last or 'now'}", str(known))
    if last - first >= _MOST_ERAS:
        raise InvalidInput("from", f"eras {first} to {last} are more than {_MOST_ERAS}", str(known))
    return first, last


def _era(given: str, field: str, known: Known, now: datetime) -> int:
    """An era of an option: its number; or the first that ended on the day, for `to` the last."""
    if given.isdecimal():
        return parse_era(given, field=field)
    try:
        day = datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=timezone.utc)
    except ValueError:
        raise InvalidInput(
            field, f"{given!r} is neither an era nor a day", "Write an era such as 1392, or a day such as 2026-11-01"
        ) from None
    if known.calendar is None:
        raise InvalidInput(field, f"the day {given} needs the network's calendar in staking.yaml", "Write an era")
    day = min(day, now + _DAY)  # a calendar does not reach all later days
    if field == "from":
        return max(known.calendar.first_era_from(day) - 1, 0)
    last = known.calendar.first_era_from(day + _DAY) - 2
    if last < 0:
        raise InvalidInput(field, f"no era had ended on {given}", str(known))
    return last


# --- the page -------------------------------------------------------------------------------------------------------


def summary(report: RangeReport) -> list[tuple[str, str]]:
    """Labels and values of the sums."""
    lags, median, checked = report.lags, report.median_lag, report.checked
    worst = max(lags, key=lambda era: lags[era], default=None)
    return [
        ("eras", str(len(report.eras))),
        *((_words(state), str(number)) for state, number in report.states.items()),
        ("fees", _sum(report, "fee")),
        ("of them wasted", _sum(report, "wasted")),
        ("rewards", _sum(report, "reward")),
        ("median lag", _UNKNOWN if median is None else f"{_lag(median)} ({count(len(lags), 'era')})"),
        ("worst lag", _UNKNOWN if worst is None else f"{_lag(lags[worst])} (era {worst})"),
        ("accounts staking", _UNKNOWN if checked is None else f"{_staking(checked)} checked (era {checked.era})"),
        (
            "differences",
            f"{len(report.differences)} in {count(report.compared, 'compared era')}"
            if report.compared
            else "not compared",
        ),
    ]


def notes(report: RangeReport, known: Known) -> Iterator[str]:
    """What a reader of the sums should know."""
    if known.oldest is None:
        yield f"Note: the ledger has no era of {known.network}"
    elif report.eras[0].era < known.oldest:
        yield f"Note: the ledger of {known.network} begins with era {known.oldest}; earlier eras are unknown"


def differences(report: RangeReport) -> Iterator[str]:
    for one in report.differences:
        yield f"Difference in era {one.era}, {one.subject}: {one.text}"


def page(report: RangeReport, known: Known, now: datetime) -> str:
    """The report as HTML: the template draws the bars."""

    def tokens(value: int | None) -> str:
        return _UNKNOWN if value is None else amount(value, report.token)

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
            network=known.network,
            now=f"{now:%Y-%m-%d %H:%M} UTC",
            summary=summary(report),
            notes=list(notes(report, known)),
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
    return "paid by something else" if state == "ALREADY_PAID" else state.lower().replace("_", " ")


def _lag(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else duration(timedelta(seconds=seconds))


def _sum(report: RangeReport, name: str) -> str:
    """A sum; a lower bound while it lacks eras."""
    total = report.total(name)
    if total.known is None:
        return _UNKNOWN
    known = amount(total.known, report.token)
    return f"at least {known}; unknown for {count(total.unknown_eras, 'era')}" if total.unknown_eras else known
