"""The dbt package on exported Parquet files and on the views of PostgreSQL: green with good books, and a red test for each defect."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import closing

import pytest

from staking_gateway.ledger import Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway_provider.exporting import Exporter
from tests.support import servers
from tests.support.alerting import network
from tests.support.ledgers import NETWORK, sqlite_url
from tests.warehouse.books import ACCOUNTS, ERAS, MOST, ROOT, keep_books

pytestmark = pytest.mark.usefixtures("duckdb")

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


class Package:
    """A copy of the package with one kind of source."""

    def __init__(self, folder, target, **environment):
        self.folder = shutil.copytree(ROOT / "examples" / "dbt", folder / "dbt")
        shared = {"PATH": os.environ["PATH"], "HOME": str(folder), "DBT_SEND_ANONYMOUS_USAGE_STATS": "0"}
        self._environment = {**shared, "DBT_TARGET": target, **environment}

    def build(self, **settings):
        """The printed text, and dbt's result of each model and test that it ran."""
        command = [ROOT / ".venv-warehouse/bin/dbt", "build", "--no-use-colors", "--profiles-dir", ".", "--vars"]
        command.append(json.dumps({**SETTINGS, **settings}))
        done = subprocess.run(
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )
        results = self.folder / "target" / "run_results.json"
        assert results.is_file(), done.stdout + done.stderr
        found = json.loads(results.read_text())["results"]
        results.unlink()
        return done.stdout, {one["unique_id"].split(".")[2]: one["status"] for one in found}

    def failed(self, **settings):
        """The tests that failed. All models must be built, and all tests must run."""
        printed, states = self.build(**settings)
        assert len(states) == 15, printed
        assert {*states.values()} <= {"success", "pass", "fail"}, printed
        return {name for name, state in states.items() if state == "fail"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A target of `airflow staking export`, and the package that reads it."""
    folder = tmp_path_factory.mktemp("exported")
    with closing(Ledger(sqlite_url(folder, fill=keep_books))) as ledger:
        Exporter(str(folder / "export"), file_format="parquet").write(ledger, NETWORK, ERAS, config=network())
    return folder / "export", Package(folder, "duckdb")


def test_good_books_in_parquet_pass_every_test_and_keep_their_digits(exported, duckdb):
    files, package = exported
    assert package.failed(staking_export=str(files)) == set()
    with duckdb.connect(str(package.folder / "staking.duckdb")) as built:
        query = "SELECT era, fee, reward, lag_seconds, accounts_staking, wasted_fees FROM fct_eras ORDER BY era DESC LIMIT 1"
        assert built.sql(query).fetchall() == [(ERAS[-1], MOST - 1, MOST, 540.0, 3, 0)]


def test_views_without_rows_have_no_files_and_their_models_no_rows(exported, tmp_path):
    files, package = exported
    shutil.copytree(files, tmp_path / "export")
    for view in ("staking_statuses", "staking_rewards", "staking_reconciliation"):
        shutil.rmtree(tmp_path / "export" / NETWORK / view)
    assert package.failed(staking_export=str(tmp_path / "export"), staking_accounts={}) == set()


def test_a_target_without_parquet_is_refused_with_the_remedy(exported, tmp_path):
    printed, states = exported[1].build(staking_export=str(tmp_path))
    assert states["stg_eras"] == "error"
    assert f"is in staking_export, {tmp_path}. Fill it: airflow staking export" in printed


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


def test_postgresql_has_the_same_tests_on_the_views_themselves(postgresql, tmp_path):
    url = postgresql.database("dbt")
    keep_books(url.render_as_string(hide_password=False))
    place = {"PGHOST": url.host, "PGPORT": str(url.port), "PGUSER": url.username, "PGDATABASE": url.database}
    assert Package(tmp_path, "postgres", **place, PGPASSWORD=url.password).failed() == set()
    query = "SELECT era, fee, reward, accounts_staking FROM staking.fct_eras ORDER BY era DESC LIMIT 1"
    assert servers.execute(url, query) == [(ERAS[-1], MOST - 1, MOST, 3)]
