"""What a network looks like at a glance: what is owed, at risk or wrong, and a grid of eras. Plain JSON, for a page.

It says what a catch-up would say: an era that can still be paid is owed unless the ledger holds its payout. Two things a plan does
not care about make it readable: an era somebody is at work on is not called owed, and eras from before the first payout of this
installation are told apart, since somebody else may well have paid them. Nothing is written.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from staking_gateway.catch_up.plan import eras_covered
from staking_gateway.catch_up.survey import EXPIRED
from staking_gateway.config.models import Expectation
from staking_gateway.eras.calendar import payable_eras, utc_now
from staking_gateway.eras.expiry import countdown
from staking_gateway.errors import GatewayError, InvalidEra, RpcError
from staking_gateway.gateway.capabilities import if_supported
from staking_gateway.health.cells import OPEN, EraRun, PayoutCell, Situation, State, payout_cell
from staking_gateway.health.wording import duration, headline, problems
from staking_gateway.types import AccountId, StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from staking_gateway.config.models import NetworkConfig, WatchedAccount
    from staking_gateway.ledger import Ledger
    from staking_gateway.payout.terms import Gateway
    from staking_gateway.types import ElectionWindow

__all__ = [
    "ERAS",
    "MAX_ERAS",
    "STATUS_WORDS",
    "AirflowFacts",
    "EraRun",
    "LiveFacts",
    "State",
    "active_era",
    "overview",
    "read_facts",
]

ERAS = 84
"""Eras of the grid, unless others are asked for; `Staking.HistoryDepth` of most networks."""
MAX_ERAS = 500
_LATELY = timedelta(days=7)
"""For so long the page says that an era was lost."""

_NOT_CHECKED = "."
_STATUS_LETTERS = {
    # (expected, found): a capital A or B is not as it must be.
    (expected, status): allowed if expected.allows(status) else refused
    for expected in Expectation
    for status, allowed, refused in ((StakingStatus.IS_STAKING, "S", "A"), (StakingStatus.IS_NOT_STAKING, "N", "B"))
}
UNEXPECTED = ("A", "B")
STATUS_WORDS = {"S": "staking", "N": "not staking", "A": "staking", "B": "not staking"}
"""What a letter of an account's row says; another one says that it was not checked."""


@dataclass(frozen=True)
class LiveFacts:
    """What a gateway told a moment ago; None for what it does not tell.

    :param fee: of one call, in the smallest unit; likewise `balance`, what the payer can spend.
    :param automatic: the chain pays its stakers without being asked.
    :param problem: why the gateway could not be asked; empty when it could.
    :param at: when it was asked; None: not yet.
    """

    active: int | None = None
    window: ElectionWindow | None = None
    fee: int | None = None
    balance: int | None = None
    automatic: bool = False
    problem: str = ""
    at: datetime | None = None


def read_facts(
    gateway: Gateway,
    network: NetworkConfig,
    *,
    free_balance: Callable[[AccountId], int] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> LiveFacts:
    """Ask a gateway. One that fails is a fact too, and what it told all the same is kept.

    :param free_balance: reads what an account can spend, where there is a way to know.
    """
    relayer, payer = network.relayer_account, network.payer_account
    questions: dict[str, Callable[[], object]] = {
        "active": lambda: if_supported(gateway.active_era),
        "automatic": gateway.pays_by_itself,
        "window": lambda: if_supported(gateway.election_window),
        "fee": lambda: if_supported(lambda: gateway.relayer_fee(relayer, payer)),
    }
    if free_balance is not None:
        questions["balance"] = lambda: if_supported(lambda: free_balance(payer))
    told: dict[str, Any] = {}
    failures: list[GatewayError] = []
    for name, ask in questions.items():
        answer = _answer(ask)
        if not isinstance(answer, GatewayError):
            told[name] = answer
            continue
        failures.append(answer)
        if not isinstance(answer, RpcError):
            break  # nobody is there to answer the next question
    problem = str(failures[0]) if failures else ""
    if told.get("active") == 0 and (calendar_era(network, clock()) or 0) > 1:
        told["active"] = None
        problem = problem or "it tells era 0, as a gateway without data does"
    return LiveFacts(**told, problem=problem, at=clock())


def _answer(ask: Callable[[], object]) -> object:
    """What is told, or the error that was met instead."""
    try:
        return ask()
    except GatewayError as error:
        return error


@dataclass(frozen=True)
class AirflowFacts:
    """What is known of the runs; the defaults stand for nothing.

    :param runs: era to its latest run; None when nobody knows.
    :param paused: the network's payouts are not scheduled.
    :param catch_up: the catch-up run that pays, or is about to.
    """

    runs: Mapping[int, EraRun] | None = None
    paused: bool = False
    catch_up: EraRun | None = None


@dataclass(frozen=True)
class _Moment:
    """Where the network is in time."""

    now: datetime
    active: int
    dated: int | None
    facts: LiveFacts = field(default_factory=LiveFacts)


def active_era(network: NetworkConfig, facts: LiveFacts, now: datetime) -> int:
    """The active era: as the chain tells, or else by the calendar."""
    return _moment(network, now, facts).active


def calendar_era(network: NetworkConfig, now: datetime) -> int | None:
    """The active era by the calendar; None before its first era and after its last."""
    try:
        return network.calendar.era_at(now)
    except InvalidEra:
        return None


def overview(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    *,
    facts: LiveFacts | None = None,
    airflow: AirflowFacts | None = None,
    eras: int = ERAS,
    clock: Callable[[], datetime] = utc_now,
) -> dict[str, Any]:
    """Everything the page shows of one network.

    :param eras: how many of the newest finished eras the grid has, 1 to `MAX_ERAS`.
    :returns: amounts as decimal text, times as ISO 8601 UTC, lags in seconds; rows of accounts as one letter per era.
    :raises LedgerError: the ledger could not be read.
    """
    airflow = airflow or AirflowFacts()
    moment = _moment(network, clock(), facts or LiveFacts())
    shown = range(max(0, moment.active - min(max(eras, 1), MAX_ERAS)), moment.active)
    payable = payable_eras(moment.active, network.history_depth)
    known = range(min(shown.start, payable.start), moment.active)
    cells = _payout_cells(name, network, ledger, moment=moment, airflow=airflow, eras=known)
    rows = _account_rows(name, network.accounts, ledger, shown)
    owed = _owed(cells, network, moment)
    expired = [era for era, cell in cells.items() if cell.state is State.EXPIRED]
    lately = [notice.era for notice in ledger.journal.notices(name, EXPIRED) if moment.now - notice.at < _LATELY]
    told = {
        "network": name,
        "now": moment.now.isoformat(),
        "state": _state(network, moment, airflow),
        "owed": owed,
        "funds": _funds(moment.facts, network, owed["count"]),
        "expired": sorted({*expired, *lately}),
        "accounts": _tally(rows, shown.stop),
        "grid": {
            "first": shown.start,
            "count": len(shown),
            "cells": [cells[era].as_dict() for era in shown],
            "accounts": rows,
            "version": _version(rows),
        },
    }
    found = problems(told)
    level = max((problem.level for problem in found), default=0)
    return {
        **told,
        "level": ("ok", "attention", "danger")[level],
        "headline": headline(told),
        "problems": [problem.as_dict() for problem in found],
    }


def _moment(network: NetworkConfig, now: datetime, facts: LiveFacts) -> _Moment:
    dated = calendar_era(network, now)
    active = facts.active if facts.active is not None else dated
    return _Moment(now, active or 0, dated, facts)


def _state(network: NetworkConfig, moment: _Moment, airflow: AirflowFacts) -> dict[str, Any]:
    facts = moment.facts
    end = network.calendar.end(moment.active)
    return {
        "active_era": moment.active,
        "source": "chain" if facts.active is not None else "calendar",
        "calendar_era": moment.dated,
        "window": None if facts.window is None else facts.window.value,
        "era_started_at": network.calendar.start(moment.active).isoformat(),
        "next_era_at": end.isoformat() if end > moment.now else None,
        "gateway_problem": facts.problem,
        "asked_at": None if facts.at is None else facts.at.isoformat(),
        "automatic": facts.automatic,
        "paused": airflow.paused,
        "catch_up": None if airflow.catch_up is None else airflow.catch_up.as_dict(),
    }


def _payout_cells(
    name: str, network: NetworkConfig, ledger: Ledger, *, moment: _Moment, airflow: AirflowFacts, eras: range
) -> dict[int, PayoutCell]:
    records = ledger.payouts_of(name, eras)
    actors = ledger.runs_of(name, eras)
    oldest = ledger.oldest_era(name)
    noticed = [notice.era for notice in ledger.journal.notices(name)]
    situation = Situation(
        calendar=network.calendar,
        now=moment.now,
        payable=payable_eras(moment.active, network.history_depth),
        since=network.calendar.first_era_from(network.start_date) if network.start_date else None,
        first_known=min([*noticed, *([] if oldest is None else [oldest])], default=None),
        parts=network.payout.calls,
        delay=network.delay,
        runs=airflow.runs,
        automatic=moment.facts.automatic,
        catching_up=airflow.catch_up is not None,
    )
    return {era: payout_cell(era, records.get(era, ()), actors.get(era), situation) for era in eras}


def _owed(cells: Mapping[int, PayoutCell], network: NetworkConfig, moment: _Moment) -> dict[str, Any]:
    """What nobody is at work on, the era that would be lost first in front; and how many eras somebody is at work on."""
    depths, calendar = network.depths, network.calendar
    listed = []
    for era, cell in cells.items():
        if cell.state not in OPEN:
            continue
        left = countdown(era, moment.active, depths)
        entry = {"era": era, "state": cell.state.value, "why": cell.reason, "in_hand": cell.in_hand}
        expires = left.expires_at(calendar)
        listed.append({**entry, **left.as_dict(calendar), "expires_in": duration(expires - moment.now)})
    listed.sort(key=lambda entry: (entry["expires_at_era"], entry["era"]))
    ours = [entry for entry in listed if not entry["in_hand"] and entry["state"] != State.EARLIER.value]
    earlier = [entry for entry in listed if entry["state"] == State.EARLIER.value]
    in_hand = [entry for entry in listed if entry["in_hand"]]
    return {
        "count": len(ours),
        "eras": ours,
        "oldest": min((entry["era"] for entry in ours), default=None),
        "in_hand": in_hand,
        "earlier": {"count": len(earlier), "next": earlier[0] if earlier else None},
    }


def _funds(facts: LiveFacts, network: NetworkConfig, owed: int) -> dict[str, Any]:
    """The fee of a call, and for how many eras the payer's balance lasts; short and critical as for alerts, or by what is owed."""
    runway, alerts = eras_covered(facts.balance, facts.fee, network.payout.calls), network.alerts
    return {
        "fee": None if facts.fee is None else str(facts.fee),
        "balance": None if facts.balance is None else str(facts.balance),
        "runway": runway,
        "short": runway is not None and runway < max(owed, 1, alerts.runway_warning),
        "critical": runway is not None and runway < max(owed, 1, alerts.runway_critical),
    }


def _account_rows(name: str, accounts: Sequence[WatchedAccount], ledger: Ledger, eras: range) -> list[dict[str, Any]]:
    by_era = ledger.statuses_of(name, eras)
    columns: list[Mapping[str, StakingStatus]] = [by_era.get(era, {}) for era in eras]
    rows = []
    for watched in accounts:
        key = watched.status_key
        letter = {status: _STATUS_LETTERS[watched.expect, status] for status in StakingStatus}
        letters = "".join([letter[column[key]] if key in column else _NOT_CHECKED for column in columns])
        rows.append(
            {"account": watched.account, "label": watched.label, "expect": watched.expect.value, "letters": letters}
        )
    return rows


def _tally(rows: Sequence[Mapping[str, Any]], active: int) -> dict[str, Any]:
    """How the accounts stand, each by its newest check."""
    newest = [(row["letters"].rstrip(_NOT_CHECKED)[-1:], row) for row in rows]
    wrong = [_wrong(letter, row, active) for letter, row in newest if letter in UNEXPECTED]
    return {
        "watched": len(rows),
        "staking": sum(letter in ("S", "A") for letter, _ in newest),
        "not_staking": sum(letter in ("N", "B") for letter, _ in newest),
        "unexpected": len(wrong),
        "wrong": wrong[:10],
    }


def _wrong(letter: str, row: Mapping[str, Any], active: int) -> str:
    letters = row["letters"]
    since = active - len(letters) + len(letters.rstrip(letter + _NOT_CHECKED))
    since += len(letters[since - active :]) - len(letters[since - active :].lstrip(_NOT_CHECKED))
    return f"{row['label'] or row['account']} is {STATUS_WORDS[letter]} since era {since}"


def _version(rows: Sequence[Mapping[str, Any]]) -> str:
    """Names the rows of accounts, so that a reader who has them need not get them again."""
    text = "\n".join(f"{row['account']} {row['label']} {row['letters']}" for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
