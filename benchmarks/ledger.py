"""Writes of a payout in the ledger, beside the same statements with the database's driver alone."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import fields, replace
from datetime import datetime, timezone
from functools import partial
from multiprocessing import get_context
from typing import Any

import psycopg2  # type: ignore[import-untyped]

from benchmarks.harness import Line, MeasurementFailed, by_turns, postgresql, sqlite
from staking_gateway.ledger import Actor, Ledger, Payout, PayoutState
from staking_gateway.ledger.records import Copy, Sight, Sighting
from staking_gateway.types import AccountId

ERAS, LANES, ROUNDS = 20, (1, 8), 5
RUN = Actor("benchmark")
INSERT = (
    "INSERT INTO payout_events (payout_id, at, to_state, version, cause, run, try_number) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
COPY = ("payout_id", "network", *(field.name for field in fields(Copy) if field.name not in ("id", "sends")))
INSERT_COPY = f"INSERT INTO payout_copies ({', '.join(COPY)}) VALUES ({', '.join(['%s'] * len(COPY))}) RETURNING id"  # noqa: S608
INSERT_SEND = "INSERT INTO payout_sends (copy_id, number, began, run, try_number) VALUES (%s, %s, %s, %s, %s)"
INSERT_SIGHTING = "INSERT INTO payout_sightings (payout_id, user_key, kind, began, nonce) VALUES (%s, %s, %s, %s, %s)"
UPDATE_SEND = "UPDATE payout_sends SET answer = %s, answered_at = %s, request_id = %s WHERE copy_id = %s AND number = 1"


def measure() -> list[Line]:
    """In one lane, and in eight processes at a time, each with the lane of its own user."""
    lines = []
    for name, databases in (("SQLite", sqlite), ("PostgreSQL", postgresql)):
        with databases() as new:
            for lanes in LANES:
                ours, peer = partial(in_lanes, with_ledger, new, lanes), partial(in_lanes, with_driver, new, lanes)
                what = f"a write in {name}, lanes: {lanes}"
                lines.append(Line(what, "the bare driver", by_turns(ours, peer, ROUNDS)))
    return lines


def in_lanes(work: Callable[[str, list[Payout]], tuple[float, float]], new: Callable[[], str], lanes: int) -> float:
    """Seconds of a write, with so many processes at work: from the first start to the last end."""
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


def with_ledger(url: str, payouts: list[Payout]) -> tuple[float, float]:
    """One lane: each part is signed, answered and confirmed; when that started and ended."""
    with closing(Ledger(url)) as ledger:
        ledger.payout(payouts[0].network, 0, 0)  # connects
        start = time.monotonic()
        for payout in payouts:
            part = ledger.sign(payout, copy_of(payout), "signed", RUN, known=ledger.newest_copy())
            copy = part.copies[-1]
            kept: dict[str, Any] = {"hold": None, "reason": None, "cause": "accepted", "actor": RUN}
            sent = replace(copy.sends[0], answer="accepted", request_id=f"{part.era:032x}")
            part = ledger.answer(part, copy.id, sent, state=PayoutState.SUBMITTED, **kept)
            seen = [Sighting(Sight.MINE, datetime.now(timezone.utc), copy.staking_nonce, user_key=copy.user_key)]
            ledger.transition(part, PayoutState.CONFIRMED, "confirmed", RUN, sightings=seen, **confirmation(copy.id))
        return start, time.monotonic()


def copy_of(payout: Payout) -> Copy:
    owner = payout.chain, payout.user_key, payout.payer_key, payout.relayer_key
    signatures = "0x" + "ab" * 64, "0x" + "cd" * 64
    return Copy(0, *owner, payout.era, payout.era, 10**17, *signatures, datetime.now(timezone.utc), RUN.run, 1)


def confirmation(copy_id: int) -> dict[str, Any]:
    confirmed = {"confirmed_by": "request_state", "confirmed_at": datetime.now(timezone.utc)}
    return {**confirmed, "executed": copy_id, "settled_by": RUN.run}


def with_driver(url: str, payouts: list[Payout]) -> tuple[float, float]:
    """The same rows with `sqlite3` or `psycopg2`: a compare-and-set, the copy with its send, the answer or the sighting, and an event."""
    is_sqlite = url.startswith("sqlite")
    if is_sqlite:
        cursor: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=60).cursor()
    else:
        connection = psycopg2.connect(url)
        connection.autocommit = True
        cursor = connection.cursor()
    start = time.monotonic()
    for payout in payouts:
        copy_id = 0
        for version, state in enumerate(("SIGNED", "SUBMITTED", "CONFIRMED"), payout.version):
            now = datetime.now(timezone.utc)
            cursor.execute("BEGIN IMMEDIATE" if is_sqlite else "BEGIN")
            row = {"state": state, "version": version + 1, "updated_at": now}
            row |= confirmation(copy_id) if state == "CONFIRMED" else {}
            columns = ", ".join(f"{name} = %s" for name in row)
            update = f"UPDATE payouts SET {columns} WHERE id = %s AND version = %s RETURNING *"  # noqa: S608
            execute(cursor, update, [*row.values(), payout.id, version], is_sqlite)
            if len(cursor.fetchall()) != 1:
                raise MeasurementFailed("a transition was lost")
            if state == "SIGNED":
                copy = [getattr(copy_of(payout), name) for name in COPY[2:]]
                execute(cursor, INSERT_COPY, [payout.id, payout.network, *copy], is_sqlite)
                copy_id = cursor.fetchone()[0]
                execute(cursor, INSERT_SEND, [copy_id, 1, now, RUN.run, 1], is_sqlite)
            elif state == "SUBMITTED":
                execute(cursor, UPDATE_SEND, ["accepted", now, f"{payout.era:032x}", copy_id], is_sqlite)
            else:
                seen = [payout.id, payout.user_key, Sight.MINE.value, now, payout.era]
                execute(cursor, INSERT_SIGHTING, seen, is_sqlite)
            event = [payout.id, now, state, version + 1, f"is {state}", RUN.run, 1]
            execute(cursor, INSERT, event, is_sqlite)
            cursor.execute("COMMIT")
    return start, time.monotonic()


def execute(cursor: Any, statement: str, values: list[Any], is_sqlite: bool) -> None:
    """Execute; SQLite has other marks for parameters, and stores times as text."""
    if is_sqlite:
        statement = statement.replace("%s", "?")
        values = [value.isoformat(" ")[:26] if isinstance(value, datetime) else value for value in values]
    cursor.execute(statement, values)
