"""The page's own threads. They ask ledger, gateway and node, so that none of these can make Airflow's threads wait."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import StakingGatewayError
from staking_gateway.health.state import LiveFacts
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.alerting import ask_gateway

Answer = TypeVar("Answer")


class Asking:
    """Asks one question of a lane at a time, each in a thread. All who ask the same meanwhile share its answer, or its error."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[Hashable, Future[Any]]] = {}
        self._lock = threading.Lock()

    def begin(self, lane: str, question: Hashable, ask: Callable[[], Answer]) -> tuple[Hashable, Future[Answer]]:
        """The question that its lane works on: this one, unless another has not been answered yet. Each lane has a thread: let it be one of few."""
        with self._lock:
            under_way = self._asked.get(lane)
            if under_way is None or under_way[1].done():
                under_way = self._asked[lane] = (question, Future())
                under_way[1].set_running_or_notify_cancel()  # from here on nobody can cancel it for the others
                threading.Thread(target=_answer, args=(under_way[1], ask), name=f"staking {lane}", daemon=True).start()
            return under_way

    async def answer(self, lane: str, question: Hashable, ask: Callable[[], Answer], *, patience: float) -> Answer:
        """The answer, within `patience` seconds. The thread goes on, so that the same question finds the answer later."""
        deadline = time.monotonic() + patience
        while True:
            known, future = self.begin(lane, question, ask)
            waiting = asyncio.wrap_future(future)
            try:
                await asyncio.wait({waiting}, timeout=max(0.0, deadline - time.monotonic()))
            finally:
                waiting.cancel()
            if waiting.cancelled():
                raise StakingGatewayError(
                    f"no answer in {patience:g} seconds from the ledger, the gateway or Airflow's database",
                    topic=Topic.UNEXPECTED,
                    remedy="Ask again; the question is still under way",
                )
            error = waiting.exception()
            if known == question:
                if error is not None:
                    raise error
                return waiting.result()


def _answer(future: Future[Answer], ask: Callable[[], Answer]) -> None:
    try:
        future.set_result(ask())
    except BaseException as error:  # noqa: BLE001 - whoever waits raises it
        future.set_exception(error)


@dataclass
class _Entry:
    facts: LiveFacts = field(default_factory=LiveFacts)
    asked_at: float = -math.inf
    answered_at: float = -math.inf


class FactsCache:
    """What the gateways report, asked again after `fresh` seconds, used for `good` seconds; an answer is awaited `patience` seconds."""

    def __init__(
        self,
        ask: Callable[[NetworkConfig], LiveFacts] = ask_gateway,
        *,
        fresh: float = 3.0,
        good: float = 10.0,
        patience: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._fresh = fresh
        self._good = good
        self._patience = patience
        self._clock = clock
        self._asking = Asking()
        self._entries: dict[str, _Entry] = {}

    def get(self, name: str, network: NetworkConfig) -> LiveFacts:
        """The newest facts. Without an answer the old era, window, fee and balance are left out, and soon the gateway is named as silent."""
        entry = self._entries.setdefault(name, _Entry())
        if self._age(entry) >= self._fresh:
            _, future = self._asking.begin(name, None, lambda: self._refresh(entry, network))
            if self._age(entry) >= self._good:
                wait([future], self._patience)
        if self._age(entry) < self._good:
            return entry.facts
        problem = entry.facts.problem
        if entry.asked_at > entry.answered_at and self._clock() - entry.asked_at >= self._good:
            problem = Problem(Topic.GATEWAY_UNREACHABLE, f"no answer within {self._good:g} s")
        return replace(entry.facts, active=None, window=None, fee=None, balance=None, problem=problem)

    def _age(self, entry: _Entry) -> float:
        return self._clock() - entry.answered_at

    def _refresh(self, entry: _Entry, network: NetworkConfig) -> None:
        entry.asked_at = self._clock()
        facts = LiveFacts(problem=Problem(Topic.GATEWAY_FAILS, "request failed; see the log of the API server"))
        try:
            facts = self._ask(network)
        finally:
            # The token does not change: amounts keep their unit while the node is unreachable.
            entry.facts, entry.answered_at = replace(facts, token=facts.token or entry.facts.token), self._clock()
