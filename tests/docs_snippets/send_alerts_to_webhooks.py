from datetime import timedelta

from airflow.sdk import DAG

from staking_gateway_provider.notifications.webhook import StakingWebhookNotifier
from staking_gateway_provider.operators.alerts import StakingAlertsOperator

receivers = [StakingWebhookNotifier("alerts_team"), StakingWebhookNotifier("alerts_on_call", attempts=5)]
with DAG("watch_devnet_twice", schedule=timedelta(minutes=15), max_active_runs=1):
    StakingAlertsOperator(task_id="alerts", network="devnet", notifiers=receivers, retries=2)
