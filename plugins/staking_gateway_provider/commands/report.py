"""`airflow staking report`: sums of a range of eras, from the ledger alone."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from staking_gateway.catch_up.survey import responsible_from
from staking_gateway.config.find import expanded
from staking_gateway.eras.calendar import EraCalendar
from staking_gateway.eras.expiry import payable_eras
from staking_gateway.errors import InvalidInput
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, show_one, tell
from staking_gateway_provider.commands.report_page import differences, notes, page, summary
from staking_gateway_provider.commands.session import chosen_network, token_of, unknown_network
from staking_gateway_provider.networks import find_network, open_ledger

_MOST_ERAS = 10_000
_DAY = timedelta(days=1)


@report_errors
def report(arguments: Namespace) -> None:
    """`airflow staking report`: status 0 also when eras are unpaid."""
    name, now = chosen_network(arguments), datetime.now(timezone.utc)
    config = find_network(name)
    calendar = config.calendar if config else None
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        bounds = ledger.reports.bounds(name)
        if bounds is None and config is None:
            raise unknown_network(name)
        oldest, newest = bounds or (None, None)
        since, payable_from = None, 0
        if config is not None:
            since = responsible_from(ledger, name, config.first_era)
            seen = ledger.journal.active_era(name)
            payable_from = 0 if seen is None else payable_eras(seen.active, config.history_depth).start
        ended = calendar.last_finished(now) if calendar else None
        known = Known(name, calendar, min(_some(oldest, since), default=None), max(_some(ended, newest), default=None))
        first, last = _eras(vars(arguments)["from"], arguments.to, known, now)
        token = token_of(ledger, name, config)
        found = ledger.reports.report(name, first, last, token, since=since, payable_from=payable_from)
    if arguments.html is not None:
        _replace(expanded("html", arguments.html), page(found, now))
        tell(f"The page is in {arguments.html}")
    if not for_people(arguments.output):
        show_one(found.as_dict(), arguments.output)
        return
    say(f"{name}: eras {first} to {last}")
    show([{"measure": label, "value": value} for label, value in summary(found)], arguments.output)
    for line in (*notes(found), *differences(found)):
        say(line)


def _some(*eras: int | None) -> list[int]:
    return [era for era in eras if era is not None]


@dataclass(frozen=True)
class Known:
    """The eras that a report can have.

    :param calendar: None: the network is not in staking.yaml.
    :param oldest: of the installation; None: the ledger has no era.
    :param newest: that has ended; None: unknown.
    """

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
    """The first and the last era of the report.

    :param given_first: the option `--from`; `given_last` is `--to`.
    :raises InvalidInput: the options name no ended eras.
    """
    first = known.oldest if given_first is None else _era(given_first, "from", known, now)
    last = known.newest if given_last is None else _era(given_last, "to", known, now)
    if first is None or last is None or known.newest is None:
        raise InvalidInput("from", f"the ledger has no era of {known.network}", "Write --from with an era or a day")
    if last > known.newest:
        if given_last is not None and given_last.isdecimal():
            raise InvalidInput("to", f"era {last} has not ended", str(known))
        last = known.newest
    begin, end = _named(given_first, first), _named(given_last, last)
    if given_first is not None and not given_first.isdecimal() and known.oldest is not None and known.oldest <= last:
        first = max(first, known.oldest)
    if first > last:
        days = [given for given in (given_first, given_last) if given and not given.isdecimal()]
        if len(days) == 2 and days == sorted(days):
            raise InvalidInput("from", f"no era ended from {given_first} to {given_last}", str(known))
        raise InvalidInput("from", f"{begin} comes after {end}, the last of the report", str(known))
    if last - first >= _MOST_ERAS:
        raise InvalidInput("from", f"{begin} to {end} are more than {_MOST_ERAS} eras", str(known))
    return first, last


def _named(given: str | None, era: int) -> str:
    """An era as the user has named it."""
    return f"era {era}" if given is None or given.isdecimal() else f"{given} (era {era})"


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


def _replace(target: Path, text: str) -> None:
    """Write a file beside the target, then replace the target: no reader gets half a page."""
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(
            "html", f"{target} cannot be written: {error.strerror}", "Name a file in a folder you may write to"
        ) from None
