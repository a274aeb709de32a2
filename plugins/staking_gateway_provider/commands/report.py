"""`airflow staking report`: sums of a range of eras, from the ledger alone."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from staking_gateway.errors import InvalidInput
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, show_one, tell
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.networks import find_network, open_ledger

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.eras.calendar import EraCalendar

_MOST_ERAS = 10_000
_DAY = timedelta(days=1)


@report_errors
def report(arguments: Namespace) -> None:
    """`airflow staking report`: status 0 also when eras are unpaid."""
    from staking_gateway_provider.commands.report_page import differences, page, summary

    name = chosen_network(arguments)
    config = find_network(name)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        first, last = _eras(arguments, name, config, ledger.reports.bounds(name))
        found = ledger.reports.report(name, first, last, config.token if config else None)
    if arguments.html is not None:
        _replace(Path(arguments.html).expanduser(), page(found, datetime.now(timezone.utc)))
        tell(f"The page is in {arguments.html}")
    if not for_people(arguments.output):
        show_one(found.as_dict(), arguments.output)
        return
    say(f"{name}: eras {first} to {last}")
    show([{"measure": label, "value": value} for label, value in summary(found)], arguments.output)
    for line in differences(found):
        say(line)


def _eras(
    arguments: Namespace, name: str, config: NetworkConfig | None, recorded: tuple[int, int] | None
) -> tuple[int, int]:
    """The first and the last era of the report.

    :param recorded: the oldest and the newest era in the ledger.
    :raises InvalidInput: the options name no ended eras.
    """
    calendar = config.calendar if config else None
    ended = calendar.last_finished(datetime.now(timezone.utc)) if calendar else None
    oldest, newest = recorded or (None, None)
    newest = max((era for era in (ended, newest) if era is not None), default=None)
    first = _era(vars(arguments)["from"], "from", calendar)
    last = _era(arguments.to, "to", calendar)
    first = oldest if first is None else first
    if first is None or newest is None:
        raise InvalidInput("from", f"the ledger has no era of {name}", "Write --from with an era or a day")
    if last is not None and last > newest:
        if arguments.to.isdecimal():
            raise InvalidInput("to", f"era {last} has not ended", f"Era {newest} is the newest ended era")
        last = newest
    last = newest if last is None else last
    if first > last:
        raise InvalidInput("from", f"era {first} comes after era {last}, the last of the report", "Give another range")
    if last - first >= _MOST_ERAS:
        raise InvalidInput("from", f"the range has more than {_MOST_ERAS} eras", "Give a shorter range")
    return first, last


def _era(given: str | None, field: str, calendar: EraCalendar | None) -> int | None:
    """An era of an option: its number; or the first that ended on the day, for `to` the last. None: not given."""
    from staking_gateway.types import parse_era

    if given is None or given.isdecimal():
        return None if given is None else parse_era(given, field=field)
    try:
        day = datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=timezone.utc)
    except ValueError:
        raise InvalidInput(
            field, f"{given!r} is neither an era nor a day", "Write an era such as 1392, or a day such as 2026-11-01"
        ) from None
    if calendar is None:
        raise InvalidInput(field, "a day needs the network's calendar in staking.yaml", "Give an era")
    if field == "from":
        return max(calendar.first_era_from(day) - 1, 0)
    last = calendar.first_era_from(day + _DAY) - 2
    if last < 0:
        raise InvalidInput(field, f"no era had ended on {given}", "Give a later day")
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
