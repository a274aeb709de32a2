"""A network that owes an era nobody pays, and a receiver for the messages about it."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta, timezone

import yaml

from demo.devnet import Devnet
from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

NAME = "watched"
ACTIVE = 1000
PATIENCE = 300
LATE = timedelta(seconds=20)
"""How long after an era's end it is late; the network's era ended just before Airflow came up."""


class Watched(Devnet):
    """One network with eras of an hour, of which one has just ended; its chain is a simulator in this process."""

    def __init__(self, folder, receiver):
        self.receiver = receiver
        port = free_port()
        keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
        accounts = {role: LocalSigner(key).account.address for role, key in keys.items()}
        now = datetime.now(timezone.utc).replace(microsecond=0)
        config = folder / "staking.yaml"
        config.write_text(yaml.safe_dump({"networks": {NAME: _settings(now, accounts)}}))
        connections = {
            "staking_gateway_default": {
                "conn_type": "staking_gateway",
                "host": f"http://127.0.0.1:{port}",
                "password": "simulator-token",
            },
            "staking_alerts_default": {"conn_type": "http", "host": receiver.url},
            **{
                f"staking_signer_{role}": {"conn_type": "staking_signer", "login": accounts[role], "password": key}
                for role, key in keys.items()
            },
        }
        stack = AirflowStack(folder / "home", config=config, connections=connections)
        super().__init__(stack, NAME, load_config(config).network(NAME), port=port, window_seconds=0)
        rules = SimulatorSettings(
            anchor_era=ACTIVE,
            anchor_time=now,
            era_length=3600.0,
            window=0,
            unpaid_eras=1,
            relayers=(self.network.relayer,),
        )
        self.chain = RunningSimulator(rules, port=port)

    def newest_run(self):
        """The run of the era, once the scheduler has made it."""
        return next(iter(self.stack.api.runs(self.dag_id)), None)

    def states(self, run_id):
        """Where the tasks of a run stand."""
        return {task["task_id"]: task["state"] for task in self.stack.api.tasks(self.dag_id, run_id)}


def _settings(now, accounts):
    return {
        **accounts,
        "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty",
        "calendar": {"era_length": "1h", "anchors": [{"era": ACTIVE, "start": now.isoformat()}]},
        "timing": {"poll_interval": "1s"},
        "alerts": {"webhook_conn_id": "staking_alerts_default", "paid_within": "20s", "held_after": "20s"},
        "explorer_url": "https://explorer.example/tx/{tx_hash}",
        "catch_up": {"scheduled": False},
        "accounts": ["5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"],
    }
