"""What Airflow's OpenLineage provider, the real one, reports of our tasks."""

from __future__ import annotations

from types import SimpleNamespace

from airflow.sdk import DAG
from airflow.utils.state import TaskInstanceState

from staking_gateway_provider.dags import payouts_asset, statuses_asset
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator


def outputs_of(task):
    """Namespace and name of each dataset that the finished task is said to have written."""
    from airflow.providers.openlineage.extractors import ExtractorManager

    DAG("lineage").add_task(task)
    told = ExtractorManager().extract_metadata(
        dagrun=SimpleNamespace(run_id="manual"),
        task=task,
        task_instance_state=TaskInstanceState.SUCCESS,
        task_instance=SimpleNamespace(get_template_context=dict),
    )
    return [(dataset.namespace, dataset.name) for dataset in told.outputs]


def test_a_payout_writes_the_payouts_of_its_network_and_the_checks_its_statuses():
    """Airflow's provider reads outlets; the converter of the scheme `staking` is ours."""
    payout = PayoutStakersOperator(task_id="payout", network="mainnet", outlets=[payouts_asset("mainnet")])
    checks = StakingStatusOperator(task_id="checks", network="mainnet", outlets=[statuses_asset("mainnet")])
    assert outputs_of(payout) == [("staking://mainnet", "payouts")]
    assert outputs_of(checks) == [("staking://mainnet", "statuses")]
