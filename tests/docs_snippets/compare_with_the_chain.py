from airflow.sdk import DAG

from staking_gateway_provider.operators.reconcile import ReconcileOperator

with DAG("compare_with_the_chain", schedule="@daily"):
    ReconcileOperator(task_id="reconcile", network="devnet")
