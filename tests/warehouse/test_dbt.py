"""The dbt package on exported Parquet files and on the views of PostgreSQL: green with good books, and a red test for each defect."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway_provider.exporting import Exporter
from tests.services import servers
from tests.support.ledgers import NETWORK, sqlite_url
from tests.warehouse.books import ACCOUNTS, ERAS, MOST, keep_books

ROOT = Path(__file__).parents[2]
DBT = ROOT / ".venv-warehouse" / "bin" / "dbt"
SETTINGS = {"staking_accounts": {NETWORK: len(ACCOUNTS)}, "staking_max_fee": {NETWORK: str(MOST - 1)}}
GAP, OTHER = ERAS[1], ERAS[2]
DEFECTS = {
    "no_era_gap_fct_eras_": [f"DELETE FROM {view} WHERE era = {GAP}" for view in VIEWS],
    "one_confirmed_payout_per_part_stg_payouts_": [
        f"INSERT INTO staking_payouts SELECT * FROM staking_payouts WHERE era = {OTHER}"
    ],
    "accounts_complete_fct_eras_": [
        f"DELETE FROM staking_statuses WHERE era = {OTHER} AND account_key = '{ACCOUNTS[0].hex}'"
    ],
    "no_difference_fct_eras_differences": [f"UPDATE staking_reconciliation SET agrees = false WHERE era = {OTHER}"],
    "fee_within_limit_fct_eras_": [f"UPDATE staking_eras SET fee = {MOST} WHERE era = {OTHER}"],
}
"""The dbt test that must fail, and the SQL that damages the books."""


@pytest.fixture(scope="module", autouse=True)
def duckdb():
    """DuckDB, and pyarrow for the export. `make warehouse` installs them beside dbt."""
    assert DBT.is_file(), "dbt is missing. Run: make warehouse"
    folder = str(next(DBT.parents[1].glob("lib/python*/site-packages")))
    sys.path.append(folder)
    yield import_module("duckdb")
    sys.path.remove(folder)


class Package:
    """A copy of the package with one kind of source."""

    def __init__(self, folder, target, **environment):
        self._folder = folder / "dbt"
        shutil.copytree(ROOT / "examples" / "dbt", self._folder)
        told = {"DBT_TARGET": target, "DBT_SEND_ANONYMOUS_USAGE_STATS": "0", **environment}
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **told}

    def failed(self, **settings):
        """The tests that failed. All models must be built, and all tests must run."""
        words = "build", "--no-use-colors", "--profiles-dir", ".", "--vars", json.dumps({**SETTINGS, **settings})
        done = subprocess.run(
            [DBT, *words], cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        results = self._folder / "target" / "run_results.json"
        assert results.is_file(), done.stdout + done.stderr
        found = json.loads(results.read_text())["results"]
        results.unlink()
        states = {one["unique_id"].split(".")[2]: one["status"] for one in found}
        assert len(states) == 15, done.stdout
        assert {*states.values()} <= {"success", "pass", "fail"}, done.stdout
        return {name for name, state in states.items() if state == "fail"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A target of `airflow staking export`, and the package that reads it."""
    folder = tmp_path_factory.mktemp("exported")
    url = sqlite_url(folder)
    keep_books(url)
    with closing(Ledger(url)) as ledger:
        Exporter(str(folder / "export")).write(ledger, NETWORK, ERAS)
    return folder / "export", Package(folder, "duckdb")


def test_good_books_in_parquet_pass_every_test_and_keep_their_digits(exported, duckdb):
    files, package = exported
    assert package.failed(staking_export=str(files)) == set()
    with duckdb.connect(str(package._folder / "staking.duckdb")) as built:
        query = "SELECT era, fee, reward, lag_seconds, accounts_staking, wasted_fees FROM fct_eras ORDER BY era DESC LIMIT 1"
        assert built.sql(query).fetchall() == [(ERAS[-1], MOST - 1, MOST, 540.0, 3, 0)]


def test_views_without_rows_have_no_files_and_their_models_no_rows(exported, tmp_path):
    files, package = exported
    shutil.copytree(files, tmp_path / "export")
    for view in ("staking_statuses", "staking_rewards", "staking_reconciliation"):
        shutil.rmtree(tmp_path / "export" / NETWORK / view)
    assert package.failed(staking_export=str(tmp_path / "export"), staking_accounts={}) == set()


@pytest.mark.parametrize("test", DEFECTS)
def test_a_defect_in_parquet_fails_exactly_its_test(exported, duckdb, tmp_path, test):
    files, package = exported
    with duckdb.connect() as memory:
        for view in VIEWS:
            memory.execute(f"CREATE TABLE {view} AS FROM read_parquet('{files}/*/{view}/*.parquet')")
        for statement in DEFECTS[test]:
            memory.execute(statement)
        for view in VIEWS:
            (tmp_path / NETWORK / view).mkdir(parents=True)
            memory.execute(f"COPY {view} TO '{tmp_path / NETWORK / view / 'all.parquet'}'")
    assert package.failed(staking_export=str(tmp_path)) == {test}


def test_postgresql_has_the_same_tests_on_the_views_themselves(tmp_path):
    servers.install()
    with servers.PostgreSQL() as server:
        url = server.database("warehouse")
        keep_books(url.render_as_string(hide_password=False))
        place = {"PGHOST": url.host, "PGPORT": str(url.port), "PGUSER": url.username, "PGDATABASE": url.database}
        package = Package(tmp_path, "postgres", **place, PGPASSWORD=url.password)
        assert package.failed() == set()
        query = "SELECT era, fee, reward, accounts_staking FROM staking.fct_eras ORDER BY era DESC LIMIT 1"
        assert servers.execute(url, query) == [(ERAS[-1], MOST - 1, MOST, 3)]
        copies = [f"CREATE TABLE damaged.{view} AS SELECT * FROM public.{view}" for view in VIEWS]
        damages = [statement for statements in DEFECTS.values() for statement in statements]
        servers.execute(url, "CREATE SCHEMA damaged", *copies, "SET search_path = damaged", *damages)
        assert package.failed(staking_schema="damaged") == {*DEFECTS}
