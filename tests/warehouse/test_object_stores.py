"""Exports in a real S3 server, and what other programs read in them."""

from __future__ import annotations

import pytest
from places import BUCKET, ERAS, NETWORK

from staking_gateway.ledger.views import VIEWS
from staking_gateway.types import MAX_AMOUNT

pytestmark = pytest.mark.usefixtures("bucket")
FETCH = """
import boto3, json, pathlib, sys
server, bucket, prefix, folder = sys.argv[1:]
client, found = boto3.client("s3", endpoint_url=server), {}
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
folder = sys.argv[1]
def rows(view, what):
    query = f"SELECT {what} FROM read_parquet('{folder}/{view}/era=*.parquet', hive_partitioning = false) ORDER BY era"
    return duckdb.sql(query).fetchall()
reward = pandas.read_parquet(f"{folder}/staking_rewards/era=7.parquet")
print(json.dumps({
    "eras": [[era, str(fee), scaled, at] for era, fee, scaled, at in rows(
        "staking_eras", "era, CAST(fee AS UHUGEINT), fee_scaled, strftime(confirmed_at AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f')"
    )],
    "unknown": [list(row) for row in rows("staking_reconciliation", "agrees, chain_says")],
    "counts": {view: len(rows(view, "era")) for view in sys.argv[2:]},
    "pandas": [int(amount) for amount in reward["amount"]],
    "types": {name: str(kind) for name, kind in reward.dtypes.items()},
}))
"""


@pytest.fixture
def exported(airflow, server, python, tmp_path):
    """Exports into a place of its own; the objects with their marks, and a copy of them."""

    def run(place, *words, file_format="parquet"):
        target = f"s3://lake@{BUCKET}/{place}"
        status, errors = airflow("export", "--network", NETWORK, "--target", target, "--format", file_format, *words)
        assert status == 0, errors
        found = python(FETCH, server, BUCKET, f"{place}/", tmp_path / "copy")
        return found, tmp_path / "copy" / place / NETWORK

    return run


def test_parquet_is_read_by_duckdb_and_pandas_with_exact_amounts(exported, python):
    objects, folder = exported("parquet")
    assert len(objects) == len(VIEWS) * len(ERAS)
    told = python(READ, folder, *VIEWS)
    at = "2026-06-01 12:30:15.123456"
    assert told["eras"] == [[era, str(MAX_AMOUNT), MAX_AMOUNT / 10**18, at] for era in ERAS]
    assert told["unknown"] == [[None, None]] * len(ERAS)
    assert told["counts"] == {view: 6 if view in ("staking_rewards", "staking_statuses") else 3 for view in VIEWS}
    assert told["pandas"] == [MAX_AMOUNT - 1, MAX_AMOUNT]
    assert told["types"]["amount_scaled"] == "float64"
    assert told["types"]["noted_at"].endswith("UTC]")


def test_an_export_replaces_exactly_its_eras(exported, ledger):
    before, _ = exported("again", file_format="csv")
    for era in ERAS:
        ledger.record_statuses(NETWORK, era, [])
        ledger.journal.note_once(NETWORK, era, "expired", "text", "r")
    with ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE account_statuses SET address = 'another'")
    after, folder = exported("again", "--from-era", 8, "--to-era", 8, file_format="csv")
    changed = {key for key in after if after[key] != before[key]}
    assert changed == {f"again/{NETWORK}/staking_statuses/era=8.csv"}
    assert after.keys() == before.keys()
    assert "another" in (folder / "staking_statuses" / "era=8.csv").read_text()


def test_a_bucket_that_is_missing_is_named_without_a_traceback(airflow):
    status, errors = airflow("export", "--network", NETWORK, "--target", "s3://lake@nowhere/x", "--format", "csv")
    assert status == 1
    assert "airflow staking: target: s3://lake@nowhere/x/testnet/staking_eras/era=7.csv cannot be written" in errors
    assert "Traceback" not in errors


def test_a_connection_that_is_missing_is_named_without_a_traceback(airflow):
    status, errors = airflow("export", "--network", NETWORK, "--target", f"s3://lost@{BUCKET}/x", "--format", "csv")
    assert status == 1
    assert "lost" in errors
    assert "Traceback" not in errors
