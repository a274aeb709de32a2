"""An S3 server, a ledger whose numbers no other type than text holds, and `airflow` with the packages for object stores."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path

import pytest
from places import BUCKET, ERAS, NETWORK

import tests.warehouse.providers  # noqa: F401 - before Airflow looks for providers
from staking_gateway.ledger import AccountReward, Actor, EraFacts, Ledger, PayoutState, Reconciliation
from staking_gateway.types import MAX_AMOUNT, StakingStatus
from tests.support import airflow_home as home
from tests.support.ledgers import PAYER, RELAYER, USER

ROOT = Path(__file__).parents[2]
AT = datetime(2026, 6, 1, 12, 30, 15, 123456, tzinfo=timezone.utc)
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}


def made_by_make(path):
    if not (ROOT / path).exists():
        pytest.fail(f"{path} is missing. Run: make warehouse")
    return ROOT / path


@pytest.fixture(scope="session")
def python():
    """Runs Python with DuckDB, pandas and boto3, which are not beside Airflow; its last line of output, as JSON."""
    program = made_by_make(".venv-warehouse/bin/python")

    def run(code, *arguments):
        done = subprocess.run(
            [program, "-c", code, *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, **KEYS},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="module")
def duckdb():
    """DuckDB, and pyarrow for the export. `make warehouse` installs them beside dbt."""
    folder = str(next(made_by_make(".venv-warehouse").glob("lib/python*/site-packages")))
    sys.path.append(folder)
    yield import_module("duckdb")
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of a server that speaks S3."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("s3") / "log").open("w")
    program = [made_by_make(".venv-warehouse/bin/moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    running = subprocess.Popen(program, stdout=log, stderr=log, env={**os.environ, **KEYS})
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.2)
    yield f"http://127.0.0.1:{port}"
    running.terminate()
    running.wait(10)
    log.close()


@pytest.fixture(scope="session")
def bucket(server, python):
    python(
        "import boto3, sys; boto3.client('s3', endpoint_url=sys.argv[1]).create_bucket(Bucket=sys.argv[2]); print(1)",
        server,
        BUCKET,
    )
    return BUCKET


@pytest.fixture
def ledger(tmp_path):
    """Three paid eras with every kind of row; the amounts need 128 bits."""
    with closing(Ledger(f"sqlite:///{tmp_path / 'ledger.db'}", clock=lambda: AT)) as opened:
        for era in ERAS:
            party = {"user": USER, "payer": PAYER, "relayer": RELAYER, "actor": Actor("r")}
            payout = opened.plan(NETWORK, era, 0, **party)
            signed = {"fee": MAX_AMOUNT, "staking_nonce": era, "payment_nonce": era, "signed_at": AT, "signed_by": "r"}
            payout = opened.transition(payout, PayoutState.SIGNED, "", Actor("r"), **signed)
            opened.transition(payout, PayoutState.CONFIRMED, "", Actor("r"), confirmed_at=AT, reason="=1+1")
            noted = {"network": NETWORK, "era": era, "run": "r"}
            facts = {"reward": MAX_AMOUNT, "reward_source": "storage", "symbol": "UNIT", "decimals": 18}
            opened.facts.note_era(EraFacts(**noted, **facts, ended_at=AT - timedelta(minutes=1), noted_at=AT))
            reward = {"account_key": USER.hex, "address": USER.address, "amount": MAX_AMOUNT - 1, "source": "events"}
            opened.facts.note_rewards([AccountReward(**noted, **reward, noted_at=AT)])
            found = {"subject": "fee", "agrees": None, "finding": "unknown", "text": "no node", "checked_at": AT}
            opened.facts.note_reconciliation([Reconciliation(**noted, **found)])
            opened.record_statuses(
                NETWORK, era, [(USER, StakingStatus.IS_STAKING), (PAYER, StakingStatus.IS_NOT_STAKING)]
            )
        yield opened


@pytest.fixture
def airflow(ledger, tmp_path, server):
    """Runs an `airflow` command in a process that has the packages for object stores; its status and its errors."""
    home.migrated()
    connection = {"conn_type": "aws", "login": "testing", "password": "testing", "extra": {"endpoint_url": server}}
    env = {
        **os.environ,
        **KEYS,
        "PYTHONPATH": str(made_by_make(".venv-providers/ready").parent),
        "STAKING_GATEWAY_LEDGER_CONN_ID": "test_ledger",
        "STAKING_GATEWAY_CONFIG": "",
        "AIRFLOW_CONN_TEST_LEDGER": json.dumps({"conn_type": "sqlite", "host": str(tmp_path / "ledger.db")}),
        "AIRFLOW_CONN_LAKE": json.dumps(connection),
        "PYTHONWARNINGS": "ignore",
    }

    def run(*words):
        command = [sys.executable, "-m", "airflow", "staking", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        return done.returncode, done.stderr

    return run
