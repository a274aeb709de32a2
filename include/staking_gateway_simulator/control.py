"""The control interface: what a test or a demo may do to the chain. No I/O; `server` guards the door."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, validate_call

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE, NonceKind
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, make, read_account
from staking_gateway_simulator.events import FeeSet, NextUnpaid, NonceUsed, PayoutCall, StakingSet, WindowForced
from staking_gateway_simulator.fault_plan import MAX_SEED, FaultPlan, FaultRule
from staking_gateway_simulator.settings import instant_to_micros, to_micros
from staking_gateway_simulator.truth import tell_rewards, tell_state, tell_truth

if TYPE_CHECKING:
    from staking_gateway_simulator.simulation import Simulation

_LAST_INSTANT = instant_to_micros(datetime(9000, 1, 1, tzinfo=timezone.utc))
_UNSEEN = "0x" + "00" * 64
"""A signature of a payout that nobody verifies."""
_NONCE_ROOM = 2**32
"""Nonces kept free below the largest one, so that payouts can still be executed."""
_Account = Annotated[str, AfterValidator(lambda text: read_account(text).hex)]
_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Control:
    """Answers control calls. `latency` is how long the gateway's answers are held back, in seconds.

    :param simulation: the chain that is controlled.
    :param plan: the faults that are controlled.
    """

    def __init__(self, simulation: Simulation, plan: FaultPlan | None = None) -> None:
        self._simulation = simulation
        self._plan = plan or FaultPlan()
        self.latency = 0.0
        self._reads: dict[str, Callable[[], Mapping[str, Any]]] = {
            "truth": lambda: tell_truth(simulation),
            "rewards": lambda: tell_rewards(simulation),
            "state": self._state,
            "process": lambda: {"pid": os.getpid(), "state_file": simulation.state_file},
            "faults": self._plan.describe,
        }
        self._changes: dict[str, Callable[..., None]] = {
            "advance": self._advance,
            "window": self._window,
            "latency": self._latency,
            "fee": self._fee,
            "staking": self._staking,
            "nonce": self._nonce,
            "payout": self._payout,
            "unpaid": self._unpaid,
            "faults": self._faults,
        }

    def respond(self, method: str, name: str, body: bytes) -> tuple[int, Mapping[str, Any]]:
        """Answer one call: GET a report, or POST a change, which answers with what it changed.

        :returns: HTTP status and JSON value.
        """
        if method == "GET" and name in self._reads:
            return 200, self._reads[name]()
        change = self._changes.get(name)
        if method != "POST" or change is None:
            return 404, {"message": f"no {method} /control/{name}; see python -m staking_gateway_simulator --help"}
        try:
            fields = json.loads(body)
            if not isinstance(fields, dict):
                raise InvalidInput("body", "not a JSON object", 'Send an object such as {"eras": 1}')
            self._simulation.settle()
            make(change, fields)
        except InvalidInput as error:
            return 400, {"message": str(error), "field": error.field}
        except (ValueError, RecursionError) as error:
            return 400, {"message": f"body: not JSON: {error}", "field": "body"}
        return 200, self._reads[name]() if name in self._reads else self._state()

    def _state(self) -> dict[str, Any]:
        return {**tell_state(self._simulation), "latency": self.latency}

    # --- changes: the parameters are the fields of the call -----------------------------------------------------------

    @validate_call
    def _advance(self, *, eras: Annotated[int, Field(ge=0)] | None = None, seconds: _Seconds | None = None) -> None:
        chain, now = self._simulation.chain, self._simulation.now
        if (eras is None) == (seconds is None):
            raise InvalidInput("eras", "give either eras or seconds", 'Send {"eras": 1} or {"seconds": 5}')
        by = to_micros(seconds or 0) if eras is None else eras * chain.schedule.length
        if now + by > min(chain.schedule.start_of(MAX_ERA), _LAST_INSTANT):
            raise InvalidInput("seconds" if eras is None else "eras", "that is too long", "Use a smaller number")
        self._simulation.set_clock(chain.clock.advanced(self._simulation.real, by))

    @validate_call
    def _window(self, *, state: Literal["open", "closed", "auto"]) -> None:
        self._simulation.happen(WindowForced(state))

    @validate_call
    def _latency(self, *, seconds: Annotated[_Seconds, Field(le=600)]) -> None:
        self.latency = seconds

    @validate_call
    def _fee(self, *, amount: Annotated[int, Field(ge=0, le=MAX_AMOUNT)]) -> None:
        self._simulation.happen(FeeSet(amount))

    @validate_call
    def _staking(self, *, account: _Account, staking: bool) -> None:
        self._simulation.happen(StakingSet(account, staking, self._simulation.now))

    @validate_call
    def _faults(self, *, rules: list[Any], seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None) -> None:
        self._plan.set([FaultRule.of(rule) for rule in rules], self._plan.seed if seed is None else seed)

    @validate_call
    def _nonce(self, *, account: _Account, kind: NonceKind, by: Annotated[int, Field(ge=0)] = 1) -> None:
        used = self._simulation.chain.account(account)
        nonce = used.staking_nonce if kind is NonceKind.STAKING else used.payment_nonce
        if nonce + by > MAX_NONCE - _NONCE_ROOM:
            raise InvalidInput("by", f"{by} is too large", "Use a smaller number")
        self._simulation.happen(NonceUsed(account, kind.value, by))

    @validate_call
    def _payout(
        self,
        *,
        era: int,
        user: _Account = DEV_ACCOUNTS["//Eve"],
        payer: _Account = DEV_ACCOUNTS["//Eve"],
        relayer: _Account = DEV_ACCOUNTS["//Ferdie"],
    ) -> None:
        chain = self._simulation.chain
        if era not in chain.payable_eras(self._simulation.now):
            raise InvalidInput("era", f"{era} has no rewards", "Use an ended era whose rewards the chain keeps")
        call = PayoutCall(relayer, user, payer, era, _UNSEEN, _UNSEEN, chain.account(payer).payment_nonce)
        self._simulation.pay_elsewhere(call)

    @validate_call
    def _unpaid(self, *, payouts: Annotated[int, Field(ge=0, le=1000)] = 1) -> None:
        self._simulation.happen(NextUnpaid(payouts))
