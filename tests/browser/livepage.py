"""A live Airflow with one network whose history is known: most eras paid, three missed, one account that stopped staking."""

from __future__ import annotations

import secrets
from contextlib import closing
from datetime import datetime, timedelta, timezone

from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.types import StakingStatus
from tests.live.network import Network
from tests.live.stand import PROGRAMS, Stand
from tests.support.ledgers import put

NETWORK = "mainnet"
CROWD = "testnet"
"""A second network, with 500 accounts, for what takes time."""
ACTIVE = 1000
ERA_LENGTH = timedelta(hours=6)
PATIENCE = 180
"""Seconds."""
MISSED = (931, 968, 969)
HELD = 990
"""An era whose fee was above the limit; it is owed too."""
IDLE_SINCE = 996
FEE = 10**17
HOSTILE = "<img src=x onerror=alert(1)>"
ROLES = {"admin": "admin", "viewer": "viewer"}
IDLE = ("bob-stash", "eve")
WATCHED = (
    ("5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY", "alice-stash", "staking"),
    ("5HpG9w8EBLe5XCrbczpwq5TSXvedjrBGCwqxK1iQ7qUsSWFc", "bob-stash", "staking"),
    ("5Ck5SLSHYac6WFt5UZRSsdJjwmpSZq85fd5TRNAdZQVzEAPT", "charlie-stash", "staking"),
    ("5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy", "dave", "any"),
    ("5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw", "eve", "not_staking"),
    ("5CiPPseXPECbkjWCa6MnjNokrgYjMqmKndv2rSnekmSK2DjL", "ferdie", "any"),
)


class LivePage(Stand):
    """Airflow, its users, a simulator and a ledger with a history. A context manager.

    :param folder: for everything.
    """

    def __init__(self, folder):
        begin = datetime.now(timezone.utc).replace(microsecond=0) - ACTIVE * ERA_LENGTH - ERA_LENGTH / 3
        settings = {
            "calendar": {"era_length": "6h", "anchors": [{"era": 0, "start": begin.isoformat()}]},
            "start_date": (begin + 920 * ERA_LENGTH).isoformat(),
            "catch_up": {},
        }
        watched = [{"account": account, "label": label, "expect": expect} for account, label, expect in WATCHED]
        chain = {"anchor-time": begin.isoformat(), "unpaid-eras": 84, "balance": 50 * FEE, "fee": FEE}
        self.mainnet = Network(NETWORK, era_length=ERA_LENGTH, chain=chain, accounts=watched, **settings)
        keys = [f"0x{index:04x}" + "07" * 30 for index in range(500)]
        crowd = [{"account": key, "label": f"stash-{i}" if i else HOSTILE} for i, key in enumerate(keys)]
        lone = "0x" + "09" * 32
        connections = {
            f"{of}_conn_id": self.mainnet.settings[f"{of}_conn_id"] for of in ("gateway", "user_signer", "payer_signer")
        }
        self.crowd = Network(
            CROWD, era_length=ERA_LENGTH, user=lone, payer=lone, accounts=crowd, **connections, **settings
        )
        users = ",".join(f"{name}:{role}" for name, role in ROLES.items())
        super().__init__(folder, [self.mainnet, self.crowd], settings={"CORE__SIMPLE_AUTH_MANAGER_USERS": users})
        self.begin = begin
        self.passwords = {**{name: secrets.token_urlsafe(12) for name in ROLES}, "admin": self.password}

    def __enter__(self):
        super().__enter__()
        self.write_passwords(self.passwords)
        with self.ledger() as ledger:
            self._write_history(ledger)
        self.start(NETWORK, *PROGRAMS["local"])
        self.wait(self.mainnet.control.state, "the simulator answers")
        self.wait_until_up(
            *(f"{prefix}{name}" for name in (NETWORK, CROWD) for prefix in ("staking_payout_", "staking_catch_up_"))
        )
        self._begin()
        return self

    def _begin(self):
        """Let the scheduler run the newest era; it is paid already, and bob has stopped staking."""
        for account, label, _ in WATCHED:
            self.mainnet.control.staking(account, label not in IDLE)
        self.api.unpause(self.mainnet.dag_id)
        self.wait(lambda: any(run["state"] == "failed" for run in self.mainnet.runs()), "the newest era is reported")

    def _write_history(self, ledger):
        for era in range(920, ACTIVE):
            for name in (NETWORK, CROWD):
                if name == CROWD or era not in MISSED:
                    self._write_payout(name, era)
                self._write_statuses(ledger, name, era)

    def _write_payout(self, name, era):
        lag = timedelta(seconds=35 + (era * 37) % 60 + (2400 if era % 23 == 0 else 0))
        now = self.begin + (era + 1) * ERA_LENGTH + lag
        actor = Actor(f"staking_payout_{name}/scheduled__era-{era}")
        config = self.mainnet.config
        accounts = {"user": config.user, "payer": config.payer, "relayer": config.relayer}
        with closing(Ledger(self.ledger_url, clock=lambda: now)) as ledger:
            payout = ledger.plan(name, era, 0, **accounts, actor=actor)
            if era == HELD and name == NETWORK:
                why = f"the fee {9 * FEE} is above max_fee_per_payout {2 * FEE}"
                put(ledger, payout, PayoutState.HELD, actor, cause=why, reason=why, hold="fee")
                return
            facts = {"fee": FEE + era % 7 * FEE // 20, "tx_hash": f"0x{era:064x}", "confirmed_by": "request_state"}
            put(ledger, payout, PayoutState.CONFIRMED, actor, cause="confirmed", **facts)

    def _write_statuses(self, ledger, name, era):
        found = []
        for index, watched in enumerate(self.networks[name].config.accounts):
            idle = (watched.label == "bob-stash" and era >= IDLE_SINCE) or watched.label == "eve" or index % 97 == 96
            found.append((watched.account, StakingStatus.IS_NOT_STAKING if idle else StakingStatus.IS_STAKING))
        ledger.record_statuses(name, era, found)
