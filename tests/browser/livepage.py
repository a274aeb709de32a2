"""A live Airflow with one network whose history is known: most eras paid, three missed, one account that stopped staking."""

from __future__ import annotations

import json
import secrets
from contextlib import ExitStack, closing
from datetime import datetime, timedelta, timezone

import yaml

from demo.devnet import Devnet, connections
from demo.home import write_private
from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.signing import LocalSigner
from staking_gateway.types import StakingStatus
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

NETWORK = "mainnet"
CROWD = "testnet"
"""A second network, with 500 accounts, for what takes time."""
ACTIVE = 1000
ERA_LENGTH = timedelta(hours=6)
MISSED = (931, 968, 969)
HELD = 990
"""An era whose fee was above the limit; it is owed too."""
IDLE_SINCE = 996
FEE = 10**17
HOSTILE = "<img src=x onerror=alert(1)>"
ROLES = {"admin": "admin", "viewer": "viewer", "stranger": ""}
PATIENCE = 180
IDLE = ("bob-stash", "eve")
WATCHED = (
    ("5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY", "alice-stash", "staking"),
    ("5HpG9w8EBLe5XCrbczpwq5TSXvedjrBGCwqxK1iQ7qUsSWFc", "bob-stash", "staking"),
    ("5Ck5SLSHYac6WFt5UZRSsdJjwmpSZq85fd5TRNAdZQVzEAPT", "charlie-stash", "staking"),
    ("5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy", "dave", "any"),
    ("5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw", "eve", "not_staking"),
    ("5CiPPseXPECbkjWCa6MnjNokrgYjMqmKndv2rSnekmSK2DjL", "ferdie", "any"),
)


class LivePage:
    """Airflow, its users, a simulator and a ledger with a history. A context manager.

    :param folder: for everything.
    """

    def __init__(self, folder):
        self.folder = folder
        self.start = datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * ERA_LENGTH - ERA_LENGTH / 3
        keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
        self.accounts = {role: LocalSigner(key).account for role, key in keys.items()}
        port = free_port()
        self.chain = RunningSimulator(self._rules(), port=port)
        config = folder / "staking.yaml"
        config.write_text(yaml.safe_dump({"networks": {NETWORK: self._network(), CROWD: self._crowd()}}))
        self.settings = load_config(config)
        user, payer = (self.accounts[role].address for role in ("user", "payer"))
        given = connections(f"http://127.0.0.1:{port}", keys["user"], user, keys["payer"], payer)
        self.stack = AirflowStack(folder / "home", config=config, connections=given)
        self.devnet = Devnet(self.stack, NETWORK, self.settings.network(NETWORK), port=port, window_seconds=0)
        self.passwords = {name: secrets.token_urlsafe(12) for name in ROLES}
        self._exits: ExitStack

    def __enter__(self):
        with ExitStack() as exits:
            exits.enter_context(self.chain)
            exits.enter_context(self.stack)
            self._add_users()
            with closing(Ledger(f"sqlite:///{self.stack.home / 'staking_ledger.db'}")) as ledger:
                self._write_history(ledger)
            self.stack.migrate()
            self.stack.start()
            wait, api = self.devnet.wait, self.stack.api
            wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
            api.log_in()
            for name in (NETWORK, CROWD):
                for prefix in ("staking_payout_", "staking_catch_up_"):
                    wait(lambda dag_id=prefix + name: api.dag(dag_id), PATIENCE, f"{prefix}{name}", api.import_errors)
            self._begin()
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *raised):
        return self._exits.__exit__(*raised)

    def _begin(self):
        """Let the scheduler run the newest era; it is paid already, and bob has stopped staking."""
        for account, label, _ in WATCHED:
            self.chain.control.staking(account, label not in IDLE)
        api, dag_id = self.stack.api, self.devnet.dag_id
        api.unpause(dag_id)
        self.devnet.wait(
            lambda: any(run["state"] == "failed" for run in api.runs(dag_id)), PATIENCE, "the newest era is reported"
        )

    def _rules(self):
        return SimulatorSettings(
            anchor_era=0,
            anchor_time=self.start,
            era_length=ERA_LENGTH.total_seconds(),
            window=0,
            unpaid_eras=84,
            balance=50 * FEE,
            fee=FEE,
        )

    def _network(self):
        return {
            "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty",
            **{role: account.address for role, account in self.accounts.items()},
            "calendar": {"era_length": "6h", "anchors": [{"era": 0, "start": self.start.isoformat()}]},
            "start_date": (self.start + 920 * ERA_LENGTH).isoformat(),
            "timing": {"poll_interval": "1s", "lease": "4s"},
            "accounts": [{"account": account, "label": label, "expect": expect} for account, label, expect in WATCHED],
        }

    def _crowd(self):
        accounts = [f"0x{index:04x}" + "07" * 30 for index in range(500)]
        lone = "0x" + "09" * 32
        return {
            **self._network(),
            "user": lone,
            "payer": lone,
            "accounts": [{"account": key, "label": f"stash-{i}" if i else HOSTILE} for i, key in enumerate(accounts)],
        }

    def _add_users(self):
        users = ",".join(f"{name}:{role}" for name, role in ROLES.items())
        self.stack.environment["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"] = users
        self.passwords["admin"] = self.stack.password
        write_private(self.stack.home / "passwords.json", json.dumps(self.passwords))

    def _write_history(self, ledger):
        for era in range(920, ACTIVE):
            for name in (NETWORK, CROWD):
                if name == CROWD or era not in MISSED:
                    self._write_payout(name, era)
                self._write_statuses(ledger, name, era)

    def _write_payout(self, name, era):
        lag = timedelta(seconds=35 + (era * 37) % 60 + (2400 if era % 23 == 0 else 0))
        now = self.start + (era + 1) * ERA_LENGTH + lag
        actor = Actor(f"staking_payout_{name}/scheduled__era-{era}")
        accounts = {**self.accounts, "relayer": self.settings.network(NETWORK).relayer_account}
        with closing(Ledger(f"sqlite:///{self.stack.home / 'staking_ledger.db'}", clock=lambda: now)) as ledger:
            payout = ledger.plan(name, era, 0, **accounts, actor=actor)
            if era == HELD and name == NETWORK:
                why = f"the fee {9 * FEE} is above max_fee_per_payout {2 * FEE}"
                ledger.transition(payout, PayoutState.HELD, why, actor, reason=why, hold="fee")
                return
            facts = {"fee": FEE + era % 7 * FEE // 20, "tx_hash": f"0x{era:064x}", "confirmed_by": "request_state"}
            ledger.transition(payout, PayoutState.CONFIRMED, "confirmed", actor, confirmed_at=now, **facts)

    def _write_statuses(self, ledger, name, era):
        found = []
        for index, watched in enumerate(self.settings.network(name).accounts):
            idle = (watched.label == "bob-stash" and era >= IDLE_SINCE) or watched.label == "eve" or index % 97 == 96
            found.append((watched.account_id, StakingStatus.IS_NOT_STAKING if idle else StakingStatus.IS_STAKING))
        ledger.record_statuses(name, era, found)
