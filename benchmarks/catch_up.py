"""Unpaid eras in a row, beside what the lane allows: one payout in flight, and each needs its time to confirm."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from datetime import timedelta

from benchmarks.harness import Line, MeasurementFailed
from staking_gateway import GatewayClient
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout import Outcome, PayoutEngine, PayoutTerms
from staking_gateway.payout.drive import pay_era
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

ERAS, CONFIRM, ROUNDS = 20, 0.5, 3
ALICE, BOB, CHARLIE = LocalSigner("//Alice"), LocalSigner("//Bob"), LocalSigner("//Charlie")


def measure() -> list[Line]:
    """Pay the eras one after the other with the engine and a ledger in SQLite."""
    pairs = [(pay(), ERAS * CONFIRM) for _ in range(ROUNDS)]
    return [Line(f"catching up {ERAS} eras that need {CONFIRM} s each to confirm", "the lane's limit", pairs)]


def pay() -> float:
    """Seconds to pay all unpaid eras of a new chain."""
    settings = SimulatorSettings(unpaid_eras=ERAS, confirm_seconds=CONFIRM, era_length=36_000.0, window=0)
    terms = PayoutTerms(
        "benchmark",
        relayer=BOB.account,
        user=ALICE.account,
        payer=CHARLIE.account,
        poll_interval=timedelta(seconds=0.02),
    )
    with (
        RunningSimulator(settings) as simulator,
        GatewayClient(simulator.url, simulator.token) as gateway,
        tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder,
        closing(Ledger(f"sqlite:///{folder}/ledger.db")) as ledger,
    ):
        engine = PayoutEngine(terms, gateway, ProofMaker(ALICE, CHARLIE), ledger, Actor("benchmark"))
        active, start = gateway.active_era(), time.perf_counter()
        for era in range(active - ERAS, active):
            if pay_era(engine, era).outcome is not Outcome.PAID:
                raise MeasurementFailed(f"era {era} is not paid")
        return time.perf_counter() - start
