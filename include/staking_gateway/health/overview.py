"""The overview of a network: unpaid eras, problems, accounts, and a grid of eras. Plain JSON, for the page. Nothing is written.

As in a catch-up plan, a payable era without a payout in the ledger is unpaid. But two groups are listed apart: eras whose payment is in
progress, and eras before the first payout of this installation, which may be paid already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.catch_up.survey import EXPIRED, responsible_from
from staking_gateway.config import defaults
from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import URGENT_PERCENT, countdown
from staking_gateway.health.account_rows import AccountRows, Page
from staking_gateway.health.causes import Evidence, find_causes
from staking_gateway.health.eras import OPEN, RECENTLY, PayoutCell, Situation, State, payout_cell
from staking_gateway.health.facts import AirflowFacts, LiveFacts, active_era
from staking_gateway.health.funds import runway
from staking_gateway.health.wording import catch_up_result, headline
from staking_gateway.ledger import NotGranted
from staking_gateway.payout.fee_limits import missing_limit
from staking_gateway.payout.terms import terms_of
from staking_gateway.text import amount, duration
from staking_gateway.topics import Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.funds import Runway
    from staking_gateway.ledger import Ledger, TaskFailure
    from staking_gateway.text import Token

ERAS = defaults.HISTORY_DEPTH
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
    known = range(min(shown.start, active.payable.start), active.era)
    records, actors = ledger.payouts_of(name, known), ledger.runs_of(name, known)
    cells = {era: payout_cell(era, records.get(era, ()), actors.get(era), situation) for era in known}
    rows = AccountRows(name, network.accounts, ledger, shown)
    unpaid = _unpaid(cells, network, situation)
    expired = [era for era, cell in cells.items() if cell.state is State.EXPIRED]
    token = network.token or facts.token
    funds = runway(network, balance=facts.balance, fee=facts.fee, unpaid=unpaid["count"])
    recent = [notice.era for notice in ledger.journal.notices(name, EXPIRED) if now - notice.at < RECENTLY]
    data: dict[str, Any] = {
        "network": name,
        "now": now.isoformat(),
        "state": _state(network, situation, facts, airflow),
        "owed": unpaid,
        "funds": _funds(name, facts, network, funds, token),
        "expired": sorted({*expired, *recent}),
        "accounts": rows.tally(),
        "grid": {"first": shown.start, "count": len(shown), "cells": [cells[era].as_dict(token) for era in shown]},
    }
    causes = find_causes(
        Evidence(
            name=name,
            network=network,
            situation=situation,
            cells=cells,
            records=records,
            live=facts,
            airflow=airflow,
            funds=funds,
            failures=known_failures(ledger, name),
            missing_limit=data["funds"]["missing_limit"],
            expired=data["expired"],
            wrong_accounts=data["accounts"]["wrong"][:3],
            unexpected=data["accounts"]["unexpected"],
            urgent=frozenset(
                one["era"]
                for one in (*unpaid["eras"], *unpaid["in_hand"])
                if (one["expiry_warning"] or 0) >= URGENT_PERCENT
            ),
        )
    )
    data["obstacle"] = _obstacle(facts, airflow, network, funds, data["funds"]["missing_limit"])
    level = max((cause.level for cause in causes), default=0)
    judgement = {
        "level": ("ok", "attention", "danger")[level],
        "headline": headline(data, catching_up=situation.catching_up),
        "causes": [{**cause.as_dict(), "first_loss": _first_loss(cause.eras, unpaid)} for cause in causes],
    }
    return Overview({**data, **judgement}, rows, situation)


def known_failures(ledger: Ledger, name: str) -> Mapping[int | None, TaskFailure]:
    """Why runs have failed, by era; nothing where the ledger's login may not read it."""
    try:
        return ledger.journal.failures(name)
    except NotGranted:
        return {}  # the login has the rights of an earlier version


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
    """The facts that the judgement of a network's eras needs."""
    airflow = airflow or AirflowFacts()
    return Situation(
        calendar=network.calendar,
        now=now,
        active=active_era(network, facts, now, reached=ledger.newest_paid_era(name)),
        first=responsible_from(ledger, name, network.first_era),
        since=network.first_era,
        parts=network.payout.calls,
        delay=network.delay,
        runs=airflow.runs,
        automatic=facts.automatic,
        catching_up=airflow.catch_up is not None and not airflow.dead,
        halted=airflow.halted,
    )


def _state(network: NetworkConfig, situation: Situation, facts: LiveFacts, airflow: AirflowFacts) -> dict[str, Any]:
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
        "dead": [topic.heading for topic in _dead(facts, airflow)],
    }


def _last_catch_up(airflow: AirflowFacts) -> dict[str, Any] | None:
    run, ended, report = airflow.last_catch_up, airflow.catch_up_ended, airflow.catch_up_report
    if run is None:
        return None
    result = "" if report is None else catch_up_result(report)
    return {**run.as_dict(), "ended_at": None if ended is None else ended.isoformat(), "result": result}


def _dead(facts: LiveFacts, airflow: AirflowFacts) -> list[Topic]:
    """What does not run, so that no payout can be sent."""
    missing = [Topic.DAG_MISSING] if airflow.known is False else []
    return [*airflow.dead, *missing, *([facts.topic] if facts.silent else [])]


def _obstacle(
    facts: LiveFacts, airflow: AirflowFacts, network: NetworkConfig, funds: Runway, missing: str | None
) -> str | None:
    """Why a payout that is started now would not be sent; None if nothing is in its way."""
    limit = network.payout.max_fee_per_payout
    found = _dead(facts, airflow)
    if missing:
        found.append(Topic.LIMIT_MISSING)
    if facts.fee is not None and limit is not None and facts.fee > limit:
        found.append(Topic.HELD_FEE)
    if funds.eras == 0:
        found.append(Topic.PAYER_EMPTY)
    return found[0].heading if found else None


def _unpaid(cells: Mapping[int, PayoutCell], network: NetworkConfig, situation: Situation) -> dict[str, Any]:
    """The unpaid eras without a payment in progress, soonest to expire first; and those with one."""
    depths, calendar = network.depths, network.calendar
    listed = []
    for era, cell in cells.items():
        if cell.state not in OPEN:
            continue
        left = countdown(era, situation.active.era, depths)
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


def _funds(name: str, facts: LiveFacts, network: NetworkConfig, funds: Runway, token: Token | None) -> dict[str, Any]:
    amounts = {"fee": facts.fee, "limit": network.payout.max_fee_per_payout, "balance": facts.balance}
    return {
        **{what: None if number is None else str(number) for what, number in amounts.items()},
        "texts": {what: amount(number, token) for what, number in amounts.items() if number is not None},
        "missing_limit": None if facts.is_local else missing_limit(terms_of(name, network)),
        "runway": funds.eras,
        "short": funds.short,
        "critical": funds.critical,
    }
