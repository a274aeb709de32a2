"""A live Airflow in which everything goes wrong that can, with secrets of every kind: what it leaves behind is searched for them."""

from __future__ import annotations

import secrets
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import yaml
from substrateinterface import Keypair

from demo.devnet import Devnet
from demo.receiver import Receiver
from demo.stack import ROOT, AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner
from staking_gateway.types import AccountId
from staking_gateway_simulator.faults import FAULTS
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import DEFAULT_FEE, SimulatorSettings
from staking_gateway_simulator.signer.policy import SigningPolicy
from staking_gateway_simulator.signer.running import RunningSigner
from tests.support.notifiers import webhook

NETWORK = "faulty"
ACTIVE = 1000
OWED = 60
PATIENCE = 900
"""Seconds; what takes so long on a machine with other things to do never happens."""
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
SECONDS = {
    "late": 4, "refuse": 0.5, "http-429": 1, "window-opens": 3, "slow-execution": 4, "clock-skew": 3600, "nonce-stale": 3600,
}  # fmt: skip
"""Of faults that by default would hold the run up, or hardly ever strike."""
ON_THE_PAYOUT = (
    "reset-after", "silence-after", "truncated", "not-json", "http-502-after", "rpc-32600", "rpc-32603-after", "wrong-id",
    "error-in-result", "http-403",
)  # fmt: skip

RECEIVER = {**webhook("alerts_receiver"), "endpoint": "{{ conn.alerts_receiver.password }}"}
"""Its path is a secret, so it is in the connection's password."""


def rules(names=FAULTS, times=1):
    """Each of some faults for any call it can happen to."""
    return [f"{name}:times={times}" + (f":seconds={SECONDS[name]}" if name in SECONDS else "") for name in names]


def rules_of_the_payout():
    """Faults that are brought upon the payout itself."""
    return [f"{name}:path=/send:times=1" for name in ON_THE_PAYOUT]


class Secrets:
    """Everything that must be found nowhere, by name."""

    def __init__(self):
        self.phrase = Keypair.generate_mnemonic()
        self.seed = "0x" + secrets.token_hex(32)
        self.other_seed = "0x" + secrets.token_hex(32)
        self.typed = f"typed-{secrets.token_hex(12)} by mistake"
        self.tokens = {
            name: f"{name}-{secrets.token_urlsafe(24)}"
            for name in ("issued", "refused", "signer", "hookpath", "nodepath", "database")
        }

    def all(self):
        """Name to secret; private keys as hex without 0x."""
        pairs = [Keypair.create_from_mnemonic(self.phrase)]
        pairs += [Keypair.create_from_seed(seed) for seed in (self.seed, self.other_seed)]
        keys = {f"private key {number}": pair.private_key.hex() for number, pair in enumerate(pairs)}
        seeds = {"payer's seed": self.seed[2:], "another seed": self.other_seed[2:]}
        return {"phrase": self.phrase, "typed by mistake": self.typed, **seeds, **keys, **self.tokens}


class Unreliable(Receiver):
    """Of three messages refuses the first, takes the second, and answers the third with headers that cannot be read.

    :ivar seen: how many messages came, the refused ones too.
    """

    seen = 0

    def answer(self, exchange, message):
        self.seen += 1
        if self.seen % 3 == 0:
            exchange.wfile.write(b"HTTP/1.1 200 OK\r\nno colon at all\r\nContent-Length: 2\r\n\r\n{}")
        elif self.seen % 3 == 1:
            self.reply(exchange, 500)
        else:
            super().answer(exchange, message)


class Faulty(Devnet):
    """The network, its chain, its remote signer and its receiver; `stack` is entered by whoever uses it."""

    def __init__(self, folder):
        self.secrets = hidden = Secrets()
        self.receiver = Unreliable()
        port = free_port()
        user, payer = LocalSigner(f"{hidden.phrase}//faulty"), LocalSigner(hidden.seed)
        policy = SigningPolicy(frozenset({AccountId.parse(BOB)}), 10**6 * DEFAULT_FEE, daily_count=10**6)
        self.signer = RunningSigner(policy, keys=[hidden.seed], token=hidden.tokens["signer"])
        start = datetime.now(timezone.utc).replace(microsecond=0)
        config = folder / "staking.yaml"
        config.write_text(yaml.safe_dump({"networks": {NETWORK: _settings(start, user.account, payer.account)}}))
        chain = SimulatorSettings(
            anchor_era=ACTIVE, anchor_time=start, era_length=3600.0, window=0, unpaid_eras=OWED,
            relayers=(BOB,), tokens=(hidden.tokens["issued"],),
        )  # fmt: skip
        self.chain = RunningSimulator(chain, port=port)
        self.signer.__enter__()
        self.receiver.__enter__()
        gateway = f"http://127.0.0.1:{port}"
        given = _connections(hidden, gateway, self.signer.url, self.receiver.base_url, user=user, payer=payer)
        stack = AirflowStack(folder / "home", config=config, connections=given)
        super().__init__(stack, NETWORK, load_config(config).network(NETWORK), port=port, window_seconds=0)
        self.dags = folder / "dags"
        shutil.copytree(ROOT / "dags", self.dags, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(Path(__file__).parent / "dags" / "careless.py", self.dags)

    def bring_up(self):
        """Start Airflow with the loudest log there is; nothing is scheduled but what is triggered."""
        more = {
            "CORE__DAGS_FOLDER": str(self.dags),
            "CORE__MAX_ACTIVE_RUNS_PER_DAG": "24",
            "LOGGING__LOGGING_LEVEL": "DEBUG",
            "CORE__HIDE_SENSITIVE_VAR_CONN_FIELDS": "False",  # Airflow's stars would hide what is leaked
        }
        # So many tasks at once queue for SQLite's one lock; a scheduler that loses its patience with it ends.
        more["DATABASE__SQL_ALCHEMY_CONN"] = f"sqlite:///{self.stack.home / 'airflow.db'}?timeout=120"
        self.stack.environment.update({f"AIRFLOW__{name}": value for name, value in more.items()})
        self.stack.migrate()
        self.stack.start()
        self.wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
        self.stack.api.log_in()
        for dag_id in (self.dag_id, "careless"):
            self.wait(
                lambda dag_id=dag_id: self.stack.api.dag(dag_id),
                PATIENCE,
                f"{dag_id} is known",
                self.stack.api.import_errors,
            )
            self.stack.api.unpause(dag_id)

    def close(self):
        """End what runs beside Airflow."""
        self.signer.__exit__(None, None, None)
        self.receiver.__exit__(None, None, None)


def _settings(start, user, payer):
    return {
        "relayer": BOB,
        "user": user.address,
        "payer": payer.address,
        "calendar": {"era_length": "1h", "anchors": [{"era": 0, "start": (start - ACTIVE * timedelta(hours=1)).isoformat()}]},
        "timing": {"poll_interval": "1s", "lease": "5s", "confirmation_timeout": "60s"},
        "alerts": {"notifiers": [RECEIVER], "paid_within": "1s", "held_after": "1s"},
        "explorer_url": "https://explorer.example/tx/{tx_hash}",
        "catch_up": {"scheduled": False},
        "accounts": ["5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"],
    }  # fmt: skip


def _connections(hidden, gateway, signer, receiver, *, user, payer):
    """Good ones, and some that are wrong in every way."""
    patience = {"read_timeout": 3, "total_timeout": 6, "read_attempts": 2}
    tokens = hidden.tokens
    away = "http://127.0.0.1:9"
    signers = {"conn_type": "staking_signer"}
    gateways = {"conn_type": "staking_gateway", "extra": patience}
    return {
        "staking_gateway_default": {**gateways, "host": gateway, "extra": {**patience, "bearer_signer_conn_id": "staking_signer_user"}},
        "staking_signer_user": {**signers, "login": user.account.address, "password": f"{hidden.phrase}//faulty"},
        "staking_signer_payer": {**signers, "login": payer.account.address, "host": signer, "password": tokens["signer"]},
        "alerts_receiver": {"conn_type": "http", "host": receiver, "password": tokens["hookpath"]},
        "issued_gateway": {**gateways, "host": gateway, "password": tokens["issued"]},
        "refused_gateway": {**gateways, "host": gateway, "password": tokens["refused"]},
        "gateway_away": {**gateways, "host": away, "password": tokens["issued"]},
        "gateway_of_node": {
            **gateways, "host": gateway, "password": tokens["issued"],
            "extra": {**patience, "node_conn_id": "node_with_a_key"},
        },
        "node_with_a_key": {"conn_type": "substrate", "host": f"ws://127.0.0.1:9/{tokens['nodepath']}?key={tokens['nodepath']}"},
        "signer_unreadable": {**signers, "password": hidden.typed},
        "signer_of_another": {**signers, "login": user.account.address, "password": hidden.other_seed},
        "signer_misspelt": {**signers, "login": hidden.typed, "password": hidden.seed},
        "signer_away": {**signers, "login": user.account.address, "host": away, "password": tokens["signer"]},
        "ledger_away": {
            "conn_type": "postgres", "host": "127.0.0.1", "port": 9, "login": "ledger", "password": tokens["database"], "schema": "x",
        },
    }  # fmt: skip
