"""`airflow staking doctor`: a healthy set-up fits a screen, and each broken one is named with what to do."""

import io
import json
import re
import ssl
import sys
from contextlib import closing
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
import sqlalchemy as sa
from broken_set_ups import (
    BROKEN,
    CATCH_UP_DAG,
    DEPTH,
    NOTED,
    NOW,
    PAYOUT_DAG,
    SILENT,
    WARNED,
    World,
    other_calendar,
    owed_eras,
    paid,
    wrong_token,
)
from names import ACTIVE, NETWORK, hourly, network_settings
from simulated_chain import sends
from staking_commands import Terminal, airflow

from staking_gateway.ledger import PayoutState
from staking_gateway.ledger.records import Alert
from staking_gateway.problem import Topic
from staking_gateway_provider.doctor.case import read_offset
from tests.contract.broken_server import BrokenServer
from tests.support.airflow_home import forget_runs
from tests.support.certificates import certify
from tests.support.notifiers import webhook

SECRETS = ("//Alice", "//Charlie", "simulator-token")


@pytest.fixture
def metadata(airflow_db):
    """Airflow has both DAGs, active, and both processes are alive."""
    from airflow.jobs.job import Job
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.session import create_session

    forget_runs()
    with create_session() as session:
        session.merge(DagBundleModel(name="doctor"))
        session.flush()
        known = {"bundle_name": "doctor", "is_paused": False, "is_stale": False, "fileloc": "x.py"}
        for dag_id in (PAYOUT_DAG, CATCH_UP_DAG):
            session.merge(DagModel(dag_id=dag_id, **known))  # other tests may have stored it
        began = datetime.now(timezone.utc) - timedelta(hours=2)
        session.add_all(
            Job(job_type=f"{kind}Job", state="running", start_date=began) for kind in ("Scheduler", "Triggerer")
        )
    yield
    forget_runs()


@pytest.fixture
def healthy(gateway, network, ledger):
    """A set-up in which everything is as it should be; arguments change the network's settings."""
    limits = {"max_fee_per_payout": 10**25, "max_fee_per_day": 10**26}
    network.usual = {"history_depth": DEPTH, "calendar": hourly(), "payout": limits}
    for era in range(ACTIVE - DEPTH, ACTIVE):
        paid(ledger, era)
    network()
    return network


def doctor(*words):
    airflow("doctor", *words)


@pytest.fixture
def examine(capsys):
    """The findings of the command, all or as most type it its problems, and its exit status."""

    def run(*words, every=True):
        status = 0
        try:
            doctor(*(["--all"] if every else []), "--output", "json", *words)
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        for secret in SECRETS:
            assert secret not in printed.out + printed.err
        return json.loads(printed.out), status

    return run


def found(findings, level):
    return [f"{one['what']} -> {one['remedy']}" for one in findings if one["level"] == level]


def told(findings, check):
    return [one["what"] for one in findings if one["check"] == check]


# --- healthy ----------------------------------------------------------------------------------------------------------------


def test_a_healthy_set_up_says_so_in_one_line_and_with_all_checks_in_one_screen(healthy, metadata, capsys):
    doctor("--network", NETWORK)
    assert capsys.readouterr().out == "Healthy: nothing to do.\n"
    doctor("--network", NETWORK, "--all")
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert lines[-1] == "Healthy: nothing to do."
    assert len(lines) <= 25
    assert all(word not in "\n".join(lines) for word in ("error", "warning"))


def test_it_signs_and_sends_and_changes_nothing(healthy, examine, gateway, ledger, metadata):
    assert examine()[1] == 0
    assert sends(gateway) == 0
    assert gateway.control.truth()["requests"] == []
    assert ledger.journal.notices(NETWORK) == []
    ledger.journal.agree_on_calendar(NETWORK, other_calendar())  # nobody has written one down


def test_no_ledger_is_made_by_looking_and_one_by_a_safe_step(no_ledger, network, examine, capsys, metadata):
    network()
    findings, _ = examine()
    assert any("does not exist yet" in one["what"] and "ledger upgrade" in one["remedy"] for one in findings)
    assert not no_ledger.exists()
    doctor("--fix", "--yes")
    assert "Step: Create the ledger sqlite" in capsys.readouterr().err
    assert no_ledger.exists()
    assert told(examine()[0], "ledger")[1:] == ["the first payment will record its identity"]


# --- broken -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def world(request, metadata, healthy):
    return World(request)


@pytest.mark.parametrize(("break_it", "field", "remedy"), BROKEN.values(), ids=BROKEN)
def test_a_broken_set_up_is_named_first_of_all_with_what_to_do(world, examine, break_it, field, remedy):
    break_it(world)
    findings, status = examine()
    errors = found(findings, "error")
    assert status == 1
    assert re.search(f"{field}.* -> .*{remedy}", errors[0], re.DOTALL), errors


@pytest.mark.parametrize(("break_it", "field", "remedy"), WARNED.values(), ids=WARNED)
def test_what_works_only_for_now_is_warned_of(world, examine, break_it, field, remedy):
    break_it(world)
    findings, status = examine()
    assert status == 0
    told, *others = found(findings, "warning")
    assert [one for one in others if "clock" not in field or "Set the clock first" not in one] == []
    assert re.search(f"{field}.* -> .*{remedy}", told), told


@pytest.mark.parametrize(("change_it", "check", "level", "words"), NOTED.values(), ids=NOTED)
def test_what_else_a_check_has_to_say(world, examine, change_it, check, level, words):  # noqa: PLR0917 - columns
    change_it(world)
    findings, status = examine("--network", NETWORK)
    said = [one for one in findings if one["check"] == check and re.search(words, one["what"])]
    assert [one["level"] for one in said] == [level], findings
    if level in ("ok", "note") and check != "the rest":
        assert (found(findings, "error"), status) == ([], 0)


def test_a_network_that_is_broken_does_not_hide_another(gateway, network, examine, connect, metadata):
    connect("other_gateway", conn_type="stakinggateway", host=f"http://{SILENT}", password="x")
    network({"abroad": network_settings(gateway_conn_id="other_gateway"), NETWORK: network_settings()})
    findings, status = examine()
    assert status == 1
    assert {one["check"] for one in findings if one["network"] == NETWORK} >= {"gateway", "nonces", "fee"}
    only, status = examine("--network", NETWORK)
    assert {one["network"] for one in only} == {None, NETWORK}
    unknown, status = examine("--network", "atlantis")
    assert status == 1
    assert "network: there is no such network as atlantis" in found(unknown, "error")[0]
    assert f"Known networks: abroad, {NETWORK}" in found(unknown, "error")[0]


def test_an_import_error_of_a_staking_dag_is_quoted(healthy, metadata, examine):
    from airflow.models.errors import ParseImportError
    from airflow.utils.session import create_session

    with create_session() as session:
        session.add(ParseImportError(filename="staking_payout.py", bundle_name="doctor", stacktrace="Trace\nX: wrong"))
    findings, status = examine()
    assert status == 1
    assert "cannot import staking_payout.py: X: wrong" in found(findings, "error")[0]


# --- single checks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [-100, -20, 0, 20, 100])
def test_the_offset_is_read_from_the_date_of_any_answer_without_a_token(broken, ahead):
    date = f"Date: {format_datetime(NOW.replace(microsecond=0), usegmt=True)}"
    broken.script = [lambda exchange: exchange.answer(b"", "404 Not Found", (date,))]
    now = NOW.replace(microsecond=0).timestamp() + 0.5 + ahead
    assert read_offset(broken.url, read_clock=lambda: now) == ahead
    assert broken.requests[0].header("Authorization") == []


@pytest.mark.parametrize(
    ("receivers", "level", "remedy"),
    [([webhook("pager")], "warning", Topic.ALERTS_NOT_SENT.remedy), ([], "note", "The next task report writes them")],
)
def test_messages_that_wait_are_told(healthy, metadata, examine, ledger, connect, receivers, level, remedy):  # noqa: PLR0917
    connect("pager", conn_type="http", host="pager.example")
    healthy(alerts={"notifiers": receivers})
    late = Alert(NETWORK, "era:1", "not_paid", 1, "warning", "era 1", 1, "Eras are unpaid", "", "unpaid", NOW)
    ledger.journal.alerts.update(NETWORK, [late], clear_after=timedelta(0))
    (line,) = [one for one in examine()[0] if one["check"] == "alerts" and "not sent yet" in one["what"]]
    assert (line["level"], line["remedy"].startswith(remedy)) == (level, True)


# --- people and scripts -----------------------------------------------------------------------------------------------------


def test_people_are_told_what_to_do_below_what_was_found(world, capsys):
    wrong_token(world)
    with pytest.raises(SystemExit) as end:
        doctor()
    assert end.value.code == 1
    printed = capsys.readouterr().out
    words = " ".join(printed.split())
    assert f"{Topic.TOKEN_REFUSED.heading}: " in words
    assert f"-> {Topic.TOKEN_REFUSED.remedy}. The token is Password of connection `staking_gateway_default`" in words
    assert printed.rstrip().splitlines()[-1].startswith("1 error. Fix the first error first")


def test_people_are_not_told_to_start_a_gateway_whose_certificate_is_wrong(world, capsys, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certify(tmp_path), tmp_path / "server.key")
    with closing(BrokenServer(context)) as server:
        world.gateway_connection(host=server.url)
        with pytest.raises(SystemExit):
            doctor()
    words = " ".join(capsys.readouterr().out.split())
    assert "-> Set ca_bundle to its authority's file. The gateway's" in words
    assert Topic.GATEWAY_UNREACHABLE.remedy not in words


# --- the root cause -----------------------------------------------------------------------------------------------------------


def test_a_dead_scheduler_comes_first_with_the_eras_it_blocks_and_explains_them(world, examine):
    owed_eras(world)
    world.dead("SchedulerJob")
    world.dags(PAYOUT_DAG, CATCH_UP_DAG, is_stale=True)
    (first, *others), status = examine(every=False)
    assert status == 1
    assert (first["check"], first["topic"]) == ("payouts", "scheduler-dead")
    assert first["blocks"] == "eras 990-996"
    assert first["help"].endswith("/staking/help#scheduler-dead")
    assert not {"unpaid", "dag-missing"}.intersection(one["topic"] for one in others)
    assert all(one["level"] in ("error", "warning") for one in others)


def test_a_cause_that_no_check_examines_is_listed_with_its_remedy(world, examine):
    world.reopened(PayoutState.REJECTED, reason="request 7 is rejected: BadOrigin")
    (only,), status = examine(every=False)
    assert status == 1
    assert (only["check"], only["topic"], only["blocks"].split(";")[0]) == ("payouts", "rejected", "era 999")
    assert "BadOrigin" in only["what"]
    assert only["remedy"]


# --- safe steps ---------------------------------------------------------------------------------------------------------------


def paused(dag_id):
    from airflow.models.dag import DagModel
    from airflow.utils.session import create_session

    with create_session() as session:
        return session.scalar(sa.select(DagModel.is_paused).where(DagModel.dag_id == dag_id))


def test_safe_steps_are_named_and_done_and_the_rest_is_checked_again(world, capsys):
    world.dags(PAYOUT_DAG, CATCH_UP_DAG, is_paused=True)
    doctor("--fix", "--yes")
    printed = capsys.readouterr()
    for dag_id in (PAYOUT_DAG, CATCH_UP_DAG):
        assert f"Step: Unpause the DAG {dag_id}; its scheduled runs then start\nDone." in printed.err
        assert not paused(dag_id)
    assert printed.out == "Healthy: nothing to do.\n"


def test_each_safe_step_is_asked_for_and_none_is_done_where_nobody_can_be_asked(world, monkeypatch, capsys):
    world.dags(PAYOUT_DAG, is_paused=True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(SystemExit, match=r"yes: standard input is not a terminal.*Add --yes"):
        doctor("--fix")
    assert paused(PAYOUT_DAG)
    for answer, left in (("n\n", True), ("\n", True), ("y\n", False)):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        doctor("--fix")
        assert paused(PAYOUT_DAG) is left
        assert ("Healthy" in capsys.readouterr().out) is not left
