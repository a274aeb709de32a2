"""The overview of a network: unpaid eras, problems, accounts, and a grid of eras. Plain JSON, for the page. Nothing is written.

As in a catch-up plan, a payable era without a payout in the ledger is unpaid. But two groups are listed apart: eras whose payment is in
progress, and eras before the first payout of this installation, which may be paid already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import HISTORY_DEPTH
from staking_gateway.health.account_rows import AccountRows, Page
from staking_gateway.health.eras import OPEN, PayoutCell, State, run_of
from staking_gateway.health.facts import LiveFacts, active_era
from staking_gateway.health.problems import not_running, obstacle, problems
from staking_gateway.health.remedies import page_links
from staking_gateway.health.state import network_state
from staking_gateway.ledger import PayoutState
from staking_gateway.problem import Level, Topic
from staking_gateway.text import amount, count, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.facts import AirflowFacts
    from staking_gateway.health.state import NetworkState
    from staking_gateway.ledger import Ledger
    from staking_gateway.problem import Problem

ERAS = HISTORY_DEPTH
"""Default number of eras in the grid."""
MAX_ERAS = 500
STRIP_ERAS = 28
"""Number of newest eras of a network in a list."""


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

    @property
    def causes(self) -> Sequence[Mapping[str, Any]]:
        """The problems, worst first, as `Problem.as_dict` gives them."""
        found: Sequence[Mapping[str, Any]] = self.data["causes"]
        return found

    def as_dict(self, page: Page | None = None) -> dict[str, Any]:
        """Plain JSON, with one page of accounts; rows of accounts have one letter per era."""
        return {**self.data, "grid": {**self.data["grid"], **self.rows.page(page or Page())}}

    def strip(self) -> dict[str, Any]:
        """The network in a list of networks: its level, headline, first cause and newest eras; plain JSON."""
        data, causes = self.data, self.causes
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
    setup: Sequence[Problem] = (),
    clock: Callable[[], datetime] = utc_now,
) -> Overview:
    """Everything that the page shows of one network.

    :param eras: number of newest ended eras in the grid, 1 to `MAX_ERAS`.
    :param setup: what is wrong with the set-up, as of `NetworkState`.
    :raises LedgerError: the ledger could not be read.
    """
    facts, now = facts or LiveFacts(), clock()
    active = active_era(network, facts, now).era
    shown = range(max(0, active - min(max(eras, 1), MAX_ERAS)), active)
    state = network_state(name, network, ledger, facts, now=now, airflow=airflow, also=[shown.start], setup=setup)
    shown = range(min(shown.start, state.active.era), state.active.era)
    actors = ledger.runs_of(name, shown)
    rows = AccountRows(name, network.accounts, ledger, shown)
    accounts = rows.tally()
    state = replace(state, wrong_accounts=accounts["wrong"][:3], unexpected=accounts["unexpected"])
    cells = [_cell(era, state, actors.get(era)) for era in shown]
    data = {
        "network": name,
        "now": now.isoformat(),
        "state": _state(state),
        "owed": _unpaid(state),
        "funds": _funds(state),
        "expired": state.expired,
        "accounts": accounts,
        "grid": {
            "first": shown.start,
            "count": len(shown),
            "cells": [cell.as_dict(state.token) for cell in cells],
        },
    }
    found = problems(state)
    return Overview({**data, **_judgement(state, found, data)}, rows, state, found)


def _cell(era: int, state: NetworkState, actor: str | None) -> PayoutCell:
    """The cell of an era, with `Actor.run` of its last change."""
    run, records, ended_at = state.run(era), state.records.get(era, ()), state.calendar.end(era)
    confirmed = [record for record in records if record.state is PayoutState.CONFIRMED]
    last = max((record.confirmed_at for record in confirmed if record.confirmed_at is not None), default=None)
    return PayoutCell(
        **vars(state.cells[era]),
        era=era,
        run=run if run is not None and run.active else run_of(actor) or run,
        tx_hash=next((record.tx_hash for record in reversed(records) if record.tx_hash), None),
        fee=sum(record.fee or 0 for record in confirmed) if confirmed else None,
        lag=None if last is None else max(0.0, (last - ended_at).total_seconds()),
        ended_at=ended_at,
    )


def eras_with_runs(network: NetworkConfig, facts: LiveFacts, now: datetime, eras: int = ERAS) -> range:
    """The eras whose runs an overview of so many eras shows: also all that can be paid, and the active one."""
    active = active_era(network, facts, now).era
    return range(max(0, active - max(min(eras, MAX_ERAS), network.history_depth)), active + 1)


def _judgement(state: NetworkState, found: Sequence[Problem], data: Mapping[str, Any]) -> dict[str, Any]:
    """Level, headline and problems of an overview, and what would stop a catch-up."""
    first = obstacle(state)
    standing = [problem.topic for problem in found if problem.standing]
    halted = Topic.STOPPED in standing
    stopped = next((topic.heading for topic in standing if not halted), "")
    unpaid = [entry["era"] for entry in data["owed"]["eras"]]
    beside = dict.fromkeys(_within(one.topic.heading) for one in state.setup if one.level is Level.ATTENTION)
    return {
        "level": ("ok", "attention", "danger")[max((problem.level for problem in found), default=0)],
        "headline": f"{Topic.STOPPED.heading}. " * halted
        + _headline(data, catching_up=state.airflow.catches_up(unpaid), stopped=stopped, beside=beside),
        "causes": [
            {**one.as_dict(), **page_links(one, state.network), "first_loss": _first_loss(one.eras, data["owed"])}
            for one in found
        ],
        "obstacle": None if first is None else first.topic.heading,
    }


def _first_loss(eras: Sequence[int], unpaid: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first of these eras to expire: its number, and when."""
    first = next((entry for entry in unpaid["eras"] if entry["era"] in eras), None)
    return first and {name: first[name] for name in ("era", "expires_at", "expires_in", "eras_left")}


def _state(state: NetworkState) -> dict[str, Any]:
    network, active, facts, airflow = state.network, state.active, state.live, state.airflow
    end = network.calendar.end(active.era)
    return {
        "active_era": active.era,
        "source": "chain" if active.credible else "calendar",
        "chain_era": active.chain,
        "calendar_era": active.calendar,
        "drifts": active.drifts,
        "window": None if facts.window is None else facts.window.value,
        "era_started_at": network.calendar.start(active.era).isoformat(),
        "next_era_at": end.isoformat() if end > state.now else None,
        "gateway_problem": "" if facts.problem is None else facts.problem.facts,
        "asked_at": None if facts.at is None else facts.at.isoformat(),
        "automatic": facts.automatic,
        "paused": airflow.paused,
        "catch_up": None if airflow.catch_up is None else airflow.catch_up.as_dict(),
        "last_catch_up": _last_catch_up(airflow),
        "dead": [problem.topic.heading for problem in not_running(state)],
    }


def _last_catch_up(airflow: AirflowFacts) -> dict[str, Any] | None:
    run, ended, report = airflow.last_catch_up, airflow.catch_up_ended, airflow.catch_up_report
    if run is None:
        return None
    result = "" if report is None else _catch_up_result(report)
    return {**run.as_dict(), "ended_at": None if ended is None else ended.isoformat(), "result": result}


def _unpaid(state: NetworkState) -> dict[str, Any]:
    """The unpaid eras without a payment in progress, soonest to expire first; and those with one. While the calendar cannot be relied on,
    `expires_at` is None, and `expires_in` counts eras.
    """
    listed = []
    for era, cell in state.cells.items():
        if cell.state not in OPEN:
            continue
        left = state.network.depths.countdown(era, state.active.era)
        entry = {"era": era, "state": cell.state.value, "why": cell.reason, "in_hand": cell.in_hand, **left.as_dict()}
        expires = left.expires_at(state.calendar) if state.dated else None
        entry["expires_at"] = None if expires is None else expires.isoformat()
        within = count(left.eras_left, "era") if expires is None else duration(expires - state.now)
        entry["expires_in"] = within
        listed.append(entry)
    listed.sort(key=lambda entry: (entry["expires_at_era"], entry["era"]))
    earlier = [entry for entry in listed if entry["state"] == State.EARLIER.value]
    in_hand = [entry for entry in listed if entry["in_hand"]]
    unpaid = [entry for entry in listed if not entry["in_hand"] and entry["state"] != State.EARLIER.value]
    return {
        "count": len(unpaid),
        "eras": unpaid,
        "oldest": min((entry["era"] for entry in unpaid), default=None),
        "in_hand": in_hand,
        "earlier": {"count": len(earlier), "next": earlier[0] if earlier else None},
    }


def _funds(state: NetworkState) -> dict[str, Any]:
    facts = state.live
    amounts = {"fee": facts.fee, "limit": state.network.payout.max_fee_per_payout, "balance": facts.balance}
    return {
        **{what: None if number is None else str(number) for what, number in amounts.items()},
        "texts": {what: amount(number, state.token) for what, number in amounts.items() if number is not None},
        "missing_limit": state.missing_limit,
        "runway": state.runway,
        "short": state.short,
        "critical": state.critical,
    }


# --- headline -----------------------------------------------------------------------------------------------------------


def _headline(overview: Mapping[str, Any], *, catching_up: bool, stopped: str, beside: Iterable[str]) -> str:
    """The most important fact of an overview in one sentence, after what stands before every payout.

    :param stopped: the heading of the cause that stands before every payout; empty without one.
    :param beside: what else is wrong with the set-up.
    """
    owed, in_hand = overview["owed"], overview["owed"]["in_hand"]
    if overview["state"]["automatic"]:
        return "This chain pays its stakers by itself: nothing is unpaid."
    if owed["count"]:
        first = owed["eras"][0]
        within = f" ({first['expires_in']})" if first["expires_at"] else ""
        when = f"{count(first['eras_left'], 'era')}{within}"
        why = f"{stopped}. " if stopped else ""
        if owed["count"] == 1:
            return f"{why}Era {first['era']} is unpaid{', and a catch-up is paying it' if catching_up else ''}; it expires in {when}."
        which = "the oldest" if first["era"] == owed["oldest"] else "the most urgent"
        work = ", and a catch-up is paying them" if catching_up else ""
        return f"{why}{count(owed['count'], 'era')} are unpaid{work}; {which}, era {first['era']}, expires in {when}."
    one = len(in_hand) == 1
    waiting = f"era {in_hand[0]['era']}" if one else count(len(in_hand), "era")
    if in_hand and stopped:
        return f"{waiting[0].upper()}{waiting[1:]} wait{'s' if one else ''}: {_within(stopped)}."
    what = "Nothing is unpaid since this installation started" if owed["earlier"]["count"] else "Nothing is unpaid"
    if in_hand:
        what += f"; {waiting} {'is' if one else 'are'} being paid"
    but = [*([_within(stopped)] if stopped else []), *_exceptions(overview), *beside]
    return ", but ".join(filter(None, [what, " and ".join(but)])) + "."


def _within(heading: str) -> str:
    """A heading in the middle of a sentence."""
    return heading if heading.startswith("Airflow") else f"{heading[0].lower()}{heading[1:]}"


def _catch_up_result(report: Mapping[str, Any]) -> str:
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
