"""The control interface: what a test or a demo may do to the chain. No I/O; `server` guards the door."""

from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter

from staking_gateway.config.types import check_value
from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, MAX_NONCE, NonceKind, parse_unsigned
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.events import FeeSet, NextUnpaid, NonceUsed, StakingSet, WindowForced
from staking_gateway_simulator.fault_plan import MAX_SEED, FaultPlan, FaultRule
from staking_gateway_simulator.payout_rules import PayoutCall
from staking_gateway_simulator.settings import instant_to_micros, to_micros
from staking_gateway_simulator.truth import tell_rewards, tell_state, tell_truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from staking_gateway_simulator.simulation import Simulation

_LAST_INSTANT = instant_to_micros(datetime(9000, 1, 1, tzinfo=timezone.utc))
_LONGEST_LATENCY = 600
_SECONDS: TypeAdapter[float] = TypeAdapter(Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)])
_MOST_UNPAID = 1000
_UNSEEN = "0x" + "00" * 64
"""A signature of a payout that nobody verifies."""
_NONCE_ROOM = 2**32
"""Nonces kept free below the largest one, so that payouts can still be executed."""


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
        self._changes: dict[str, Callable[[dict[str, Any]], None]] = {
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
            change(fields)
        except InvalidInput as error:
            return 400, {"message": str(error), "field": error.field}
        except (ValueError, RecursionError) as error:
            return 400, {"message": f"body: not JSON: {error}", "field": "body"}
        return 200, self._reads[name]() if name in self._reads else self._state()

    def _state(self) -> dict[str, Any]:
        return {**tell_state(self._simulation), "latency": self.latency}

    def _advance(self, fields: dict[str, Any]) -> None:
        if ("eras" in fields) == ("seconds" in fields):
            raise InvalidInput("eras", "give either eras or seconds", 'Send {"eras": 1} or {"seconds": 5}')
        schedule, now = self._simulation.chain.schedule, self._simulation.now
        room = min(schedule.start_of(MAX_ERA), _LAST_INSTANT) - now
        if "eras" in fields:
            by = parse_unsigned(fields["eras"], room // schedule.length, field="eras") * schedule.length
        else:
            by = to_micros(_seconds(fields, room // 1_000_000))
        clock = self._simulation.chain.clock
        self._simulation.set_clock(clock.advanced(self._simulation.real, by))

    def _window(self, fields: dict[str, Any]) -> None:
        state = fields.get("state")
        if state not in ("open", "closed", "auto"):
            raise InvalidInput("state", f"{state!r} is no state of the window", "Use open, closed or auto")
        self._simulation.happen(WindowForced(state))

    def _latency(self, fields: dict[str, Any]) -> None:
        self.latency = _seconds(fields, _LONGEST_LATENCY)

    def _fee(self, fields: dict[str, Any]) -> None:
        self._simulation.happen(FeeSet(parse_unsigned(fields.get("amount"), MAX_AMOUNT, field="amount")))

    def _staking(self, fields: dict[str, Any]) -> None:
        account, staking = _account(fields), fields.get("staking")
        if not isinstance(staking, bool):
            raise InvalidInput("staking", f"{staking!r} is not true or false", "Use true or false")
        self._simulation.happen(StakingSet(account, staking, self._simulation.now))

    def _faults(self, fields: dict[str, Any]) -> None:
        rules = fields.get("rules")
        if not isinstance(rules, list):
            raise InvalidInput("rules", f"{rules!r} is not a list", 'Send {"rules": ["late:times=1"]}, [] to end all')
        seed = parse_unsigned(fields.get("seed", self._plan.seed), MAX_SEED, field="seed")
        self._plan.set([FaultRule.of(rule) for rule in rules], seed)

    def _nonce(self, fields: dict[str, Any]) -> None:
        key, kind = _account(fields), fields.get("kind")
        account = self._simulation.chain.account(key)
        if kind == NonceKind.STAKING:
            nonce = account.staking_nonce
        elif kind == NonceKind.PAYMENT:
            nonce = account.payment_nonce
        else:
            raise InvalidInput("kind", f"{kind!r} is no kind of nonce", "Use staking or payment")
        by = parse_unsigned(fields.get("by", 1), MAX_NONCE - _NONCE_ROOM - nonce, field="by")
        self._simulation.happen(NonceUsed(key, str(kind), by))

    def _payout(self, fields: dict[str, Any]) -> None:
        chain, now = self._simulation.chain, self._simulation.now
        era = parse_unsigned(fields.get("era"), MAX_ERA, field="era")
        if era not in chain.payable_eras(now):
            raise InvalidInput("era", f"{era} has no rewards", "Use an ended era whose rewards the chain keeps")
        somebody = {"user": "//Eve", "payer": "//Eve", "relayer": "//Ferdie"}
        keys = {name: _account(fields, name, DEV_ACCOUNTS[uri]) for name, uri in somebody.items()}
        nonce = chain.account(keys["payer"]).payment_nonce
        self._simulation.pay_elsewhere(
            PayoutCall(**keys, era=era, proxy_signature=_UNSEEN, fee_payment_signature=_UNSEEN, payment_nonce=nonce)
        )

    def _unpaid(self, fields: dict[str, Any]) -> None:
        self._simulation.happen(NextUnpaid(parse_unsigned(fields.get("payouts", 1), _MOST_UNPAID, field="payouts")))


def _account(fields: dict[str, Any], name: str = "account", default: str | None = None) -> str:
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise InvalidInput(name, f"{value!r} is not a text", "Give an SS58 address or a 0x public key")
    return read_account(value).hex


def _seconds(fields: dict[str, Any], most: int) -> float:
    seconds = check_value("seconds", _SECONDS, fields.get("seconds"))
    if seconds > most:
        raise InvalidInput("seconds", f"{seconds:g} is too long", f"Use a number from 0 to {most}")
    return seconds
