"""Bad input is named with its remedy by `airflow staking doctor`: Airflow's own secrets, shared payers, clocks that are apart."""

from __future__ import annotations

import base64
import re
import secrets
from datetime import datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from airflow_setup import airflow_db, airflow_home, broken, connect, gateway, ledger, network, simulator
from broken_set_ups import RUN, planned
from names import ACTIVE, ALICE, CHARLIE, NETWORK
from test_doctor import changed, examine, found, healthy, metadata, told

from staking_gateway.ledger import PayoutState
from staking_gateway.payout.foreign_nonces import NONCES_USED_ELSEWHERE

# Fixtures are found by the names a module holds.
FIXTURES = (
    airflow_db, airflow_home, broken, changed, connect, examine, gateway, healthy, ledger, metadata, network, simulator,
)  # fmt: skip
FERNET, API, JWT = "AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY", "AIRFLOW__API_AUTH__JWT_SECRET"
GOOD_FERNET = base64.urlsafe_b64encode(bytes(range(32))).decode()
PUBLISHED = "46BKJoQYlPPOexq0OhDZnIlNepKFf87WFwLbfzqDDho="
LONG = secrets.token_hex(32)


# --- Airflow's own secrets -------------------------------------------------------------------------------------------

WEAK = {
    "a published Fernet key": ({FERNET: PUBLISHED}, "core.fernet_key is a published example", "rotate-fernet-key"),
    "a published one behind a good one": (
        {FERNET: f"{GOOD_FERNET},{PUBLISHED}"},
        "core.fernet_key is a published example",
        "rotate-fernet-key",
    ),
    "a Fernet key that is none": ({FERNET: "changeme"}, "core.fernet_key is not 32 bytes", "Make a new one"),
    "a Fernet key of zeros": (
        {FERNET: base64.urlsafe_b64encode(bytes(32)).decode()},
        "core.fernet_key is not random",
        "Make a new one",
    ),
    "the API secret of an example": ({API: "airflow"}, "api.secret_key is an example", "openssl rand -hex 32"),
    "a short API secret": ({API: LONG[:16]}, "api.secret_key is an example, a placeholder or too short", "openssl"),
    "the JWT secret of Airflow's compose file": (
        {JWT: "airflow_jwt_secret"},
        "api_auth.jwt_secret is an example.*read every connection",
        "openssl rand -hex 32",
    ),
    "a JWT secret of one letter": ({JWT: "a" * 64}, "api_auth.jwt_secret is an example", "openssl"),
    "a placeholder": ({JWT: "please-change-me-" + LONG[:20]}, "api_auth.jwt_secret", "openssl"),
}


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_secret_of_airflow_is_an_error_with_its_remedy_and_is_not_quoted(
    healthy, metadata, examine, monkeypatch, name
):
    values, what, remedy = WEAK[name]
    for variable, value in values.items():
        monkeypatch.setenv(variable, value)
    findings, status = examine()
    assert status == 1
    (line,) = found(findings, "error")
    assert re.search(f"{what}.* -> .*{remedy}", line), line
    for value in values.values():
        assert value not in str([one for one in findings if one["check"] == "secrets"]).replace("Airflow", "")


def test_strong_secrets_are_well(healthy, metadata, examine, monkeypatch):
    for variable, value in {FERNET: GOOD_FERNET, API: LONG, JWT: LONG[::-1]}.items():
        monkeypatch.setenv(variable, value)
    findings, status = examine()
    assert status == 0
    assert told(findings, "secrets") == ["Airflow's secrets are neither examples nor too short"]


def test_one_secret_for_two_purposes_is_warned_of(healthy, metadata, examine, monkeypatch):
    for variable in (API, JWT):
        monkeypatch.setenv(variable, LONG)
    findings, _ = examine()
    assert any("hold the same value" in line for line in found(findings, "warning"))


def test_secrets_that_each_process_makes_up_are_no_concern_of_this_check(healthy, metadata, examine, monkeypatch):
    for variable in (API, JWT):
        monkeypatch.delenv(variable, raising=False)
    findings, status = examine()
    assert status == 0
    assert len(told(findings, "secrets")) == 1


def test_everybody_as_admin_is_warned_of(healthy, metadata, examine, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS", "True")
    findings, _ = examine()
    assert any("every visitor is an admin" in line for line in found(findings, "warning"))


@pytest.mark.parametrize("password", ["airflow", "postgres", "metadata_user"])
def test_the_example_password_of_airflows_database_is_warned_of(healthy, metadata, examine, monkeypatch, password):
    url = f"postgresql+psycopg2://metadata_user:{password}@db.example/airflow"
    monkeypatch.setenv("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", url)
    findings, _ = examine()
    (line,) = [line for line in found(findings, "warning") if "password of Airflow's database" in line]
    assert "sql_alchemy_conn" in line
    assert url not in line


def test_a_key_that_was_stored_in_clear_is_an_error_that_names_its_connection(healthy, metadata, examine):
    from airflow.models.connection import Connection
    from airflow.utils.session import create_session

    row = Connection(conn_id="signer_in_clear", conn_type="staking_signer")
    row._password, row.is_encrypted = "//not-to-be-seen", False
    with create_session() as session:
        session.add(row)
    try:
        findings, status = examine()
    finally:
        with create_session() as session:
            session.execute(sa.delete(Connection).where(Connection.conn_id == "signer_in_clear"))
    assert status == 1
    (line,) = found(findings, "error")
    assert "empty when connection signer_in_clear was stored" in line
    assert "not-to-be-seen" not in str(findings)


@pytest.mark.usefixtures("healthy", "metadata")
def test_a_development_key_away_from_home_is_warned_of(examine, monkeypatch, simulator, connect):
    monkeypatch.setattr("staking_gateway.http.endpoint.is_loopback", lambda host: False)
    connect(
        "staking_gateway_default",
        conn_type="staking_gateway",
        host=simulator.url,
        password=simulator.token,
        extra={"allow_http": True, "read_attempts": 1},
    )
    lines = [line for line in found(examine()[0], "warning") if "is a development account" in line]
    assert [line.split()[2] for line in lines] == [ALICE, CHARLIE]


# --- two deployments, one payer --------------------------------------------------------------------------------------


@pytest.fixture
def paid_before(healthy, ledger, simulator):
    """The newest era was paid by this ledger with nonces 0; the chain knows."""
    payout = ledger.payout(NETWORK, ACTIVE - 1, 0)
    chain = "staking-gateway simulator"
    ledger.transition(payout, payout.state, "test", RUN, staking_nonce=0, payment_nonce=0, chain=chain)
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        simulator.control.nonce(account, kind, by=1)
    return payout


def test_nonces_that_are_all_our_own_are_well(paid_before, metadata, examine):
    findings, status = examine()
    assert status == 0
    assert told(findings, "nonces") == ["staking 1, payment 1"]


def test_a_second_deployment_is_found_by_the_nonces_it_used(paid_before, metadata, examine, simulator):
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        simulator.control.nonce(account, kind, by=2)
    findings, status = examine()
    assert status == 0
    (line,) = found(findings, "warning")
    assert f"since the last payout here, 2 staking nonces of the user {ALICE} and 2 payment nonces of the" in line
    assert "-> If that was another deployment, pause its DAGs" in line


def test_a_payload_under_way_is_no_second_deployment(paid_before, metadata, examine, simulator, ledger):
    """It was sent with nonce 1 and has just been executed; the ledger does not know yet."""
    fields = {"staking_nonce": 1, "payment_nonce": 1, "chain": "staking-gateway simulator", "plans": 1}
    now = datetime.now(timezone.utc)
    ledger.transition(planned(ledger, ACTIVE - 5), PayoutState.SIGNED, "test", RUN, signed_at=now, **fields)
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        simulator.control.nonce(account, kind, by=1)
    findings, _ = examine()
    assert told(findings, "nonces") == ["staking 2, payment 2"]


def test_what_was_seen_in_the_last_days_is_told_too_and_older_things_are_not(paid_before, metadata, examine, ledger):
    for era in (ACTIVE - 3, ACTIVE - 2):
        ledger.journal.note_once(NETWORK, era, NONCES_USED_ELSEWHERE, "1 staking nonce of the user was used", RUN)
    findings, _ = examine()
    (line,) = found(findings, "warning")
    assert line.startswith(
        f"before era {ACTIVE - 2} was paid, 1 staking nonce of the user was used, and so before 1 other"
    )
    with ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE era_notices SET at = '2020-01-01 00:00:00.000000'")
    assert found(examine()[0], "warning") == []


# --- clocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("job_type", ["SchedulerJob", "TriggererJob"])
def test_a_clock_that_is_ahead_shows_in_heartbeats_from_the_future(healthy, examine, changed, job_type):
    from airflow.jobs.job import Job

    ahead = datetime.now(timezone.utc) + timedelta(minutes=10)
    changed(Job, Job.job_type == job_type, latest_heartbeat=ahead)
    findings, status = examine()
    assert status == 0
    (line,) = found(findings, "warning")
    assert line.startswith(f"the {job_type[:-3].lower()}'s clock is ")
    assert "s ahead of this machine's -> Set the clocks of all machines" in line


def test_a_clock_that_is_behind_looks_like_a_dead_process_and_is_named_as_one_of_the_reasons(healthy, examine, changed):
    from airflow.jobs.job import Job

    changed(Job, Job.job_type == "TriggererJob", latest_heartbeat=datetime.now(timezone.utc) - timedelta(hours=1))
    (line,) = found(examine()[0], "error")
    assert "no triggerer is alive" in line
    assert "its machine's clock is behind this one's: set both" in line


def test_a_workers_clock_that_is_ahead_shows_in_what_it_wrote_to_the_ledger(healthy, metadata, examine, ledger):
    later = datetime.now(timezone.utc) + timedelta(minutes=3)
    ledger._clock = lambda: later
    ledger.transition(planned(ledger, ACTIVE - 5), PayoutState.HELD, "test", RUN, reason="the election window is open")
    (line,) = [line for line in found(examine()[0], "warning") if "clock" in line]
    assert line.startswith(f"when {RUN.run} last wrote to the ledger, its machine's clock is ")
    assert "s ahead of" in line


def test_clocks_that_agree_are_not_mentioned(healthy, metadata, examine):
    findings, status = examine()
    assert status == 0
    assert [one["what"] for one in findings if one["level"] != "ok"] == []
