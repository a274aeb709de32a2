"""Pays the era before the active one, and checks the accounts: the leanest DAG for that."""

from airflow.sdk import DAG, task

from benchmarks.leanest import PayoutOperator, WindowSensor, chain, client


@task
def previous_era() -> int:
    with client() as gateway:
        return gateway.active_era() - 1


@task(multiple_outputs=False)  # one row, whatever the number of accounts
def staking_status() -> dict[str, str]:
    with client() as gateway:
        return {account: gateway.staking_status(account).value for account in chain()["accounts"]}


with DAG("leanest", schedule=None):
    wait, era = WindowSensor(task_id="wait_for_window"), previous_era()
    wait >> era >> PayoutOperator(task_id="payout", era=era) >> staking_status()
