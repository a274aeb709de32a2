"""The example DAG with Airflow's SQL check operators, on a ledger in PostgreSQL: green with good books, one red task for each defect."""

from __future__ import annotations

import json

import pytest
import yaml

from staking_gateway.ledger.views import VIEWS
from tests.airflow.names import network_settings
from tests.support import servers
from tests.support.ledgers import NETWORK
from tests.warehouse.books import ACCOUNTS, ERAS, MOST, ROOT, keep_books

EXAMPLE = ROOT / "plugins/staking_gateway_provider/example_dags/example_staking_quality.py"
DEFECTS = {
    "eras": [f"UPDATE staking_eras SET lag_seconds = 86401 WHERE era = {ERAS[1]}"],
    "no_gap": [f"DELETE FROM staking_eras WHERE era = {ERAS[1]}"],
    "no_difference": [f"UPDATE staking_reconciliation SET agrees = false WHERE era = {ERAS[1]}"],
    "fees": [f"UPDATE staking_payouts SET fee = {MOST} WHERE era = {ERAS[1]}"],
    "statuses": [f"DELETE FROM staking_statuses WHERE era = {ERAS[-1]} AND account_key = '{ACCOUNTS[0].hex}'"],
}
"""The task that must fail, and the SQL that damages the books."""


@pytest.fixture(scope="module")
def url():
    """A ledger in PostgreSQL, and the schema `damaged` with copies of its views."""
    servers.install()
    with servers.PostgreSQL() as server:
        url = server.database("quality")
        keep_books(url.render_as_string(hide_password=False))
        servers.execute(url, "CREATE SCHEMA damaged")
        yield url


@pytest.fixture
def failed(url, tmp_path, monkeypatch):
    """Runs the tasks of the DAG on a schema; names of those that failed."""
    settings = network_settings(
        accounts=[account.address for account in ACCOUNTS], payout={"max_fee_per_payout": MOST - 1}
    )
    (tmp_path / "staking.yaml").write_text(yaml.safe_dump({"networks": {NETWORK: settings}}))
    monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "staking.yaml"))

    def run(schema):
        from airflow.dag_processing.dagbag import DagBag
        from airflow.sdk.exceptions import AirflowException

        fields = {
            "host": url.host,
            "port": url.port,
            "login": url.username,
            "password": url.password,
            "schema": url.database,
        }
        extra = {"options": f"-csearch_path={schema}"}
        monkeypatch.setenv(
            "AIRFLOW_CONN_STAKING_LEDGER", json.dumps({"conn_type": "postgres", **fields, "extra": extra})
        )
        bag = DagBag(dag_folder=EXAMPLE)
        assert bag.import_errors == {}
        found = {}
        for task in bag.dags[f"staking_quality_{NETWORK}"].tasks:
            task.render_template_fields({"partition_key": str(ERAS[-1])})
            try:
                task.execute({})
            except AirflowException as error:
                found[task.task_id] = str(error)
        assert all("tests have failed" in text for text in found.values()), found
        return {*found}

    return run


def damage(url, *statements):
    """Copy the views to the schema `damaged`, and run statements there."""
    copies = [f"CREATE TABLE damaged.{view} AS SELECT * FROM public.{view}" for view in VIEWS]
    drops = [f"DROP TABLE IF EXISTS damaged.{view}" for view in VIEWS]
    servers.execute(url, *drops, *copies, "SET search_path = damaged", *statements)


def test_good_books_pass_every_check(failed):
    assert failed("public") == set()


def test_statuses_of_a_later_era_that_are_not_all_stored_yet_fail_nothing(failed, url):
    first = f"SELECT * FROM staking_statuses WHERE era = {ERAS[-1]} LIMIT 1"
    later = f"INSERT INTO staking_statuses SELECT network, era + 1, account_key, address, status, checked_at FROM ({first}) AS one"
    damage(url, later)
    assert failed("damaged") == set()


@pytest.mark.parametrize("task", DEFECTS)
def test_a_defect_fails_exactly_its_task(failed, url, task):
    damage(url, *DEFECTS[task])
    assert failed("damaged") == {task}
