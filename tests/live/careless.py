"""What a careless author does with secrets, and what a broken set-up does to tasks: each of these fails, and logs what it has."""

from datetime import datetime, timezone

from airflow.sdk import DAG, task

from staking_gateway_provider.operators.era import EraReportOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

NETWORK = "faulty"


@task
def look_at(conn_id: str) -> None:
    """Print everything there is to print, then fail with it on the stack."""
    from staking_gateway_provider.hooks.gateway import StakingGatewayHook, StakingSignerHook, SubstrateHook

    hooks = {
        "user": StakingSignerHook,
        "payer": StakingSignerHook,
        "issued_": StakingGatewayHook,
        "node": SubstrateHook,
    }
    kind = next(kind for beginning, kind in hooks.items() if conn_id.startswith(beginning))
    made = kind(conn_id).get_conn()
    print(made, repr(made), str(made), [made], {"made": made}, sep="\n")  # noqa: T201 - a task's output goes to its log
    raise RuntimeError(f"a careless author's error about {made!r}", made)


with DAG("careless", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), schedule=None):
    for conn_id in ("user_faulty", "payer_faulty", "issued_gateway", "node_with_a_key"):
        look_at.override(task_id=f"look_at_{conn_id}")(conn_id)
    for conn_id in ("signer_unreadable", "signer_of_another", "signer_misspelt", "signer_away"):
        PayoutStakersOperator(
            task_id=f"pay_with_{conn_id}", network=NETWORK, era=970, user_signer_conn_id=conn_id, retries=0
        )
    for conn_id in ("issued_gateway", "refused_gateway", "gateway_away", "gateway_of_node"):
        StakingStatusOperator(task_id=f"ask_{conn_id}", network=NETWORK, era=970, gateway_conn_id=conn_id, retries=0)
    ElectionWindowClosedSensor(
        task_id="wait_for_a_gateway_that_is_away", network=NETWORK, era=970, gateway_conn_id="gateway_away",
        deferrable=True, timeout=20, retries=0,
    )  # fmt: skip
    EraReportOperator(task_id="alerts", network=NETWORK, era=970, retries=1)
