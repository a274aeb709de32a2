from airflow.sdk import DAG, PartitionedAssetTimetable

from staking_gateway_provider.dags import exports_asset, payouts_asset
from staking_gateway_provider.operators.export import LedgerExportOperator

with DAG("export_ledger", schedule=PartitionedAssetTimetable(assets=payouts_asset("devnet"))):
    LedgerExportOperator(
        task_id="export",
        network="devnet",
        target="s3://aws_default@warehouse/staking",
        outlets=[exports_asset("devnet")],
    )
