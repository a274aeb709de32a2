"""Overviews and plans for the page's routes."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway.health.facts import active_era
from staking_gateway.health.overview import ERAS, MAX_ERAS, Overview, overview
from staking_gateway.text import amount
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import mapped_budget, network_config
from staking_gateway_provider.ui.access import CATCH_UP_DAG
from staking_gateway_provider.ui.facts import FactsCache
from staking_gateway_provider.ui.networks import Networks
from staking_gateway_provider.ui.runs import airflow_facts, catch_up_schedule

if TYPE_CHECKING:
    from collections.abc import Callable

_SHARED_SECONDS = 1.5


class Service:
    """Overviews and plans; one object per process."""

    def __init__(self, facts: FactsCache | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.networks = Networks()
        self._facts = facts or FactsCache()
        self._clock = clock
        self._shared: dict[tuple[str, int], tuple[float, Overview]] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def overview(self, name: str, eras: int) -> Overview:
        """The overview of a network, which viewers share for a moment.

        :param eras: least number of eras. Only two numbers are computed, so that viewers cannot fill the memory with others.
        """
        eras = ERAS if eras <= ERAS else MAX_ERAS
        with self._lock:
            turn = self._turns.setdefault(name, threading.Lock())
        with turn:
            shared = self._shared.get((name, eras))
            if shared is None or self._clock() - shared[0] >= _SHARED_SECONDS:
                shared = (self._clock(), self._overview(name, eras))
                with self._lock:
                    self._shared[name, eras] = shared
                    for key in [key for key, (made, _) in self._shared.items() if shared[0] - made >= _SHARED_SECONDS]:
                        del self._shared[key]
            return shared[1]

    def _overview(self, name: str, eras: int) -> Overview:
        network = network_config(name)
        facts = self._facts.get(name, network)
        now = datetime.now(timezone.utc)
        active = active_era(network, facts, now).era
        oldest = active - max(min(eras, MAX_ERAS), network.history_depth)
        runs = airflow_facts(name, range(max(0, oldest), active + 1))
        return overview(name, network, self.networks.ledger(), facts=facts, airflow=runs, eras=eras, clock=lambda: now)

    def plan(self, name: str, viewer: str) -> dict[str, Any]:
        """The plan of a catch-up. The ledger stores it under its hash, for the run that pays it."""
        from staking_gateway.catch_up.survey import Request, plan_network
        from staking_gateway.ledger import Actor

        network, ledger = network_config(name), self.networks.ledger()
        # The budget must be the default of a run's form, because the run refuses a different plan.
        budget = mapped_budget(network.catch_up.max_eras, network.catch_up.max_fees)
        with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
            _, plan = plan_network(name, network, client=client, ledger=ledger, request=Request(budget=budget))
        ledger.journal.keep_plan(name, plan.hash, plan.as_dict(), Actor(f"Staking page/{viewer}"))
        calendar, token = network.calendar, network.token or self._facts.get(name, network).token
        expiry = {unpaid.era: unpaid.countdown.expires_at(calendar).isoformat() for unpaid in plan.unpaid}
        paused, due = catch_up_schedule(name)
        # After unpausing, an overdue scheduled run would start before the approved run. So the approved run gets an earlier date.
        overdue = paused and due is not None and due <= datetime.now(timezone.utc)
        return {
            **plan.as_dict(),
            "paid": len(plan.paid),
            "expires_at": expiry,
            "fees": None if plan.fee is None else str(plan.fee * len(plan.pay)),
            "texts": {}
            if plan.fee is None
            else {"fee": amount(plan.fee, token), "fees": amount(plan.fee * len(plan.pay), token)},
            "dag_id": CATCH_UP_DAG + name,
            "dag_is_paused": paused,
            "run_after": (due - timedelta(seconds=1)).isoformat() if due is not None and overdue else None,
        }
