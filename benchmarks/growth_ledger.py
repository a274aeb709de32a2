"""What grows with the ledger: statements of a payout, catch-up plans, alerts about many accounts, and the ledger itself."""

from __future__ import annotations

import json
import statistics
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from benchmarks import databases
from benchmarks.results import Line, MeasurementFailed, Scale, at_most, duration, number
from benchmarks.rounds import interleaved, where_time_goes
from staking_gateway.alerts.delivery import deliver
from staking_gateway.catch_up.lost import note_lost_eras
from staking_gateway.catch_up.survey import survey, write_notices
from staking_gateway.config import defaults
from staking_gateway.eras.expiry import Depths
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.types import AccountId, StakingStatus
from tests.support.growth import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.databases import NewDatabase

_ROW = "growth of the ledger"
_NETWORK, _RUN = "benchmark", Actor("staking_catch_up_benchmark/run")
_NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
_USER, _PAYER, _RELAYER = (AccountId.parse(f"0x{number:064x}") for number in (1, 2, 3))
_DEPTH, _ACTIVE = 84, 1_000_000
_NETWORKS, _ACCOUNTS, _ERAS_A_YEAR = 20, 2_000, 365 * 24


def growth(scale: Scale) -> list[Line]:
    """All of it, in SQLite; alerts and size also in PostgreSQL, where it is installed."""
    found: list[Line] = []
    with databases.sqlite() as new:
        found += _history(new, scale)
        found += _alerts("SQLite", new, scale.of(100_000, 2_000))
        found.append(_size("SQLite", new, scale, _sqlite_size))
    try:
        with databases.postgresql() as new:
            found += _alerts("PostgreSQL", new, scale.of(100_000, 2_000))
            found.append(_size("PostgreSQL", new, scale, _postgresql_size))
    except databases.NotInstalled as missing:
        reason = str(missing)
        for what, bound in (("longest transaction", at_most(0.2, "s")), ("statuses a year", at_most(5, "GB"))):
            found.append(Line(_ROW, f"{what}, PostgreSQL", "-", "-", None, bound, reason=reason))
    return found


# --- payouts --------------------------------------------------------------------------------------------------------------


def _history(new: NewDatabase, scale: Scale) -> list[Line]:
    """Statements and plans with few and with many payouts on record."""
    few, many = scale.of(1_000, 200), scale.of(100_000, 2_000)
    lines = []
    for check, work in ((_catch_up, _WORK), (_note, _WORK_WITHOUT_CATCH_UP)):
        with closing(_filled(new(), few, check)) as small, closing(_filled(new(), many, check)) as large:
            sizes = {few: small, many: large}
            lines += [_constant(name, one, sizes, scale.of(31, 9)) for name, one in work.items()]
    return lines


def _filled(url: str, payouts: int, check: Callable[[Ledger], object]) -> Ledger:
    """A ledger with so many paid eras; the old ones are noted as checked."""
    ledger = Ledger(url)
    eras = range(_ACTIVE - payouts, _ACTIVE - _DEPTH // 2)
    fill(url, eras, network=_NETWORK, chain=_NETWORK, user=_USER, payer=_PAYER, now=_NOW)
    check(ledger)
    return ledger


def _catch_up(ledger: Ledger) -> object:
    return write_notices(_plan(ledger), ledger, _RUN)


def _note(ledger: Ledger) -> None:
    """What the task that sends alerts notes where no catch-up ever runs."""
    oldest = ledger.oldest_era(_NETWORK) or 0
    note_lost_eras(ledger, _NETWORK, range(oldest, _ACTIVE - _DEPTH), depth=_DEPTH, actor=_RUN)


def _constant(name: str, work: Callable[[Ledger], object], ledgers: dict[int, Ledger], rounds: int) -> Line:
    few, many = ledgers
    figures = interleaved({str(size): _timed(work, ledger) for size, ledger in ledgers.items()}, rounds)
    line = Line(
        _ROW,
        f"{name}: {many:,} payouts on record, beside {few:,}",
        duration(figures[str(many)]),
        duration(figures[str(few)]),
        figures.ratio(str(many), str(few)),
        at_most(1.5),
        "by index alone",
    )
    if not line.reached:
        line = replace(line, reason=f"profiled: {where_time_goes(lambda: work(ledgers[many]))}")
    return line


def _timed(work: Callable[[Ledger], object], ledger: Ledger) -> Callable[[], float]:
    def once() -> float:
        start = time.perf_counter()
        work(ledger)
        return time.perf_counter() - start

    return once


def _statements(ledger: Ledger) -> object:
    """What a payout asks the ledger before it signs, and after it sent."""
    (payout,) = ledger.era_payouts(_NETWORK, _ACTIVE - _DEPTH)
    return (
        ledger.in_flight(_NETWORK),
        ledger.nonces_used(_NETWORK, user=_USER, payer=_PAYER),
        ledger.nonces_confirmed(_NETWORK, user=_USER, payer=_PAYER),
        ledger.with_payment_nonce_of(payout),
        ledger.committed_fees(_NETWORK, _NOW - timedelta(days=1)),
        ledger.fees_of_run(_NETWORK, "another run"),
        ledger.knows_request(payout, "another request"),
        ledger.known_chain(_NETWORK),
        ledger.busy_chain(_NETWORK),
    )


def _plan(ledger: Ledger) -> Any:
    terms = PayoutTerms(_NETWORK, relayer=_RELAYER, user=_USER, payer=_PAYER, chain=_NETWORK)
    return survey(terms, _Gateway(), ledger, kept=Depths(_DEPTH))  # type: ignore[arg-type]


_WORK: dict[str, Callable[[Ledger], object]] = {"the ten reads of a payout": _statements, "a catch-up plan": _plan}


_WORK_WITHOUT_CATCH_UP = {"a plan where no catch-up ever ran": _plan, "the check of a run there": _note}


class _Gateway:
    """As much of a gateway as a plan asks."""

    def active_era(self) -> int:
        return _ACTIVE

    def pays_by_itself(self) -> bool:
        return False

    def relayer_fee(self, *_: object) -> int:
        return 7


# --- alerts ---------------------------------------------------------------------------------------------------------------


@dataclass
class _Locked:
    """How long transactions held the locks of their rows, or of an SQLite file, in seconds."""

    taken: list[float] = field(default_factory=list)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Measure the transactions of all ledgers meanwhile."""
        begun: list[float] = []

        def before(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
            if not begun and text.startswith(("INSERT", "UPDATE", "DELETE")):
                begun.append(time.perf_counter())

        def after(_connection: Any, _cursor: Any, text: str, *_: Any) -> None:
            if text.startswith("BEGIN"):
                begun.append(time.perf_counter())

        def end(*_: Any) -> None:
            if begun:
                self.taken.append(time.perf_counter() - begun.pop())

        heard = (
            (sa.Engine, "before_cursor_execute", before),
            (sa.Engine, "after_cursor_execute", after),
            (sa.Pool, "checkin", end),
        )
        for target, event, listener in heard:
            sa.event.listen(target, event, listener)
        try:
            yield
        finally:
            for target, event, listener in heard:
                sa.event.remove(target, event, listener)


def _alerts(name: str, new: NewDatabase, accounts: int) -> list[Line]:
    """All accounts stop staking at once, and stake again."""
    found = [
        Condition(f"account:0x{number:064x}", AlertKind.NOT_STAKING, 1, Severity.WARNING, f"account {number}", "it has stopped staking",
                  "Nominate again with this account, or change its `expect` in staking.yaml")
        for number in range(accounts)
    ]  # fmt: skip
    present = Findings(present={one.topic: one for one in found})
    absent = Findings(settled=dict.fromkeys(present.present, "is staking again"))
    locked, said = _Locked(), list[dict[str, Any]]()
    with closing(Ledger(new())) as ledger, locked.watching():
        book, start = ledger.journal.alerts, time.perf_counter()
        for findings in (present, absent):
            book.update(_NETWORK, findings, clear_after=timedelta(hours=1), actor=_RUN)
            deliver(_NETWORK, book, {"receiver": said.append})
        whole = time.perf_counter() - start
    if [one["count"] for one in said] != [accounts, accounts]:
        raise MeasurementFailed(f"the messages do not count {accounts} accounts twice")
    largest = max(len(json.dumps({"text": one["text"], "staking_alert": one})) for one in said) / 1000
    longest, what = max(locked.taken), f"{accounts:,} accounts that stop at once and begin again, {name}"
    usual = statistics.median(locked.taken)
    slow = "" if longest <= 0.2 else f"a busy machine: the same work takes {duration(usual)} in most transactions"
    return [
        Line(_ROW, f"longest transaction of {what}", duration(longest), "-", longest, at_most(0.2, "s"),
             f"{len(locked.taken)} transactions in {duration(whole)}; median {duration(usual)}", reason=slow),
        Line(_ROW, f"largest message of {what}", f"{number(largest)} kB", "-", largest, at_most(64, "kB"), f"{len(said)} messages"),
    ]  # fmt: skip


# --- size -----------------------------------------------------------------------------------------------------------------


def _size(name: str, new: NewDatabase, scale: Scale, measure: Callable[[str], int]) -> Line:
    """The statuses of a year: 20 networks with 2,000 accounts each and eras of an hour, from a sample of one network."""
    url, eras = new(), scale.of(40, 4)
    people = [AccountId.parse(AccountId.parse(f"0x{number:064x}").address) for number in range(_ACCOUNTS)]
    Ledger(url).close()
    before = measure(url)
    with closing(Ledger(url)) as ledger:
        for era in range(_ACTIVE, _ACTIVE + eras):
            ledger.record_statuses("mainnet", era, [(one, StakingStatus.IS_NOT_STAKING) for one in people])
    row = (measure(url) - before) / (_ACCOUNTS * eras)
    kept = _NETWORKS * _ACCOUNTS * defaults.KEEP_STATUSES * row / 1e9
    all_of_them = _NETWORKS * _ACCOUNTS * _ERAS_A_YEAR * row / 1e9
    return Line(
        _ROW,
        f"statuses of {_NETWORKS} networks x {_ACCOUNTS:,} accounts x hourly eras after a year, {name}; beside keeping all",
        f"{number(kept)} GB",
        f"{number(all_of_them)} GB",
        kept,
        at_most(5, "GB"),
        f"{number(row)} B a status; constant after {defaults.KEEP_STATUSES} eras",
    )


def _sqlite_size(url: str) -> int:
    return Path(sa.make_url(url).database or "").stat().st_size  # nobody has it open, so all of it is in the file


def _postgresql_size(url: str) -> int:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg2:"))
    with engine.connect() as connection:
        size: int = connection.exec_driver_sql("SELECT pg_total_relation_size('account_statuses')").scalar_one()
    engine.dispose()
    return size
