"""The Staking page: who gets what, what is refused, and that nothing on it can do harm."""

import asyncio
import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from types import SimpleNamespace
from uuid import uuid4

import httpx
import pytest
import rights
import sqlalchemy as sa
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from fastapi.routing import APIRoute
from names import ACTIVE, ALICE_STASH, BOB, BOB_STASH, DAVE, ERA, NETWORK, network_settings

from staking_gateway.health.facts import LiveFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.types import AccountId, ElectionWindow, StakingStatus
from staking_gateway_provider import plugin, ui
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.ui.facts import FactsCache, ask_gateway

with warnings.catch_warnings():
    # Airflow's own imports warn of one another.
    warnings.simplefilter("ignore")
    from airflow.api_fastapi.app import get_auth_manager, init_auth_manager, purge_cached_app

    from staking_gateway_provider.ui.app import build_app
    from staking_gateway_provider.ui.service import Service

SITE = "http://airflow.example"
ROLES = {**rights.ROLES, "stranger": None}
FROM_THE_PAGE = {"X-Staking-Page": "1", "Origin": SITE, "Sec-Fetch-Site": "same-origin"}
OVERVIEW = f"/api/networks/{NETWORK}/overview"
PLAN = f"/api/networks/{NETWORK}/plan"
EXPORT = f"/api/networks/{NETWORK}/export.csv"
HOSTILE = "<img src=x onerror=alert(1)>"
BEGUN = (datetime.now(timezone.utc) - timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
CALENDAR = {"era_length": "6h", "anchors": [{"era": ACTIVE, "start": BEGUN}]}
"""Agrees with the simulator: an era of the gateway that is far away from the calendar's is not believed."""


@pytest.fixture(scope="module")
def accounts_of_airflow(airflow_db):
    """An auth manager whose users are in ROLES."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIRFLOW__API_AUTH__JWT_SECRET", "a secret of these tests " * 4)
        init_auth_manager()
        yield
        purge_cached_app()


@pytest.fixture(scope="module", autouse=True)
def no_runs_of_other_tests(airflow_db):
    """The metadata database is shared, and the page shows every run."""
    with create_session() as session:
        session.execute(sa.delete(DagRun).where(DagRun.dag_id.contains(NETWORK)))


@pytest.fixture
def app(accounts_of_airflow, gateway, network):
    """The page over the simulator; the ledger is the test's."""
    network(calendar=CALENDAR)
    return build_app(Service(FactsCache(patience=20.0)))


@pytest.fixture
def ask(app):
    """Sends the page a request of a user; without one it is anonymous."""

    def send(path, user=None, method="GET", headers=None, **more):
        headers = dict(headers or {})
        if user is not None:
            token = get_auth_manager().generate_jwt(SimpleAuthManagerUser(username=user, role=ROLES[user]))
            headers["Authorization"] = f"Bearer {token}"

        async def talk():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=SITE) as client:
                return await client.request(method, path, headers=headers, **more)

        return asyncio.run(talk())

    return send


@pytest.fixture
def plan(ask):
    """Asks for a plan as the page does."""
    return lambda user="admin", **headers: ask(PLAN, user, "POST", json={}, headers={**FROM_THE_PAGE, **headers})


@contextmanager
def stored(*rows):
    """Rows of the metadata database, for a while."""
    with create_session() as session:
        for row in rows:
            session.add(row)
            session.flush()
    try:
        yield
    finally:
        with create_session() as session:
            for row in reversed(rows):
                session.delete(session.merge(row))
                session.flush()


@contextmanager
def tasks_of(dag_id, run_id, **states):
    """Tasks of a run, in this order, for a while."""
    with create_session() as session:
        session.execute(sa.delete(TaskInstance).where(TaskInstance.dag_id == dag_id, TaskInstance.run_id == run_id))
        for minute, (task_id, state) in enumerate(states.items()):
            row = {"id": uuid4(), "task_id": task_id, "dag_id": dag_id, "run_id": run_id, "map_index": -1}
            row |= {"state": state, "pool": "default_pool", "pool_slots": 1, "custom_operator_name": "", "max_tries": 0}
            row |= {"end_date": datetime(2026, 1, 1, minute=minute, tzinfo=timezone.utc)}
            session.execute(sa.insert(TaskInstance.__table__).values(**row))
    yield
    with create_session() as session:
        session.execute(sa.delete(TaskInstance).where(TaskInstance.dag_id == dag_id, TaskInstance.run_id == run_id))


def store_catch_up(**columns):
    """Let the network's catch-up be as the scheduler sees it."""
    with create_session() as session:
        session.merge(DagBundleModel(name="page"))
        session.flush()
        session.merge(DagModel(dag_id=f"staking_catch_up_{NETWORK}", bundle_name="page", **columns))


def routes(app):
    return [
        (route.path.format(network=NETWORK, name="page.js", era=ERA), method)
        for route in app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    ]


def record(ledger, era, state=PayoutState.CONFIRMED, **changes):
    config = network_config(NETWORK)
    accounts = {"user": config.user_account, "payer": config.payer_account, "relayer": config.relayer_account}
    payout = ledger.plan(NETWORK, era, 0, **accounts, actor=Actor(f"staking_payout_{NETWORK}/run-{era}"))
    return ledger.transition(payout, state, "", Actor(f"staking_payout_{NETWORK}/run-{era}"), **changes)


class TestAccess:
    def test_anonymous_gets_nothing(self, app, ask):
        paths = routes(app)
        assert len(paths) == 9
        for path, method in paths:
            answer = ask(path, method=method, headers=FROM_THE_PAGE)
            assert (answer.status_code, answer.json()) == (401, {"detail": "Not authenticated"}), path

    def test_a_forged_token_gets_nothing(self, ask):
        assert ask("/", headers={"Authorization": "Bearer forged"}).status_code == 403

    def test_a_viewer_sees_the_networks_and_may_not_act(self, ask):
        told = ask("/api/networks", "viewer").json()
        rights_of_viewer = {"may_catch_up": False, "may_unpause": False, "may_unpause_payouts": False}
        assert told["networks"] == [{"name": NETWORK, **rights_of_viewer}]
        assert ask(OVERVIEW, "viewer").status_code == 200
        assert ask(EXPORT, "viewer").status_code == 200

    def test_a_viewer_makes_no_plan(self, plan, ledger):
        answer = plan("viewer")
        assert answer.status_code == 403
        assert f"staking_catch_up_{NETWORK}" in answer.json()["detail"]

    def test_who_may_not_see_a_network_is_told_what_is_told_of_one_there_is_not(self, ask, plan):
        assert ask("/api/networks", "stranger").json()["networks"] == []
        unknown = ask("/api/networks/nowhere/overview", "admin")
        assert unknown.status_code == 404
        for hidden in (ask(OVERVIEW, "stranger"), ask(EXPORT, "stranger"), plan("stranger")):
            assert (hidden.status_code, hidden.json()) == (404, unknown.json())

    def test_a_network_that_is_disabled_is_not_there(self, ask, network):
        network(enabled=False)
        assert ask("/api/networks", "admin").json()["networks"] == []
        assert ask(OVERVIEW, "admin").status_code == 404

    def test_an_admin_may_act(self, ask):
        told = ask("/api/networks", "admin").json()
        assert told["networks"] == [
            {"name": NETWORK, "may_catch_up": True, "may_unpause": True, "may_unpause_payouts": True}
        ]


class TestRights:
    """The table of rights in docs/security.md."""

    @pytest.mark.parametrize("person", [rights.ANYBODY, *rights.ROLES])
    @pytest.mark.parametrize("right", rights.RIGHTS, ids=lambda right: right.action)
    def test_each_role_may_do_what_the_table_says_and_nothing_else(self, ask, right, person):
        body = {"json": {}} if right.method == "POST" else {}
        path = right.path.format(network=NETWORK, era=ERA)
        answer = ask(path, None if person == rights.ANYBODY else person, right.method, FROM_THE_PAGE, **body)
        refused = {401} if person == rights.ANYBODY else {403, 404}
        assert answer.status_code in ({200} if person in right.people else refused)

    @pytest.mark.parametrize("person", rights.ROLES)
    @pytest.mark.parametrize("action", rights.BUTTONS)
    def test_buttons_are_offered_to_those_whom_the_table_names(self, ask, action, person):
        flag, people = rights.BUTTONS[action]
        assert [one[flag] for one in ask("/api/networks", person).json()["networks"]] in ([person in people], [])
        assert person not in people or ask("/api/networks", person).json()["networks"]

    def test_every_route_with_data_is_in_the_table(self, app):
        named = {(right.path.format(network=NETWORK, era=ERA), right.method) for right in rights.RIGHTS}
        of_all = {("/static/page.js", "GET"), ("/api/networks", "GET"), ("/api/strips", "GET")}
        assert set(routes(app)) - named == of_all


class TestTwoNetworks:
    """A viewer who may see one network learns nothing of the other, also not from its mistakes."""

    @pytest.fixture
    def ask_as(self, ask, network, monkeypatch):
        """Asks as somebody who may see the networks with these names only."""

        def send(path, *mine, **networks):
            network({NETWORK: network_settings(calendar=CALENDAR), **networks})
            ids = {prefix + name for prefix in ("staking_payout_", "staking_catch_up_") for name in mine}
            manager = get_auth_manager()
            monkeypatch.setattr(
                type(manager),
                "is_authorized_dag",
                lambda self, *, details=None, **_: bool(details and details.id in ids),
            )
            return ask(path, "viewer")

        return send

    def test_only_those_that_the_viewer_may_see_are_named(self, ask_as):
        other = network_settings(user=DAVE, payer=BOB)
        for path, key in (("/api/networks", "name"), ("/api/strips", "network")):
            told = ask_as(path, NETWORK, other=other)
            assert [one[key] for one in told.json()["networks"]] == [NETWORK]
            assert "other" not in told.text
        assert ask_as("/api/networks/other/overview", NETWORK, other=other).status_code == 404

    @pytest.mark.parametrize("path", ["/api/networks", "/api/strips", OVERVIEW, EXPORT, "/api/networks/other/overview"])
    @pytest.mark.parametrize("dag_id", ["", f"?dag_id=staking_payout_{NETWORK}"])
    @pytest.mark.parametrize("mine", [(), (NETWORK,)], ids=["none", "one"])
    def test_a_mistake_in_another_network_is_not_told(self, ask_as, path, mine, dag_id):
        answer = ask_as(path + dag_id, *mine, other={**network_settings(), "relayer": "hidden word", "hidden_key": 1})
        assert "hidden" not in answer.text
        assert answer.status_code in (200, 404, 503)
        assert answer.status_code != 503 or "airflow staking doctor" in answer.json()["detail"]

    def test_a_mistake_in_the_viewers_own_network_is_told(self, ask_as):
        answer = ask_as(OVERVIEW, NETWORK, **{NETWORK: {**network_settings(), "relayer": "nobody"}})
        assert answer.status_code == 503
        assert f"networks.{NETWORK}.relayer: 'nobody' is not an account" in answer.json()["detail"]


class TestForeignSites:
    @pytest.mark.parametrize(
        "headers",
        [
            {"X-Staking-Page": ""},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": f"{SITE}.evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ],
    )
    def test_a_request_another_site_could_send_is_refused(self, plan, headers):
        answer = plan(**headers)
        assert answer.status_code == 403
        assert "page itself" in answer.json()["detail"]

    def test_a_form_is_refused(self, ask):
        answer = ask(PLAN, "admin", "POST", data={"a": "b"}, headers=FROM_THE_PAGE)
        assert answer.status_code == 415

    def test_a_proxy_may_call_the_site_otherwise_where_base_url_says_so(self, plan, monkeypatch):
        monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://public.example/airflow")
        assert plan(Origin="https://public.example").status_code == 200

    def test_reading_by_get_changes_nothing(self, app):
        assert [path for path, method in routes(app) if method != "GET"] == [PLAN]

    def test_every_answer_forbids_foreign_frames_scripts_and_sniffing(self, ask):
        for answer in (
            ask("/", "viewer"),
            ask(OVERVIEW, "viewer"),
            ask("/"),
            ask("/help", "viewer"),
            ask("/api/networks/nowhere/overview", "viewer"),
        ):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'self'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert ask(OVERVIEW, "viewer").headers["cache-control"] == "no-store"


class TestHostileTexts:
    def test_data_is_told_as_json_only(self, ask, network, ledger):
        network(calendar=CALENDAR, accounts=[{"account": ALICE_STASH, "label": HOSTILE}])
        record(ledger, ACTIVE - 1, PayoutState.REJECTED, reason=HOSTILE)
        answer = ask(OVERVIEW, "viewer")
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["grid"]["accounts"][0]["label"] == HOSTILE
        assert answer.json()["grid"]["cells"][-1]["reason"] == HOSTILE
        assert HOSTILE not in ask(f"/?dag_id={HOSTILE}&run_id={HOSTILE}", "viewer").text

    def test_the_scripts_turn_no_data_into_markup(self):
        folder = files("staking_gateway_provider.ui") / "static"
        scripts = [file for file in folder.iterdir() if file.name.endswith(".js")]
        assert len(scripts) == 11
        for script in scripts:
            for word in (
                "innerHTML",
                "outerHTML",
                "insertAdjacent",
                "document.write",
                "eval(",
                "Function(",
                "srcdoc",
                "javascript:",
            ):
                assert word not in script.read_text(), script.name

    def test_the_page_holds_no_script_or_style_of_its_own_and_nothing_from_elsewhere(self):
        text = (files("staking_gateway_provider.ui") / "static" / "page.html").read_text()
        assert text.count("<script") == text.count("<script src=") + text.count('<script type="module" src=')
        for word in ("<style", " style=", " on", "http:", "https:", "//"):
            assert word not in text.replace(" one", ""), word

    def test_the_runbook_is_the_same_for_all_who_are_logged_in(self, ask):
        answer = ask("/help", "stranger")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert answer.content == (files("staking_gateway_provider.ui") / "static" / "help.html").read_bytes()
        assert all(ask(f"/static/{name}").status_code == 401 for name in ("help.css", "help.html"))
        assert ask("/static/help.css", "stranger").headers["content-type"] == "text/css; charset=utf-8"

    def test_no_file_beside_the_pages_own_is_handed_out(self, ask):
        for name in (
            "..%2Fapp.py",
            "app.py",
            "nothing.js",
            "%2e%2e%2fapp.js",
            "x" * 256 + ".js",
            "%00.js",
            "x%0a.css",
            ".js",
        ):
            assert ask(f"/static/{name}", "admin").status_code == 404


class TestExport:
    @pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@sum(a1)"])
    def test_no_cell_is_a_formula(self, ask, network, ledger, label):
        network(calendar=CALENDAR, accounts=[{"account": ALICE_STASH, "label": label}])
        ledger.record_statuses(NETWORK, ACTIVE - 1, [(AccountId.parse(ALICE_STASH), StakingStatus.IS_STAKING)])
        record(ledger, ACTIVE - 1, PayoutState.REJECTED, reason='=HYPERLINK("http://evil.example")')
        rows = list(csv.DictReader(io.StringIO(ask(EXPORT, "viewer").text)))
        assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]
        assert [row["label"] for row in rows if row["row"] == ALICE_STASH] == [f"'{label}"]
        assert '\'=HYPERLINK("http://evil.example")' in [row["reason"] for row in rows]

    def test_it_has_every_era_and_every_check(self, ask, ledger):
        record(ledger, ACTIVE - 2, fee=7, tx_hash="0xab")
        ledger.record_statuses(NETWORK, ACTIVE - 1, [(AccountId.parse(BOB_STASH), StakingStatus.IS_NOT_STAKING)])
        answer = ask(EXPORT, "viewer")
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.headers["content-disposition"] == f'attachment; filename="staking-{NETWORK}.csv"'
        rows = [row for row in csv.DictReader(io.StringIO(answer.text)) if int(row["era"]) >= ACTIVE - 3]
        assert [
            (row["era"], row["row"], row["state"], row["fee"], row["transaction"], row["run_id"]) for row in rows
        ] == [
            (str(ACTIVE - 3), "payout", "status unknown", "", "", ""),
            (str(ACTIVE - 2), "payout", "paid", "7", "0xab", f"run-{ACTIVE - 2}"),
            (str(ACTIVE - 1), "payout", "unpaid", "", "", ""),
            (str(ACTIVE - 1), BOB_STASH, "not staking", "", "", ""),
        ]


class TestOverview:
    def test_the_gateway_tells_era_window_fee_and_funds(self, ask):
        told = ask(OVERVIEW, "viewer").json()
        assert told["state"]["active_era"] == ACTIVE
        assert (told["state"]["source"], told["state"]["window"], told["state"]["gateway_problem"]) == (
            "chain",
            "closed",
            "",
        )
        assert told["funds"] == {
            "fee": str(10**17),
            "limit": None,
            "missing_limit": None,
            "balance": str(10**24),
            "runway": 10**7,
            "short": False,
            "critical": False,
            "texts": {"fee": "100 000 000 000 000 000", "balance": f"{10**24:,}".replace(",", " ")},
        }

    def test_amounts_are_in_the_unit_of_the_networks_token(self, ask, plan, network, ledger):
        network(calendar=CALENDAR, token={"symbol": "UNIT", "decimals": 18})
        record(ledger, ACTIVE - 1, fee=15 * 10**16)
        told = ask(OVERVIEW, "viewer").json()
        assert told["funds"]["texts"] == {"fee": "0.1 UNIT", "balance": "1 000 000 UNIT"}
        assert told["grid"]["cells"][-1]["fee_text"] == "0.15 UNIT"
        assert plan().json()["texts"] == {"fee": "0.1 UNIT", "fees": "8.3 UNIT"}

    def test_a_gateway_that_is_down_leaves_the_rest(self, ask, plan, connect):
        connect(
            "staking_gateway_default",
            conn_type="staking_gateway",
            host="http://127.0.0.1:9",
            password="x",
            extra={"read_attempts": 1},
        )
        answer = ask(OVERVIEW, "viewer")
        assert answer.status_code == 200
        assert answer.json()["state"]["gateway_problem"]
        assert answer.json()["state"]["source"] == "calendar"
        assert answer.json()["grid"]["count"] == 84
        refused = plan()
        assert refused.status_code == 502
        assert refused.json()["detail"]

    def test_a_missing_connection_is_told(self, ask, plan, network):
        network(calendar=CALENDAR, gateway_conn_id="gone")
        refused = plan()
        assert refused.status_code == 503
        told = ask(OVERVIEW, "viewer").json()
        assert "A connection is missing" in told["state"]["dead"]
        (cause,) = [one for one in told["causes"] if one["topic"] == refused.json()["topic"]]
        assert cause["action"] == {"kind": "connection", "conn_id": "gone"}
        assert refused.json()["detail"] == f"{cause['detail']}. {cause['remedy']}"

    def test_a_mistake_in_the_configuration_is_told(self, ask, network):
        network(relayer="nobody")
        answer = ask(OVERVIEW, "viewer")
        assert answer.status_code == 503
        assert "relayer" in answer.json()["detail"]

    def test_every_mistake_in_the_configuration_is_told_on_its_line(self, ask, network):
        network(relayer="nobody", payer="no one")
        lines = ask(OVERVIEW, "viewer").json()["detail"].splitlines()
        assert lines[0].endswith("holds 2 mistakes:")
        assert ["relayer" in lines[1], "payer" in lines[2], len(lines)] == [True, True, 3]

    def test_a_mistake_in_a_network_is_told_to_whom_may_see_it_and_hides_no_other(self, ask, network):
        good = network_settings(calendar=CALENDAR)
        network(networks={NETWORK: good, "other": network_settings(user=DAVE, payer=BOB, payot={"parts": 2})})
        told = {one["name"] for one in ask("/api/networks", "viewer").json()["networks"]}
        assert told == {NETWORK, "other"}
        assert "payot" in ask("/api/networks/other/overview", "viewer").json()["detail"]
        assert ask(OVERVIEW, "viewer").status_code == 200
        assert ask("/api/networks", "stranger").json()["networks"] == []
        assert ask("/api/networks/other/overview", "stranger").status_code == 404

    def test_rows_the_viewer_has_are_not_sent_again(self, ask):
        version = ask(OVERVIEW, "viewer").json()["grid"]["version"]
        assert ask(f"{OVERVIEW}?known={version}", "viewer").json()["grid"]["accounts"] is None
        assert len(ask(f"{OVERVIEW}?known=other", "viewer").json()["grid"]["accounts"]) == 2

    def test_a_page_of_the_accounts_is_sent(self, ask):
        grid = ask(f"{OVERVIEW}?start=1&rows=5", "viewer").json()["grid"]
        assert (len(grid["accounts"]), grid["start"], grid["matching"]) == (1, 1, 2)
        grid = ask(f"{OVERVIEW}?words=alice&wrong=false", "viewer").json()["grid"]
        assert [row["label"] for row in grid["accounts"]] == ["alice-stash"]

    @pytest.mark.parametrize(
        "query", ["start=-1", "start=x", "rows=0", "rows=501", "wrong=maybe", f"words={'x' * 201}"]
    )
    def test_a_page_beyond_reason_is_refused(self, ask, query):
        assert ask(f"{OVERVIEW}?{query}", "viewer").status_code == 422

    @pytest.mark.parametrize("eras", ["0", "501", "many"])
    def test_a_number_of_eras_beyond_reason_is_refused(self, ask, eras):
        assert ask(f"{OVERVIEW}?eras={eras}", "viewer").status_code == 422

    def test_other_numbers_of_eras_cost_no_memory(self, ask, app, monkeypatch):
        """Each number was computed and kept for ever."""
        made = []
        empty = SimpleNamespace(as_dict=lambda page: {"grid": {"version": ""}})
        monkeypatch.setattr(app.state.service, "_overview", lambda name, eras: made.append(eras) or empty)
        for eras in range(1, 501, 7):
            assert ask(f"{OVERVIEW}?eras={eras}", "viewer").status_code == 200
        assert len(set(made)) == 2

    def test_runs_of_airflow_are_told(self, ask):
        payout = DagModel(dag_id=f"staking_payout_{NETWORK}", bundle_name="page", is_paused=True, is_stale=False)
        bundle = DagBundleModel(name="page")
        run = {"dag_id": payout.dag_id, "run_type": "manual"}
        catch_up = {"dag_id": f"staking_catch_up_{NETWORK}", "run_type": "manual"}
        rows = (
            DagRun(run_id="old", partition_key=str(ACTIVE - 1), state="failed", **run),
            DagRun(run_id="new+1", conf={"era": ACTIVE - 1}, state="running", **run),
            DagRun(**catch_up, run_id="all", state="queued"),
            DagRun(**catch_up, run_id="only-a-plan", state="running", conf={"dry_run": True}),
        )
        with create_session() as session:
            session.merge(bundle)
            session.flush()
            session.merge(payout)  # other tests may have stored it
        with stored(*rows):
            told = ask(OVERVIEW, "viewer").json()
            context = ask(f"/api/networks?dag_id={payout.dag_id}&run_id=new+1", "viewer").json()
            hidden = ask(f"/api/networks?dag_id={payout.dag_id}&run_id=new+1", "stranger").json()
        cell = told["grid"]["cells"][-1]
        assert (cell["state"], cell["run_id"], cell["reason"]) == ("O", "new+1", "its run does not go on")
        assert told["state"]["paused"] is True
        assert told["state"]["catch_up"]["run_id"] == "all"
        assert (context["network"], context["era"]) == (NETWORK, ACTIVE - 1)
        assert (hidden["network"], hidden["era"]) == (None, None)

    def test_a_ledger_that_has_moved_is_opened_anew(self, app, ask, connect, tmp_path):
        old = app.state.service.ledger()
        assert app.state.service.ledger() is old
        connect("test_ledger", conn_type="sqlite", host=str(tmp_path / "moved.db"))
        assert ask(OVERVIEW, "viewer").status_code == 200
        assert app.state.service.ledger() is not old

    def test_a_file_the_browser_has_is_not_sent_again(self, ask):
        first = ask("/static/page.js", "viewer")
        assert first.headers["content-type"].startswith("text/javascript")
        again = ask("/static/page.js", "viewer", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


class TestStrips:
    """All networks at one glance."""

    @pytest.fixture
    def strips(self, ask):
        return lambda user="viewer": ask("/api/strips", user).json()["networks"]

    def test_the_worst_network_comes_first_and_a_mistake_leaves_the_others_alone(self, strips, network):
        fine = network_settings(calendar=CALENDAR)
        wrong = {**fine, "user": DAVE, "payer": BOB, "payot": {"parts": 2}}
        network(networks={"a": {**fine, "gateway_conn_id": "other"}, NETWORK: fine, "wrong": wrong})
        told = {one["network"]: one for one in strips()}
        assert next(iter(told)) == "wrong", "nothing is known of a network whose state cannot be read"
        assert (told["wrong"]["level"], told["wrong"]["cells"]) == ("danger", [])
        cause = told["wrong"]["cause"]
        assert (cause["topic"], cause["heading"]) == ("configuration", "staking.yaml has a mistake")
        assert "networks.wrong.payot" in cause["detail"]
        assert told["a"]["cause"]["topic"] == "scheduler-dead"
        assert told["a"]["dead"] == [
            "Airflow's scheduler is not running",
            "Airflow's triggerer is not running",
            "Airflow does not know the payout DAG",
            "A connection is missing",
        ]

    def test_a_strip_has_the_first_cause_and_the_newest_eras(self, strips, ledger):
        record(ledger, ACTIVE - 2)
        (told,) = strips()
        assert [cell["era"] for cell in told["cells"]] == list(range(ACTIVE - 28, ACTIVE))
        assert [cell["state"] for cell in told["cells"]][-3:] == ["?", "P", "O"]
        assert {"heading", "detail", "remedy", "eras", "first_loss"} <= told["cause"].keys()

    def test_all_gateways_are_asked_before_any_answer_is_waited_for(self, ask, app, network):
        asked, together = [], threading.Event()

        def slow(config):
            asked.append(config.gateway_conn_id)
            if len(asked) == 3:
                together.set()
            assert together.wait(20)
            return LiveFacts(problem="too late")

        app.state.service._facts._ask = slow
        network(networks={name: network_settings(calendar=CALENDAR, gateway_conn_id=name) for name in "abc"})
        assert len(ask("/api/strips", "viewer").json()["networks"]) == 3
        assert sorted(asked) == ["a", "b", "c"]

    def test_strips_are_shared_for_a_moment(self, strips, app, monkeypatch):
        made = []
        inner = app.state.service._strip
        monkeypatch.setattr(app.state.service, "_strip", lambda name: made.append(name) or inner(name))
        assert strips() == strips("admin")
        assert made == [NETWORK]


class TestEra:
    """One era, for the drawer."""

    @pytest.fixture
    def era(self, ask):
        return lambda number: ask(f"/api/networks/{NETWORK}/eras/{number}", "viewer")

    def test_a_paid_era_has_its_steps_and_its_transaction(self, era, ledger, network):
        network(calendar=CALENDAR, explorer_url="https://explorer.example/tx/{tx_hash}")
        hash_ = "0x" + "ab" * 32
        record(ledger, ACTIVE - 2, tx_hash=hash_, confirmed_at=datetime.now(timezone.utc), fee=7)
        told = era(ACTIVE - 2).json()
        assert [(step["name"], step["state"]) for step in told["steps"]] == [("ended", "done"), ("confirmed", "done")]
        assert told["transaction_url"] == f"https://explorer.example/tx/{hash_}"
        assert (told["fee_text"], told["causes"], told["unpaid"]) == ("7", [], None)

    def test_an_unpaid_era_has_its_cause_and_where_it_stopped(self, era, ledger):
        record(ledger, ACTIVE - 3)
        ledger.journal.note_failure(
            NETWORK, ACTIVE - 2, "wrong-key", "the key is another", Actor("staking_payout_x/run")
        )
        told = era(ACTIVE - 2).json()
        assert told["state"] == "O"
        assert told["steps"][-1] == {
            "name": "signed", "at": told["steps"][-1]["at"], "state": "stopped", "detail": "the key is another", "part": None,
            "run": "staking_payout_x/run", "dag_id": "staking_payout_x", "run_id": "run",
        }  # fmt: skip
        assert {"scheduler-dead", "wrong-key"} & {cause["topic"] for cause in told["causes"]}
        assert told["unpaid"]["era"] == ACTIVE - 2

    def test_the_log_is_that_of_the_payout_or_else_of_the_first_failed_task(self, era):
        dag_id = f"staking_payout_{NETWORK}"
        run = DagRun(dag_id=dag_id, run_type="manual", run_id="one", partition_key=str(ACTIVE - 2), state="failed")
        with create_session() as session:
            session.merge(DagBundleModel(name="page"))
            session.flush()
            session.merge(DagModel(dag_id=dag_id, bundle_name="page"))
        with stored(run):
            assert era(ACTIVE - 2).json()["log"] is None
            with tasks_of(dag_id, "one", previous_era="failed", payout="upstream_failed", report="failed"):
                assert era(ACTIVE - 2).json()["log"] == {"task_id": "previous_era", "map_index": -1}
            with tasks_of(dag_id, "one", previous_era="success", payout="failed", report="failed"):
                assert era(ACTIVE - 2).json()["log"] == {"task_id": "payout", "map_index": -1}

    @pytest.mark.parametrize("number", [ACTIVE, 0])
    def test_an_era_that_is_not_shown_is_not_there(self, era, number):
        assert era(number).status_code == 404

    @pytest.mark.parametrize("number", ["-1", "x", 2**64])
    def test_what_is_no_era_is_refused(self, era, number):
        assert era(number).status_code == 422


class TestPlan:
    def test_one_era_can_be_planned_alone(self, ask, ledger):
        body = {"from_era": ACTIVE - 5, "to_era": ACTIVE - 5}
        told = ask(PLAN, "admin", "POST", json=body, headers=FROM_THE_PAGE).json()
        assert [owed["era"] for owed in told["pay"]] == [ACTIVE - 5]
        assert ledger.journal.plan(NETWORK, told["hash"])["pay"] == told["pay"]

    @pytest.mark.parametrize("body", [{"from_era": -1}, {"to_era": "x"}, {"era": 5}, []])
    def test_a_request_that_is_no_range_of_eras_is_refused(self, ask, body):
        assert ask(PLAN, "admin", "POST", json=body, headers=FROM_THE_PAGE).status_code == 422

    def test_eras_that_cannot_be_paid_are_refused(self, ask):
        answer = ask(PLAN, "admin", "POST", json={"from_era": ACTIVE, "to_era": ACTIVE}, headers=FROM_THE_PAGE)
        assert answer.status_code == 409
        assert str(ACTIVE) in answer.json()["detail"]

    def test_a_calendar_that_was_edited_is_refused(self, plan, network, ledger):
        ledger.journal.agree_on_calendar(NETWORK, network_config(NETWORK).calendar, Actor("run"))
        network(calendar={**CALENDAR, "era_length": "21s"})
        answer = plan()
        assert answer.status_code == 503
        assert "anchors" in answer.json()["detail"]

    def test_it_is_shown_before_anything_is_done_and_kept_for_the_approval(self, plan, ledger, simulator):
        told = plan().json()
        assert [owed["era"] for owed in told["pay"]][-1] == ACTIVE - 1
        assert told["fees"] == str(10**17 * len(told["pay"]))
        assert told["expires_at"][str(ACTIVE - 1)]
        assert told["dag_id"] == f"staking_catch_up_{NETWORK}"
        assert ledger.journal.plan(NETWORK, told["hash"])["pay"] == told["pay"]
        assert simulator.control.truth()["requests"] == []
        assert ledger.oldest_era(NETWORK) is None

    @pytest.mark.parametrize(
        ("paused", "due_in", "in_front"),
        [(True, -60, True), (True, 60, False), (False, -60, False), (True, None, False)],
    )
    def test_an_approved_run_is_due_before_a_scheduled_one_that_is_overdue(self, plan, paused, due_in, in_front):
        """Airflow starts the run that was due first, and `max_active_runs` lets the other one wait."""
        due = None if due_in is None else datetime.now(timezone.utc) + timedelta(seconds=due_in)
        store_catch_up(is_paused=paused, next_dagrun_create_after=due)
        told = plan().json()
        assert told["dag_is_paused"] is paused
        assert (told["run_after"] is not None) is in_front
        if in_front:
            assert datetime.fromisoformat(told["run_after"]) < due

    def test_it_has_the_budget_of_a_run_whose_form_is_left_alone(self, plan, network):
        network(calendar=CALENDAR, catch_up={"max_eras": 3})
        told = plan().json()
        assert (len(told["pay"]), len(told["later"])) == (3, 81)


class TestFactsCache:
    def test_a_slow_gateway_holds_nobody_up(self):
        go, asked = threading.Event(), []

        def slow(network):
            asked.append(network)
            go.wait(60)
            return LiveFacts(active=7)

        cache = FactsCache(slow, patience=0.01)
        assert cache.get("net", None) == LiveFacts()
        assert cache.get("net", None) == LiveFacts()
        question = cache._entries["net"].question
        go.set()
        assert question.answered.wait(60)
        assert cache.get("net", None) == LiveFacts(active=7)
        assert len(asked) == 1

    def test_what_is_fresh_is_not_asked_again(self):
        now, told = [0.0], []

        def ask(network):
            told.append(network)
            return LiveFacts(active=len(told))

        cache = FactsCache(ask, patience=60, fresh=3, clock=lambda: now[0])
        assert cache.get("net", None).active == 1
        now[0] = 2.9
        assert cache.get("net", None).active == 1
        assert (cache._entries["net"].question, len(told)) == (None, 1)

    def test_what_is_a_little_old_is_told_at_once_and_asked_again(self):
        now, go, answers = [0.0], threading.Event(), iter([1, 2])

        def ask(network):
            active = next(answers)
            if active == 2:
                go.wait(60)
            return LiveFacts(active=active)

        cache = FactsCache(ask, patience=60, fresh=3, good=10, clock=lambda: now[0])
        cache.get("net", None)
        now[0] = 3.0
        assert cache.get("net", None).active == 1
        question = cache._entries["net"].question
        go.set()
        assert question.answered.wait(60)
        assert cache.get("net", None).active == 2

    def test_what_is_too_old_is_never_told_its_successor_is_waited_for(self):
        now, told = [0.0], []

        def ask(network):
            told.append(network)
            return LiveFacts(active=len(told))

        cache = FactsCache(ask, patience=60, good=10, clock=lambda: now[0])
        for looked in range(1, 4):
            assert cache.get("net", None).active == looked
            now[0] += 100

    def test_without_a_newer_answer_the_calendar_is_believed_and_it_is_told_when_the_gateway_was_last_asked(self):
        now, go, told = [0.0], threading.Event(), []
        at = datetime(2026, 6, 1, tzinfo=timezone.utc)

        def ask(network):
            told.append(network)
            if len(told) > 1:
                go.wait(60)
            return LiveFacts(active=7, window=ElectionWindow.OPEN, fee=3, balance=9, automatic=True, at=at)

        cache = FactsCache(ask, patience=2, good=10, clock=lambda: now[0])
        while not cache.get("net", None).active:
            pass
        now[0] = 100.0
        assert cache.get("net", None) == LiveFacts(automatic=True, at=at)
        go.set()

    def test_whatever_keeps_a_gateway_from_answering_is_a_fact(self, gateway, network, connect):
        network(calendar=CALENDAR)
        connect("staking_gateway_default", conn_type="staking_gateway", host="", password="x")
        assert ask_gateway(network_config(NETWORK)).problem


class TestPlugin:
    def test_only_the_api_server_imports_fastapi(self, airflow_home):
        code = (
            "import sys, json; import staking_gateway_provider.plugin, staking_gateway_provider.ui; "
            "print(json.dumps([name for name in ('fastapi', 'staking_gateway_provider.ui.app') if name in sys.modules]))"
        )
        environment = {**os.environ, "AIRFLOW_HOME": str(airflow_home)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        assert json.loads(done.stdout.splitlines()[-1]) == []

    def test_the_first_request_builds_the_page(self, accounts_of_airflow):
        page = ui.StakingPage()

        async def talk():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(page), base_url=SITE) as client:
                return [(await client.get("/")).status_code for _ in range(2)]

        assert asyncio.run(talk()) == [401, 401]

    def test_it_is_in_the_navigation_on_dags_and_on_runs(self):
        views = {view["destination"]: view for view in plugin.StakingGatewayPlugin.external_views}
        assert {place: view["href"] for place, view in views.items()} == {
            "nav": "/staking/",
            "dag": "/staking/?dag_id={DAG_ID}",
            "dag_run": "/staking/?dag_id={DAG_ID}&run_id={RUN_ID}",
        }
        assert {app["url_prefix"] for app in plugin.StakingGatewayPlugin.fastapi_apps} == {"/staking"}

    @pytest.mark.parametrize("name", ["icon.svg", "icon-dark.svg"])
    def test_its_icon_brings_its_own_ground(self, name):
        """Airflow shows it as an image, on a light, a dark and, when it is selected, a blue ground."""
        text = (files("staking_gateway_provider.ui") / "static" / name).read_text()
        ink, tile = (re.search(mark, text)[1] for mark in (r'<svg[^>]* stroke="#(\w+)"', r'<rect [^>]*fill="#(\w+)"'))
        reds = [int((colour * 2)[:2], 16) for colour in (ink, tile)]  # of greys
        assert abs(reds[0] - reds[1]) > 150

    def test_an_airflow_below_a_path_has_the_page_below_it_too(self, monkeypatch):
        monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://public.example/airflow/")
        assert plugin._views()[0]["href"] == "/airflow/staking/"
