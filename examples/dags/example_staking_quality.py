"""Checks the ledger's views when the statuses of an era are stored, with Airflow's own SQL check operators.

One DAG per network of `include/staking.yaml`: `staking_quality_<network>`, with a run per era. A red task names the check that failed, and nothing is
paid or changed. To check an era by hand, trigger the DAG with the era as partition key.
The ledger must be in PostgreSQL, because amounts are text on SQLite. The connection needs apache-airflow-providers-postgres, and a login that
reads the views.
"""

# mypy: ignore-errors
from airflow.providers.common.sql.operators.sql import SQLColumnCheckOperator, SQLTableCheckOperator
from airflow.sdk import PartitionedAssetTimetable

from staking_gateway_provider.dags import DEFAULT_ARGS, staking_networks, statuses_asset

LEDGER = "staking_ledger"
"""The connection of the ledger."""
WORST_LAG = 24 * 3600
"""Seconds from the end of an era to its confirmed payout."""

for network in staking_networks():
    name, config = network.name, network.config
    of_network = f"network = '{name}'"
    accounts = len(config.accounts)
    limit = config.payout.max_fee_per_payout
    arguments = {"default_args": {**DEFAULT_ARGS, "conn_id": LEDGER}, "max_active_runs": 1}
    stored = PartitionedAssetTimetable(assets=statuses_asset(name))
    with network.dag(f"staking_quality_{name}", schedule=stored, doc_md=__doc__, **arguments):
        SQLColumnCheckOperator(
            task_id="eras",
            table="staking_eras",
            partition_clause=of_network,
            column_mapping={"era": {"unique_check": {"equal_to": 0}}, "lag_seconds": {"max": {"leq_to": WORST_LAG}}},
        )
        SQLTableCheckOperator(
            task_id="no_gap",
            table="staking_eras",
            partition_clause=of_network,
            checks={"no_gap": {"check_statement": "COUNT(*) = MAX(era) - MIN(era) + 1"}},
        )
        SQLTableCheckOperator(
            task_id="no_difference",
            table="staking_reconciliation",
            partition_clause=of_network,
            checks={"no_difference": {"check_statement": "COUNT(*) = 0", "partition_clause": "agrees = false"}},
        )
        SQLTableCheckOperator(
            task_id="statuses",
            table="staking_statuses",
            partition_clause=f"{of_network} AND era = {{{{ partition_key }}}}",
            checks={"complete": {"check_statement": f"COUNT(*) = {accounts}"}},
        )
        if limit is not None:
            SQLColumnCheckOperator(
                task_id="fees",
                table="staking_payouts",
                partition_clause=of_network,
                column_mapping={"fee": {"max": {"leq_to": limit}}},
            )
