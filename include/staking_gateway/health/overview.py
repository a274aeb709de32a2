"""What the page shows of a network: unpaid eras, problems, accounts, a grid of eras, and the timeline of one era. Plain JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from staking_gateway.config.models import NetworkConfig, WatchedAccount
from staking_gateway.health.problems import not_running, obstacle, problems
from staking_gateway.health.state import EraRun, NetworkState, State, judge_era
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.copies import SEEN_PAID
from staking_gateway.problem import Level, Problem, connection
from staking_gateway.text import amount, count, duration
from staking_gateway.types import StakingStatus

MAX_ERAS = 500
"""The most eras in the grid."""
STRIP_ERAS = 28
"""Newest eras of a network in a list."""
PAGE = 200
"""Accounts of a page."""
_WRONG = {"A": "staking", "B": "not staking"}
"""Letters of accounts in the wrong state."""
DONE, WAITING, STOPPED = "done", "waiting", "stopped"
"""States of a step of an era; only the last step can be waiting or stopped."""


class Overview:
    """Everything that the page shows of one network; the rows of accounts are read page by page, those in the wrong state first.

    :ivar data: plain JSON: amounts as decimal text in the smallest unit, and in `texts` in the token's; times as ISO 8601 UTC, lags in seconds.
    """

    def __init__(self, state: NetworkState) -> None:
        name, network, ledger, active = state.name, state.network, state.ledger, state.active.era
        self._shown = range(max(0, active - state.newest), active)
        newest = ledger.newest_statuses(name, self._shown, {watched.account.hex for watched in network.accounts})
        found = [(watched, _letter(watched, newest.get(watched.account.hex))) for watched in network.accounts]
        self._accounts = sorted(found, key=lambda one: one[1] not in _WRONG)
        wrong = [f"{watched.name} is {_WRONG[letter]}" for watched, letter in self._accounts if letter in _WRONG]
        state.wrong_accounts = wrong
        self.state = state
        self.problems = problems(state)
        owed, stops, actors = _unpaid(state), obstacle(state), ledger.runs_of(name, self._shown)
        numbers = Counter(letter for _, letter in self._accounts)
        amounts = {"fee": state.live.fee, "limit": network.payout.max_fee_per_payout, "balance": state.live.balance}
        self.data: dict[str, Any] = {
            "network": name,
            "now": state.now.isoformat(),
            "level": max((problem.level for problem in self.problems), default=Level.OK).name.lower(),
            "headline": _headline(state, self.problems, owed),
            "causes": [{**one.as_dict(), **page_links(one, network)} for one in self.problems],
            "obstacle": stops and stops.topic.heading,
            "state": _state(state),
            "owed": owed,
            "funds": {
                "texts": {what: amount(one, state.token) for what, one in amounts.items() if one is not None},
                "missing_limit": state.missing_limit,
                "runway": state.runway,
                "short": state.funds is not Level.OK,
            },
            "expired": state.expired,
            "accounts": {
                "watched": numbers.total(),
                "checked": numbers.total() - numbers["."],
                "right": numbers["S"] + numbers["N"],
                "staking": numbers["S"] + numbers["A"],
                "not_staking": numbers["N"] + numbers["B"],
                "unexpected": numbers["A"] + numbers["B"],
            },
            "grid": {
                "first": self._shown.start,
                "count": len(self._shown),
                "cells": [_cell(era, state, actors.get(era)) for era in self._shown],
            },
        }

    def as_dict(self, start: int = 0, words: str = "", wrong: bool = False) -> dict[str, Any]:
        """With one page of accounts from row `start` on: `accounts` with a letter per era, and `matching`, the number of all rows that match: whose label
        or address has `words`, in any case, or that are in the `wrong` state.
        """
        words = words.strip().lower()
        matching = [
            watched
            for watched, letter in self._accounts
            if (letter in _WRONG or not wrong)
            and (words in watched.label.lower() or words in watched.account.spelling.lower())
        ]
        listed = matching[start : start + PAGE]
        keys, rows = {watched.account.hex for watched in listed}, []
        by_era = self.state.ledger.statuses_of(self.state.name, self._shown, keys) if keys else {}
        for watched in listed:
            statuses = (by_era.get(era, {}).get(watched.account.hex) for era in self._shown)
            letters = "".join(_letter(watched, status) for status in statuses)
            about = {"account": watched.account.spelling, "label": watched.label, "expect": watched.expect.value}
            rows.append({**about, "letters": letters})
        page = {"accounts": rows, "start": start, "matching": len(matching)}
        return {**self.data, "grid": {**self.data["grid"], **page}}

    def strip(self) -> dict[str, Any]:
        """The network in a list of networks."""
        data, causes = self.data, self.data["causes"]
        return {
            "network": data["network"],
            "level": data["level"],
            "headline": data["headline"],
            "dead": data["state"]["dead"],
            "cause": causes[0] if causes else None,
            "more": max(len(causes) - 1, 0),
            "first_loss": data["owed"]["eras"][0]["expires_at"] or "" if data["owed"]["eras"] else None,
            "cells": [{"era": cell["era"], "state": cell["state"]} for cell in data["grid"]["cells"][-STRIP_ERAS:]],
        }


def _letter(watched: WatchedAccount, status: StakingStatus | None) -> str:
    if status is None:
        return "."
    right, wrong = ("S", "A") if status is StakingStatus.IS_STAKING else ("N", "B")
    return right if watched.expect.allows(status) else wrong


def page_links(problem: Problem, network: NetworkConfig) -> dict[str, str | None]:
    known = {network.gateway_conn_id, network.user_signer_conn_id, network.payer_signer_conn_id}
    template, transaction = network.explorer_url, problem.transaction
    return {
        "connection": next((conn_id for conn_id in sorted(known) if problem.about == connection(conn_id)), None),
        "transaction_url": template.replace("{tx_hash}", transaction) if template and transaction else None,
    }


def _run_of(actor: str | None) -> EraRun | None:
    """The run of Airflow behind an `Actor.run`; None for a command or a script."""
    dag_id, slash, run_id = (actor or "").partition("/")
    return EraRun(dag_id, run_id) if slash and run_id and " " not in dag_id else None


def _cell(era: int, state: NetworkState, actor: str | None) -> dict[str, Any]:
    """Without empty values. `actor`: the `Actor.run` of the last change; `lag`: from the era's end to the confirmation of its last part."""
    judged, run, records = state.cells[era], state.run(era), state.records.get(era, ())
    ended_at = state.calendar.end(era)
    confirmed = [record for record in records if record.state is PayoutState.CONFIRMED]
    last = max((record.confirmed_at for record in confirmed if record.confirmed_at is not None), default=None)
    shown = run if run is not None and run.active else _run_of(actor) or run
    fee = sum(record.fee or 0 for record in confirmed) if confirmed else None
    left = state.network.countdown(era, state.active.era).eras_left if era in state.owed else None
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
        "eras_left": left,
    }
    return {name: value for name, value in data.items() if value not in (None, "")}


def _state(state: NetworkState) -> dict[str, Any]:
    active, facts, airflow = state.active, state.live, state.airflow
    end = state.calendar.end(active.era)
    return {
        "active_era": active.era,
        "source": "chain" if active.credible else "calendar",
        "window": None if facts.window is None else facts.window.value,
        "next_era_at": end.isoformat() if end > state.now else None,
        "asked_at": None if facts.at is None else facts.at.isoformat(),
        "catch_up": airflow.catch_up and {**asdict(airflow.catch_up), "paused": airflow.catch_up_paused},
        "last_catch_up": airflow.last_catch_up and asdict(airflow.last_catch_up),
        "dead": [problem.topic.heading for problem in not_running(state)],
    }


def _unpaid(state: NetworkState) -> dict[str, Any]:
    """Soonest to expire first. While the calendar cannot be relied on, `expires_at` is None, and `expires_in` counts eras."""
    listed = []
    for era in state.unpaid:
        left = state.network.countdown(era, state.active.era)
        at = state.calendar.start(left.expires_at_era) if state.dated else None
        within = count(left.eras_left, "era") if at is None else duration(at - state.now)
        listed.append({"era": era, **left.as_dict(), "expires_at": at and at.isoformat(), "expires_in": within})
    listed.sort(key=lambda entry: (entry["expires_at_era"], entry["era"]))
    earlier = sum(cell.state is State.EARLIER for cell in state.cells.values())
    in_hand = len(state.owed) - len(listed)
    return {"count": len(listed), "eras": listed, "in_hand": in_hand, "earlier": {"count": earlier}}


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
        what = f"{count(in_hand, 'era')} {'not paid yet' if standing else 'being paid'}"
    else:
        what = "Nothing is unpaid since this installation started" if owed["earlier"]["count"] else "Nothing is unpaid"
    return ". ".join(dict.fromkeys([*(problem.topic.heading for problem in named), what])) + "."


def era_timeline(era: int, state: NetworkState) -> list[dict[str, Any]]:
    """The steps of an era so far: its end, the changes of its parts in the ledger, and where it is paid no further.

    :returns: of each step `name` (`ended`, the state of a part, `failed`, or the era's own state), `at` (None: unknown), `state`, `detail`,
        `part` (None: of the whole era), and `run`, the `Actor.run` of the change, with `dag_id` and `run_id` of a run of Airflow.
    """
    end = state.calendar.end(era)
    if era >= state.active.era:
        return [_step("ended", end, WAITING, f"era {era} has not ended")]
    ledger, failure, steps = state.ledger, state.failures.get(era), [_step("ended", end)]
    records = ledger.era_payouts(state.name, era)
    for part in records:
        events = ledger.events(part)
        steps += [_step(one.to_state.value.lower(), one.at, DONE, one.cause, one.run, part.part) for one in events]
    judged = judge_era(era, records, state)
    if judged.state in (State.PAID, State.IGNORED):
        return [*steps, _step(judged.state.word, None, DONE, SEEN_PAID)] if judged.reason == SEEN_PAID else steps
    waits = judged.in_hand
    failed = failure is not None and all(failure.at >= part.updated_at for part in records)
    if failure is not None and failed:
        steps.append(_step("failed", failure.at, DONE if waits else STOPPED, failure.problem.facts, failure.run))
    if judged.state is State.EXPIRED:
        steps.append(_step(judged.state.word, state.gone_at(era), STOPPED, "its rewards are gone"))
    elif waits or not failed:
        steps.append(_step(judged.state.word, None, WAITING if waits else STOPPED, judged.reason))
    return steps


def _step(  # noqa: PLR0917 - fields of a row
    name: str, at: datetime | None, state: str = DONE, detail: str = "", run: str | None = None, part: int | None = None
) -> dict[str, Any]:
    told = {"name": name, "at": at and at.isoformat(), "state": state, "detail": detail, "run": run, "part": part}
    by = _run_of(run)
    return {**told, "dag_id": by and by.dag_id, "run_id": by and by.run_id}
