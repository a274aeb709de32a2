from airflow.sdk import DAG

from staking_gateway_provider.operators.export import LedgerPruneOperator

with DAG("prune_ledger", schedule="@monthly"):
    LedgerPruneOperator(task_id="prune", network="devnet", target="s3://aws_default@warehouse/staking")
