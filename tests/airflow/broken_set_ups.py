"""A set-up of which everything is as it should be, and the ways to break it, each with what the doctor must say."""

from __future__ import annotations

import socket
from datetime import datetime, timedelta, timezone

from names import ACTIVE, ALICE, BOB, CHARLIE, DAVE, NETWORK

from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout import Hold
from staking_gateway.types import AccountId
from staking_gateway_provider.doctor import clock

RUN = Actor("staking_payout_testnet/scheduled")
DEPTH = 3
NOW = datetime.now(timezone.utc)
GATEWAY = "staking_gateway_default"


def planned(ledger, era):
    accounts = {"user": ALICE, "payer": CHARLIE, "relayer": BOB}
    return ledger.plan(
        NETWORK, era, 0, **{role: AccountId.parse(account) for role, account in accounts.items()}, actor=RUN
    )


def paid(ledger, era):
    signed = ledger.transition(planned(ledger, era), PayoutState.SIGNED, "signed", RUN, plans=1, signed_at=NOW)
    sent = ledger.transition(signed, PayoutState.SUBMITTED, "sent", RUN, accepted_at=NOW)
    return ledger.transition(sent, PayoutState.CONFIRMED, "done", RUN, confirmed_at=NOW)


def other_calendar():
    return EraCalendar((EraAnchor(0, datetime(2020, 1, 1, tzinfo=timezone.utc), timedelta(hours=1)),))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class World:
    """What a test breaks."""

    def __init__(self, request):
        self._request = request

    def __getattr__(self, name):
        return self._request.getfixturevalue(name)

    def gateway_connection(self, **fields):
        given = {"conn_type": "staking_gateway", "host": self.simulator.url, "password": self.simulator.token}
        extra = {"read_attempts": 1, **fields.pop("extra", {})}
        self.connect(GATEWAY, **{**given, **fields, "extra": extra})

    def reopened(self, state, **changes):
        """The payout of the newest finished era, in another state."""
        self.ledger.transition(self.ledger.payout(NETWORK, ACTIVE - 1, 0), state, "broken", RUN, **changes)

    def fault(self, rule):
        self.simulator.control.set_faults(rule)


def no_file(world):
    world.monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(world.tmp_path / "elsewhere.yaml"))


def mistyped_setting(world):
    world.healthy(payuot={})


def two_mistakes(world):
    world.healthy(payuot={}, history_depth=0)


def too_many_chunks(world):
    world.monkeypatch.setenv("AIRFLOW__CORE__MAX_MAP_LENGTH", "1")
    world.healthy(statuses={"chunk_size": 1})


def no_start_to_catch_up_from(world):
    world.healthy(catchup=True)


def all_disabled(world):
    world.healthy(enabled=False)


def no_gateway_connection(world):
    world.monkeypatch.delenv(f"AIRFLOW_CONN_{GATEWAY.upper()}")


def other_type(world):
    world.gateway_connection(conn_type="http")


def mistyped_extra(world):
    world.gateway_connection(extra={"allow_htp": True})


def empty_host(world):
    world.gateway_connection(host="")


def nobody_answers(world):
    world.gateway_connection(host=f"http://127.0.0.1:{free_port()}")


def foreign_certificate(world):
    world.gateway_connection(host=world.tls_server.url)


def wrong_base_url(world):
    world.gateway_connection(host=f"{world.simulator.url}/elsewhere")


def wrong_token(world):
    world.gateway_connection(password="another-token")


def unreachable_token_signer(world):
    world.gateway_connection(password=None, extra={"bearer_signer_conn_id": "nobody"})


def refused_self_made_token(world):
    world.gateway_connection(password=None, extra={"bearer_signer_conn_id": "staking_signer_user"})
    world.fault("http-403")


def clocks_far_apart(world):
    world.gateway_connection(password=None, extra={"bearer_signer_conn_id": "staking_signer_user"})
    world.monkeypatch.setattr(clock, "read_offset", lambda *args: 16.2)


def clocks_apart(world):
    world.monkeypatch.setattr(clock, "read_offset", lambda *args: -16.2)


def missing_key(world):
    world.monkeypatch.delenv("AIRFLOW_CONN_STAKING_SIGNER_USER")


def anothers_key(world):
    world.connect("staking_signer_user", conn_type="staking_signer", login=ALICE, password="//Charlie")


def key_of_another_account(world):
    world.connect("staking_signer_payer", conn_type="staking_signer", password="//Alice")


def unreadable_key(world):
    world.connect("staking_signer_user", conn_type="staking_signer", password="no such words")


def silent_remote_signer(world):
    host = f"http://127.0.0.1:{free_port()}"
    world.connect("staking_signer_payer", conn_type="staking_signer", login=CHARLIE, host=host, password="signer-token")


def remote_signer_without_the_key(world):
    world.broken.script = [lambda exchange: exchange.answer(b'{"reason": "no such account"}', "404 Not Found")]
    host = world.broken.url
    world.connect("staking_signer_payer", conn_type="staking_signer", login=CHARLIE, host=host, password="signer-token")


def no_such_payout_method(world):
    reason = "proxyPayoutstakers: JSON-RPC error -32601: Method not found"
    world.reopened(PayoutState.HELD, hold=Hold.UNSUPPORTED.value, reason=reason, accepted_at=None)


def era_not_told(world):
    world.fault("rpc-32601:method=getActiveEra")


def era_zero(world):
    world.fault("era-zero")


def silent_node(world):
    world.connect("substrate_default", conn_type="substrate", host=f"ws://127.0.0.1:{free_port()}")
    world.gateway_connection(extra={"era_source": "chain"})


def drifted_calendar(world):
    start = (datetime.now(timezone.utc) - timedelta(hours=3, minutes=5)).isoformat()
    world.healthy(calendar={"era_length": "1h", "anchors": [{"era": ACTIVE, "start": start}]})


def nonsense_calendar(world):
    world.healthy(calendar={"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]})


def edited_calendar(world):
    world.ledger.journal.agree_on_calendar(NETWORK, other_calendar(), RUN)


def nonces_not_told(world):
    world.fault("rpc-32601:method=getNonce")


def unknown_user(world):
    world.fault("rpc-32602:method=getNonce")


def unknown_relayer(world):
    world.healthy(relayer=DAVE)


def fee_not_told(world):
    world.fault("rpc-32601:method=getRelayerFees")


def fee_above_the_limit(world):
    world.healthy(payout={"max_fee_per_payout": 99})


def no_limit_of_fees(world):
    world.monkeypatch.setattr("staking_gateway.GatewayClient.is_local", False)
    world.healthy(payout={})


def fee_above_the_daily_limit(world):
    world.healthy(payout={"max_fee_per_day": 99})


def fee_above_the_budget(world):
    world.healthy(catch_up={"max_fees": 99})


def spent_today(world):
    world.reopened(PayoutState.CONFIRMED, fee=10**17, signed_at=datetime.now(timezone.utc))
    world.healthy(payout={"max_fee_per_day": str(15 * 10**16)})


def no_funds(world):
    world.simulator.control.fee(2 * 10**24)


def few_funds(world):
    world.simulator.control.fee(10**24 // 5)


def ledger_in_no_folder(world):
    world.connect("test_ledger", conn_type="sqlite", host=str(world.tmp_path / "nowhere" / "ledger.db"))


def ledger_of_something_else(world):
    (world.tmp_path / "other.db").write_text("some words, long enough to be no database at all")
    world.connect("test_ledger", conn_type="sqlite", host=str(world.tmp_path / "other.db"))


def ledger_of_a_type_that_is_none(world):
    world.connect("test_ledger", conn_type="mysql", host="db.example")


def ledger_in_each_working_directory(world):
    world.connect("test_ledger", conn_type="sqlite", host="ledger.db")


def mistyped_ledger_extra(world):
    world.connect("test_ledger", conn_type="postgres", host="db.example", extra={"ssl_mode": "verify-full"})


def no_ledger_connection(world):
    world.monkeypatch.delenv("AIRFLOW_CONN_TEST_LEDGER")


def newer_ledger(world):
    with world.ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE staking_ledger_version SET version_num = '9999'")


def older_ledger(world):
    with world.ledger._database.writing() as connection:
        connection.exec_driver_sql("UPDATE staking_ledger_version SET version_num = '0001'")


def ledger_on_every_worker(world):
    world.monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "LocalExecutor,CeleryExecutor")


def stuck_payload(world):
    world.reopened(PayoutState.UNKNOWN, unanswered=1, unanswered_at=NOW - timedelta(hours=1))


def unconfirmed_payload(world):
    world.reopened(PayoutState.SUBMITTED, accepted_at=NOW - timedelta(hours=1), confirmed_at=None)


def expired_era(world):
    planned(world.ledger, ACTIVE - DEPTH - 1)


def owed_eras(world):
    since = datetime.now(timezone.utc) - timedelta(hours=10, minutes=6)
    world.healthy(history_depth=50, start_date=since.isoformat())


def overdue_era(world):
    world.healthy(history_depth=20)


def no_alert_connection(world):
    world.healthy(alerts={"webhook_conn_id": "nowhere"})


def alert_connection_of_another_type(world):
    world.connect("pager", conn_type="ftp", host="pager.example")
    world.healthy(alerts={"webhook_conn_id": "pager"})


def alert_connection_without_host(world):
    world.connect("pager", conn_type="http")
    world.healthy(alerts={"webhook_conn_id": "pager"})


def paused_dag(world):
    from airflow.models.dag import DagModel

    world.changed(DagModel, DagModel.dag_id == f"staking_payout_{NETWORK}", is_paused=True)


def paused_dags(world):
    from airflow.models.dag import DagModel

    world.changed(DagModel, DagModel.dag_id.contains(NETWORK), is_paused=True)


def unknown_dag(world):
    from airflow.models.dag import DagModel

    world.changed(DagModel, DagModel.dag_id.contains(NETWORK), is_stale=True)


def dead(job_type):
    def stop(world):
        from airflow.jobs.job import Job

        world.changed(Job, Job.job_type == job_type, latest_heartbeat=NOW - timedelta(hours=1))

    stop.__name__ = f"dead {job_type}"
    return stop


BROKEN = [
    (no_file, "STAKING_GATEWAY_CONFIG: there is no file", "Correct the path, or remove it"),
    (mistyped_setting, r"networks.testnet.payuot: unknown key", "Did you mean payout"),
    (two_mistakes, r"networks.testnet.history_depth: '0' is refused", "Write 1 to 100000"),
    (too_many_chunks, "networks.testnet.statuses.chunk_size: 1 splits 2 accounts into 2 tasks", "Write 2 or more"),
    (no_start_to_catch_up_from, "networks.testnet.start_date: is missing", "Write the time from which eras are paid"),
    (no_gateway_connection, "conn_id `staking_gateway_default` isn't defined", "Create the connection"),
    (other_type, "'staking_gateway_default', type: is 'http'", "Name a connection of type staking_gateway"),
    (mistyped_extra, "'staking_gateway_default', extra 'allow_htp': is unknown", "Remove it, or use one of"),
    (empty_host, "'staking_gateway_default', host: is empty", "Set Host to the URL"),
    (nobody_answers, "no connection to the gateway", "Correct Host of connection 'staking_gateway_default'"),
    (foreign_certificate, "certificate is not trusted", "Set the extra ca_bundle of connection"),
    (wrong_base_url, "HTTP 404", "must be the gateway's base URL"),
    (wrong_token, "HTTP 403", "Set Password of connection 'staking_gateway_default' to a token"),
    (unreachable_token_signer, "conn_id `nobody` isn't defined", "Create the connection"),
    (refused_self_made_token, "HTTP 403", "admit the account of bearer_signer_conn_id"),
    (clocks_far_apart, "clock is 16 s ahead of the gateway's: it refuses self-made tokens", "Set this machine's clock"),
    (missing_key, "conn_id `staking_signer_user` isn't defined", "Create the connection"),
    (anothers_key, "'staking_signer_user', password: the key belongs to", "Store the key of the configured account"),
    (
        key_of_another_account,
        "staking_signer_payer signs for .*not for the payer",
        "as payer_signer_conn_id, or correct",
    ),
    (unreadable_key, "'staking_signer_user', password: is not a valid key", "Set it to a mnemonic"),
    (silent_remote_signer, "remote signer did not answer", "Start the remote signer, or correct Host"),
    (
        remote_signer_without_the_key,
        "HTTP 404, no such account",
        "Login or Password of connection 'staking_signer_payer'",
    ),
    (
        no_such_payout_method,
        "refused the method 'proxyPayoutstakers' of the payout of era",
        "Set the extra payout_method of connection",
    ),
    (era_not_told, "does not report the active era", "Set|set the extra era_source"),
    (era_zero, "active era", "set the extra era_source to chain"),
    (silent_node, "node ws://127.0.0.1", "Correct Host of connection 'substrate_default'"),
    (
        nonsense_calendar,
        "calendar.anchors: era [0-9]+ is active by the calendar, era 1000 by the chain",
        "append an anchor",
    ),
    (
        edited_calendar,
        r"networks.testnet.calendar.anchors\[0\]: the anchor of era 0 was",
        "forget-calendar --network testnet",
    ),
    (nonces_not_told, "does not report the payment nonce of the payer", "Supply ready-made proofs"),
    (unknown_user, "getNonce: JSON-RPC error -32602", "Correct payer of networks.testnet in staking.yaml"),
    (unknown_relayer, "getRelayerFees: JSON-RPC error", "Correct relayer or payer of networks.testnet"),
    (fee_not_told, "does not report the relayer's fee", "Supply ready-made proofs"),
    (fee_above_the_limit, "more than max_fee_per_payout 99", "Raise networks.testnet.payout.max_fee_per_payout"),
    (
        no_limit_of_fees,
        "max_fee_per_payout is not set: nothing is signed",
        "Write the highest fee to accept as networks",
    ),
    (fee_above_the_daily_limit, "more than max_fee_per_day 99", "Raise networks.testnet.payout.max_fee_per_day"),
    (no_funds, "free balance .* pays the fees of 0 eras", "Send funds to the payer 5FLSig"),
    (ledger_in_no_folder, "is not a writable folder", "Create it, give this user the right"),
    (ledger_of_something_else, "file is not a database", "name another one"),
    (ledger_of_a_type_that_is_none, "'test_ledger', type: 'mysql' is not a database", "type postgres or sqlite"),
    (ledger_in_each_working_directory, "'test_ledger', host: is no absolute path", "Write the whole path"),
    (mistyped_ledger_extra, "'test_ledger', extra 'ssl_mode': is unknown", "use one of sslmode"),
    (
        no_ledger_connection,
        "named by the environment variable STAKING_GATEWAY_LEDGER_CONN_ID",
        "Create the connection, or correct its name there",
    ),
    (newer_ledger, "has schema 9999, this version knows", "Upgrade airflow-provider-staking-gateway"),
    (
        ledger_on_every_worker,
        "ledger: is an SQLite file, which workers of the CeleryExecutor do not share",
        "Put the ledger into PostgreSQL",
    ),
    (stuck_payload, "era 999 part 0 is UNKNOWN for 1h", "airflow staking pay --network testnet --era 999"),
    (overdue_era, r"17 eras \(980-996\) unpaid; era 980 expires first, in 1 era", "catch-up --network testnet"),
    (expired_era, r"1 era \(996\) expired unpaid", "ledger history --network testnet --era 996"),
    (no_alert_connection, "conn_id `nowhere` isn't defined", "Create the connection"),
    (alert_connection_of_another_type, "'pager', type: is 'ftp'", "Name a connection of type http"),
    (alert_connection_without_host, "'pager', host: is empty", "Set Host"),
    (paused_dags, "DAG staking_payout_testnet is paused", "airflow dags unpause staking_payout_testnet"),
    (unknown_dag, "does not know the DAG staking_payout_testnet", "into the DAGs folder"),
    (dead("TriggererJob"), "Airflow's triggerer is not running since", "Start it: airflow triggerer"),
    (dead("SchedulerJob"), "Airflow's scheduler is not running since", "Start it: airflow scheduler"),
]

WARNED = [
    (all_disabled, "no network of .* is enabled", "Set enabled: true"),
    (clocks_apart, "clock is 16 s behind the gateway's", "Set this machine's clock"),
    (drifted_calendar, "calendar.anchors: era 1003 is active by the calendar", "{era: 1000, start: ...}"),
    (fee_above_the_budget, "more than catch_up.max_fees 99", "Raise networks.testnet.catch_up.max_fees"),
    (spent_today, "on top of today's 100000000000000000 is more than max_fee_per_day", "Wait until midnight UTC"),
    (few_funds, "pays the fees of 5 eras", "Send funds to the payer 5FLSig"),
    (older_ledger, "has schema 0001, this version's is", "airflow staking ledger upgrade"),
    (
        unconfirmed_payload,
        "era 999 part 0 is SUBMITTED for 1h( [0-9]+m)?: sent, and not confirmed",
        "airflow staking pay",
    ),
    (
        owed_eras,
        r"7 eras \(990-996\) unpaid; era 990 expires first, in 41 eras",
        "airflow staking catch-up --network testnet",
    ),
    (paused_dag, "DAG staking_payout_testnet is paused", "airflow dags unpause staking_payout_testnet"),
]
