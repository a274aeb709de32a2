"""What a payout's transition costs in the ledger, beside the very same statements without it."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from benchmarks import databases
from benchmarks.results import Line, Scale, at_least, rate
from benchmarks.rounds import Figures, interleaved, where_time_goes
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.tables import payout_events, payouts
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.databases import NewDatabase

_ROW = "ledger"
_LEAST = 0.7
_NETWORK = "benchmark"
_RUN = Actor("staking_payout_benchmark/scheduled__era-1392", 1)
_USER, _PAYER, _RELAYER = (AccountId.parse(f"0x{number:064x}") for number in (1, 2, 3))
_SIGNATURES = {"proxy_signature": "0x" + "ab" * 64, "fee_payment_signature": "0x" + "cd" * 64}
_STEPS = 3
"""Transitions of a payout after it was planned: SIGNED, SUBMITTED, CONFIRMED."""


def transitions(scale: Scale) -> list[Line]:
    """In SQLite and, where it is installed, in PostgreSQL."""
    count, rounds = scale.of(200, 50), scale.of(11, 3)
    with databases.sqlite() as new:
        found = [_compare("SQLite", new, count, rounds)]
    try:
        with databases.postgresql() as new:
            found.append(_compare("PostgreSQL", new, count, rounds))
    except databases.NotInstalled as missing:
        found.append(Line(_ROW, "PostgreSQL", "-", "-", None, at_least(_LEAST), reason=str(missing)))
    return found


def _compare(name: str, new: NewDatabase, count: int, rounds: int) -> Line:
    figures = interleaved(
        {"ours": lambda: _with_ledger(new(), count)[-1][1], "core": lambda: _with_core(new(), count)}, rounds
    )
    parts = _with_ledger(new(), 5 * count)
    growth = "; ".join(
        f"{rate(speed, 'transitions')} with {filled:,.0f} payouts" for filled, speed in parts[:: len(parts) - 1]
    )
    line = Line(
        _ROW,
        f"{name}: by hand with SQLAlchemy core",
        rate(figures["ours"], "transitions"),
        rate(figures["core"], "transitions"),
        figures.ratio("ours", "core"),
        at_least(_LEAST),
        growth,
    )
    return line if line.reached else replace(line, reason=_why(new, count, figures))


def _why(new: NewDatabase, count: int, figures: Figures) -> str:
    told = where_time_goes(lambda: _with_ledger(new(), count))
    ours, core = (1e6 / figures[way] for way in ("ours", "core"))
    return f"of the {ours:.0f} us of a transition, {ours - core:.0f} are the ledger's own; profiled: {told}"


# --- two ways to write them --------------------------------------------------------------------------------------------


def _with_ledger(url: str, count: int) -> list[tuple[float, float]]:
    """Pay eras one after the other: how many payouts the ledger held, and transitions a second from the start to there."""
    spent, told = 0.0, []
    with closing(Ledger(url)) as ledger:
        for era, payout in enumerate(_plan(ledger, count)):
            changes = _changes(era)
            start = time.perf_counter()
            for state, values in changes:
                payout = ledger.transition(payout, state, f"is {state.value}", _RUN, **values)  # noqa: PLW2901
            spent += time.perf_counter() - start
            if (era + 1) % max(count // 10, 1) == 0:
                told.append((float(era + 1), (era + 1) * _STEPS / spent))
    return told


def _plan(ledger: Ledger, count: int) -> Iterator[Payout]:
    for era in range(count):
        yield ledger.plan(_NETWORK, era, 0, user=_USER, payer=_PAYER, relayer=_RELAYER, actor=_RUN)


def _changes(era: int) -> list[tuple[PayoutState, dict[str, Any]]]:
    """What the engine writes."""
    from datetime import datetime, timezone

    now = datetime.now(timezone.utc)
    signed = {**_SIGNATURES, "chain": _NETWORK, "fee": 10**17, "staking_nonce": era, "payment_nonce": era, "plans": 1}
    leased = {"lease_owner": "ab" * 16, "lease_until": now, "signed_at": now, "request_id": None, "reason": None}
    accepted = {"request_id": f"{era:032x}", "accepted_at": now, "lease_owner": None, "lease_until": None}
    confirmed = {"tx_hash": "0x" + "ef" * 32, "block_number": era, "confirmed_by": "request_state", "confirmed_at": now}
    return [
        (PayoutState.SIGNED, {**signed, **leased}),
        (PayoutState.SUBMITTED, accepted),
        (PayoutState.CONFIRMED, {**confirmed, "settled_by": str(_RUN), "reason": None}),
    ]


def _planned(url: str, count: int) -> list[Payout]:
    with closing(Ledger(url)) as ledger:
        return list(_plan(ledger, count))


def _with_core(url: str, count: int) -> float:
    """The same by hand with SQLAlchemy, on the ledger's tables, with the statements built once."""
    planned = _planned(url, count)
    move = payouts.update().where(
        payouts.c.id == sa.bindparam("of_payout"), payouts.c.version == sa.bindparam("read_version")
    )
    move, note = move.returning(*payouts.c), payout_events.insert()
    given: dict[str, Any] = {"connect_args": {"isolation_level": None}} if url.startswith("sqlite") else {}
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg2:"), **given)
    sets = [(payout.id, _changes(era)) for era, payout in enumerate(planned)]
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        start = time.perf_counter()
        for of_payout, changes in sets:
            before = "PLANNED"
            for version, (state, values) in enumerate(changes, 1):
                now = planned[0].created_at
                with engine.begin() as connection:
                    if engine.dialect.name == "sqlite":
                        connection.exec_driver_sql("BEGIN IMMEDIATE")
                    row = {**values, "state": state.value, "version": version + 1, "updated_at": now}
                    connection.execute(move, {**row, "of_payout": of_payout, "read_version": version}).one()
                    connection.execute(
                        note,
                        {
                            "payout_id": of_payout,
                            "at": now,
                            "from_state": before,
                            "to_state": state.value,
                            "version": version + 1,
                            "cause": f"is {state.value}",
                            "run": _RUN.run,
                            "try_number": _RUN.try_number,
                        },
                    )
                before = state.value
        return count * _STEPS / (time.perf_counter() - start)
    finally:
        engine.dispose()
