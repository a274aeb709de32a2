"""The simulated gateway in one process: no HTTP, and a chain whose clock moves only when a test moves it."""

import itertools
import json
from datetime import datetime, timezone

from staking_gateway.gateway import calls
from staking_gateway.gateway.calls import Dialect, decode
from staking_gateway.http.session import Answer
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.fault_plan import FaultPlan, FaultRule
from staking_gateway_simulator.faulty_gateway import FaultyGateway
from staking_gateway_simulator.gateway import Call
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.simulation import Simulation
from staking_gateway_simulator.truth import tell_state, tell_truth

ALICE, BOB, CHARLIE, DAVE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie", "//Dave"))
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ACTIVE = 30
"""The active era at START: 600 seconds after the anchor, 20 seconds each."""
ERA = ACTIVE - 1
"""The newest era that can be paid at START."""
FEE = 10**17


class SimulatedGateway:
    """A chain, a gateway behind faults, and a caller. Alice is the user, Charlie the payer, Bob the relayer.

    :param rules: faults, as the simulator's command line takes them.
    :param state: the simulator's state file; None keeps everything in memory.
    :param settings: settings of the simulator.
    """

    def __init__(self, *rules, seed=0, state=None, token="simulator-token", **settings):
        self.real = START.timestamp()
        self.token = token
        self._state, self._ids = state, itertools.count(1)
        self._rules, self._seed = [FaultRule.of(rule) for rule in rules], seed
        self.start(**{"manual_clock": True, "start_time": START, "unpaid_eras": 3, **settings})

    def start(self, *, plan=None, **settings):
        """Start the simulator; without a plan, with faults and counts forgotten."""
        self.simulation = Simulation(SimulatorSettings(**settings), self._state, lambda: self.real)
        self.plan = plan or FaultPlan(self._rules, self._seed)
        self._gateway = FaultyGateway(self.simulation, self.plan)
        self._control = Control(self.simulation, self.plan)
        self.settings = settings

    def restart(self, *, after=0.0, **changes):
        """End the process, and start another one on the same state file without faults."""
        self.close()
        self.real += after
        self._rules = []
        self.start(**{**self.settings, **changes})

    def close(self):
        self.simulation.close()

    # --- calls -----------------------------------------------------------------------------------------------------

    def respond(self, path, body):
        """What comes back of one call: the answer, and the fault it met."""
        return self._gateway.respond(Call(path, {"Authorization": f"bearer {self.token}"}, body))

    def call(self, call):
        """The value a client decodes, or the error it meets."""
        number = next(self._ids)
        reply = self.respond(getattr(Dialect(), call.path), call.body(number))
        lost = reply.fault.error(call.method) if reply.fault is not None else None
        if lost is not None:
            raise lost
        answer = reply.answer
        return decode(call, number, Answer(answer.status, answer.body, answer.headers))

    def ask(self, path, method, **params):
        """The answer as it arrives."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
        return json.loads(self.respond(path, body.encode()).answer.body)

    # --- payouts ---------------------------------------------------------------------------------------------------

    def params(self, era=ERA, *, user=ALICE, payer=CHARLIE, sent=None, signed_era=None, **signed):
        """Params of a payout. `signed` replaces what is signed, `sent` some of the params after signing."""
        staking, payment = self.nonces(user, payer)
        given = {
            "relayer": BOB.account,
            "relayer_fee": self.simulation.chain.fee,
            "staking_nonce": staking,
            "payment_nonce": payment,
            **signed,
        }
        proofs = ProofMaker(user, payer).make(era=era if signed_era is None else signed_era, **given)
        return {
            "relayer": BOB.account.address,
            "user": user.account.address,
            "payer": payer.account.address,
            "era": str(era),
            "proxySignature": proofs.proxy_signature,
            "feePaymentSignature": proofs.fee_payment_signature,
            "paymentNonce": str(given["payment_nonce"]),
            **(sent or {}),
        }

    def payout(self, params=None):
        """The call of a payout, as a client makes it."""
        params = params or self.params()
        return calls.payout(
            **{name: params[name] for name in ("relayer", "user", "payer", "era")},
            proxy_signature=params["proxySignature"],
            fee_payment_signature=params["feePaymentSignature"],
            payment_nonce=params["paymentNonce"],
        )

    def pay(self, params=None):
        """Send a payout; returns the request's id."""
        return self.call(self.payout(params))

    def execute(self, params=None):
        """Send a payout, whatever its params are, and let the chain execute it; returns the request's id."""
        request = self.ask("/send", "proxyPayoutstakers", **(params or self.params()))["result"]
        self.advance(1)
        return request

    def state_of(self, request_id):
        return self.call(calls.request_state(request_id))

    # --- the chain -------------------------------------------------------------------------------------------------

    def control(self, name, **fields):
        status, answer = self.try_control(name, fields)
        assert status == 200, answer
        return answer

    def try_control(self, name, fields):
        body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
        return self._control.respond("POST", name, body)

    def advance(self, seconds):
        return self.control("advance", seconds=seconds)

    @property
    def truth(self):
        return tell_truth(self.simulation)

    @property
    def state(self):
        return tell_state(self.simulation)

    def end(self, request_id):
        """What became of a request: status, reason and fee."""
        (entry,) = (entry for entry in self.truth["requests"] if entry["request_id"] == request_id)
        return entry["status"], entry["reason"], entry["fee"]

    def nonces(self, user=ALICE, payer=CHARLIE):
        """The user's staking nonce and the payer's payment nonce on the chain."""
        chain = self.simulation.chain
        return chain.account(user.account.hex).staking_nonce, chain.account(payer.account.hex).payment_nonce
