"""Compares the ledger with gateway and chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk.exceptions import AirflowSkipException

from staking_gateway.books.compare import Sides
from staking_gateway.books.reconcile import Comparison, reconcile
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidConnection
from staking_gateway.problem import Topic
from staking_gateway_provider.networks import node_to_compare, run_actor
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.reporting import help_line, logs_failure


class ReconcileOperator(StakingOperator):
    """Compares ledger, gateway and chain era by era, and fails when they disagree.

    It stores each result; the view `staking_reconciliation` shows them. It signs and sends nothing. What node or gateway do not tell is unknown, and
    replaces no known difference. A node that fails also fails the task, which is retried; without a node the task is skipped.

    Returns `{"from_era", "to_era", "agree", "differ", "unknown", "differences"}`: the eras, how many results there are of each kind, and the first 20
    differences as sentences; also the XCom `reconciliation` of a failed task.

    :param from_era: oldest era; templated; by default the oldest that this installation should have paid, and whose rewards the chain may keep.
    :param to_era: newest era; templated; the newest that has ended when left out.
    """

    template_fields: Sequence[str] = ("from_era", "to_era", "network", "gateway_conn_id")

    def __init__(
        self, *, network: str, from_era: int | str | None = None, to_era: int | str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(network=network, **kwargs)
        self.from_era = from_era
        self.to_era = to_era

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Compare. A difference (topic BOOKS) names both sides; ChainError is a node that failed: the known results are stored."""
        compared = self._compare(context)
        self.log.info("%s", compared)
        for row in compared.rows:
            if row.agrees is None:
                self.log.info("Unknown: %s, %s", row.subject, row.text)
        found = [row.text for row in compared.differences]
        eras = compared.eras
        bounds = {"from_era": eras[0], "to_era": eras[-1]} if eras else {"from_era": None, "to_era": None}
        result = {**bounds, **compared.counts(), "differences": found[:20]}
        if found or compared.sides.failure:
            context["ti"].xcom_push(key="reconciliation", value=result)
        compared.raise_unless_compared()
        return result

    def _compare(self, context: Any) -> Comparison:
        config = self.config()
        with self.open_network(config) as (ledger, client):
            try:
                node = node_to_compare(client, config.gateway_conn_id)
            except InvalidConnection as error:
                if error.problem.topic is not Topic.NO_NODE:
                    raise
                raise AirflowSkipException(f"{error}. {help_line(error.problem.topic)}") from None
            sides = Sides(str(self.network), config, ledger, client, node, run_actor(context), utc_now())
            return reconcile(sides, self.given("from_era"), self.given("to_era"))
