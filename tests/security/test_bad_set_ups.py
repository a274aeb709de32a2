"""Bad input is named with its remedy by `airflow staking doctor`: Airflow's own secrets, shared payers, a dead process."""

from __future__ import annotations

import base64
import re
import secrets
import sqlite3
from contextlib import closing
from datetime import datetime, timezone

import pytest
import sqlalchemy as sa
from broken_set_ups import RUN, planned
from names import ACTIVE, ALICE, CHARLIE, NETWORK
from test_doctor import changed, examine, found, healthy, metadata, told

from staking_gateway.ledger import PayoutState
from staking_gateway.payout.foreign_nonces import NONCES_USED_ELSEWHERE
from staking_gateway_provider.doctor.airflow import check_secrets
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.findings import Level
from tests.airflow.conftest import airflow_db, airflow_home, broken, connect, gateway, ledger, network, simulator

# Fixtures are found by the names a module holds.
FIXTURES = (
    airflow_db, airflow_home, broken, changed, connect, examine, gateway, healthy, ledger, metadata, network, simulator,
)  # fmt: skip
FERNET, API, JWT = "AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY", "AIRFLOW__API_AUTH__JWT_SECRET"
GOOD_FERNET = base64.urlsafe_b64encode(bytes(range(32))).decode()
PUBLISHED = "46BKJoQYlPPOexq0OhDZnIlNepKFf87WFwLbfzqDDho="
LONG = secrets.token_hex(32)


# --- Airflow's own secrets -------------------------------------------------------------------------------------------


DATABASE = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"
ZEROS = base64.urlsafe_b64encode(bytes(32)).decode()
ERROR, WARNING = Level.ERROR, Level.WARNING
WEAK = {
    # what is set, the level of the finding, what it says, and the remedy it names
    "a published Fernet key": ({FERNET: PUBLISHED}, ERROR, "is a published example", "rotate-fernet-key"),
    "a published one behind a good one": (
        {FERNET: f"{GOOD_FERNET},{PUBLISHED}"}, ERROR, "is a published example", "rotate-fernet-key",
    ),
    "a Fernet key that is none": ({FERNET: "changeme"}, ERROR, "core.fernet_key is not 32 bytes", "Make a new one"),
    "a Fernet key of zeros": ({FERNET: ZEROS}, ERROR, "core.fernet_key is not random", "Make a new one"),
    "the API secret of an example": ({API: "airflow"}, ERROR, "api.secret_key is an example", "openssl rand -hex 32"),
    "a short API secret": ({API: LONG[:16]}, ERROR, "is an example, a placeholder or too short", "openssl"),
    "the JWT secret of Airflow's compose file": (
        {JWT: "airflow_jwt_secret"}, ERROR, "api_auth.jwt_secret is an example.*read every connection", "openssl rand",
    ),
    "a JWT secret of one letter": ({JWT: "a" * 64}, ERROR, "api_auth.jwt_secret is an example", "openssl"),
    "a placeholder": ({JWT: "please-change-me-" + LONG[:20]}, ERROR, "api_auth.jwt_secret", "openssl"),
    "one for two": ({API: LONG, JWT: LONG}, WARNING, "hold the same value", ""),
    "all admins": ({"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True"}, WARNING, "every visitor is an admin", ""),
    **{
        f"the password {password} of the database": (
            {DATABASE: f"postgresql+psycopg2://metadata_user:{password}@db.example/airflow"}, WARNING,
            "password of Airflow's database", "",
        )
        for password in ("airflow", "postgres", "metadata_user")
    },
}  # fmt: skip


@pytest.fixture
def secrets_told(airflow_db):
    """What the doctor's check of Airflow's secrets finds."""
    return lambda: list(check_secrets(SetUp()))


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_secret_of_airflow_is_told_with_its_remedy_and_is_not_quoted(secrets_told, monkeypatch, name):
    values, level, what, remedy = WEAK[name]
    for variable in (API, JWT):  # those that each process makes up are no concern of this check
        monkeypatch.delenv(variable, raising=False)
    assert [finding.level for finding in secrets_told()] == [Level.OK]
    for variable, value in values.items():
        monkeypatch.setenv(variable, value)
    (finding,) = [one for one in secrets_told() if re.search(what, one.what)]
    assert (finding.level, remedy in finding.remedy) == (level, True)
    for value in values.values():
        assert value == "True" or value not in str(finding).replace("Airflow", "")


def test_a_weak_secret_ends_the_command_badly_and_strong_ones_are_well(healthy, metadata, examine, monkeypatch):
    for variable, value in {FERNET: GOOD_FERNET, API: LONG, JWT: LONG[::-1]}.items():
        monkeypatch.setenv(variable, value)
    findings, status = examine()
    assert status == 0
    assert told(findings, "secrets") == ["Airflow's secrets are neither examples nor too short"]
    monkeypatch.setenv(JWT, "airflow_jwt_secret")
    findings, status = examine()
    assert status == 1
    assert len(found(findings, "error")) == 1


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


def test_a_second_deployment_is_found_by_the_nonces_it_used(paid_before, metadata, examine, simulator):
    assert told(examine()[0], "nonces") == ["staking 1, payment 1"], "all our own"
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


def test_what_was_seen_in_the_last_days_is_told_too_and_older_things_are_not(
    paid_before, metadata, examine, ledger, tmp_path
):
    for era in (ACTIVE - 3, ACTIVE - 2):
        ledger.journal.note_once(NETWORK, era, NONCES_USED_ELSEWHERE, "1 staking nonce of the user was used", RUN)
    findings, _ = examine()
    (line,) = found(findings, "warning")
    assert line.startswith(
        f"before era {ACTIVE - 2} was paid, 1 staking nonce of the user was used, and so before 1 other"
    )
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection, connection:
        connection.execute("UPDATE era_notices SET at = '2020-01-01 00:00:00.000000'")
    assert found(examine()[0], "warning") == []
