from airflow.sdk import DAG, task

from staking_gateway_provider.sensors.election import ElectionWindowClosedSensor

with DAG("after_the_window"):
    wait = ElectionWindowClosedSensor(task_id="wait_for_window", network="devnet", deferrable=True)

    @task
    def change_validators():
        return "The election window is closed"

    wait >> change_validators()
