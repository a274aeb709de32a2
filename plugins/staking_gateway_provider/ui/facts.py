"""A cache of what the gateways report. Threads ask the gateways, so that a slow gateway cannot block the page."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from staking_gateway.config.models import NetworkConfig
from staking_gateway.health.facts import LiveFacts
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.live_facts import ask_gateway


@dataclass
class _Question:
    asked_at: float
    answered: threading.Event = field(default_factory=threading.Event)


@dataclass
class _Entry:
    facts: LiveFacts = field(default_factory=LiveFacts)
    answered_at: float | None = None
    question: _Question | None = None


class FactsCache:
    """Facts by network, a few seconds old at most.

    :param ask: asks a gateway.
    :param fresh: seconds after which the gateway is asked again.
    :param good: seconds for which an answer is used without a newer one.
    :param patience: most seconds to wait for an answer.
    :param clock: seconds, from any moment on.
    """

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
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    def get(self, name: str, network: NetworkConfig) -> LiveFacts:
        """The newest facts. Without an answer the old era, window, fee and balance are left out."""
        entry = self.ask(name, network)
        with self._lock:
            question, good = entry.question, self._age(entry) < self._good
        if question is not None and not good:
            question.answered.wait(max(0.0, question.asked_at + self._patience - self._clock()))
        with self._lock:
            if self._age(entry) < self._good:
                return entry.facts
            return replace(entry.facts, active=None, window=None, fee=None, balance=None)

    def ask(self, name: str, network: NetworkConfig) -> _Entry:
        """Ask the gateway unless its facts are fresh, without waiting for the answer."""
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            if entry.question is None and self._age(entry) >= self._fresh:
                entry.question = _Question(self._clock())
                threading.Thread(target=self._refresh, args=(entry, network), name=f"ask-{name}", daemon=True).start()
        return entry

    def _age(self, entry: _Entry) -> float:
        return math.inf if entry.answered_at is None else self._clock() - entry.answered_at

    def _refresh(self, entry: _Entry, network: NetworkConfig) -> None:
        facts = LiveFacts(problem=Problem(Topic.GATEWAY_FAILS, "request failed; see the log of the API server"))
        try:
            facts = self._ask(network)
        finally:
            with self._lock:
                question, entry.question = entry.question, None
                # The token does not change: amounts keep their unit while the node is unreachable.
                entry.facts = replace(facts, token=facts.token or entry.facts.token)
                entry.answered_at = self._clock()
            if question is not None:
                question.answered.set()
