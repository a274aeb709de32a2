"""The dbt package on exported Parquet files and on the views of PostgreSQL: green with good books, and a red test for each defect."""

from __future__ import annotations

import shutil
from contextlib import closing

import pytest

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway_provider.exporting import Exporter
from tests.support import servers
from tests.support.ledgers import NETWORK, sqlite_url
from tests.warehouse.books import ACCOUNTS, ERAS, MOST, keep_books
from tests.warehouse.dbt_package import Package

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


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A target of `airflow staking export`, and the package that reads it."""
    folder = tmp_path_factory.mktemp("exported")
    url = sqlite_url(folder)
    keep_books(url)
    with closing(Ledger(url)) as ledger:
        Exporter(str(folder / "export"), file_format="parquet").write(ledger, NETWORK, ERAS)
    return folder / "export", Package(folder, "duckdb", SETTINGS)


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


def test_a_target_without_parquet_is_refused_with_the_remedy(exported, tmp_path):
    printed, states = exported[1].build(staking_export=str(tmp_path))
    assert states["stg_eras"] == "error"
    assert (
        f"no Parquet file of staking_eras is in staking_export, {tmp_path}. Fill it: airflow staking export" in printed
    )


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


@pytest.fixture
def in_postgresql(tmp_path):
    """The URL of a ledger in PostgreSQL, and the package that reads it."""
    servers.install()
    with servers.PostgreSQL() as server:
        url = server.database("warehouse")
        keep_books(url.render_as_string(hide_password=False))
        place = {"PGHOST": url.host, "PGPORT": str(url.port), "PGUSER": url.username, "PGDATABASE": url.database}
        yield url, Package(tmp_path, "postgres", SETTINGS, **place, PGPASSWORD=url.password)


def test_postgresql_has_the_same_tests_on_the_views_themselves(in_postgresql):
    url, package = in_postgresql
    assert package.failed() == set()
    query = "SELECT era, fee, reward, accounts_staking FROM staking.fct_eras ORDER BY era DESC LIMIT 1"
    assert servers.execute(url, query) == [(ERAS[-1], MOST - 1, MOST, 3)]
    copies = [f"CREATE TABLE damaged.{view} AS SELECT * FROM public.{view}" for view in VIEWS]
    damages = [statement for statements in DEFECTS.values() for statement in statements]
    servers.execute(url, "CREATE SCHEMA damaged", *copies, "SET search_path = damaged", *damages)
    assert package.failed(staking_schema="damaged") == {*DEFECTS}


def test_eras_whose_old_statuses_are_gone_lack_none_and_later_eras_do(in_postgresql):
    url, package = in_postgresql
    servers.execute(url, f"DELETE FROM account_statuses WHERE era <= {ERAS[1]}")
    assert package.failed() == set()
    servers.execute(url, f"DELETE FROM account_statuses WHERE era = {ERAS[-1]}")
    assert package.failed() == {"accounts_complete_fct_eras_"}
