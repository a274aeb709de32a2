"""Checks every staking network, and sends its alerts.

One Airflow DAG for all networks of `include/staking.yaml`, also for those with a mistake. It runs once in the shortest era, but at least every 15
minutes. It reports what keeps the payout DAGs from alerting: a missing connection, a dead gateway or triggerer, a mistake in
`staking.yaml`. It pays nothing. The run is red while `staking.yaml` has a mistake, or a message cannot be sent. A failed run is not
retried: the next run checks everything again.
"""

from staking_gateway_provider.operators.watch import StakingWatchOperator
from staking_gateway_provider.parsing import watch_dag

with watch_dag("staking_watch", doc_md=__doc__):
    StakingWatchOperator(
        task_id="watch",
        task_display_name="Check all networks",
        doc_md="Sends the alerts of all networks, also about mistakes in `staking.yaml`. It pays nothing.",
    )
