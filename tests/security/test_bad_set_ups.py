"""`airflow staking doctor` names dangerous set-ups with a remedy: development keys, and a payer that two deployments share."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from broken_set_ups import World, planned
from names import ACTIVE, ALICE, CHARLIE, NETWORK
from test_doctor import examine, found, healthy, metadata, told

from staking_gateway.ledger import PayoutState
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE
from tests.airflow.conftest import airflow_db, airflow_home, broken, connect, gateway, ledger, network, simulator
from tests.support.ledgers import put

CHAIN = "staking-gateway simulator"
# Fixtures are found by the names a module holds.
FIXTURES = (
    airflow_db, airflow_home, broken, connect, examine, gateway, healthy, ledger, metadata, network, simulator,
)  # fmt: skip


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
    assert [line.split(" is a development")[0].split()[-1] for line in lines] == [ALICE, CHARLIE]


# --- two deployments, one payer --------------------------------------------------------------------------------------


@pytest.fixture
def paid_before(healthy, request, simulator):
    """The newest era was paid by this ledger with nonces 0; the chain knows."""
    payout = World(request).reopened(PayoutState.CONFIRMED, chain=CHAIN, staking_nonce=0, payment_nonce=0)
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
    assert f"used 2 staking nonces of the user {ALICE} and 2 payment nonces of the" in line
    assert "-> If that is another deployment, pause its DAGs" in line


def test_a_payload_under_way_is_no_second_deployment(paid_before, metadata, examine, simulator, ledger):
    """It was sent with nonce 1 and has just been executed; the ledger does not know yet."""
    put(ledger, planned(ledger, ACTIVE - 5), PayoutState.SIGNED, chain=CHAIN, staking_nonce=1, payment_nonce=1)
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        simulator.control.nonce(account, kind, by=1)
    findings, _ = examine()
    assert told(findings, "nonces") == ["staking 2, payment 2"]


def test_what_was_seen_in_the_last_days_is_told_too_and_older_things_are_not(
    paid_before, metadata, examine, ledger, tmp_path
):
    for era in (ACTIVE - 3, ACTIVE - 2):
        ledger.journal.note_once(NETWORK, era, NONCES_USED_ELSEWHERE, "1 staking nonce of the user was used")
    findings, _ = examine()
    (line,) = found(findings, "warning")
    assert f": before era {ACTIVE - 2} was paid, 1 staking nonce of the user was used, and so before 1 other" in line
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection, connection:
        connection.execute("UPDATE era_notices SET at = '2020-01-01 00:00:00.000000'")
    assert found(examine()[0], "warning") == []
