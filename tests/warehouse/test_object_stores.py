"""Exports in a real S3 server, and what other programs read in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from datetime import timedelta

import pytest
import requests
import sqlalchemy as sa

from staking_gateway.ledger.views import VIEWS
from tests.support import airflow_home as home
from tests.support.ledgers import NETWORK, NOW, connected, sqlite_url
from tests.support.programs import free_port
from tests.warehouse.books import ERAS, FEE, MOST, ROOT, keep_books

BUCKET = "warehouse"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
TOOLS = ROOT / ".venv-warehouse/bin"
FETCH = """
import boto3, json, pathlib, sys
server, bucket, prefix, folder = sys.argv[1:]
client, found = boto3.client("s3", endpoint_url=server), {}
client.create_bucket(Bucket=bucket)
for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
    for item in page.get("Contents", ()):
        file = pathlib.Path(folder, item["Key"])
        file.parent.mkdir(parents=True, exist_ok=True)
        client.download_file(bucket, item["Key"], str(file))
        found[item["Key"]] = item["ETag"]
print(json.dumps(found))
"""
READ = """
import duckdb, json, pandas, sys
folder, era = sys.argv[1:3]
def rows(view, what):
    query = f"SELECT {what} FROM read_parquet('{folder}/{view}/era=*.parquet', hive_partitioning = false) ORDER BY era"
    return duckdb.sql(query).fetchall()
rewards = pandas.read_parquet(f"{folder}/staking_rewards/era={era}.parquet")
print(json.dumps({
    "eras": [[era, str(fee), scaled, at] for era, fee, scaled, at in rows(
        "staking_eras", "era, CAST(fee AS UHUGEINT), fee_scaled, strftime(confirmed_at AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f')"
    )],
    "unknown": rows("staking_reconciliation", "chain_says"),
    "counts": {view: len(rows(view, "era")) for view in sys.argv[3:]},
    "amounts": [int(amount) for amount in rewards["amount"]],
    "types": {name: str(kind) for name, kind in rewards.dtypes.items()},
}))
"""


def python(code, *arguments):
    """What Python prints that has boto3, DuckDB and pandas, which are not beside Airflow."""
    command = [TOOLS / "python", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **KEYS}, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server that speaks S3, with a bucket."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    with (tmp_path_factory.mktemp("s3") / "log").open("w") as log:
        running = subprocess.Popen([TOOLS / "moto_server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        answered = None
        while answered is None and time.monotonic() < deadline:
            with suppress(requests.ConnectionError):
                answered = requests.get(url, timeout=60)
            time.sleep(0.2)
        python(FETCH, url, BUCKET, "", tmp_path_factory.mktemp("empty"))
        yield url
        running.terminate()
        running.wait(10)


@pytest.fixture
def ledger(tmp_path):
    return sqlite_url(tmp_path, fill=keep_books)


@pytest.fixture
def export(ledger, tmp_path, server):
    """Runs `airflow staking export` in a process that has the packages for object stores; returns it ended."""
    home.migrated()
    lake = {"conn_type": "aws", "login": "testing", "password": "testing", "extra": {"endpoint_url": server}}
    environment = {
        **os.environ,
        **KEYS,
        "PYTHONPATH": str(ROOT / ".venv-providers"),
        "STAKING_GATEWAY_LEDGER_CONN_ID": "test_ledger",
        "STAKING_GATEWAY_CONFIG": "",
        "AIRFLOW_CONN_TEST_LEDGER": json.dumps({"conn_type": "sqlite", "host": sa.make_url(ledger).database}),
        "AIRFLOW_CONN_LAKE": json.dumps(lake),
        "PYTHONWARNINGS": "ignore",
    }

    def run(target, *words):
        command = [sys.executable, "-m", "airflow", "staking", "export", "--network", NETWORK, "--target", target]
        command += map(str, words)
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)

    return run


@pytest.fixture
def exported(export, server, tmp_path):
    """Exports into a folder of the bucket; the objects with their marks, and a copy of them."""

    def run(place, *words):
        done = export(f"s3://lake@{BUCKET}/{place}", *words)
        assert done.returncode == 0, done.stderr
        return python(FETCH, server, BUCKET, f"{place}/", tmp_path / "copy"), tmp_path / "copy" / place / NETWORK

    return run


def test_parquet_is_read_by_duckdb_and_pandas_with_exact_amounts(exported):
    objects, folder = exported("parquet", "--format", "parquet")
    assert len(objects) == len(VIEWS) * len(ERAS)
    read = python(READ, folder, ERAS[-1], *VIEWS)
    fees = {era: MOST - 1 if era == ERAS[-1] else FEE for era in ERAS}
    times = {era: f"{NOW + timedelta(hours=era, minutes=9):%Y-%m-%d %H:%M:%S.%f}" for era in ERAS}
    assert read["eras"] == [[era, str(fees[era]), fees[era] / 10**12, times[era]] for era in ERAS]
    assert read["unknown"] == [[None]] * len(ERAS)
    each = {"staking_rewards": 2, "staking_statuses": 3}
    assert read["counts"] == {view: each.get(view, 1) * len(ERAS) for view in VIEWS}
    assert read["amounts"] == [MOST, MOST]
    assert read["types"]["amount_scaled"] == "float64"
    assert read["types"]["noted_at"].endswith("UTC]")


def test_an_export_replaces_exactly_its_eras(exported, ledger):
    era = ERAS[1]
    before, _ = exported("again", "--format", "csv")
    with connected(ledger) as past_the_ledger:
        past_the_ledger.execute(sa.text("UPDATE account_statuses SET address = 'another'"))
    after, folder = exported("again", "--from-era", era, "--to-era", era, "--format", "csv")
    assert after.keys() == before.keys()
    assert {key for key in after if after[key] != before[key]} == {f"again/{NETWORK}/staking_statuses/era={era}.csv"}
    assert "another" in (folder / "staking_statuses" / f"era={era}.csv").read_text()


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("s3://lake@nowhere/x", f"target: s3://lake@nowhere/x/{NETWORK}/staking_eras/era=1390.csv cannot be written"),
        (f"s3://lost@{BUCKET}/x", "lost"),
    ],
    ids=["bucket", "connection"],
)
def test_what_is_missing_is_named_without_a_traceback(export, target, named):
    done = export(target, "--format", "csv")
    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr
