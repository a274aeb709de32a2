"""`airflow staking doctor`: a healthy set-up fits a screen, and each broken one is named with what to do."""

from __future__ import annotations

import contextlib
import io
import json
import re
import ssl
import sys
from datetime import datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from airflow.cli import cli_parser
from broken_set_ups import (
    BROKEN,
    DEPTH,
    NOW,
    RUN,
    WARNED,
    World,
    clocks_apart,
    dead,
    few_funds,
    free_port,
    newer_ledger,
    nobody_answers,
    other_calendar,
    owed_eras,
    paid,
    paused_dag,
    paused_dags,
    unknown_dag,
    wrong_token,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from names import ACTIVE, NETWORK, network_settings

from staking_gateway.chain.reader import ChainIdentity
from staking_gateway.chain.state import ChainState
from staking_gateway.ledger import PayoutState
from staking_gateway.topics import Topic
from staking_gateway.types import ElectionWindow
from staking_gateway_provider.doctor import clock
from staking_gateway_provider.hooks.substrate import SubstrateHook
from tests.contract.broken_server import BrokenServer

SECRETS = ("//Alice", "//Charlie", "simulator-token")


@pytest.fixture(scope="module")
def metadata(airflow_db):
    """A metadata database with both DAGs, active, and both processes alive; a test may change it and must put it back."""
    from airflow.jobs.job import Job
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.session import create_session

    dags = [f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"]
    with create_session() as session:
        session.merge(DagBundleModel(name="doctor"))
        session.flush()
        for dag_id in dags:
            # Other tests may have stored it.
            session.merge(
                DagModel(dag_id=dag_id, bundle_name="doctor", is_paused=False, is_stale=False, fileloc="x.py")
            )
        jobs = [Job(job_type=kind, state="running") for kind in ("SchedulerJob", "TriggererJob")]
        session.add_all(jobs)
        session.flush()
        ids = [job.id for job in jobs]
    yield
    with create_session() as session:
        session.execute(sa.delete(Job).where(Job.id.in_(ids)))


@pytest.fixture
def changed(metadata):
    """Changes columns of the metadata database, and puts them back."""
    from airflow.utils.session import create_session

    undo = []

    def change(model, where, **values):
        with create_session() as session:
            for row in session.scalars(sa.select(model).where(where)):
                undo.append(
                    (model, row.__mapper__.primary_key_from_instance(row), {k: getattr(row, k) for k in values})
                )
                for name, value in values.items():
                    setattr(row, name, value)

    yield change
    with create_session() as session:
        for model, key, values in undo:
            row = session.get(model, key if len(key) > 1 else key[0])
            for name, value in values.items():
                setattr(row, name, value)


@pytest.fixture
def unmigrated(monkeypatch):
    """A metadata database that cannot be read."""

    def refuse(*args, **kwargs):
        raise sa.exc.OperationalError("SELECT", {}, Exception("no such table: dag"))

    monkeypatch.setattr("airflow.utils.session.create_session", refuse)


@pytest.fixture
def healthy(gateway, network, ledger):
    """A set-up in which everything is as it should be; arguments change the network's settings."""

    def write(**settings):
        start = (datetime.now(timezone.utc) - timedelta(minutes=5)).isoformat()
        calendar = {"era_length": "1h", "anchors": [{"era": ACTIVE, "start": start}]}
        limits = {"max_fee_per_payout": 10**25, "max_fee_per_day": 10**26}
        return network(**{"history_depth": DEPTH, "calendar": calendar, "payout": limits, **settings})

    for era in range(ACTIVE - DEPTH, ACTIVE):
        paid(ledger, era)
    write()
    return write


def doctor(*words):
    arguments = cli_parser.get_parser().parse_args(["staking", "doctor", *words])
    arguments.func(arguments)


@pytest.fixture
def examine(capsys):
    """The findings of the command, and its exit status."""

    def run(*words):
        status = 0
        try:
            doctor("--all", "--output", "json", *words)
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        for secret in SECRETS:
            assert secret not in printed.out + printed.err
        return json.loads(printed.out), status

    return run


def found(findings, level):
    return [f"{one['what']} -> {one['remedy']}" for one in findings if one["level"] == level]


# --- healthy ----------------------------------------------------------------------------------------------------------------


def test_a_healthy_set_up_says_so_in_one_line_and_with_all_checks_in_one_screen(healthy, metadata, capsys):
    doctor("--network", NETWORK)
    assert capsys.readouterr().out == "Healthy: nothing to do.\n"
    doctor("--network", NETWORK, "--all")
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert lines[-1] == "Healthy: nothing to do."
    assert len(lines) <= 24
    assert all(word not in "\n".join(lines) for word in ("error", "warning"))


def test_it_signs_and_sends_and_changes_nothing(healthy, examine, gateway, ledger, metadata):
    _, status = examine()
    assert status == 0
    assert gateway.control.truth()["calls"]["by_path"].get("/send", 0) == 0
    assert gateway.control.truth()["requests"] == []
    assert ledger.journal.notices(NETWORK) == []
    ledger.journal.agree_on_calendar(NETWORK, other_calendar(), RUN)  # nobody has written one down


def test_no_ledger_is_made_by_looking(no_ledger, network, examine, metadata):
    network()
    findings, _ = examine()
    assert any("does not exist yet" in one["what"] and "ledger upgrade" in one["remedy"] for one in findings)
    assert not no_ledger.exists()


def test_what_cannot_be_read_from_here_is_told_as_not_checked(healthy, examine, unmigrated):
    findings, status = examine()
    assert status == 0
    (told,) = found(findings, "note")[-1:]
    assert "not checked: DAGs, scheduler and triggerer" in told
    assert "airflow db migrate" in told


# --- broken -----------------------------------------------------------------------------------------------------------------


def test_a_person_reads_heading_and_remedy_of_the_cause_before_the_facts(healthy, metadata, capsys):
    healthy(payout={"max_fee_per_payout": 1, "max_fee_per_day": 10**26})
    with contextlib.suppress(SystemExit):
        doctor("--network", NETWORK)
    printed = " ".join(capsys.readouterr().out.split())
    assert f"{Topic.HELD_FEE.heading}: the fee is" in printed
    assert f"-> {Topic.HELD_FEE.remedy}. Raise networks.{NETWORK}.payout.max_fee_per_payout" in printed


@pytest.fixture
def tls_server(tmp_path):
    """A server with a certificate nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gateway.example")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(NOW - timedelta(hours=1))
    signed = builder.not_valid_after(NOW + timedelta(hours=1)).sign(key, hashes.SHA256())
    pem, pkcs8, none = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (tmp_path / "gateway.pem").write_bytes(signed.public_bytes(pem) + key.private_bytes(pem, pkcs8, none))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "gateway.pem")
    server = BrokenServer(context)
    yield server
    server.close()


@pytest.fixture
def world(request, healthy, metadata):
    return World(request)


def named(cases):
    return [pytest.param(*case, id=case[0].__name__) for case in cases]


@pytest.mark.parametrize(("break_it", "field", "remedy"), named(BROKEN))
def test_a_broken_set_up_is_named_first_of_all_with_what_to_do(world, examine, break_it, field, remedy):
    break_it(world)
    findings, status = examine()
    errors = found(findings, "error")
    assert status == 1
    assert re.search(f"{field}.* -> .*{remedy}", errors[0], re.DOTALL), errors


@pytest.mark.parametrize(("break_it", "field", "remedy"), named(WARNED))
def test_what_works_only_for_now_is_warned_of(world, examine, break_it, field, remedy):
    break_it(world)
    findings, status = examine()
    assert status == 0
    (told,) = found(findings, "warning")
    assert re.search(f"{field}.* -> .*{remedy}", told), told


def test_every_mistake_of_the_file_is_told_as_one_of_its_own(world, examine):
    world.healthy(payuot={}, history_depth=0, explorer_url="nowhere")
    findings, status = examine()
    assert status == 1
    errors = found(findings, "error")
    assert [one.split(":")[0] for one in errors] == [
        f"networks.{NETWORK}.{name}" for name in ("history_depth", "explorer_url", "payuot")
    ]
    assert all(" -> " in one and not one.endswith("None") for one in errors)
    assert {one["check"] for one in findings if one["level"] == "error"} == {"configuration"}


def test_a_file_of_mistakes_alone_is_told_the_first_hundred_and_how_many_more(world, examine):
    world.healthy(accounts=[f"wrong{number}" for number in range(150)])
    findings, _ = examine()
    errors = found(findings, "error")
    assert len(errors) == 101
    assert errors[-1] == "... and 50 more -> Correct the mistakes above first"


def test_each_broken_set_up_is_tried():
    assert len(BROKEN) >= 20
    breakers = {case[0] for case in BROKEN + WARNED}
    assert len(breakers) == len(BROKEN) + len(WARNED)


def test_what_an_error_keeps_from_being_checked_is_listed_and_not_guessed(world, examine):
    nobody_answers(world)
    findings, _ = examine()
    assert len(found(findings, "error")) == 1
    (left_out,) = [one for one in findings if one["check"] == "the rest"]
    for name in ("clock", "token", "active era", "nonces", "fee", "funds", "owed"):
        assert name in left_out["what"]


def test_without_a_ledger_that_opens_nothing_is_said_about_what_is_owed(world, examine):
    newer_ledger(world)
    findings, _ = examine()
    (left_out,) = [one["what"] for one in findings if one["check"] == "the rest" and one["network"] == NETWORK]
    assert left_out.endswith(": under way, owed, accounts")


def test_where_alerts_go_is_looked_at(world, examine):
    world.connect("pager", conn_type="http", host="pager.example")
    world.healthy(alerts={"webhook_conn_id": "pager"})
    findings, status = examine()
    assert status == 0
    assert told(findings, "alerts") == ["pager has an address; nothing was sent to try it"]


def test_a_gateway_that_does_not_tell_its_time_is_no_reason_to_worry(world, examine):
    world.monkeypatch.setattr(clock, "read_offset", lambda *args: None)
    findings, status = examine()
    assert status == 0
    assert told(findings, "clock") == ["the gateway does not report its time"]


def test_every_process_that_is_not_alive_is_named(world, examine):
    for job_type in ("SchedulerJob", "TriggererJob"):
        dead(job_type)(world)
    findings, status = examine()
    assert status == 1
    assert [word.split()[1] for word in found(findings, "error")] == ["scheduler", "triggerer"]


def test_a_network_that_is_broken_does_not_hide_another(gateway, network, examine, connect, metadata):
    connect("other_gateway", conn_type="staking_gateway", host=f"http://127.0.0.1:{free_port()}", password="x")
    network({"abroad": network_settings(gateway_conn_id="other_gateway"), NETWORK: network_settings()})
    findings, status = examine()
    assert status == 1
    assert {one["check"] for one in findings if one["network"] == NETWORK} >= {"token", "nonces", "fee"}
    only, status = examine("--network", NETWORK)
    assert {one["network"] for one in only} == {None, NETWORK}


def test_a_network_nobody_knows_is_refused_by_name(healthy, examine, metadata):
    findings, status = examine("--network", "atlantis")
    assert status == 1
    assert found(findings, "error")[0] == "networks.atlantis: there is no such network -> Known networks: testnet"


def test_an_import_error_of_a_staking_dag_is_quoted(healthy, examine, metadata):
    from airflow.models.errors import ParseImportError
    from airflow.utils.session import create_session

    with create_session() as session:
        row = ParseImportError(
            filename="staking_payout.py", bundle_name="doctor", stacktrace="Trace\nConfigError: wrong"
        )
        session.add(row)
        session.flush()
        key = row.id
    try:
        findings, status = examine()
    finally:
        with create_session() as session:
            session.execute(sa.delete(ParseImportError).where(ParseImportError.id == key))
    assert status == 1
    assert "cannot import staking_payout.py: ConfigError: wrong" in found(findings, "error")[0]


# --- what is told beside ------------------------------------------------------------------------------------------------------


def told(findings, check):
    return [one["what"] for one in findings if one["check"] == check]


class Node:
    """A node that answers."""

    def __init__(self, *, automatic=False):
        self._automatic = automatic

    def identity(self):
        return ChainIdentity("0x" + "11" * 32, "somenet")

    def token(self):
        return None

    def state(self):
        return ChainState(ACTIVE, None, ElectionWindow.CLOSED, None, self._automatic, 4711)


@pytest.mark.parametrize("automatic", [False, True])
def test_a_node_that_answers_is_named_and_a_chain_that_pays_by_itself(world, examine, automatic):
    world.gateway_connection(extra={"era_source": "chain"})
    world.monkeypatch.setattr(SubstrateHook, "get_conn", lambda hook: Node(automatic=automatic))
    findings, status = examine()
    assert status == 0
    assert told(findings, "node") == ["substrate_default: somenet, block 4711"]
    assert any("pays its stakers by itself" in what for what in told(findings, "active era")) is automatic


def test_a_network_that_is_disabled_is_looked_at_when_it_is_named(world, examine):
    world.healthy(enabled=False)
    findings, status = examine("--network", NETWORK)
    assert status == 0
    assert any("testnet is disabled" in what for what in told(findings, "configuration"))
    assert told(findings, "token") == ["accepted"]


def test_plain_http_to_another_machine_is_warned_of(world, examine, monkeypatch):
    monkeypatch.setattr("staking_gateway.http.endpoint.is_loopback", lambda host: False)
    world.gateway_connection(extra={"allow_http": True})
    findings, status = examine()
    assert status == 0
    assert "over plain http to 127.0.0.1 -> Use https" in found(findings, "warning")[0]


@pytest.mark.parametrize(
    ("fault", "level", "words"),
    [
        ("rpc-32601", "ok", "does not report its chain's name"),
        ("http-429", "warning", "HTTP 429"),
        ("http-503-before", "error", "HTTP 503"),
        ("not-json", "error", "getChainInfo"),
    ],
)
def test_what_the_gateway_answers_first_decides(world, examine, fault, level, words):
    world.fault(f"{fault}:method=getChainInfo")
    findings, _ = examine()
    (finding,) = [one for one in findings if one["check"] == "gateway"]
    assert finding["level"] == level
    assert words in finding["what"]


def test_a_gateway_in_trouble_is_not_blamed_on_the_connection(world, examine):
    world.fault("http-503-before")
    findings, _ = examine()
    assert "ask its operator" in found(findings, "error")[0]


@pytest.mark.parametrize(
    ("fault", "what"),
    [("rpc-32601", "does not report the payer's balance"), ("wrong-type", "getAccountInfo")],
)
def test_a_balance_that_is_not_told_is_said(world, examine, fault, what):
    world.fault(f"{fault}:method=getAccountInfo")
    findings, _ = examine()
    assert what in told(findings, "funds")[0]


def test_funds_are_of_no_concern_where_the_fee_is_nothing(world, examine):
    world.simulator.control.fee(0)
    findings, status = examine()
    assert status == 0
    assert told(findings, "funds")[0].endswith("the fee is nothing")


def test_funds_are_judged_by_the_limits_of_the_alerts(world, examine):
    few_funds(world)
    world.healthy(alerts={"runway_warning": 9, "runway_critical": 6})
    findings, status = examine()
    assert status == 1
    assert "pays the fees of 5 eras" in found(findings, "error")[0]


def test_a_payload_that_has_just_been_sent_is_not_called_stuck(world, examine):
    world.reopened(PayoutState.UNKNOWN, unanswered=1, unanswered_at=datetime.now(timezone.utc))
    findings, status = examine()
    assert status == 0
    assert told(findings, "under way") == ["1 payload under way, none stuck"]


def test_an_era_that_has_just_ended_is_no_reason_to_worry(world, examine):
    world.reopened(PayoutState.HELD, hold="window", reason="the election window is open")
    findings, status = examine()
    assert status == 0
    assert "only era 999, which has just ended" in told(findings, "owed")[0]


def test_a_method_that_was_never_tried_is_said_to_be_unknown(gateway, network, ledger, examine, metadata):
    network()
    findings, _ = examine()
    assert told(findings, "payout method") == [
        "proxyPayoutstakers cannot be tried without paying; the first payout shows it"
    ]


def test_a_calendar_of_times_to_come_is_refused(world, examine):
    world.healthy(calendar={"era_length": "1h", "anchors": [{"era": 0, "start": "2999-01-01T00:00:00Z"}]})
    findings, status = examine()
    assert status == 1
    assert "before era 0" in found(findings, "error")[0]


# --- people and scripts -----------------------------------------------------------------------------------------------------


def test_people_are_told_what_to_do_below_what_was_found(world, capsys):
    wrong_token(world)
    with pytest.raises(SystemExit) as end:
        doctor()
    assert end.value.code == 1
    printed = capsys.readouterr().out
    words = " ".join(printed.split())
    assert f"-> {Topic.TOKEN_REFUSED.remedy}. Set Password of connection 'staking_gateway_default'" in words
    assert printed.rstrip().splitlines()[-1].startswith("1 error. Fix the first error first")


def test_plain_output_is_one_line_for_each_finding(world, capsys):
    clocks_apart(world)
    doctor("--output", "plain")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["level", "network", "check"]
    assert lines[-1] == "1 warning."
    assert sum("clock is 16 s behind" in line for line in lines) == 1


# --- the root cause -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def problems(capsys):
    """The problems of the command as it is typed by most, as plain JSON."""

    def run():
        with pytest.raises(SystemExit):
            doctor("--output", "json")
        return json.loads(capsys.readouterr().out)

    return run


def test_a_dead_scheduler_comes_first_with_the_eras_it_blocks_and_explains_them(world, problems):
    owed_eras(world)
    dead("SchedulerJob")(world)
    unknown_dag(world)
    first, *others = problems()
    assert (first["check"], first["topic"]) == ("airflow", "scheduler-dead")
    assert first["blocks"].startswith(f"{NETWORK}: eras 990-996; era 990 expires first, in ")
    assert first["help"].endswith("/staking/help#scheduler-dead")
    assert not {"unpaid", "dag-missing"}.intersection(one["topic"] for one in others)
    assert all(one["level"] in ("error", "warning") for one in others)


def test_a_cause_that_no_check_examines_is_listed_with_its_remedy(world, problems):
    world.reopened(PayoutState.REJECTED, reason="request 7 is rejected: BadOrigin")
    (only,) = problems()
    assert (only["check"], only["topic"], only["blocks"].split(";")[0]) == ("eras", "rejected", "era 999")
    assert "BadOrigin" in only["what"]
    assert only["remedy"]


def test_each_problem_has_a_section_of_the_runbook():
    from staking_gateway_provider.doctor import examination

    checks = [*examination.INSTALLATION, *examination.NETWORK, *examination.AIRFLOW]
    assert [check.name for check in checks if check.topic is None] == ["secrets"]


# --- safe steps ---------------------------------------------------------------------------------------------------------------


def paused(dag_id):
    from airflow.models.dag import DagModel
    from airflow.utils.session import create_session

    with create_session() as session:
        return session.scalar(sa.select(DagModel.is_paused).where(DagModel.dag_id == dag_id))


def test_safe_steps_are_named_and_done_and_the_rest_is_checked_again(world, capsys):
    paused_dags(world)
    doctor("--fix", "--yes")
    printed = capsys.readouterr()
    for dag_id in (f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"):
        assert f"Step: Unpause the DAG {dag_id}; its scheduled runs then start\nDone." in printed.err
        assert not paused(dag_id)
    assert printed.out == "Healthy: nothing to do.\n"


def test_a_ledger_is_created_by_a_safe_step(no_ledger, network, capsys, metadata):
    network()
    with pytest.raises(SystemExit):
        doctor("--fix", "--yes")
    assert "Step: Create the ledger sqlite" in capsys.readouterr().err
    assert no_ledger.exists()


class Person(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "left"), [("n\n", True), ("\n", True), ("y\n", False)])
def test_each_safe_step_is_asked_for(world, monkeypatch, capsys, answer, left):
    paused_dag(world)
    monkeypatch.setattr(sys, "stdin", Person(answer))
    doctor("--fix")
    assert paused(f"staking_payout_{NETWORK}") is left
    assert ("Healthy" in capsys.readouterr().out) is not left


def test_nothing_is_changed_where_nobody_can_be_asked(world, monkeypatch):
    paused_dag(world)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(SystemExit, match=r"yes: standard input is not a terminal.*Add --yes"):
        doctor("--fix")
    assert paused(f"staking_payout_{NETWORK}")
