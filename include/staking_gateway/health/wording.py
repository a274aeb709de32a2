"""Headline and problems of the overview, in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.expiry import URGENT_PERCENT
from staking_gateway.health.eras import State
from staking_gateway.text import count, era_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ATTENTION, DANGER = 1, 2
_LEVELS = (
    (DANGER, State.REJECTED),
    (DANGER, State.UNKNOWN),
    (ATTENTION, State.HELD),
    (ATTENTION, State.UNPAID),
    (ATTENTION, State.WAITING),
)


@dataclass(frozen=True)
class Problem:
    """A problem for the operator.

    :param level: `ATTENTION` or `DANGER`.
    """

    level: int
    text: str

    def as_dict(self) -> dict[str, str]:
        """Plain JSON."""
        return {"level": "danger" if self.level == DANGER else "attention", "text": self.text}


def headline(overview: Mapping[str, Any]) -> str:
    """The most important fact of an overview in one sentence."""
    owed, in_hand = overview["owed"], overview["owed"]["in_hand"]
    if overview["state"]["automatic"]:
        return "This chain pays its stakers by itself: nothing is unpaid."
    if owed["count"]:
        first, paying = owed["eras"][0], overview["state"]["catch_up"]
        when = f"{count(first['eras_left'], 'era')} ({first['expires_in']})"
        if owed["count"] == 1:
            return f"Era {first['era']} is unpaid{', and a catch-up is paying it' if paying else ''}; it expires in {when}."
        which = "the oldest" if first["era"] == owed["oldest"] else "the most urgent"
        work = ", and a catch-up is paying them" if paying else ""
        return f"{count(owed['count'], 'era')} are unpaid{work}; {which}, era {first['era']}, expires in {when}."
    what = "Nothing is unpaid since this installation started" if owed["earlier"]["count"] else "Nothing is unpaid"
    if in_hand:
        what += f"; era {in_hand[0]['era']} is" if len(in_hand) == 1 else f"; {count(len(in_hand), 'era')} are"
        what += " being paid"
    return ", but ".join(filter(None, [what, " and ".join(_exceptions(overview))])) + "."


def _exceptions(overview: Mapping[str, Any]) -> list[str]:
    """Problems other than unpaid eras."""
    found = []
    if lost := len(overview["expired"]):
        found.append(f"{count(lost, 'era')} expired unpaid")
    if wrong := overview["accounts"]["unexpected"]:
        found.append(f"{count(wrong, 'account')} {'is' if wrong == 1 else 'are'} in the wrong state")
    if overview["funds"]["short"]:
        found.append("the payer's funds run short")
    if earlier := overview["owed"]["earlier"]["count"]:
        found.append(f"{count(earlier, 'earlier era')} {'has' if earlier == 1 else 'have'} an unknown status")
    return found


def problems(overview: Mapping[str, Any]) -> list[Problem]:
    """The problems of an overview, the most severe first."""
    found = [*_of_payouts(overview), *_of_accounts(overview), *_of_surroundings(overview)]
    return sorted(found, key=lambda problem: -problem.level)


def _of_payouts(overview: Mapping[str, Any]) -> Iterator[Problem]:
    owed, paying = overview["owed"], overview["state"]["catch_up"]
    urgent = [entry for entry in (*owed["eras"], *owed["in_hand"]) if (entry["expiry_warning"] or 0) >= URGENT_PERCENT]
    if urgent:
        when = "now" if urgent[0]["eras_left"] <= 0 else f"in {urgent[0]['expires_in']}"
        which, first = f"{len(urgent)} eras are", "the first"
        if len(urgent) == 1:
            which, first = f"Era {urgent[0]['era']} is", "it"
        step = "A catch-up is running." if paying else "Catch up now."
        yield Problem(ATTENTION if paying else DANGER, f"{which} close to expiry: {first} expires {when}. {step}")
    for level, state in _LEVELS:
        same = sorted((one for one in owed["eras"] if one["state"] == state.value), key=lambda one: -one["era"])
        if same:
            newest, reasons = same[0], {entry["why"] for entry in same}
            why = newest["why"] if len(reasons) == 1 else f"for several reasons; era {newest['era']}: {newest['why']}"
            yield Problem(level, f"{_eras([entry['era'] for entry in same][::-1])} {state.word}: {why}.")
    if owed["earlier"]["count"]:
        yield Problem(
            ATTENTION,
            f"{count(owed['earlier']['count'], 'era')} from before the first payout here may be paid already. A catch-up "
            f"{'is checking that' if paying else 'checks that'}; a paid era costs nothing.",
        )
    if lost := overview["expired"]:
        many = len(lost) > 1
        yield Problem(
            DANGER,
            f"{_eras(lost)} expired unpaid; the rewards are gone. See why {'their' if many else 'its'} runs failed, so that the next "
            "era is paid.",
        )


def _of_accounts(overview: Mapping[str, Any]) -> Iterator[Problem]:
    accounts = overview["accounts"]
    if accounts["unexpected"]:
        names = ", ".join(accounts["wrong"][:3])
        more = accounts["unexpected"] - len(accounts["wrong"][:3])
        yield Problem(
            DANGER,
            f"{count(accounts['unexpected'], 'account')} in the wrong state: {names}{f', and {more} more' if more else ''}.",
        )


def _of_surroundings(overview: Mapping[str, Any]) -> Iterator[Problem]:
    state, funds = overview["state"], overview["funds"]
    if funds["short"]:
        level = DANGER if funds["critical"] else ATTENTION
        yield Problem(level, f"The payer's balance lasts for {count(funds['runway'], 'more payout')}. Top it up.")
    if funds["missing_limit"]:
        yield Problem(
            DANGER, f"{funds['missing_limit']} is not set, so nothing is signed. Write the highest fee to accept."
        )
    if state["gateway_problem"]:
        instead = (
            ""
            if state["source"] == "chain"
            else " Until it answers, the calendar decides which eras have ended or expired."
        )
        yield Problem(ATTENTION, f"A request to the gateway failed: {state['gateway_problem'].rstrip('.')}.{instead}")
    if state["paused"]:
        yield Problem(ATTENTION, "The payout DAG is paused: no new era is paid.")
    if state["drifts"]:
        by_calendar = "none" if state["calendar_era"] is None else state["calendar_era"]
        yield Problem(
            ATTENTION,
            f"Active era: {by_calendar} from calendar, {state['chain_era']} from chain. Append an anchor to the calendar.",
        )


def _eras(eras: list[int]) -> str:
    return f"{'Era' if len(eras) == 1 else 'Eras'} {era_ranges(eras)}"
