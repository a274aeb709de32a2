"""Transitions of a payout in the ledger, beside the same two statements with the database's driver alone."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import datetime, timezone
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import psycopg2  # type: ignore[import-untyped]

from benchmarks.harness import Line, MeasurementFailed, by_turns, postgresql, sqlite
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Callable

ERAS, LANES, ROUNDS = 20, (1, 8), 5
RUN = Actor("benchmark")
INSERT = (
    "INSERT INTO payout_events (payout_id, at, from_state, to_state, version, cause, run, try_number) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)


def measure() -> list[Line]:
    """In one lane, and in eight processes at a time, each with the lane of its own user."""
    lines = []
    for name, databases in (("SQLite", sqlite), ("PostgreSQL", postgresql)):
        with databases() as new:
            for lanes in LANES:
                ours, peer = partial(in_lanes, with_ledger, new, lanes), partial(in_lanes, with_driver, new, lanes)
                what = f"a transition in {name}, lanes: {lanes}"
                lines.append(Line(what, "the bare driver", by_turns(ours, peer, ROUNDS)))
    return lines


def in_lanes(work: Callable[[str, list[Payout]], tuple[float, float]], new: Callable[[], str], lanes: int) -> float:
    """Seconds of a transition, with so many processes at work: from the first start to the last end."""
    url = new()
    with closing(Ledger(url)) as ledger:
        planned = [[plan(ledger, lane, era) for era in range(ERAS)] for lane in range(lanes)]
    with ProcessPoolExecutor(lanes, get_context("fork")) as pool:
        starts, ends = zip(*pool.map(work, [url] * lanes, planned), strict=True)
    return float(max(ends) - min(starts)) / (lanes * ERAS * 3)


def plan(ledger: Ledger, lane: int, era: int) -> Payout:
    """A planned payout of a network and a user of its own."""
    user, payer, relayer = (AccountId.parse(f"0x{lane * 3 + number:064x}") for number in (1, 2, 3))
    return ledger.plan(f"lane_{lane}", era, 0, user=user, payer=payer, relayer=relayer, actor=RUN)


def changes(payout: Payout) -> list[tuple[PayoutState, dict[str, Any]]]:
    """What the engine writes when it signs, when the gateway accepts, and when the payout is confirmed."""
    now = datetime.now(timezone.utc)
    numbers = {"fee": 10**17, "staking_nonce": payout.era, "payment_nonce": payout.era}
    signatures = {"proxy_signature": "0x" + "ab" * 64, "fee_payment_signature": "0x" + "cd" * 64}
    signed = {**signatures, **numbers, "chain": payout.network, "signed_at": now}
    accepted = {"request_id": f"{payout.era:032x}", "accepted_at": now}
    confirmed = {"tx_hash": "0x" + "ef" * 32, "block_number": payout.era, "confirmed_at": now}
    return [
        (PayoutState.SIGNED, {**signed, "lease_owner": "ab" * 16, "lease_until": now}),
        (PayoutState.SUBMITTED, {**accepted, "lease_owner": None, "lease_until": None}),
        (PayoutState.CONFIRMED, {**confirmed, "confirmed_by": "request_state", "settled_by": RUN.run}),
    ]


def with_ledger(url: str, payouts: list[Payout]) -> tuple[float, float]:
    """One lane with `Ledger.transition`; when it started and ended."""
    with closing(Ledger(url)) as ledger:
        ledger.payout(payouts[0].network, 0, 0)  # connects
        start = time.monotonic()
        for payout in payouts:
            current = payout
            for state, values in changes(payout):
                current = ledger.transition(current, state, f"is {state.value}", RUN, **values)
        return start, time.monotonic()


def with_driver(url: str, payouts: list[Payout]) -> tuple[float, float]:
    """The same with `sqlite3` or `psycopg2`: a compare-and-set of the row and its event, in one transaction."""
    is_sqlite = url.startswith("sqlite")
    if is_sqlite:
        cursor: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=60).cursor()
    else:
        connection = psycopg2.connect(url)
        connection.autocommit = True
        cursor = connection.cursor()
    start = time.monotonic()
    for payout in payouts:
        before = payout.state.value
        for version, (state, values) in enumerate(changes(payout), payout.version):
            now = datetime.now(timezone.utc)
            row = {**values, "state": state.value, "version": version + 1, "updated_at": now}
            columns = ", ".join(f"{name} = %s" for name in row)
            event = [payout.id, now, before, state.value, version + 1, f"is {state.value}", RUN.run, 1]
            cursor.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN")
            update = f"UPDATE payouts SET {columns} WHERE id = %s AND version = %s RETURNING *"  # noqa: S608
            execute(cursor, update, [*row.values(), payout.id, version], is_sqlite)
            if len(cursor.fetchall()) != 1:
                raise MeasurementFailed("a transition was lost")
            execute(cursor, INSERT, event, is_sqlite)
            cursor.execute("COMMIT")
            before = state.value
    return start, time.monotonic()


def execute(cursor: Any, statement: str, values: list[Any], is_sqlite: bool) -> None:
    """Execute; SQLite has other marks for parameters, and stores times as text."""
    if is_sqlite:
        statement = statement.replace("%s", "?")
        values = [value.isoformat(" ")[:26] if isinstance(value, datetime) else value for value in values]
    cursor.execute(statement, values)
