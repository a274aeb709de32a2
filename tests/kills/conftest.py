"""One live Airflow and one simulator for all tests of this folder."""

from __future__ import annotations

import secrets

import pytest
from killnet import ACTIVE, CONFIG, NETWORK, PATIENCE, Killnet, first_start

from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """Airflow and the simulator, and the ids of rival runs that have come to their end.

    The scheduled run and three manual ones of the same era waited at the open election window, and were let go at once.
    """
    folder = tmp_path_factory.mktemp("kills")
    user_key, payer_key = ("0x" + secrets.token_hex(32) for _ in range(2))
    user, payer = (LocalSigner(key).account.address for key in (user_key, payer_key))
    config = folder / "staking.yaml"
    config.write_text(CONFIG.format(user=user, payer=payer, start=first_start().isoformat()))
    port = free_port()
    given = {
        "staking_gateway_default": {
            "conn_type": "staking_gateway",
            "host": f"http://127.0.0.1:{port}",
            "password": "simulator-token",
        },
        "staking_signer_user": {"conn_type": "staking_signer", "login": user, "password": user_key},
        "staking_signer_payer": {"conn_type": "staking_signer", "login": payer, "password": payer_key},
    }
    with AirflowStack(folder / "home", config=config, connections=given) as stack:
        killnet = Killnet(stack, load_config(config).network(NETWORK), port=port)
        killnet.bring_up()
        killnet.control.window("open")
        rivals = [killnet.trigger(ACTIVE - 1) for _ in range(3)]
        stack.api.unpause(killnet.dag_id)

        def scheduled():
            runs = stack.api.runs(killnet.dag_id)
            return next((run["dag_run_id"] for run in runs if run["run_type"] == "scheduled"), None)

        rivals.append(killnet.wait(scheduled, PATIENCE, "the scheduler has begun"))
        for run_id in rivals:
            killnet.deferred(run_id, "wait_for_window")
        killnet.control.window("closed")
        killnet.finished(*rivals)
        yield killnet, rivals


@pytest.fixture
def killnet(started):
    """Airflow and the simulator."""
    return started[0]


@pytest.fixture
def rivals(started):
    """The scheduled run of the era before the active one, and three manual runs of it."""
    return started[1]
