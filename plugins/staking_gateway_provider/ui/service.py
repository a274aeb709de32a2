"""What the page's routes answer with: the overview, shared for a moment between viewers, and plans."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from airflow.sdk import conf

from staking_gateway.health.overview import MAX_ERAS, active_era, overview
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.ui.access import CATCH_UP_DAG
from staking_gateway_provider.ui.facts import FactsCache
from staking_gateway_provider.ui.networks import Networks
from staking_gateway_provider.ui.runs import airflow_facts, catch_up_schedule

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARED_SECONDS = 1.5


class Service:
    """Everything behind the routes; one for a process."""

    def __init__(self, facts: FactsCache | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.networks = Networks()
        self._facts = facts or FactsCache()
        self._clock = clock
        self._shared: dict[tuple[str, int], tuple[float, dict[str, Any]]] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def overview(self, name: str, eras: int) -> dict[str, Any]:
        """The overview of a network, at most a moment old.

        :raises StakingGatewayError: the configuration or the ledger cannot be read.
        """
        with self._lock:
            turn = self._turns.setdefault(name, threading.Lock())
        with turn:
            made = self._shared.get((name, eras))
            if made is None or self._clock() - made[0] >= _SHARED_SECONDS:
                self._shared[name, eras] = made = (self._clock(), self._make(name, eras))
            return made[1]

    def _make(self, name: str, eras: int) -> dict[str, Any]:
        network = self.networks.config().network(name)
        facts = self._facts.get(name, network)
        now = datetime.now(timezone.utc)
        active = active_era(network, facts, now).era
        oldest = active - max(min(eras, MAX_ERAS), network.history_depth)
        runs = airflow_facts(name, range(max(0, oldest), active + 1))
        return overview(name, network, self.networks.ledger(), facts=facts, airflow=runs, eras=eras, clock=lambda: now)

    def plan(self, name: str, viewer: str) -> dict[str, Any]:
        """What a catch-up would do now. The plan is kept in the ledger, where a run finds it by its hash.

        :param viewer: whose doing it is.
        :raises StakingGatewayError: there can be no plan; nothing is kept.
        """
        from staking_gateway.catch_up.plan import Budget
        from staking_gateway.catch_up.survey import Request, plan_network
        from staking_gateway.ledger import Actor

        network, ledger = network_config(name), self.networks.ledger()
        # The very budget a run has whose form is left alone, or the run would find another plan and refuse.
        most = conf.getint("core", "max_map_length", fallback=1024)
        limits = network.catch_up
        budget = Budget(most if limits.max_eras is None else min(limits.max_eras, most), limits.max_fees)
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            _, plan = plan_network(name, network, client=client, ledger=ledger, request=Request(budget=budget))
        ledger.journal.keep_plan(name, plan.hash, plan.as_dict(), Actor(f"Staking page/{viewer}"))
        calendar = network.calendar
        expiry = {owed.era: owed.countdown.expires_at(calendar).isoformat() for owed in plan.unpaid}
        paused, due = catch_up_schedule(name)
        # Airflow starts the run that was due first. Unpaused, a scheduled one that is overdue would pay before the approved run.
        overdue = paused and due is not None and due <= datetime.now(timezone.utc)
        return {
            **plan.as_dict(),
            "paid": len(plan.paid),
            "expires_at": expiry,
            "fees": None if plan.fee is None else str(plan.fee * len(plan.pay)),
            "dag_id": CATCH_UP_DAG + name,
            "dag_is_paused": paused,
            "run_after": (due - timedelta(seconds=1)).isoformat() if due is not None and overdue else None,
        }
