"""Overviews and plans for the page's routes."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from staking_gateway.catch_up import Request, plan_network
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import StakingGatewayError
from staking_gateway.health.overview import MAX_ERAS, Overview, era_timeline
from staking_gateway.health.state import ERAS, AirflowFacts, NetworkState
from staking_gateway.ledger import Ledger
from staking_gateway.problem import Problem, Topic
from staking_gateway.text import amount
from staking_gateway_provider.alerting import set_up_problems
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.ledger_identity import check_ledger
from staking_gateway_provider.networks import config_path_if_any, ledger_place, mapped, network_config
from staking_gateway_provider.reporting import explain, explorer_address
from staking_gateway_provider.ui import CATCH_UP_DAG
from staking_gateway_provider.ui.asking import Asking, FactsCache
from staking_gateway_provider.ui.runs import STARTS_WITHIN, airflow_facts, catch_up_schedule, lived_since, task_with_log

Answer = TypeVar("Answer")
_SHARED_SECONDS, _SET_UP_SECONDS = 1.5, 15.0
_PATIENCE, _PATIENCE_FOR_PLANS = 5.0, 20.0
"""Seconds; a plan asks the gateway about each era."""
_AT_ONCE = 8
"""Networks of a list that are read at a time: Airflow's database has few connections."""
_LEVELS = ("ok", "attention", "danger")


class Service:
    """Overviews and plans; one object per process. `read` and `make_plan` wait for ledger and gateway, `patience` seconds, in its own threads.

    In the first `grace` seconds Airflow may not have all its programs yet.
    """

    def __init__(
        self,
        facts: FactsCache | None = None,
        clock: Callable[[], float] = time.monotonic,
        patience: float = _PATIENCE,
        grace: float = STARTS_WITHIN.total_seconds(),
    ) -> None:
        self._opened: tuple[str, Ledger] | None = None
        self._facts = facts or FactsCache()
        self._clock = clock
        self._patience = patience
        self._asking = Asking()
        self._begun, self._grace, self._began_at = clock(), grace, datetime.now(timezone.utc)
        self._set_ups: dict[str, tuple[float, list[Problem]]] = {}
        self._shared: dict[tuple[str, int], tuple[float, Overview]] = {}
        self._lock = threading.Lock()

    async def read(self, lane: str, question: Hashable, ask: Callable[[], Answer]) -> Answer:
        """The answer about a network, of one of this object's threads. A lane, the network, works on one question at a time."""
        return await self._asking.answer(lane, question, ask, patience=self._patience)

    async def make_plan(self, name: str, *chosen: Any) -> dict[str, Any]:
        """As `plan`, in one of this object's threads: no plan holds up what a viewer reads."""
        patience = max(self._patience, _PATIENCE_FOR_PLANS)
        return await self._asking.answer(f"plan {name}", chosen, lambda: self.plan(name, *chosen), patience=patience)

    def ledger(self) -> Ledger:
        """The ledger that pays, which the requests of one process share. It stays open."""
        place = ledger_place()
        check_ledger(place)
        with self._lock:
            if self._opened is None or self._opened[0] != place.url:
                if self._opened is not None:
                    self._opened[1].close()
                    self._opened = None
                self._opened = (place.url, Ledger(place.url))
            return self._opened[1]

    def overview(self, name: str, eras: int = ERAS) -> Overview:
        """The overview of a network, which viewers share for a moment."""
        shared = self._shared.get((name, eras))
        if shared is None or self._clock() - shared[0] >= _SHARED_SECONDS:
            shared = (self._clock(), self._overview(name, eras))
            with self._lock:
                self._shared[name, eras] = shared
                for key in [key for key, (made, _) in self._shared.items() if shared[0] - made >= _SHARED_SECONDS]:
                    del self._shared[key]
        return shared[1]

    async def strips(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Each network in short, worst first. A mistake of a network is its own strip."""
        turn = asyncio.Semaphore(_AT_ONCE)
        return sorted(await asyncio.gather(*(self._strip(name, turn) for name in names)), key=_urgency)

    async def _strip(self, name: str, turn: asyncio.Semaphore) -> dict[str, Any]:
        try:
            async with turn:
                return await self.read(name, "strip", lambda: self.overview(name).strip())
        except StakingGatewayError as error:
            found, file = explain(error), config_path_if_any()
            where = f". The file is {file}" if found.topic is Topic.CONFIGURATION and file else ""
            return {
                "network": name,
                "level": "danger",
                "headline": "The state cannot be read.",
                "dead": [found.topic.heading],
                "cause": {
                    **found.as_dict(),
                    "remedy": f"{found.remedy}{where}",
                    "connection": None,
                    "transaction_url": None,
                },
                "more": 0,
                "first_loss": "",
                "cells": [],
            }

    def era(self, name: str, era: int) -> dict[str, Any] | None:
        """One era: its cell, its causes, its steps and its links; None for an era that is not in the grid."""
        shown = self.overview(name)
        if era < shown.data["grid"]["first"]:
            shown = self.overview(name, MAX_ERAS)
        data = shown.data
        cell = next((cell for cell in data["grid"]["cells"] if cell["era"] == era), None)
        if cell is None:
            return None
        template = network_config(name).explorer_url
        transaction = explorer_address(template, {"parts": [cell]}) if template else ""
        log = task_with_log(cell["dag_id"], cell["run_id"], era) if "run_id" in cell else None
        return {
            **cell,
            "steps": era_timeline(era, shown.state),
            "causes": [cause for cause in data["causes"] if era in cause["eras"]],
            "transaction_url": transaction or None,
            "log": None if log is None else {"task_id": log[0], "map_index": log[1]},
            "unpaid": next((one for one in data["owed"]["eras"] if one["era"] == era), None),
        }

    def _overview(self, name: str, eras: int) -> Overview:
        network = network_config(name)
        facts, now = self._facts.get(name, network), datetime.now(timezone.utc)

        def airflow(shown: range) -> AirflowFacts:
            known = airflow_facts(name, shown)
            if self._clock() - self._begun >= self._grace:
                return known
            return replace(known, dead=lived_since(known.dead, self._began_at))

        setup = self._set_up(name, network, signs=not facts.automatic)
        ledger = self.ledger()
        return Overview(NetworkState(name, network, ledger, facts, now=now, airflow=airflow, newest=eras, setup=setup))

    def _set_up(self, name: str, network: NetworkConfig, *, signs: bool) -> list[Problem]:
        made, found = self._set_ups.get(name, (-math.inf, []))
        if self._clock() - made >= _SET_UP_SECONDS:
            found = set_up_problems(name, network, signs=signs)
            self._set_ups[name] = (self._clock(), found)
        return found

    def plan(
        self, name: str, first: int | None = None, last: int | None = None, eras: str | None = None
    ) -> dict[str, Any]:
        """The plan of a catch-up of a range or a list of eras. The ledger stores it under its hash, for the run that pays it."""
        network, ledger = network_config(name), self.ledger()
        # The budget must be the default of a run's form, because the run refuses a different plan.
        request = mapped(Request(first, last, eras, network.catch_up.max_eras, network.catch_up.max_fees))
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            _, plan = plan_network(name, network, gateway=client, ledger=ledger, request=request)
        ledger.journal.keep_plan(name, plan.hash, plan.as_dict())
        calendar, token = network.calendar, network.token or self._facts.get(name, network).token
        expiry = {unpaid.era: calendar.start(unpaid.countdown.expires_at_era).isoformat() for unpaid in plan.unpaid}
        signs, calls = len(plan.pay) - plan.in_flight, plan.terms["parts"]
        # How many calls an era takes until nothing is left, nobody knows before.
        fees = plan.fee * signs * calls if plan.fee is not None and isinstance(calls, int) else None
        amounts = {"fee": plan.fee, "fees": fees}
        paused, due = catch_up_schedule(name)
        # After unpausing, an overdue scheduled run would start before the approved run. So the approved run gets an earlier date.
        overdue = paused and due is not None and due <= datetime.now(timezone.utc)
        return {
            **plan.as_dict(),
            "paid": len(plan.paid),
            "expires_at": expiry,
            "signs": signs,
            "fees": None if fees is None else str(fees),
            "texts": {what: amount(one, token) for what, one in amounts.items() if one is not None},
            "dag_id": CATCH_UP_DAG + name,
            "dag_is_paused": paused,
            "run_after": (due - timedelta(seconds=1)).isoformat() if due is not None and overdue else None,
        }


def _urgency(strip: Mapping[str, Any]) -> tuple[int, bool, str, str]:
    """The order of networks: by level, then by the first loss of rewards, then by name. An unknown loss comes first."""
    loss = strip["first_loss"]
    return -_LEVELS.index(strip["level"]), loss is None, loss or "", strip["network"]
