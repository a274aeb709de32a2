"""The headline of the overview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from staking_gateway.text import count

if TYPE_CHECKING:
    from collections.abc import Mapping


def headline(overview: Mapping[str, Any], *, catching_up: bool, stopped: str) -> str:
    """The most important fact of an overview in one sentence.

    :param stopped: the heading of the cause that stands before every payout; empty without one.
    """
    owed, in_hand = overview["owed"], overview["owed"]["in_hand"]
    if overview["state"]["automatic"]:
        return "This chain pays its stakers by itself: nothing is unpaid."
    if owed["count"]:
        first = owed["eras"][0]
        when = f"{count(first['eras_left'], 'era')} ({first['expires_in']})"
        if owed["count"] == 1:
            return f"Era {first['era']} is unpaid{', and a catch-up is paying it' if catching_up else ''}; it expires in {when}."
        which = "the oldest" if first["era"] == owed["oldest"] else "the most urgent"
        work = ", and a catch-up is paying them" if catching_up else ""
        return f"{count(owed['count'], 'era')} are unpaid{work}; {which}, era {first['era']}, expires in {when}."
    one = len(in_hand) == 1
    waiting = f"era {in_hand[0]['era']}" if one else count(len(in_hand), "era")
    if in_hand and stopped:
        return f"{waiting[0].upper()}{waiting[1:]} wait{'s' if one else ''}: {_within(stopped)}."
    what = "Nothing is unpaid since this installation started" if owed["earlier"]["count"] else "Nothing is unpaid"
    if in_hand:
        what += f"; {waiting} {'is' if one else 'are'} being paid"
    but = [*([_within(stopped)] if stopped else []), *_exceptions(overview)]
    return ", but ".join(filter(None, [what, " and ".join(but)])) + "."


def _within(heading: str) -> str:
    """A heading in the middle of a sentence."""
    return heading if heading.startswith("Airflow") else f"{heading[0].lower()}{heading[1:]}"


def catch_up_result(report: Mapping[str, Any]) -> str:
    """The result of a catch-up in a few words.

    :param report: as `CatchUpReport.as_dict` gives it.
    """
    if report["plan"]["dry_run"]:
        return "dry run, nothing was paid"
    tried, unpaid, later = len(report["outcomes"]), len(report["unpaid"]), len(report["plan"]["later"])
    paid = tried - sum(era in report["unpaid"] for era in report["outcomes"])
    found = [f"{count(paid, 'era')} paid"] if tried else ["nothing to pay"]
    found += [f"{count(unpaid, 'era')} not paid"] if unpaid else []
    return ", ".join([*found, *([f"{count(later, 'era')} left for the next run"] if later else [])])


def _exceptions(overview: Mapping[str, Any]) -> list[str]:
    """Problems other than unpaid eras."""
    found = []
    if lost := len(overview["expired"]):
        found.append(f"{count(lost, 'era')} expired unpaid")
    if wrong := overview["accounts"]["unexpected"]:
        found.append(f"{count(wrong, 'account')} {'is' if wrong == 1 else 'are'} in the wrong state")
    if overview["funds"]["short"]:
        found.append("the payer's funds run short")
    return found
