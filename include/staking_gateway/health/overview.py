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
from staking_gateway.eras.expiry import ActiveEra, countdown
from staking_gateway.errors import GatewayError, RpcError
from staking_gateway.gateway.capabilities import if_supported
from staking_gateway.health.account_rows import AccountRows, Page
from staking_gateway.health.eras import OPEN, RECENTLY, EraRun, PayoutCell, Situation, State, payout_cell
from staking_gateway.health.funds import runway
from staking_gateway.health.wording import headline, problems
from staking_gateway.payout.fee_limits import missing_limit
from staking_gateway.payout.terms import asks_node, is_local, terms_of
from staking_gateway.text import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger
    from staking_gateway.payout.terms import Gateway
    from staking_gateway.types import AccountId, ElectionWindow

ERAS = defaults.HISTORY_DEPTH
"""Default number of eras in the grid."""
MAX_ERAS = 500


@dataclass(frozen=True)
class LiveFacts:
    """Present values from a gateway; None for an unavailable value.

    :param fee: of one call, in the smallest unit; likewise `balance`, the payer's free balance.
    :param automatic: the chain pays its stakers by itself.
    :param by_node: a node of the chain has told the active era.
    :param is_local: the gateway runs on this machine.
    :param problem: why a request failed; empty without a failure.
    :param at: time of the requests, if any.
    """

    active: int | None = None
    window: ElectionWindow | None = None
    fee: int | None = None
    balance: int | None = None
    automatic: bool = False
    by_node: bool = False
    is_local: bool = True
    problem: str = ""
    at: datetime | None = None


def read_facts(
    gateway: Gateway,
    network: NetworkConfig,
    *,
    free_balance: Callable[[AccountId], int] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> LiveFacts:
    """Read the facts from a gateway. After a failed request, the other facts are kept."""
    relayer, payer = network.relayer_account, network.payer_account
    requests: dict[str, Callable[[], object]] = {
        "active": lambda: if_supported(gateway.active_era),
        "automatic": gateway.pays_by_itself,
        "window": lambda: if_supported(gateway.election_window),
        "fee": lambda: if_supported(lambda: gateway.relayer_fee(relayer, payer)),
    }
    if free_balance is not None:
        requests["balance"] = lambda: if_supported(lambda: free_balance(payer))
    answers: dict[str, Any] = {}
    problem = ""
    for name, request in requests.items():
        try:
            answers[name] = request()
        except GatewayError as error:  # noqa: PERF203 - only an unreachable gateway ends the loop
            problem = problem or str(error)
            if not isinstance(error, RpcError):
                break  # the gateway is unreachable
    if answers.get("active") == 0 and (network.calendar.era_or_none(clock()) or 0) > 1:
        answers["active"] = None
        problem = problem or "it reports era 0, so it has no data yet"
    by_node, local = asks_node(gateway), is_local(gateway)
    return LiveFacts(**answers, by_node=by_node, is_local=local, problem=problem, at=clock())


@dataclass(frozen=True)
class AirflowFacts:
    """Runs of the network's DAGs.

    :param runs: era to its latest run; None: unknown.
    :param paused: the payout DAG is paused.
    :param catch_up: the queued or running catch-up run.
    """

    runs: Mapping[int, EraRun] | None = None
    paused: bool = False
    catch_up: EraRun | None = None


def active_era(network: NetworkConfig, facts: LiveFacts, now: datetime) -> ActiveEra:
    """The active era, from chain and calendar."""
    by_calendar = network.calendar.era_or_none(now)
    return ActiveEra(
        facts.active,
        by_calendar,
        network.history_depth,
        unanswered=bool(facts.problem),
        max_drift=network.calendar_settings.max_drift,
        by_node=facts.by_node,
    )


@dataclass(frozen=True)
class Overview:
    """Everything that the page shows of one network; the rows of accounts are read page by page.

    :param data: amounts as decimal text, times as ISO 8601 UTC, lags in seconds.
    :param rows: the watched accounts.
    """

    data: Mapping[str, Any]
    rows: AccountRows

    def as_dict(self, page: Page | None = None) -> dict[str, Any]:
        """Plain JSON, with one page of accounts; rows of accounts have one letter per era."""
        return {**self.data, "grid": {**self.data["grid"], **self.rows.page(page or Page())}}


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
    recent = [notice.era for notice in ledger.journal.notices(name, EXPIRED) if now - notice.at < RECENTLY]
    data = {
        "network": name,
        "now": now.isoformat(),
        "state": _state(network, situation, facts, airflow),
        "owed": unpaid,
        "funds": _funds(name, facts, network, unpaid["count"]),
        "expired": sorted({*expired, *recent}),
        "accounts": rows.tally(),
        "grid": {"first": shown.start, "count": len(shown), "cells": [cells[era].as_dict() for era in shown]},
    }
    found = problems(data)
    level = max((problem.level for problem in found), default=0)
    judgement = {
        "level": ("ok", "attention", "danger")[level],
        "headline": headline(data),
        "problems": [problem.as_dict() for problem in found],
    }
    return Overview({**data, **judgement}, rows)


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
        active=active_era(network, facts, now),
        first=responsible_from(ledger, name, network.first_era),
        since=network.first_era,
        parts=network.payout.calls,
        delay=network.delay,
        runs=airflow.runs,
        automatic=facts.automatic,
        catching_up=airflow.catch_up is not None,
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
    }


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


def _funds(name: str, facts: LiveFacts, network: NetworkConfig, unpaid: int) -> dict[str, Any]:
    funds, limit = (
        runway(network, balance=facts.balance, fee=facts.fee, unpaid=unpaid),
        network.payout.max_fee_per_payout,
    )
    return {
        "fee": None if facts.fee is None else str(facts.fee),
        "limit": None if limit is None else str(limit),
        "missing_limit": None if facts.is_local else missing_limit(terms_of(name, network)),
        "balance": None if facts.balance is None else str(facts.balance),
        "runway": funds.eras,
        "short": funds.short,
        "critical": funds.critical,
    }
