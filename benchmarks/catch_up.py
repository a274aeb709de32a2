"""Unpaid eras in a row, beside what the lane allows: one payout in flight, each needs its time to be executed, and the last to be final."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from datetime import timedelta

from benchmarks.harness import Line, MeasurementFailed
from staking_gateway import GatewayClient
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout import EraOutcome, Outcome, PayoutEngine, PayoutTerms
from staking_gateway.payout.outcomes import WaitFor
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

ERAS, CONFIRM, ROUNDS = 20, 0.5, 3
POLL, LAG, FINALIZED = timedelta(seconds=0.02), timedelta(seconds=0.5), timedelta(seconds=0.5)
LIMIT = ERAS * CONFIRM + (LAG + FINALIZED).total_seconds()
ALICE, BOB, CHARLIE = LocalSigner("//Alice"), LocalSigner("//Bob"), LocalSigner("//Charlie")


def measure() -> list[Line]:
    """Pay the eras with the engine and a ledger in SQLite. The next era starts when the staking nonce of the one before has passed."""
    pairs = [(pay(), LIMIT) for _ in range(ROUNDS)]
    return [Line(f"catching up {ERAS} eras that need {CONFIRM} s each to execute", "the lane's limit", pairs)]


def pay() -> float:
    """Seconds to pay all unpaid eras of a new chain."""
    settings = SimulatorSettings(unpaid_eras=ERAS, confirm_seconds=CONFIRM, era_length=36_000.0, window=0)
    terms = PayoutTerms(
        "benchmark",
        relayer=BOB.account,
        user=ALICE.account,
        payer=CHARLIE.account,
        poll_interval=POLL,
        lag=LAG,
        finalized_within=FINALIZED,
    )
    with (
        RunningSimulator(settings) as simulator,
        GatewayClient(simulator.url, simulator.token) as gateway,
        tempfile.TemporaryDirectory(prefix="staking-benchmark-") as folder,
        closing(Ledger(f"sqlite:///{folder}/ledger.db")) as ledger,
    ):
        engine = PayoutEngine(terms, gateway, ProofMaker(ALICE, CHARLIE), ledger, Actor("benchmark"))
        active, start = gateway.active_era(), time.perf_counter()
        unpaid = [*range(active - ERAS, active)]
        while unpaid:
            for era in unpaid[:]:
                step = engine.advance(era)
                if isinstance(step, EraOutcome):
                    if step.outcome is not Outcome.PAID:
                        raise MeasurementFailed(f"era {era} is not paid: {step.reason}")
                    unpaid.remove(era)
                elif step.reason is not WaitFor.FINALITY:
                    break
            time.sleep(POLL.total_seconds())
        return time.perf_counter() - start
