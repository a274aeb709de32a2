"""The Staking page: who gets what, what is refused, and that nothing on it can do harm."""

import asyncio
import re
import threading
import warnings
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from uuid import uuid4

import httpx
import pytest
import rights
import sqlalchemy as sa
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from airflow.jobs.job import Job
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from fastapi import FastAPI
from fastapi.routing import APIRoute
from names import ACTIVE, ALICE_STASH, BOB, BOB_STASH, CHARLIE, DAVE, ERA, NETWORK, PARTY, network_settings

from staking_gateway.errors import Failed, GatewayError
from staking_gateway.health.state import AirflowFacts, EraRun, LiveFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.problem import Topic
from staking_gateway.types import ElectionWindow
from staking_gateway_provider import plugin
from staking_gateway_provider.ui.asking import Asking, FactsCache
from staking_gateway_provider.ui.runs import airflow_facts, dead_programs
from tests.support.airflow_home import stored
from tests.support.ledgers import put

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
PAYOUT_DAG, CATCH_UP_DAG = f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"
BEGUN = (datetime.now(timezone.utc) - timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
CALENDAR = {"era_length": "6h", "anchors": [{"era": ACTIVE, "start": BEGUN}]}
"""Agrees with the simulator: an era of the gateway that is far away from the calendar's is not believed."""
STATIC = files("staking_gateway_provider.ui") / "static"


@pytest.fixture(scope="module")
def accounts_of_airflow(airflow_db):
    """An auth manager whose users are in ROLES."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIRFLOW__API_AUTH__JWT_SECRET", "a secret of these tests " * 4)
        init_auth_manager()
        yield
        purge_cached_app()


@pytest.fixture(scope="module", autouse=True)
def dags_of_the_network(airflow_db):
    """Both DAGs are in the metadata database."""
    with create_session() as session:
        session.merge(DagBundleModel(name="page"))
        session.flush()
        for dag_id in (PAYOUT_DAG, CATCH_UP_DAG):
            session.merge(DagModel(dag_id=dag_id, bundle_name="page"))


@pytest.fixture
def app(accounts_of_airflow, gateway, network):
    """The page over the simulator; the ledger is the test's."""
    network(calendar=CALENDAR)
    return build_app(Service(FactsCache(patience=20.0), patience=60, grace=0))


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

    send.app = app
    return send


@pytest.fixture
def plan(ask):
    """Asks for a plan as the page does."""

    def send(user="admin", *, body=None, **headers):
        return ask(PLAN, user, "POST", json=body or {}, headers={**FROM_THE_PAGE, **headers})

    return send


def store_dag(dag_id, **columns):
    """Let a DAG be as the scheduler sees it."""
    with create_session() as session:
        session.merge(DagModel(dag_id=dag_id, bundle_name="page", **columns))


@contextmanager
def tasks_of(run_id, **states):
    """Tasks of a payout's run, in this order, for a while."""
    own = sa.delete(TaskInstance).where(TaskInstance.dag_id == PAYOUT_DAG, TaskInstance.run_id == run_id)
    with create_session() as session:
        for minute, (task_id, state) in enumerate(states.items()):
            row = {"id": uuid4(), "task_id": task_id, "dag_id": PAYOUT_DAG, "run_id": run_id}
            row |= {"state": state, "pool": "default_pool", "pool_slots": 1, "custom_operator_name": "", "max_tries": 0}
            row |= {"end_date": datetime(2026, 1, 1, minute=minute, tzinfo=timezone.utc)}
            session.execute(sa.insert(TaskInstance.__table__).values(**row))
    yield
    with create_session() as session:
        session.execute(own)


def routes(app):
    return [
        (route.path.format(network=NETWORK, name="page.js", era=ERA), method)
        for route in app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    ]


def record(ledger, era, state=PayoutState.CONFIRMED, **changes):
    run = Actor(f"{PAYOUT_DAG}/run-{era}")
    return put(ledger, ledger.plan(NETWORK, era, 0, **PARTY, actor=run), state, run, **changes)


class TestAccess:
    def test_anonymous_gets_nothing(self, app, ask):
        paths = routes(app)
        assert len(paths) == 8
        for path, method in paths:
            answer = ask(path, method=method, headers=FROM_THE_PAGE)
            assert (answer.status_code, answer.json()) == (401, {"detail": "Not authenticated"}), path
        assert ask("/", headers={"Authorization": "Bearer forged"}).status_code == 403

    def test_a_person_who_is_not_logged_in_comes_to_airflows_login_and_back(self, ask):
        answer = ask("/?network=net", headers={"Accept": "text/html,*/*"}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/api/v2/auth/login?next=%2F%3Fnetwork%3Dnet")

    def test_who_may_not_see_a_network_is_told_what_is_told_of_one_there_is_not(self, ask, plan, network):
        assert ask("/api/networks", "stranger").json()["networks"] == []
        unknown = ask("/api/networks/nowhere/overview", "admin")
        assert unknown.status_code == 404
        for hidden in (ask(OVERVIEW, "stranger"), plan("stranger")):
            assert (hidden.status_code, hidden.json()) == (404, unknown.json())
        network(enabled=False)
        assert ask("/api/networks", "admin").json()["networks"] == []
        assert ask(OVERVIEW, "admin").status_code == 404

    @pytest.mark.parametrize("right", rights.RIGHTS, ids=lambda right: right.action)
    def test_each_role_may_do_what_the_table_says_and_nothing_else(self, ask, right):
        """The table of rights in docs/security.md."""
        body = {"json": {}} if right.method == "POST" else {}
        path = right.path.format(network=NETWORK, era=ERA)
        for person in (rights.ANYBODY, *rights.ROLES):
            answer = ask(path, None if person == rights.ANYBODY else person, right.method, FROM_THE_PAGE, **body)
            refused = {401} if person == rights.ANYBODY else {403, 404}
            assert answer.status_code in ({200} if person in right.people else refused), person

    def test_buttons_are_offered_to_those_whom_the_table_names(self, ask):
        for person in rights.ROLES:
            networks = ask("/api/networks", person).json()["networks"]
            for flag, people in rights.BUTTONS.values():
                assert [one[flag] for one in networks] in ([person in people], [])
                assert person not in people or networks

    def test_every_route_with_data_is_in_the_table_and_reading_changes_nothing(self, app):
        named = {(right.path.format(network=NETWORK, era=ERA), right.method) for right in rights.RIGHTS}
        of_all = {("/static/page.js", "GET"), ("/api/networks", "GET"), ("/api/strips", "GET")}
        assert set(routes(app)) - named == of_all
        assert [path for path, method in routes(app) if method != "GET"] == [PLAN]


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

    @pytest.mark.parametrize("mine", [(), (NETWORK,)], ids=["none", "one"])
    def test_a_mistake_in_another_network_is_not_told(self, ask_as, mine):
        other = {**network_settings(), "relayer": "hidden word", "hidden_key": 1}
        for path in ("/api/networks", "/api/strips", OVERVIEW, "/api/networks/other/overview"):
            for dag_id in ("", f"?dag_id={PAYOUT_DAG}"):
                answer = ask_as(path + dag_id, *mine, other=other)
                assert "hidden" not in answer.text
                assert answer.status_code in (200, 404, 503)
                assert answer.status_code != 503 or "airflow staking doctor" in answer.json()["detail"]


class TestForeignSites:
    def test_a_request_another_site_could_send_is_refused(self, ask, plan):
        for headers in (
            {"X-Staking-Page": ""},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": f"{SITE}.evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            answer = plan(**headers)
            assert answer.status_code == 403
            assert "page itself" in answer.json()["detail"]
        assert ask(PLAN, "admin", "POST", data={"a": "b"}, headers=FROM_THE_PAGE).status_code == 415, "a form"

    def test_a_proxy_may_call_the_site_otherwise_where_base_url_says_so(self, plan, monkeypatch):
        monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://public.example/airflow/")
        assert plan(Origin="https://public.example").status_code == 200
        assert plugin.page_views()[0]["href"] == "/airflow/staking/"

    def test_every_answer_forbids_foreign_frames_scripts_and_sniffing(self, ask):
        for path, user in (
            *(("/", "viewer"), ("/", None), ("/help", "viewer")),
            *((OVERVIEW, "viewer"), ("/api/networks/nowhere/overview", "viewer")),
        ):
            answer = ask(path, user)
            policy = answer.headers["content-security-policy"]
            for part in ("default-src 'none'", "script-src 'self';", "frame-ancestors 'self'"):
                assert part in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert ask(OVERVIEW, "viewer").headers["cache-control"] == "no-store"


class TestFiles:
    def test_the_scripts_turn_no_data_into_markup(self):
        scripts = [file for file in STATIC.iterdir() if file.name.endswith(".js")]
        assert len(scripts) == 11
        words = [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            "javascript:",
        ]
        for script in scripts:
            assert not [word for word in words if word in script.read_text()], script.name

    def test_the_runbook_is_the_same_for_all_who_are_logged_in(self, ask):
        answer = ask("/help", "stranger")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert answer.content == (STATIC / "help.html").read_bytes()
        assert all(ask(f"/static/{name}").status_code == 401 for name in ("help.css", "help.html"))
        assert ask("/static/help.css", "stranger").headers["content-type"] == "text/css; charset=utf-8"

    def test_no_file_beside_the_pages_own_is_handed_out_and_none_twice(self, ask):
        outside = ("..%2Fapp.py", "app.py", "nothing.js", "%2e%2e%2fapp.js", "%00.js", "x%0a.css", ".js")
        for name in (*outside, "x" * 256 + ".js"):
            assert ask(f"/static/{name}", "admin").status_code == 404
        first = ask("/static/page.js", "viewer")
        assert first.headers["content-type"].startswith("text/javascript")
        again = ask("/static/page.js", "viewer", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


class TestOverview:
    def test_a_gateway_that_is_down_leaves_the_rest(self, ask, plan, away):
        away()
        answer = ask(OVERVIEW, "viewer")
        assert answer.status_code == 200
        assert "gateway-unreachable" in {cause["topic"] for cause in answer.json()["causes"]}
        assert answer.json()["state"]["source"] == "calendar"
        assert answer.json()["grid"]["count"] == 84
        refused = plan()
        assert refused.status_code == 502
        assert refused.json()["detail"]

    def test_only_the_rows_that_the_viewer_looks_at_are_sent(self, ask):
        def grid(query):
            return ask(f"{OVERVIEW}?{query}", "viewer").json()["grid"]

        assert len(grid("")["accounts"]) == 2
        page = grid("start=1")
        assert (len(page["accounts"]), page["start"], page["matching"]) == (1, 1, 2)
        assert [row["label"] for row in grid("words=alice&wrong=false")["accounts"]] == ["alice-stash"]

    def test_a_page_beyond_reason_is_refused(self, ask):
        for query in ("start=-1", "start=x", "wrong=maybe", f"words={'x' * 201}"):
            assert ask(f"{OVERVIEW}?{query}", "viewer").status_code == 422, query

    @pytest.mark.parametrize("owed", [False, True], ids=["nothing owed", "an unpaid era"])
    def test_what_keeps_it_from_paying_is_in_the_headline_and_nothing_is_offered_meanwhile(  # noqa: PLR0917 - fixtures
        self, ask, network, gateway, ledger, connect, monkeypatch, owed
    ):
        store_dag(PAYOUT_DAG, is_paused=False, is_stale=False)
        monkeypatch.setattr("staking_gateway_provider.ui.runs.dead_programs", lambda session: {})
        if owed:
            record(ledger, ACTIVE - 2)
            record(ledger, ACTIVE - 1, PayoutState.REJECTED)
        network(calendar=CALENDAR, accounts=[ALICE_STASH, f"{BOB_STASH[:-1]}x"])
        mistaken = ask(OVERVIEW, "admin").json()
        assert "staking.yaml has a mistake" in mistaken["headline"] or owed
        assert (mistaken["obstacle"], mistaken["state"]["dead"]) == (None, [])
        assert "accounts[1]" in next(one for one in mistaken["causes"] if one["topic"] == "configuration")["detail"]

        monkeypatch.delenv("AIRFLOW_CONN_STAKING_SIGNER_PAYER")
        for topic in (Topic.CONNECTION_MISSING, Topic.TOKEN_REFUSED):
            ask.app.state.service = Service(
                FactsCache(patience=20.0), patience=60, grace=0
            )  # as a process that has just started
            told = ask(OVERVIEW, "admin").json()
            assert topic.heading.lower() in told["headline"].lower()
            assert (told["obstacle"], told["state"]["dead"]) == (topic.heading, [topic.heading])
            assert told["causes"][0]["topic"] == topic.anchor
            assert "pay" not in [(one["action"] or {}).get("kind") for one in told["causes"]]
            connect("staking_signer_payer", conn_type="stakingsigner", login=CHARLIE, password="//Charlie")
            connect("staking_gateway_default", conn_type="stakinggateway", host=gateway.url, password="another")

    @pytest.mark.parametrize(("began", "lived", "dead"), [(4, None, 0), (4, 5, 0), (4, 2, 1), (6, None, 1)])
    def test_an_airflow_that_starts_has_five_minutes_unless_a_program_has_lived_since(self, began, lived, dead):
        """Minutes ago; the triggerer has ended."""
        now, minute = datetime.now(timezone.utc), timedelta(minutes=1)
        jobs = [Job(job_type="SchedulerJob", state="running", start_date=now - began * minute, latest_heartbeat=now)]
        if lived is not None:
            jobs.append(Job(job_type="TriggererJob", state="failed", latest_heartbeat=now - lived * minute))
        with stored(*jobs), create_session() as session:
            assert len(dead_programs(session)) == dead

    def test_a_catch_up_pays_the_eras_of_its_plan_and_no_others(self):
        running = EraRun(CATCH_UP_DAG, "run", "running")
        facts = AirflowFacts(catch_up=running, catch_up_eras=[7, 8])
        assert (facts.catches_up([7]), facts.catches_up([7, 9])) == (True, False)
        assert AirflowFacts(catch_up=running).catches_up([9]), "it has no plan yet"
        assert not replace(facts, catch_up_paused=True).catches_up([7])

    def test_runs_of_airflow_are_told(self, ask):
        store_dag(PAYOUT_DAG, is_paused=True, is_stale=False)
        store_dag(CATCH_UP_DAG, is_paused=False, is_stale=False)
        run = {"dag_id": PAYOUT_DAG, "run_type": "manual"}
        catch_up = {"dag_id": CATCH_UP_DAG, "run_type": "manual"}
        rows = (
            DagRun(run_id="old", partition_key=str(ACTIVE - 1), state="failed", **run),
            DagRun(run_id="new+1", conf={"era": ACTIVE - 1}, state="running", **run),
            DagRun(run_id="second", conf={"era": ACTIVE - 1}, state="failed", **run),
            DagRun(**catch_up, run_id="all", state="queued"),
            DagRun(**catch_up, run_id="only-a-plan", state="running", conf={"dry_run": True}),
        )
        with stored(*rows):
            told = ask(OVERVIEW, "viewer").json()
            of_the_run = f"/api/networks?dag_id={PAYOUT_DAG}&run_id=new+1"
            context, hidden = (ask(of_the_run, user).json() for user in ("viewer", "stranger"))
            for paused in (True, False):
                store_dag(CATCH_UP_DAG, is_paused=paused, is_stale=False)
                assert airflow_facts(NETWORK, []).catch_up_paused is paused
        cell = told["grid"]["cells"][-1]
        assert (cell["state"], cell["run_id"], cell["reason"]) == ("O", "new+1", "its run does not go on")
        catching_up = told["state"]["catch_up"]
        assert (catching_up["run_id"], catching_up["paused"]) == ("all", False)
        assert (context["network"], context["era"]) == (NETWORK, ACTIVE - 1)
        assert (hidden["network"], hidden["era"]) == (None, None)


class TestStrips:
    """All networks at one glance."""

    @pytest.fixture
    def strips(self, ask):
        return lambda user="viewer": ask("/api/strips", user).json()["networks"]

    def test_the_worst_network_comes_first_and_a_mistake_leaves_the_others_alone(self, strips, network):
        store_dag(PAYOUT_DAG, is_paused=True, is_stale=False)
        fine = network_settings(calendar=CALENDAR)
        wrong = {**fine, "user": DAVE, "payer": BOB, "payot": {"parts": 2}}
        network(networks={"a": {**fine, "gateway_conn_id": "other"}, NETWORK: fine, "wrong": wrong})
        told = {one["network"]: one for one in strips()}
        assert next(iter(told)) == "wrong", "nothing is known of a network whose state cannot be read"
        assert (told["wrong"]["level"], told["wrong"]["cells"]) == ("danger", [])
        cause = told["wrong"]["cause"]
        assert (cause["topic"], cause["heading"]) == ("configuration", "staking.yaml has a mistake")
        assert "networks.wrong.payot" in cause["detail"]
        assert re.search(r"\. The file is /\S+\.yaml$", cause["remedy"])
        assert told["a"]["cause"]["topic"] == "scheduler-dead"
        assert told["a"]["dead"] == [
            "Airflow's scheduler is not running",
            "Airflow's triggerer is not running",
            "A connection is missing",
        ]


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
        assert {step["state"] for step in told["steps"]} == {"done"}
        assert (told["steps"][0]["name"], told["steps"][-1]["name"]) == ("ended", "confirmed")
        assert told["transaction_url"] == f"https://explorer.example/tx/{hash_}"
        assert (told["fee_text"], told["causes"], told["unpaid"]) == ("7 planck", [], None)

    def test_the_log_is_that_of_the_payout_or_else_of_the_first_failed_task(self, era):
        run = {"dag_id": PAYOUT_DAG, "run_type": "manual", "run_id": "one", "partition_key": str(ACTIVE - 2)}
        with stored(DagRun(**run, state="failed")):
            assert era(ACTIVE - 2).json()["log"] is None
            with tasks_of("one", previous_era="failed", payout="upstream_failed", report="failed"):
                assert era(ACTIVE - 2).json()["log"] == {"task_id": "previous_era", "map_index": -1}
            with tasks_of("one", previous_era="success", payout="failed", report="failed"):
                assert era(ACTIVE - 2).json()["log"] == {"task_id": "payout", "map_index": -1}

    def test_an_era_that_is_not_shown_is_not_there_and_what_is_no_era_is_refused(self, era):
        assert [era(number).status_code for number in (ACTIVE, 0, "-1", "x", 2**64)] == [404, 404, 422, 422, 422]


class TestPlan:
    def test_it_is_shown_before_anything_is_done_and_kept_for_the_approval(self, plan, ledger, simulator):
        told = plan().json()
        assert [owed["era"] for owed in told["pay"]][-1] == ACTIVE - 1
        assert (told["signs"], told["fees"]) == (len(told["pay"]), str(10**17 * len(told["pay"])))
        assert told["expires_at"][str(ACTIVE - 1)]
        assert told["dag_id"] == CATCH_UP_DAG
        one = plan(body={"from_era": ACTIVE - 5, "to_era": ACTIVE - 5}).json()
        assert [owed["era"] for owed in one["pay"]] == [ACTIVE - 5]
        chosen = plan(body={"eras": f"{ACTIVE - 1}, {ACTIVE - 5}-{ACTIVE - 4}"}).json()
        assert [owed["era"] for owed in chosen["pay"]] == [ACTIVE - 5, ACTIVE - 4, ACTIVE - 1]
        for kept in (told, one, chosen):
            assert ledger.journal.plan(NETWORK, kept["hash"])["pay"] == kept["pay"]
        assert simulator.control.truth()["requests"] == []
        assert ledger.oldest_era(NETWORK) is None

    def test_of_calls_until_nothing_is_left_no_sum_is_told(self, plan, network):
        network(payout={"parts": "until_empty"}, calendar=CALENDAR)
        told = plan().json()
        assert (told["terms"]["parts"], told["fee"], told["fees"]) == ("until_empty", str(10**17), None)
        assert list(told["texts"]) == ["fee"]

    def test_a_request_that_names_no_eras_that_can_be_paid_is_refused_and_no_json_is_too_much(self, ask, plan):
        for body in ({"from_era": -1}, {"to_era": "x"}, {"era": 5}, [1], {"eras": [5]}, {"eras": "5," * 6000}):
            assert plan(body=body).status_code == 422
        for body, told in (
            ({"from_era": ACTIVE, "to_era": ACTIVE}, f"era {ACTIVE} has not ended"),
            ({"eras": f"{ACTIVE - 1}-{ACTIVE}"}, f"eras: era {ACTIVE} has not ended"),
            ({"eras": "5,"}, "eras: '' is not an era or a range"),
            ({"eras": "<b>"}, "eras: a text of 3 characters is not an era or a range"),
        ):
            answer = plan(body=body)
            assert answer.status_code == 409
            assert told in answer.json()["detail"]
        headers = {**FROM_THE_PAGE, "Content-Type": "application/json"}
        for text in (
            '{"from_era": 1e999}',
            '{"eras": "\\ud800"}',
            "[" * 100_000,
            f'{{"to_era": {"9" * 5000}}}',
            "null",
        ):
            assert ask(PLAN, "admin", "POST", content=text, headers=headers).status_code in (400, 409, 422), text[:20]

    def test_an_approved_run_is_due_before_a_scheduled_one_that_is_overdue(self, plan):
        """Airflow starts the run that was due first, and `max_active_runs` lets the other one wait."""
        for paused, due_in, in_front in (
            *((True, -60, True), (True, 60, False)),
            *((False, -60, False), (True, None, False)),
        ):
            due = None if due_in is None else datetime.now(timezone.utc) + timedelta(seconds=due_in)
            store_dag(CATCH_UP_DAG, is_paused=paused, next_dagrun_create_after=due)
            told = plan().json()
            assert told["dag_is_paused"] is paused
            assert (told["run_after"] is not None) is in_front
            assert not in_front or datetime.fromisoformat(told["run_after"]) < due


class TestAirflowsThreads:
    """Ledger, gateway and node are asked in the page's own threads: Airflow's stay free, however many viewers wait or leave."""

    REQUESTS = 60

    @pytest.fixture
    def airflow_answers(self, app, monkeypatch):
        """Runs requests to the page while `name` of the service hangs; whether a route of Airflow answers meanwhile."""
        go = threading.Event()

        def hangs(self, *arguments):
            go.wait(60)
            raise GatewayError("no answer", method="getActiveEra", how=Failed.UNREACHABLE)

        def answers(name, requests, *, stay):
            go.clear()
            monkeypatch.setattr(Service, name, hangs)
            app.state.service = Service(FactsCache(patience=0), patience=0.3, grace=0)
            parent = FastAPI()
            parent.get("/health")(lambda: "healthy")  # as a route of Airflow: it needs one of Airflow's threads
            parent.mount("/staking", app)
            token = get_auth_manager().generate_jwt(SimpleAuthManagerUser(username="admin", role="ADMIN"))
            headers = {**FROM_THE_PAGE, "Authorization": f"Bearer {token}"}

            async def talk():
                async with httpx.AsyncClient(
                    transport=httpx.ASGITransport(parent), base_url=SITE, headers=headers, timeout=30
                ) as client:
                    sent = [asyncio.create_task(client.request(*one, json={})) for one in requests]
                    await asyncio.sleep(0.1)
                    for one in [] if stay else sent:
                        one.cancel()
                    healthy = await asyncio.wait_for(client.get("/health"), 20)
                    said = await asyncio.gather(*sent, return_exceptions=True)
                    own = sum(thread.name.startswith("staking ") for thread in threading.enumerate())
                    assert own <= 3
                    return healthy.json(), said

            try:
                return asyncio.run(talk())
            finally:
                go.set()

        return answers

    def test_aborted_requests_against_a_ledger_that_never_answers(self, airflow_answers):
        paths = [f"/staking{OVERVIEW}", "/staking/api/strips"]
        eras = [f"/staking/api/networks/{NETWORK}/eras/{era}" for era in range(self.REQUESTS)]
        requests = [("GET", path) for path in (*paths * 30, *eras)]
        healthy, said = airflow_answers("ledger", requests, stay=False)
        assert healthy == "healthy"
        assert {type(one) for one in said} == {asyncio.CancelledError}
        healthy, said = airflow_answers("ledger", requests[: self.REQUESTS], stay=True)
        assert healthy == "healthy"
        assert {one.status_code for one in said} == {503, 200}, "the list of networks says so of its network"
        assert any("no answer in 0.3 seconds" in one.text for one in said)

    def test_one_answer_or_error_is_shared_by_all_who_ask_meanwhile(self):
        asking, asked, go = Asking(), [], threading.Event()

        def ask():
            asked.append(1)
            go.wait(60)
            raise KeyError("told")

        async def talk():
            waits = [asyncio.create_task(asking.answer("lane", 1, ask, patience=30)) for _ in range(5)]
            other = asyncio.create_task(asking.answer("lane", 2, lambda: "next", patience=30))
            await asyncio.sleep(0.05)
            go.set()
            return await asyncio.gather(*waits, other, return_exceptions=True)

        *shared, last = asyncio.run(talk())
        assert [type(one) for one in shared] == [KeyError] * 5
        assert (last, len(asked)) == ("next", 1)


class TestFactsCache:
    def test_a_slow_gateway_holds_nobody_up_and_is_asked_once(self):
        go, asked = threading.Event(), []

        def slow(network):
            asked.append(network)
            go.wait(60)
            return LiveFacts(active=7)

        cache = FactsCache(slow, patience=0.01, fresh=60, good=60)
        assert [cache.get("net", None) for _ in range(2)] == [LiveFacts()] * 2
        go.set()
        while cache.get("net", None) != LiveFacts(active=7):
            pass
        assert len(asked) == 1

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
        now[0] = 110.0
        assert cache.get("net", None).problem.facts == "no answer within 10 s"
        assert cache.get("net", None).silent
        go.set()


class TestPlugin:
    def test_it_is_in_the_navigation_on_dags_and_on_runs(self):
        views = {view["destination"]: view for view in plugin.StakingGatewayPlugin.external_views}
        assert {place: view["href"] for place, view in views.items()} == {
            "nav": "/staking/",
            "dag": "/staking/?dag_id={DAG_ID}",
            "dag_run": "/staking/?dag_id={DAG_ID}&run_id={RUN_ID}",
        }
        assert {app["url_prefix"] for app in plugin.StakingGatewayPlugin.fastapi_apps} == {"/staking"}
