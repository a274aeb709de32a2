"""Checks every staking network, and sends its alerts.

One Airflow DAG for all networks of `include/staking.yaml`, also for those with a mistake. It runs once in the shortest era, but at least every 15
minutes. It reports what keeps the payout DAGs from alerting: a missing connection, a dead gateway or triggerer, a mistake in
`staking.yaml`. It pays nothing. The run is red while `staking.yaml` has a mistake, or a message cannot be sent. A failed run is not
retried: the next run checks everything again.
"""

from staking_gateway_provider.dags import watch_dag
from staking_gateway_provider.operators.watch import StakingWatchOperator

with watch_dag(doc_md=__doc__):
    StakingWatchOperator(task_id="watch")
