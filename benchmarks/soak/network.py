"""One network of a soak: its accounts, what `staking.yaml` says of it, its connections, and the simulator that is its chain."""

from __future__ import annotations

import hashlib
import secrets
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.soak.course import HISTORY_DEPTH
from demo.stack import free_port
from staking_gateway.config.models import NetworkConfig
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.accounts import stakes_by_default
from staking_gateway_simulator.faults import FAULTS
from staking_gateway_simulator.running import SimulatorControl

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.soak.course import Course

FIRST = 1000
"""The first era that is owed."""
RELAYER = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
PAYOUT_DAG = "staking_payout_"
"""How the name of a DAG begins that pays an era per run."""
ALERTS_CONN_ID = "staking_alerts_default"
_WINDOW_SHARE = 0.15
_LATE_ERAS, _HELD_ERAS, _CATCH_UP_ERAS = 6, 12, 6
_BATCH, _PAYOUTS_POSSIBLE = 250, 4
"""The chain would let each era be paid so often: nothing but the product keeps it at once."""


def account_keys(network: str, count: int) -> list[str]:
    """Public keys of made-up accounts; the first one stakes, of the others about half."""
    keys: list[str] = []
    number = 0
    while len(keys) < count:
        number += 1
        key = hashlib.blake2b(f"{network}/{number}".encode(), digest_size=32).digest()
        if keys or stakes_by_default(key):
            keys.append("0x" + key.hex())
    return keys


def fault_rules(chance: float) -> list[str]:
    """Every fault the simulator knows, each with the same chance at each call it can happen to."""
    return [f"{name}:probability={chance}" for name in FAULTS]


@dataclass(frozen=True)
class Network:
    """One network.

    :param start: when era FIRST begins, aware.
    :param keys: role to the private key: user, payer.
    :param accounts: 0x keys; the first one is the one that stops staking now and then.
    """

    name: str
    course: Course
    start: datetime
    port: int
    keys: dict[str, str]
    accounts: tuple[str, ...]

    @classmethod
    def make(cls, name: str, course: Course, start: datetime) -> Network:
        """With fresh keys and a free port."""
        keys = {role: "0x" + secrets.token_hex(32) for role in ("user", "payer")}
        return cls(name, course, start, free_port(), keys, tuple(account_keys(name, course.accounts)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def control(self) -> SimulatorControl:
        return SimulatorControl(self.url)

    @property
    def staking(self) -> frozenset[str]:
        """Those of the accounts that stake when nobody stops them."""
        return frozenset(key for key in self.accounts if stakes_by_default(bytes.fromhex(key[2:])))

    @property
    def eras(self) -> range:
        """The eras the soak is about."""
        return range(FIRST, FIRST + self.course.eras_each)

    @property
    def payout_dag(self) -> str:
        """Airflow DAG that pays an era per run."""
        return f"{PAYOUT_DAG}{self.name}"

    @property
    def catch_up_dag(self) -> str:
        """Airflow DAG that pays what was missed."""
        return f"staking_catch_up_{self.name}"

    def settings(self) -> dict[str, Any]:
        """Its part of `staking.yaml`. What waits for hours or minutes where eras last a day waits for a few eras here."""
        length = self.course.era_seconds
        first, *others = self.accounts
        return {
            "gateway_conn_id": f"gateway_{self.name}",
            "user_signer_conn_id": f"user_{self.name}",
            "payer_signer_conn_id": f"payer_{self.name}",
            "relayer": RELAYER,
            **{role: LocalSigner(key).account.address for role, key in self.keys.items()},
            "calendar": {
                "era_length": f"{length}s",
                "anchors": [{"era": FIRST, "start": self.start.isoformat()}],
            },
            "history_depth": HISTORY_DEPTH,
            "start_date": self.start.isoformat(),
            "catchup": True,
            "timing": {"poll_interval": "1s", "lease": "30s"},
            "catch_up": {"interval": f"{_CATCH_UP_ERAS * length}s"},
            "alerts": {
                "webhook_conn_id": ALERTS_CONN_ID,
                "paid_within": f"{_LATE_ERAS * length}s",
                "held_after": f"{_HELD_ERAS * length}s",
            },
            "accounts": [{"account": first, "expect": "staking"}, *others],
        }

    def config(self) -> NetworkConfig:
        """The same, as the product reads it."""
        return NetworkConfig.model_validate(self.settings())

    def connections(self) -> dict[str, dict[str, Any]]:
        """Airflow connections: access tokens made with the user's key, and no patience with a gateway that does not answer."""
        quick = {"connect_timeout": 2, "read_timeout": 3, "total_timeout": 5}
        signers = {
            f"{role}_{self.name}": {
                "conn_type": "staking_signer",
                "login": LocalSigner(key).account.address,
                "password": key,
            }
            for role, key in self.keys.items()
        }
        gateway = {"bearer_signer_conn_id": f"user_{self.name}", **quick}
        return {f"gateway_{self.name}": {"conn_type": "staking_gateway", "host": self.url, "extra": gateway}, **signers}

    def simulator(self, folder: Path, birth: int) -> list[str]:
        """Command line of its chain.

        :param folder: for the state file, which makes a chain outlive its simulator.
        :param birth: how often it was started before: chance must not repeat itself.

        Its clock is moved by whoever runs the soak, so that it can wait; it begins an era before the first one that is owed.
        """
        length = self.course.era_seconds
        options = {
            "port": self.port,
            "state": folder / f"simulator-{self.name}.db",
            "anchor-time": (self.start - timedelta(seconds=FIRST * length)).isoformat(),
            "era-length": length,
            "clock": "manual",
            "start-time": (self.start - timedelta(seconds=length)).isoformat(),
            "window": length * _WINDOW_SHARE,
            "unpaid-eras": 0,
            "history-depth": HISTORY_DEPTH,
            "stakers": _BATCH * _PAYOUTS_POSSIBLE,
            "batch": _BATCH,
            "relayer": RELAYER,
            "fault-seed": self.course.seed * 1000 + birth * 10 + self.course.networks.index(self.name),
            "faults": ",".join(fault_rules(self.course.chance)),
        }
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        return [sys.executable, "-m", "staking_gateway_simulator", *arguments]
