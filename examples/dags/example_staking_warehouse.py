"""Exports the ledger's views of every staking network to files, for a data warehouse.

One DAG per network of `include/staking.yaml`: `staking_export_<network>` runs once per paid era. It writes the era, and the eras before it whose
rewards the chain keeps: their statuses, rewards and payouts may still come. As many eras before those may have expired during an outage, so
they are written too. The Airflow Variable `staking_warehouse` names the target, such as
`s3://conn_id@bucket/staking`.
"""

# mypy: ignore-errors
from airflow.sdk import PartitionedAssetTimetable

from staking_gateway_provider.dags import exports_asset, payouts_asset, staking_networks
from staking_gateway_provider.operators.export import LedgerExportOperator

TARGET = "{{ var.value.staking_warehouse }}"
ERAS = "{{{{ [partition_key | int - {before}, 0] | max }}}}-{{{{ partition_key }}}}"

for network in staking_networks():
    name, depth = network.name, network.config.history_depth
    paid = PartitionedAssetTimetable(assets=payouts_asset(name))
    with network.dag(f"staking_export_{name}", schedule=paid, max_active_runs=1, doc_md=__doc__):
        LedgerExportOperator(
            task_id="export",
            network=name,
            target=TARGET,
            eras=ERAS.format(before=2 * depth),
            outlets=[exports_asset(name)],
            retries=2,
        )
