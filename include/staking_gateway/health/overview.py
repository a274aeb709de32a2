"""The overview of a network: unpaid eras, problems, accounts, and a grid of eras. Plain JSON, for the page. Nothing is written.

As in a catch-up plan, a payable era without a payout in the ledger is unpaid. But two groups are listed apart: eras whose payment is in
progress, and eras before the first payout of this installation, which may be paid already.

Of the watched accounts it has counts; their rows, with one letter per era, are read page by page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from staking_gateway.config.models import Expectation, NetworkConfig, WatchedAccount
from staking_gateway.eras import HISTORY_DEPTH, utc_now
from staking_gateway.health.facts import AirflowFacts, LiveFacts, active_era, run_of
from staking_gateway.health.problems import not_running, obstacle, problems
from staking_gateway.health.remedies import page_links
from staking_gateway.health.state import NetworkState, State, network_state
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.problem import Level, Problem
from staking_gateway.text import amount, count, duration
from staking_gateway.types import StakingStatus

ERAS = HISTORY_DEPTH
"""Default number of eras in the grid."""
MAX_ERAS = 500
STRIP_ERAS = 28
"""Number of newest eras of a network in a list."""
PAGE = 200
"""Number of rows of a page."""
_LETTERS = {
    # (expected, found); A and B are in the wrong state.
    (expected, status): allowed if status is None or expected.allows(status) else refused
    for expected in Expectation
    for status, allowed, refused in (
        (StakingStatus.IS_STAKING, "S", "A"),
        (StakingStatus.IS_NOT_STAKING, "N", "B"),
        (None, ".", "."),
    )
}
_WRONG = {"A": "staking", "B": "not staking"}


@dataclass(frozen=True)
class Overview:
    """Everything that the page shows of one network; the rows of accounts are read page by page.

    :param data: amounts as decimal text in the smallest unit, and in `texts` in the token's; times as ISO 8601 UTC, lags in seconds.
    :param rows: the watched accounts.
    :param state: the judged eras, and the facts by which they were judged.
    :param problems: what is wrong, worst first; `causes` has them as plain JSON.
    """

    data: Mapping[str, Any]
    rows: AccountRows
    state: NetworkState
    problems: Sequence[Problem] = ()

    def as_dict(self, page: Page | None = None) -> dict[str, Any]:
        """Plain JSON, with one page of accounts; rows of accounts have one letter per era."""
        return {**self.data, "grid": {**self.data["grid"], **self.rows.page(page or Page())}}

    def strip(self) -> dict[str, Any]:
        """The network in a list of networks: its level, headline, first cause and newest eras; plain JSON."""
        data, causes = self.data, self.data["causes"]
        return {
            "network": data["network"],
            "level": data["level"],
            "headline": data["headline"],
            "dead": data["state"]["dead"],
            "cause": causes[0] if causes else None,
            "more": max(len(causes) - 1, 0),
            "first_loss": data["owed"]["eras"][0]["expires_at"] if data["owed"]["eras"] else None,
            "cells": [{"era": cell["era"], "state": cell["state"]} for cell in data["grid"]["cells"][-STRIP_ERAS:]],
        }


def overview(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    *,
    facts: LiveFacts | None = None,
    airflow: AirflowFacts | None = None,
    eras: int = ERAS,
    setup: Sequence[Problem] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Overview:
    """Everything that the page shows of one network.

    :param eras: number of newest ended eras in the grid.
    :param setup: what is wrong with the set-up, as of `NetworkState`.
    :raises LedgerError: the ledger could not be read.
    """
    facts, now = facts or LiveFacts(), clock()
    active = active_era(network, facts, now).era
    shown = range(max(0, active - eras), active)
    state = network_state(name, network, ledger, facts, now=now, airflow=airflow, also=[shown.start], setup=setup)
    shown = range(min(shown.start, state.active.era), state.active.era)
    actors = ledger.runs_of(name, shown)
    rows = AccountRows(name, network.accounts, ledger, shown)
    state = replace(state, wrong_accounts=rows.wrong())
    found, owed, stops = problems(state), _unpaid(state), obstacle(state)
    data: dict[str, Any] = {
        "network": name,
        "now": now.isoformat(),
        "level": max((problem.level for problem in found), default=Level.OK).name.lower(),
        "headline": _headline(state, found, owed),
        "causes": [{**one.as_dict(), **page_links(one, network)} for one in found],
        "obstacle": stops and stops.topic.heading,
        "state": _state(state),
        "owed": owed,
        "funds": _funds(state),
        "expired": state.expired,
        "accounts": rows.tally(),
        "grid": {
            "first": shown.start,
            "count": len(shown),
            "cells": [_cell(era, state, actors.get(era)) for era in shown],
        },
    }
    return Overview(data, rows, state, found)


def _cell(era: int, state: NetworkState, actor: str | None) -> dict[str, Any]:
    """The payout of an era: plain JSON without empty values.

    :param actor: `Actor.run` of its last change.
    :returns: `lag` in seconds from the era's end to the confirmation; `fee` of all confirmed parts, in the smallest unit.
    """
    judged, run, records = state.cells[era], state.run(era), state.records.get(era, ())
    ended_at = state.calendar.end(era)
    confirmed = [record for record in records if record.state is PayoutState.CONFIRMED]
    last = max((record.confirmed_at for record in confirmed if record.confirmed_at is not None), default=None)
    shown = run if run is not None and run.active else run_of(actor) or run
    fee = sum(record.fee or 0 for record in confirmed) if confirmed else None
    data = {
        "era": era,
        "state": judged.state.value,
        "reason": judged.reason,
        "dag_id": shown and shown.dag_id,
        "run_id": shown and shown.run_id,
        "tx_hash": next((record.tx_hash for record in reversed(records) if record.tx_hash), None),
        "fee": None if fee is None else str(fee),
        "fee_text": None if fee is None else amount(fee, state.token),
        "lag": None if last is None else round(max(0.0, (last - ended_at).total_seconds()), 1),
        "ended_at": ended_at.isoformat(),
    }
    return {name: value for name, value in data.items() if value not in (None, "")}


def eras_with_runs(network: NetworkConfig, facts: LiveFacts, now: datetime, eras: int = ERAS) -> range:
    """The eras whose runs an overview of so many eras shows: also all that can be paid, and the active one."""
    active = active_era(network, facts, now).era
    return range(max(0, active - max(eras, network.history_depth)), active + 1)


def _state(state: NetworkState) -> dict[str, Any]:
    active, facts, airflow = state.active, state.live, state.airflow
    end = state.calendar.end(active.era)
    return {
        "active_era": active.era,
        "source": "chain" if active.credible else "calendar",
        "window": None if facts.window is None else facts.window.value,
        "next_era_at": end.isoformat() if end > state.now else None,
        "asked_at": None if facts.at is None else facts.at.isoformat(),
        "catch_up": airflow.catch_up and asdict(airflow.catch_up),
        "last_catch_up": airflow.last_catch_up and asdict(airflow.last_catch_up),
        "dead": [problem.topic.heading for problem in not_running(state)],
    }


def _unpaid(state: NetworkState) -> dict[str, Any]:
    """The unpaid eras without a payment in progress, soonest to expire first; and those with one. While the calendar cannot be relied on,
    `expires_at` is None, and `expires_in` counts eras.
    """
    listed = []
    for era in state.owed:
        cell, left = state.cells[era], state.network.countdown(era, state.active.era)
        expires = left.expires_at(state.calendar) if state.dated else None
        within = count(left.eras_left, "era") if expires is None else duration(expires - state.now)
        entry = {"era": era, "state": cell.state.value, "why": cell.reason, "in_hand": cell.in_hand, **left.as_dict()}
        listed.append({**entry, "expires_at": expires and expires.isoformat(), "expires_in": within})
    listed.sort(key=lambda entry: (entry["expires_at_era"], entry["era"]))
    in_hand = [entry for entry in listed if entry["in_hand"]]
    unpaid = [entry for entry in listed if not entry["in_hand"]]
    earlier = sum(cell.state is State.EARLIER for cell in state.cells.values())
    return {"count": len(unpaid), "eras": unpaid, "in_hand": in_hand, "earlier": {"count": earlier}}


def _funds(state: NetworkState) -> dict[str, Any]:
    facts = state.live
    amounts = {"fee": facts.fee, "limit": state.network.payout.max_fee_per_payout, "balance": facts.balance}
    return {
        "texts": {what: amount(number, state.token) for what, number in amounts.items() if number is not None},
        "missing_limit": state.missing_limit,
        "runway": state.runway,
        "short": state.funds is not Level.OK,
    }


# --- headline -----------------------------------------------------------------------------------------------------------


def _headline(state: NetworkState, found: Sequence[Problem], owed: Mapping[str, Any]) -> str:
    """What stands before every payout, or else, while nothing is unpaid, what is wrong; then what is unpaid."""
    unpaid, in_hand = [entry["era"] for entry in owed["eras"]], owed["in_hand"]
    standing = [problem for problem in found if problem.standing][:1]
    named = standing if unpaid or standing else found
    if state.live.automatic:
        what = "This chain pays its stakers by itself: nothing is unpaid"
    elif unpaid:
        first = owed["eras"][0]
        within = f" ({first['expires_in']})" if first["expires_at"] else ""
        work = ", and a catch-up is paying" if state.airflow.catches_up(unpaid) else ""
        what = f"{count(len(unpaid), 'era')} unpaid{work}; era {first['era']} expires first, in {count(first['eras_left'], 'era')}{within}"
    elif in_hand:
        what = f"{count(len(in_hand), 'era')} {'not paid yet' if standing else 'being paid'}"
    else:
        what = "Nothing is unpaid since this installation started" if owed["earlier"]["count"] else "Nothing is unpaid"
    return ". ".join(dict.fromkeys([*(problem.topic.heading for problem in named), what])) + "."


# --- accounts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """Which rows to show: accounts in the wrong state first, then in the order of the file.

    :param start: number of rows to leave out, 0 or more.
    :param words: a part of the label or the address, in any case; empty for all.
    :param wrong: whether to show only accounts in the wrong state.
    """

    start: int = 0
    words: str = ""
    wrong: bool = False


class AccountRows:
    """The watched accounts of a network, with their newest statuses in a range of eras.

    :raises LedgerError: the ledger could not be read.
    """

    def __init__(self, name: str, accounts: Sequence[WatchedAccount], ledger: Ledger, eras: range) -> None:
        self._name = name
        self._accounts = accounts
        self._ledger = ledger
        self._eras = eras
        newest = ledger.newest_statuses(name, eras, {watched.account.hex for watched in accounts})
        found = [newest.get(watched.account.hex) for watched in accounts]
        self._newest = [_LETTERS[watched.expect, status] for watched, status in zip(accounts, found, strict=True)]
        self._wrong = [index for index, letter in enumerate(self._newest) if letter in _WRONG]

    def wrong(self) -> list[str]:
        """The accounts in the wrong state, each with its state in words."""
        return [f"{self._accounts[index].name} is {_WRONG[self._newest[index]]}" for index in self._wrong]

    def tally(self) -> dict[str, Any]:
        """Counts of the accounts by their newest status."""
        numbers = Counter(self._newest)
        checked = len(self._accounts) - numbers["."]
        return {
            "watched": len(self._accounts),
            "checked": checked,
            "right": checked - len(self._wrong),
            "staking": numbers["S"] + numbers["A"],
            "not_staking": numbers["N"] + numbers["B"],
            "unexpected": len(self._wrong),
        }

    def page(self, page: Page) -> dict[str, Any]:
        """Rows of one page: `accounts`, the rows; `start`, the number of rows before them; `matching`, the number of all rows that match."""
        found = self._matching(page)
        listed = self._rows(found[page.start : page.start + PAGE])
        return {"accounts": listed, "start": page.start, "matching": len(found)}

    def _matching(self, page: Page) -> Sequence[int]:
        wrong = set(self._wrong)
        others = [] if page.wrong else [index for index in range(len(self._accounts)) if index not in wrong]
        words = page.words.strip().lower()
        return [
            index
            for index in (*self._wrong, *others)
            if words in self._accounts[index].label.lower() or words in self._accounts[index].account.spelling.lower()
        ]

    def _rows(self, places: Sequence[int]) -> list[dict[str, Any]]:
        accounts = [self._accounts[place] for place in places]
        keys = {watched.account.hex for watched in accounts}
        by_era = self._ledger.statuses_of(self._name, self._eras, keys) if keys else {}
        rows = []
        for watched in accounts:
            statuses = (by_era.get(era, {}).get(watched.account.hex) for era in self._eras)
            letters = "".join(_LETTERS[watched.expect, status] for status in statuses)
            about = {"account": watched.account.spelling, "label": watched.label, "expect": watched.expect.value}
            rows.append({**about, "letters": letters})
        return rows
