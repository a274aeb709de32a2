"""The overview of a network: unpaid eras, problems, accounts, and a grid of eras. Plain JSON, for the page. Nothing is written.

As in a catch-up plan, a payable era without a payout in the ledger is unpaid. But two groups are listed apart: eras whose payment is in
progress, and eras before the first payout of this installation, which may be paid already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.catch_up.lost import EXPIRED
from staking_gateway.catch_up.survey import responsible_from
from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import HISTORY_DEPTH, URGENT_PERCENT
from staking_gateway.health.account_rows import AccountRows, Page
from staking_gateway.health.causes import find_causes, not_running, obstacle
from staking_gateway.health.eras import OPEN, RECENTLY, PayoutCell, Situation, State, oldest_judged, payout_cell
from staking_gateway.health.evidence import Evidence
from staking_gateway.health.facts import AirflowFacts, LiveFacts, active_era
from staking_gateway.health.headline import catch_up_result, headline
from staking_gateway.problem import Topic
from staking_gateway.text import amount, duration
from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger, Reconciliation

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
    :param situation: the facts by which the eras were judged.
    """

    data: Mapping[str, Any]
    rows: AccountRows
    situation: Situation

    @property
    def causes(self) -> Sequence[Mapping[str, Any]]:
        """The causes, worst first, as `Cause.as_dict` gives them."""
        found: Sequence[Mapping[str, Any]] = self.data["causes"]
        return found

    @property
    def window(self) -> ElectionWindow | None:
        """The election window now; None: unknown."""
        word = self.data["state"]["window"]
        return None if word is None else ElectionWindow(word)

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
    clock: Callable[[], datetime] = utc_now,
) -> Overview:
    """Everything that the page shows of one network.

    :param eras: number of newest ended eras in the grid, 1 to `MAX_ERAS`.
    :raises LedgerError: the ledger could not be read.
    """
    airflow, facts, now = airflow or AirflowFacts(), facts or LiveFacts(), clock()
    situation = situation_of(name, network, ledger, facts, now=now, airflow=airflow)
    active = situation.active
    shown = range(max(0, active.era - min(max(eras, 1), MAX_ERAS)), active.era)
    known = range(min(shown.start, active.payable.start, oldest_judged(situation, network.history_depth)), active.era)
    records, actors = ledger.payouts_of(name, known), ledger.runs_of(name, known)
    cells = {era: payout_cell(era, records.get(era, ()), actors.get(era), situation) for era in known}
    rows = AccountRows(name, network.accounts, ledger, shown)
    long_lost = eras_lost_long_ago(name, ledger, known.start, now)
    unpaid, accounts = _unpaid(cells, network, situation), rows.tally()
    evidence = Evidence(
        name=name,
        network=network,
        situation=situation,
        cells=cells,
        records=records,
        live=facts,
        airflow=airflow,
        failures=ledger.journal.failures(name),
        expired=[era for era in sorted(cells) if cells[era].state is State.EXPIRED and era not in long_lost],
        differences=known_differences(ledger, name, situation),
        wrong_accounts=accounts["wrong"][:3],
        unexpected=accounts["unexpected"],
        urgent=_urgent(unpaid),
        stopped=ledger.stopped(),
    )
    data = {
        "network": name,
        "now": now.isoformat(),
        "state": _state(evidence),
        "owed": unpaid,
        "funds": _funds(evidence),
        "expired": evidence.expired,
        "accounts": accounts,
        "grid": {
            "first": shown.start,
            "count": len(shown),
            "cells": [cells[era].as_dict(evidence.token) for era in shown],
        },
    }
    return Overview({**data, **_judgement(evidence, data)}, rows, situation)


def eras_with_runs(network: NetworkConfig, facts: LiveFacts, now: datetime, eras: int = ERAS) -> range:
    """The eras whose runs an overview of so many eras shows: also all that can be paid, and the active one."""
    active = active_era(network, facts, now).era
    return range(max(0, active - max(min(eras, MAX_ERAS), network.history_depth)), active + 1)


def _judgement(evidence: Evidence, data: Mapping[str, Any]) -> dict[str, Any]:
    """Level, headline and causes of an overview, and what would stop a catch-up."""
    causes, first = find_causes(evidence), obstacle(evidence)
    standing = [cause.topic for cause in causes if cause.standing]
    halted = Topic.STOPPED in standing
    stopped = next((topic.heading for topic in standing if not halted), "")
    return {
        "level": ("ok", "attention", "danger")[max((cause.level for cause in causes), default=0)],
        "headline": f"{Topic.STOPPED.heading}. " * halted
        + headline(data, catching_up=evidence.situation.catching_up, stopped=stopped),
        "causes": [{**cause.as_dict(), "first_loss": _first_loss(cause.eras, data["owed"])} for cause in causes],
        "obstacle": None if first is None else first.topic.heading,
    }


def eras_lost_long_ago(name: str, ledger: Ledger, oldest: int, now: datetime) -> set[int]:
    """The lost eras, `oldest` and later, that a catch-up reported before `RECENTLY`. They are not reported again."""
    notices = ledger.journal.notices(name, EXPIRED, since=max(oldest, 0))
    return {notice.era for notice in notices if now - notice.at > RECENTLY}


def _urgent(unpaid: Mapping[str, Any]) -> frozenset[int]:
    listed = (*unpaid["eras"], *unpaid["in_hand"])
    return frozenset(one["era"] for one in listed if (one["expiry_warning"] or 0) >= URGENT_PERCENT)


def known_differences(ledger: Ledger, name: str, situation: Situation) -> list[Reconciliation]:
    """The known differences between ledger and chain, of the eras that the chain still keeps; nobody can compare older ones again."""
    return [row for row in ledger.facts.differences(name) if row.era >= situation.active.payable.start]


def _first_loss(eras: Sequence[int], unpaid: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first of these eras to expire: its number, and when."""
    first = next((entry for entry in unpaid["eras"] if entry["era"] in eras), None)
    return first and {name: first[name] for name in ("era", "expires_at", "expires_in", "eras_left")}


def situation_of(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    facts: LiveFacts,
    *,
    now: datetime,
    airflow: AirflowFacts | None = None,
) -> Situation:
    """The facts that the judgement of a network's eras needs. Older eras than the newest `MAX_ERAS` are judged by the ledger's payouts alone."""
    airflow, active = airflow or AirflowFacts(), active_era(network, facts, now, reached=ledger.newest_paid_era(name))
    newest = range(max(0, active.era - max(MAX_ERAS, 3 * network.history_depth)), active.era)
    return Situation(
        calendar=network.calendar,
        now=now,
        active=active,
        first=responsible_from(ledger, name, network.first_era),
        since=network.first_era,
        parts=network.payout.parts,
        delay=network.delay,
        runs=airflow.runs,
        automatic=facts.automatic,
        catching_up=airflow.catching_up,
        halted=airflow.halted,
        paid_on_chain=ledger.facts.paid_on_chain(name, newest),
    )


def _state(evidence: Evidence) -> dict[str, Any]:
    network, situation, facts, airflow = evidence.network, evidence.situation, evidence.live, evidence.airflow
    active = situation.active
    end = network.calendar.end(active.era)
    return {
        "active_era": active.era,
        "source": "chain" if active.credible else "calendar",
        "chain_era": active.chain,
        "calendar_era": active.calendar,
        "drifts": active.drifts,
        "window": None if facts.window is None else facts.window.value,
        "era_started_at": network.calendar.start(active.era).isoformat(),
        "next_era_at": end.isoformat() if end > situation.now else None,
        "gateway_problem": facts.problem,
        "asked_at": None if facts.at is None else facts.at.isoformat(),
        "automatic": facts.automatic,
        "paused": airflow.paused,
        "catch_up": None if airflow.catch_up is None else airflow.catch_up.as_dict(),
        "last_catch_up": _last_catch_up(airflow),
        "dead": [cause.topic.heading for cause in not_running(evidence)],
    }


def _last_catch_up(airflow: AirflowFacts) -> dict[str, Any] | None:
    run, ended, report = airflow.last_catch_up, airflow.catch_up_ended, airflow.catch_up_report
    if run is None:
        return None
    result = "" if report is None else catch_up_result(report)
    return {**run.as_dict(), "ended_at": None if ended is None else ended.isoformat(), "result": result}


def _unpaid(cells: Mapping[int, PayoutCell], network: NetworkConfig, situation: Situation) -> dict[str, Any]:
    """The unpaid eras without a payment in progress, soonest to expire first; and those with one."""
    depths, calendar = network.depths, network.calendar
    listed = []
    for era, cell in cells.items():
        if cell.state not in OPEN:
            continue
        left = depths.countdown(era, situation.active.era)
        entry = {"era": era, "state": cell.state.value, "why": cell.reason, "in_hand": cell.in_hand}
        expires = left.expires_at(calendar)
        listed.append({**entry, **left.as_dict(calendar), "expires_in": duration(expires - situation.now)})
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


def _funds(evidence: Evidence) -> dict[str, Any]:
    facts, funds = evidence.live, evidence.funds
    amounts = {"fee": facts.fee, "limit": evidence.network.payout.max_fee_per_payout, "balance": facts.balance}
    return {
        **{what: None if number is None else str(number) for what, number in amounts.items()},
        "texts": {what: amount(number, evidence.token) for what, number in amounts.items() if number is not None},
        "missing_limit": evidence.missing_limit,
        "runway": funds.eras,
        "short": funds.short,
        "critical": funds.critical,
    }
