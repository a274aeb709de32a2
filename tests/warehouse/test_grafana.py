"""The Grafana dashboard: each of its queries on a ledger in PostgreSQL, with the login that only reads the views."""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa

from staking_gateway.ledger.views import VIEWS
from tests.support import servers
from tests.support.ledgers import NETWORK, connected
from tests.warehouse.books import ERAS, FEE, MOST, ROOT, keep_books

DASHBOARD = json.loads((ROOT / "examples" / "grafana" / "staking.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
CELL = int | float | Decimal | str | datetime | None


@pytest.fixture(scope="module")
def query():
    """Runs the query of a panel as Grafana does; its rows as dictionaries."""
    servers.install()
    with servers.PostgreSQL() as server:
        url = server.database("grafana")
        keep_books(url.render_as_string(hide_password=False), [era for era in ERAS if era != ERAS[1]])
        views = ", ".join(VIEWS)
        servers.execute(
            url,
            f"UPDATE era_facts SET reward = NULL WHERE era = {ERAS[2]}",
            f"UPDATE reconciliations SET agrees = false, finding = 'fee_differs' WHERE era = {ERAS[2]}",
        )
        server.execute("CREATE ROLE grafana_reader LOGIN PASSWORD 'only reads'")
        server.execute(f"GRANT CONNECT ON DATABASE {url.database} TO grafana_reader")
        servers.execute(
            url, f"GRANT SELECT ON {views} TO grafana_reader", "GRANT USAGE ON SCHEMA public TO grafana_reader"
        )
        reader = url.set(username="grafana_reader", password="only reads")

        def run(text, network=NETWORK, eras=84):
            quoted = "'" + network.replace("'", "''") + "'"
            text = text.replace("${network:sqlstring}", quoted).replace("${eras}", str(eras))
            assert "$" not in text
            with connected(reader.render_as_string(hide_password=False)) as connection:
                return [dict(row) for row in connection.execute(sa.text(text.replace(":", "\\:"))).mappings()]

        yield run


def rows(query, title, **variables):
    (target,) = PANELS[title]["targets"]
    return query(target["rawSql"], **variables)


def test_the_variables_are_a_datasource_its_networks_and_a_number_of_eras(query):
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert [one["type"] for one in variables.values()] == ["datasource", "query", "custom"]
    assert query(variables["network"]["query"]) == [{"network": NETWORK}]
    used = {*re.findall(r"\$\{(\w+)", json.dumps(DASHBOARD))}
    assert used == {*variables}


def test_each_panel_uses_the_chosen_datasource_and_has_a_place_of_its_own():
    places = set()
    assert len({panel["id"] for panel in PANELS.values()}) == len(DASHBOARD["panels"])
    for panel in PANELS.values():
        assert {one["datasource"]["uid"] for one in (panel, *panel["targets"])} == {"${datasource}"}
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        place = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not place & places, panel["title"]
        places |= place


@pytest.mark.parametrize("title", PANELS)
def test_each_query_gives_values_that_grafana_shows(query, title):
    for variables in ({}, {"eras": 1}, {"network": "no'such"}):
        for row in rows(query, title, **variables):
            assert all(isinstance(value, CELL) for value in row.values())
            shown = PANELS[title]["options"].get("xField")
            assert shown is None or isinstance(row[shown], str)


def test_the_panels_show_what_the_ledger_has(query):
    (states,) = rows(query, "Eras")
    assert states == {
        "paid": 4, "already paid": 0, "in flight": 0, "held": 0, "unpaid": 0, "expired": 0, "unknown": 0, "no record": 1
    }  # fmt: skip
    assert rows(query, "Payment lag") == [{"median": 540.0, "worst": 540.0}]
    whole, rest = divmod(3 * FEE + MOST - 1, 10**12)
    assert rows(query, "Fees") == [{"charged": Decimal(f"{whole}.{rest:012}"), "of them wasted": 0}]
    assert [row["reward"] for row in rows(query, "Rewards per era")].count(None) == 1
    assert rows(query, "Unknown") == [{"eras without a fee": 0, "eras without a reward": 1, "eras without a lag": 0}]
    assert [row["era"] for row in rows(query, "Checked accounts per era", eras=2)] == [str(era) for era in ERAS[-2:]]
    assert [row["era"] for row in rows(query, "Differences between ledger, gateway and chain")] == [ERAS[2]]
    assert rows(query, "Eras that are not paid") == []
