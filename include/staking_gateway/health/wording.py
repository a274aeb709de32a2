"""The overview in sentences: one headline, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import timedelta

ATTENTION, DANGER = 1, 2
_URGENT_PERCENT = 80
_SAID = {"R": "rejected", "U": "sent, outcome unknown", "H": "held back", "O": "unpaid", "W": "waiting"}
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


@dataclass(frozen=True)
class Problem:
    """Something an operator should know.

    :param level: `ATTENTION` or `DANGER`.
    """

    level: int
    text: str

    def as_dict(self) -> dict[str, str]:
        """Plain JSON."""
        return {"level": "danger" if self.level == DANGER else "attention", "text": self.text}


def duration(length: timedelta) -> str:
    """A length of time as people say it; one that is over is `now`."""
    seconds = length.total_seconds()
    if seconds <= 0:
        return "now"
    for unit, size in _UNITS:
        if seconds >= 2 * size or (unit == "minute" and seconds >= 90):
            return f"about {count(round(seconds / size), unit)}"
    return count(max(1, round(seconds)), "second")


def headline(told: Mapping[str, Any]) -> str:
    """The one sentence that matters.

    :param told: of `overview`.
    """
    owed, in_hand = told["owed"], told["owed"]["in_hand"]
    if told["state"]["automatic"]:
        return "This chain pays its stakers by itself: nothing is owed."
    if owed["count"]:
        first, paying = owed["eras"][0], told["state"]["catch_up"]
        when = f"{count(first['eras_left'], 'era')} ({first['expires_in']})"
        if owed["count"] == 1:
            return (
                f"Era {first['era']} is owed{', and a catch-up is paying it' if paying else ''}; it expires in {when}."
            )
        which = "the oldest" if first["era"] == owed["oldest"] else "the most urgent"
        work = ", and a catch-up is paying them" if paying else ""
        return f"{count(owed['count'], 'era')} are owed{work}; {which}, era {first['era']}, expires in {when}."
    at_work, buts = "", _buts(told)
    if len(in_hand) == 1:
        at_work = f"; era {in_hand[0]['era']} is being paid"
    elif in_hand:
        at_work = f"; {count(len(in_hand), 'era')} are being paid"
    what = "Nothing of ours is owed" if owed["earlier"]["count"] else "Nothing is owed"
    return f"{what}{at_work}{', but ' if buts else ''}{' and '.join(buts)}."


def _buts(told: Mapping[str, Any]) -> list[str]:
    """What spoils the news that nothing is owed."""
    lost, wrong, earlier = len(told["expired"]), told["accounts"]["unexpected"], told["owed"]["earlier"]["count"]
    found = [f"{count(lost, 'era')} expired unpaid"] if lost else []
    found += [f"{count(wrong, 'account')} {'is' if wrong == 1 else 'are'} not as expected"] if wrong else []
    found += ["the payer's funds run short"] if told["funds"]["short"] else []
    if earlier:
        found.append(f"{count(earlier, 'earlier era')} {'is' if earlier == 1 else 'are'} not known to be paid")
    return found


def problems(told: Mapping[str, Any]) -> list[Problem]:
    """What is at risk or wrong, the worst in front.

    :param told: of `overview`.
    """
    found = [*_of_payouts(told), *_of_accounts(told), *_of_surroundings(told)]
    return sorted(found, key=lambda problem: -problem.level)


def _of_payouts(told: Mapping[str, Any]) -> Iterator[Problem]:
    owed, paying = told["owed"], told["state"]["catch_up"]
    urgent = [entry for entry in (*owed["eras"], *owed["in_hand"]) if (entry["expiry_warning"] or 0) >= _URGENT_PERCENT]
    if urgent:
        when = "now" if urgent[0]["expires_in"] == "now" else f"in {urgent[0]['expires_in']}"
        which, first = f"{len(urgent)} eras are", "the first is "
        if len(urgent) == 1:
            which, first = f"Era {urgent[0]['era']} is", ""
        step = "A catch-up is at work." if paying else "Catch up now."
        yield Problem(ATTENTION if paying else DANGER, f"{which} close to expiry: {first}lost {when}. {step}")
    for level, state in ((DANGER, "R"), (DANGER, "U"), (ATTENTION, "H"), (ATTENTION, "O"), (ATTENTION, "W")):
        same = sorted((entry for entry in owed["eras"] if entry["state"] == state), key=lambda entry: -entry["era"])
        if same:
            newest, reasons = same[0], {entry["why"] for entry in same}
            why = newest["why"] if len(reasons) == 1 else f"for several reasons; era {newest['era']}: {newest['why']}"
            yield Problem(level, f"{_eras([entry['era'] for entry in same][::-1])} {_SAID[state]}: {why}.")
    if owed["earlier"]["count"]:
        yield Problem(
            ATTENTION,
            f"{count(owed['earlier']['count'], 'era')} from before the first payout here may or may not be paid. A catch-up "
            f"{'is finding' if paying else 'finds'} out; for a paid one it costs nothing.",
        )
    if lost := told["expired"]:
        many = len(lost) > 1
        yield Problem(
            DANGER,
            f"{_eras(lost)} expired unpaid; the rewards are gone. Nothing can be done for {'them' if many else 'it'}: see why "
            f"{'their' if many else 'its'} runs failed, so that the next one is paid.",
        )


def _of_accounts(told: Mapping[str, Any]) -> Iterator[Problem]:
    accounts = told["accounts"]
    if accounts["unexpected"]:
        names = ", ".join(accounts["wrong"][:3])
        more = accounts["unexpected"] - len(accounts["wrong"][:3])
        yield Problem(
            DANGER,
            f"{count(accounts['unexpected'], 'account')} not as expected: {names}{f', and {more} more' if more else ''}.",
        )


def _of_surroundings(told: Mapping[str, Any]) -> Iterator[Problem]:
    state, funds = told["state"], told["funds"]
    if funds["short"]:
        level = DANGER if funds["critical"] else ATTENTION
        yield Problem(level, f"The payer's balance lasts for {count(funds['runway'], 'more payout')}. Top it up.")
    if state["gateway_problem"]:
        instead = (
            "" if state["source"] == "chain" else " Until it answers, the calendar tells which eras are over or lost."
        )
        yield Problem(ATTENTION, f"The gateway cannot be asked: {state['gateway_problem'].rstrip('.')}.{instead}")
    if state["paused"]:
        yield Problem(ATTENTION, "The payouts are paused in Airflow: no new era is being paid.")
    dated = state["calendar_era"]
    if state["source"] == "chain" and (dated is None or abs(dated - state["active_era"]) > 1):
        said = "no era runs" if dated is None else f"era {dated} runs"
        yield Problem(
            ATTENTION,
            f"The calendar says that {said}, the chain says era {state['active_era']}. Append an anchor to the calendar.",
        )


def _eras(eras: list[int]) -> str:
    if len(eras) == 1:
        return f"Era {eras[0]}"
    shown = ", ".join(map(str, eras[:5]))
    return f"Eras {shown}{f' and {len(eras) - 5} more' if len(eras) > 5 else ''}"
