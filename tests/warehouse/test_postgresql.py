"""Queries on the ledger's views in PostgreSQL: the example DAG's SQL checks, one red task for each defect, and Grafana's dashboard."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa
import yaml

from staking_gateway.ledger.views import VIEWS
from tests.airflow.names import network_settings
from tests.support import servers
from tests.support.ledgers import NETWORK, connected
from tests.warehouse.books import ACCOUNTS, ERAS, FEE, MOST, ROOT, keep_books

EXAMPLE = ROOT / "examples/dags/example_staking_quality.py"
LATER = f"""
INSERT INTO staking_statuses SELECT network, era + 1, account_key, address, status, checked_at
FROM (SELECT * FROM staking_statuses WHERE era = {ERAS[-1]} LIMIT 1) AS one
"""
DEFECTS = [
    ("eras", f"UPDATE staking_eras SET lag_seconds = 86401 WHERE era = {ERAS[1]}"),
    ("no_gap", f"DELETE FROM staking_eras WHERE era = {ERAS[1]}"),
    ("no_difference", f"UPDATE staking_reconciliation SET agrees = false WHERE era = {ERAS[1]}"),
    ("fees", f"UPDATE staking_payouts SET fee = {MOST} WHERE era = {ERAS[1]}"),
    ("statuses", f"DELETE FROM staking_statuses WHERE era = {ERAS[-1]} AND account_key = '{ACCOUNTS[0].hex}'"),
    (None, LATER),
]
"""The task that must fail, and the SQL that damages the books. A later era may have only a part of its statuses."""
DASHBOARD = json.loads((ROOT / "examples" / "grafana" / "staking.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
CELL = int | float | Decimal | str | datetime | None


@pytest.fixture(scope="module")
def url(postgresql):
    """A ledger in PostgreSQL, and the schema `damaged` for copies of its views."""
    url = postgresql.database("quality")
    keep_books(url.render_as_string(hide_password=False))
    servers.execute(url, "CREATE SCHEMA damaged")
    return url


@pytest.fixture
def failed(url, tmp_path, monkeypatch):
    """Runs the tasks of the DAG on a schema; names of those that failed."""
    limit = {"max_fee_per_payout": MOST - 1}
    settings = network_settings(accounts=[account.address for account in ACCOUNTS], payout=limit)
    (tmp_path / "staking.yaml").write_text(yaml.safe_dump({"networks": {NETWORK: settings}}))
    monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "staking.yaml"))

    def run(schema):
        from airflow.dag_processing.dagbag import DagBag
        from airflow.sdk.exceptions import AirflowException

        fields = {"host": url.host, "port": url.port, "login": url.username, "password": url.password}
        fields |= {"schema": url.database, "extra": {"options": f"-csearch_path={schema}"}}
        monkeypatch.setenv("AIRFLOW_CONN_STAKING_LEDGER", json.dumps({"conn_type": "postgres", **fields}))
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


def test_good_books_pass_every_check(failed):
    assert failed("public") == set()


@pytest.mark.parametrize(("task", "statement"), DEFECTS)
def test_a_defect_fails_exactly_its_task(failed, url, task, statement):
    copies = [f"CREATE TABLE damaged.{view} AS SELECT * FROM public.{view}" for view in VIEWS]
    drops = [f"DROP TABLE IF EXISTS damaged.{view}" for view in VIEWS]
    servers.execute(url, *drops, *copies, "SET search_path = damaged", statement)
    assert failed("damaged") == ({task} if task else set())


@pytest.fixture(scope="module")
def query(postgresql):
    """Runs the query of a panel as Grafana does, with a login that only reads the views; its rows as dictionaries."""
    url = postgresql.database("grafana")
    keep_books(url.render_as_string(hide_password=False), [era for era in ERAS if era != ERAS[1]])
    postgresql.execute("CREATE ROLE grafana_reader LOGIN PASSWORD 'only reads'")
    postgresql.execute(f"GRANT CONNECT ON DATABASE {url.database} TO grafana_reader")
    servers.execute(
        url,
        f"UPDATE era_facts SET reward = NULL WHERE era = {ERAS[2]}",
        f"UPDATE reconciliations SET agrees = false, finding = 'fee_differs' WHERE era = {ERAS[2]}",
        f"GRANT SELECT ON {', '.join(VIEWS)} TO grafana_reader",
        "GRANT USAGE ON SCHEMA public TO grafana_reader",
    )
    reader = url.set(username="grafana_reader", password="only reads").render_as_string(hide_password=False)

    def run(text, network=NETWORK, eras=84):
        quoted = "'" + network.replace("'", "''") + "'"
        text = text.replace("${network:sqlstring}", quoted).replace("${eras}", str(eras))
        assert "$" not in text
        with connected(reader) as connection:
            return [dict(row) for row in connection.execute(sa.text(text.replace(":", "\\:"))).mappings()]

    return run


def rows(query, title, **variables):
    (target,) = PANELS[title]["targets"]
    return query(target["rawSql"], **variables)


@pytest.mark.parametrize("title", PANELS)
def test_each_query_gives_values_that_grafana_shows(query, title):
    for variables in ({}, {"eras": 1}, {"network": "no'such"}):
        for row in rows(query, title, **variables):
            assert all(isinstance(value, CELL) for value in row.values())
            shown = PANELS[title]["options"].get("xField")
            assert shown is None or isinstance(row[shown], str)


def test_the_panels_show_what_the_ledger_has(query):
    (networks,) = (one["query"] for one in DASHBOARD["templating"]["list"] if one["name"] == "network")
    assert query(networks) == [{"network": NETWORK}]
    (states,) = rows(query, "Eras")
    assert {state: count for state, count in states.items() if count} == {"paid": 4, "no record": 1}
    assert rows(query, "Payment lag") == [{"median": 540.0, "worst": 540.0}]
    whole, rest = divmod(3 * FEE + MOST - 1, 10**12)
    assert rows(query, "Fees") == [{"charged": Decimal(f"{whole}.{rest:012}"), "of them wasted": 0}]
    assert [row["reward"] for row in rows(query, "Rewards per era")].count(None) == 1
    assert rows(query, "Unknown") == [{"eras without a fee": 0, "eras without a reward": 1, "eras without a lag": 0}]
    assert [row["era"] for row in rows(query, "Checked accounts per era", eras=2)] == [str(era) for era in ERAS[-2:]]
    assert [row["era"] for row in rows(query, "Differences between ledger, gateway and chain")] == [ERAS[2]]
    assert rows(query, "Eras that are not paid") == []
