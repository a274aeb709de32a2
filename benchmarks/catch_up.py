"""Many eras owed: how near paying them in turn comes to what one payout in flight allows."""

from __future__ import annotations

import itertools
import json
import statistics
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processes import served
from benchmarks.results import Line, MeasurementFailed, Scale, at_most, duration
from benchmarks.rounds import where_time_goes
from staking_gateway import GatewayClient
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.drive import pay_era
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_simulator.settings import DEFAULT_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROW = "catch-up"
CONFIRM = 0.5
POLL_INTERVAL = 0.02
_ERA_LENGTH = 3600.0
_ALICE, _BOB, _CHARLIE = LocalSigner("//Alice"), LocalSigner("//Bob"), LocalSigner("//Charlie")


class Unpaid(MeasurementFailed):
    """An era was not paid, so that the time means nothing."""


def unpaid_eras(scale: Scale) -> list[Line]:
    """Pay all unpaid eras, with the engine and its ledger; one payout is in flight at a time."""
    count = scale.of(84, 8)
    ours = _pay(count)
    limit = count * CONFIRM
    each = [later - earlier for earlier, later in itertools.pairwise(ours)]
    beyond = statistics.median(each) - CONFIRM
    line = Line(
        _ROW,
        f"the lane's limit, {count} x {CONFIRM:g} s: one in flight",
        duration(ours[-1]),
        duration(limit),
        ours[-1] / limit,
        at_most(1.1),
        f"linear: {duration(statistics.median(each))} an era from the first to the last; asked every {POLL_INTERVAL * 1000:.0f} ms",
    )
    if not line.reached:
        line = replace(line, reason=_why(beyond))
    return [line]


def _pay(count: int) -> list[float]:
    """Seconds after which each era was paid, on a fresh chain."""
    with _chain(count) as client:
        active = client.active_era()
        start = time.perf_counter()
        seconds = [time.perf_counter() - start for _ in _with_engine(client, range(active - count, active))]
    if len(seconds) != count:
        raise Unpaid(f"{len(seconds)} of {count} eras")
    return seconds


@contextmanager
def _chain(unpaid: int, confirm: float = CONFIRM) -> Iterator[GatewayClient]:
    """A simulator in another process, its era long enough for the whole run, its window closed."""
    settings = {
        "unpaid_eras": unpaid,
        "confirm_seconds": confirm,
        "era_length": _ERA_LENGTH,
        "window": 0,
        "history_depth": max(unpaid, 84),
    }
    with (
        served("benchmarks.simulator_server", json.dumps(settings)) as gateway,
        GatewayClient(gateway, DEFAULT_TOKEN) as client,
    ):
        yield client


def _with_engine(client: GatewayClient, eras: range) -> Iterator[int]:
    terms = PayoutTerms(
        "benchmark",
        relayer=_BOB.account,
        user=_ALICE.account,
        payer=_CHARLIE.account,
        poll_interval=timedelta(seconds=POLL_INTERVAL),
    )
    with tempfile.TemporaryDirectory(prefix="staking-gateway-benchmark-") as folder:
        ledger = Ledger(f"sqlite:///{Path(folder) / 'ledger.db'}")
        try:
            engine = PayoutEngine(terms, client, ProofMaker(_ALICE, _CHARLIE), ledger, Actor("benchmark"))
            for era in eras:
                outcome = pay_era(engine, era)
                if outcome.outcome is not Outcome.PAID:
                    raise Unpaid(f"era {outcome.era}: {outcome.outcome.value} {outcome.reason}")
                yield outcome.era
        finally:
            ledger.close()


def _why(beyond: float) -> str:
    """The calls and writes of one era, without the wait for its confirmation."""
    with _chain(10, confirm=0) as client:
        active = client.active_era()
        told = where_time_goes(lambda: list(_with_engine(client, range(active - 10, active))))
    return (
        f"each era takes {duration(beyond)} beyond its confirmation, of which {duration(POLL_INTERVAL / 2)} are the poll's on average; "
        f"profiled, the rest goes to {told}"
    )
