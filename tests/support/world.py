"""A chain, a gateway, a ledger and engines in one process, with a clock that moves only when told."""

import json
from collections import Counter
from datetime import datetime, timedelta, timezone

from staking_gateway.errors import ConnectionLost, Failed, GatewayError
from staking_gateway.gateway.calls import decode
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from staking_gateway.http.session import Answer
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import Wait
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.signing import ProofMaker
from staking_gateway.types import NonceKind
from tests.support.ledgers import sqlite_url
from tests.support.simulated import ALICE, BOB, CHARLIE, SimulatedGateway

START = datetime(2026, 6, 1, tzinfo=timezone.utc)
ERA_LENGTH = 20.0
SECOND = timedelta(seconds=1)
NETWORK = "testnet"
MOST_SENDS_AT_ONCE = 30
"""More sends than these without letting time pass are a loop without end."""


class Crash(BaseException):
    """The process died here. No code catches it."""


class InProcessGateway(GatewayClient):
    """The product's client of the simulator's gateway, without HTTP and without retries.

    `lose` makes the next send fail: "before" it reaches the gateway, "after" it was accepted, "refused" to be connected, or
    "crash" the process after it was accepted. `missing` names methods this gateway does not have, and its chain
    pays by itself when it is `automatic`.
    """

    def __init__(self, simulated):
        super().__init__(Endpoint("http://localhost", retry=ReadRetry(attempts=1)), simulated.token)
        self._simulated = simulated
        self._sends = Counter()
        self.missing = set()
        self.automatic = False
        self.lose = []
        self.before_send = None
        self.sent = []

    def _send(self, call):
        if call.method not in self.missing:
            return self._simulated.call(call)
        error = {"code": -32601, "message": "Method not found", "data": {"gatewayError": "method not found"}}
        answer = {"jsonrpc": "2.0", "id": 1, "error": error}
        return decode(call, 1, Answer(200, json.dumps(answer).encode()))

    def payout_stakers(self, **params):
        if self.before_send is not None:
            self.before_send()
        fault = self.lose.pop(0) if self.lose else None
        if fault == "refused":
            raise GatewayError("no connection", method="proxyPayoutstakers", how=Failed.UNREACHABLE)
        self.sent.append(params)
        self._sends[self._simulated.simulation.now] += 1
        assert self._sends[self._simulated.simulation.now] <= MOST_SENDS_AT_ONCE, "it sends without end"
        if fault == "before":
            raise ConnectionLost("reset", method="proxyPayoutstakers")
        if isinstance(fault, GatewayError):
            raise fault
        request_id = super().payout_stakers(**params)
        if fault == "after":
            raise ConnectionLost("reset", method="proxyPayoutstakers")
        if fault == "crash":
            raise Crash
        return request_id

    def pays_by_itself(self):
        return self.automatic


class World:
    """Everything a payout needs. `era` is the newest finished era.

    :param simulator: further settings of the simulator.
    """

    def __init__(self, folder, *, unpaid_eras=1, stakers=100, simulator=None, **terms):
        terms = {"poll_interval": timedelta(seconds=6), "lag": SECOND, "finalized_within": SECOND, **terms}
        self.terms = PayoutTerms(NETWORK, BOB.account, ALICE.account, CHARLIE.account, **terms)
        self.simulated = SimulatedGateway(
            start_time=START, unpaid_eras=unpaid_eras, stakers=stakers, history_depth=1_000_000, **(simulator or {})
        )
        self.simulation, self.control = self.simulated.simulation, self.simulated.control
        self.real = START.timestamp()
        self.gateway = InProcessGateway(self.simulated)
        self.ledger_url = sqlite_url(folder)
        self.ledger = Ledger(self.ledger_url, clock=self.now)
        self._tries = Counter()

    def close(self):
        self.ledger.close()
        self.simulated.close()

    @property
    def real(self):
        return self.simulated.real

    @real.setter
    def real(self, seconds):
        self.simulated.real = seconds

    def now(self):
        return datetime.fromtimestamp(self.real, timezone.utc)

    @property
    def era(self):
        return self.truth()["active_era"] - 1

    def elapse(self, seconds):
        self.real += seconds
        self.control("advance", seconds=seconds)

    def truth(self):
        return self.simulated.truth

    def executed(self, era):
        return [payout for payout in self.truth()["payouts"] if payout["era"] == era]

    def engine(self, run="run", *, proofs=None, ledger=None, gateway=None, same_try=False, terms=None):
        """A new process. Each engine of a run is another try, unless it resumes a deferred one."""
        if not same_try:
            self._tries[run] += 1
        return PayoutEngine(
            terms or self.terms,
            gateway or self.gateway,
            proofs or ProofMaker(ALICE, CHARLIE),
            ledger or self.ledger,
            Actor(run, self._tries[run]),
            clock=self.now,
        )

    def drive(self, era, engine=None, *, patience=200):
        """Advance until there is an outcome, letting as much time pass as the engine asks for."""
        engine = engine or self.engine()
        for _ in range(patience):
            step = engine.advance(era)
            if not isinstance(step, Wait):
                return step
            self.elapse(step.retry_in.total_seconds())
        raise AssertionError(f"still waiting: {step}")


def ready_made_proofs(gateway, era):
    """Proofs of an era from the nonces and the fee of the moment."""
    return ProofMaker(ALICE, CHARLIE).make(
        relayer=BOB.account,
        era=era,
        relayer_fee=gateway.relayer_fee(BOB.account, CHARLIE.account),
        staking_nonce=gateway.nonce(ALICE.account, NonceKind.STAKING),
        payment_nonce=gateway.nonce(CHARLIE.account, NonceKind.PAYMENT),
    )
