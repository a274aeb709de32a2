"""A set-up of which everything is as it should be, and the ways to break it, each with what the doctor must say."""

from contextlib import closing
from datetime import datetime, timedelta, timezone

import sqlalchemy as sa
from airflow.models.variable import Variable
from names import ACTIVE, ALICE, CHARLIE, DAVE, NETWORK, PARTY, hourly

from staking_gateway.chain import ChainIdentity
from staking_gateway.chain.block import ChainState
from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE
from staking_gateway.types import ElectionWindow
from staking_gateway_provider.doctor import case
from staking_gateway_provider.hooks.gateway import SubstrateHook
from tests.support.ledgers import connected, put
from tests.support.notifiers import webhook

RUN = Actor("staking_payout_testnet/scheduled")
DEPTH = 3
NOW = datetime.now(timezone.utc)
GATEWAY = "staking_gateway_default"
SILENT = "127.0.0.1:1"
"""An address at which nobody answers."""


def planned(ledger, era):
    return ledger.plan(NETWORK, era, 0, **PARTY, actor=RUN)


def paid(ledger, era):
    return put(ledger, planned(ledger, era), PayoutState.CONFIRMED, RUN)


def other_calendar():
    return EraCalendar((EraAnchor(0, datetime(2020, 1, 1, tzinfo=timezone.utc), timedelta(hours=1)),))


class World:
    """What a test breaks: its attributes are the fixtures of the test."""

    def __init__(self, request):
        self._request = request

    def __getattr__(self, name):
        return self._request.getfixturevalue(name)

    def gateway_connection(self, **fields):
        given = {"conn_type": "stakinggateway", "host": self.simulator.url, "password": self.simulator.token}
        extra = {"read_attempts": 1, **fields.pop("extra", {})}
        self.connect(GATEWAY, **{**given, **fields, "extra": extra})

    def own_tokens(self):
        """The gateway's connection makes its tokens with the user's key."""
        self.gateway_connection(password=None, extra={"bearer_signer_conn_id": "staking_signer_user"})

    def reopened(self, state, *, ago=timedelta(0), **changes):
        """The payout of the newest finished era, in another state since some time."""
        url = f"sqlite:///{self.tmp_path / 'ledger.db'}"
        with connected(url) as connection:
            connection.exec_driver_sql(f"UPDATE payouts SET network = 'another' WHERE era = {ACTIVE - 1}")
        with closing(Ledger(url, clock=lambda: datetime.now(timezone.utc) - ago)) as earlier:
            return put(earlier, planned(earlier, ACTIVE - 1), state, RUN, **changes)

    def fault(self, rule):
        self.simulator.control.set_faults(rule)

    def offset(self, seconds):
        self.monkeypatch.setattr(case, "read_offset", lambda *args: seconds)

    def schema(self, version):
        with connected(f"sqlite:///{self.tmp_path / 'ledger.db'}") as connection:
            connection.exec_driver_sql(f"UPDATE staking_ledger_version SET version_num = '{version}'")

    def dags(self, *dag_ids, **columns):
        from airflow.models.dag import DagModel

        _update(DagModel, DagModel.dag_id.in_(dag_ids), **columns)

    def dead(self, job_type):
        from airflow.jobs.job import Job

        _update(Job, Job.job_type == job_type, latest_heartbeat=NOW - timedelta(hours=1))


def _update(model, where, **columns):
    """Change rows of the metadata database; the next test has them anew."""
    from airflow.utils.session import create_session

    with create_session() as session:
        session.execute(sa.update(model).where(where).values(**columns))


PAYOUT_DAG, CATCH_UP_DAG = f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"


def settings(**changes):
    return lambda world: world.healthy(**changes)


def fault(rule):
    return lambda world: world.fault(rule)


def gateway(**fields):
    return lambda world: world.gateway_connection(**fields)


def connection(conn_id, **fields):
    return lambda world: world.connect(conn_id, **fields)


def payer_key(**fields):
    return connection("staking_signer_payer", conn_type="stakingsigner", **fields)


def missing(conn_id):
    return lambda world: world.monkeypatch.delenv(f"AIRFLOW_CONN_{conn_id.upper()}")


def reopened(state, **changes):
    return lambda world: world.reopened(state, **changes)


def no_file(world):
    world.monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(world.tmp_path / "elsewhere.yaml"))


def nobody_answers(world):
    world.gateway_connection(host=f"http://{SILENT}")


def wrong_token(world):
    world.gateway_connection(password="another-token")


def refused_self_made_token(world):
    world.own_tokens()
    world.fault("http-403")


def fees_in_a_currency(world):
    def refuse(*_):
        raise GatewayError(method="getRelayerFees", how=Failed.CURRENCY, code=-32602)

    world.monkeypatch.setattr("staking_gateway.GatewayClient.relayer_fee", refuse)


def clocks_far_apart(world):
    world.own_tokens()
    world.offset(16.2)


def clocks_apart(world):
    world.offset(-16.2)


def silent_node(world, host=f"ws://{SILENT}"):
    world.connect("substrate_default", conn_type="substrate", host=host)
    world.gateway_connection(extra={"node_conn_id": "substrate_default"})


def ledger_of_something_else(world):
    (world.tmp_path / "other.db").write_text("some words, long enough to be no database at all")
    world.connect("test_ledger", conn_type="sqlite", host=str(world.tmp_path / "other.db"))


def another_ledger_pays(world):
    Variable.set(f"staking_ledger.test_ledger.{'ab' * 16}", "sqlite:////elsewhere/ledger.db")


def owed_eras(world, depth=50):
    since = datetime.now(timezone.utc) - timedelta(hours=10, minutes=6)
    world.healthy(history_depth=depth, start_date=since.isoformat())


def drifted_by_a_wrong_clock(world):
    world.offset(9000)
    world.healthy(calendar=hourly(minutes=150))


def unmigrated(world):
    """The metadata database cannot be read."""

    def refuse(*args, **kwargs):
        raise sa.exc.OperationalError("SELECT", {}, Exception("no such table: dag"))

    world.monkeypatch.setattr("airflow.utils.session.create_session", refuse)


BROKEN = {
    "no file": (no_file, "STAKING_GATEWAY_CONFIG: there is no file", "Correct the path, or remove it"),
    "mistyped setting": (settings(payuot={}), r"networks.testnet.payuot: unknown key", "Did you mean payout"),
    "no start": (settings(catchup=True), "catchup: is true, and start_date is missing", "Write as start_date"),
    "no connection": (missing(GATEWAY), f"conn_id `{GATEWAY}` isn't defined", "Create the connection"),
    "nobody answers": (nobody_answers, "no connection to 127.0.0.1:", f"address is Host of connection `{GATEWAY}`"),
    "gateway in trouble": (fault("http-503-before"), "HTTP 503", "Ask the gateway's operator"),
    "token": (wrong_token, "HTTP 403", f"The token is Password of connection `{GATEWAY}`"),
    "own token": (refused_self_made_token, "HTTP 403", "admit the account of connection `staking_signer_user`"),
    "a payer in the token": (
        lambda world: world.gateway_connection(
            password=None, extra={"bearer_signer_conn_id": "staking_signer_user", "bearer_payer": CHARLIE}
        ),
        "its tokens name a payer",
        "remove bearer_payer",
    ),
    "fees in a currency": (fees_in_a_currency, "charges its fees in another currency", "Ask the gateway's operator"),
    "clock": (clocks_far_apart, "clock is 16 s ahead of the gateway's: it refuses", "Set the clock"),
    "no key": (
        missing("staking_signer_user"),
        "user_signer_conn_id: .*`staking_signer_user` isn't",
        "Create the connection",
    ),
    "key of another account": (
        payer_key(password="//Alice"),
        "staking_signer_payer signs for .*not for the payer",
        "Put the key of the named account .*networks.testnet.payer_signer_conn_id in .*staking.yaml",
    ),
    "no era": (fault("rpc-32601:method=getActiveEra"), "does not report the active era", "extra node_conn_id"),
    "silent node": (silent_node, "node ws://127.0.0.1", "Correct the address and the chain of the node's connection"),
    "edited calendar": (
        lambda world: world.ledger.journal.agree_on_calendar(NETWORK, other_calendar()),
        r"networks.testnet.calendar.anchors\[0\]: the anchor was era 0,",
        "forget-calendar --network testnet",
    ),
    "no nonces": (fault("rpc-32601:method=getNonce"), "not report the payment nonce", "Supply ready-made proofs"),
    "unknown user": (fault("rpc-32602:method=getNonce"), "JSON-RPC error -32602", "Correct payer of networks.testnet"),
    "unknown relayer": (settings(relayer=DAVE), "getRelayerFees: JSON-RPC error", "Correct relayer or payer"),
    "no fee": (fault("rpc-32601:method=getRelayerFees"), "not report the relayer's fee", "supply ready-made proofs"),
    "no folder": (
        connection("test_ledger", conn_type="sqlite", host="/nowhere/ledger.db"),
        "is not a writable folder",
        "Create it, give this user the right",
    ),
    "no database": (ledger_of_something_else, "file is not a database", "name another one"),
    "stopped": (
        lambda world: world.ledger.stop("the key may be stolen", RUN),
        "^A person stopped the ledger: the key may be stolen",
        "run airflow staking ledger go",
    ),
    "no ledger connection": (missing("test_ledger"), "STAKING_GATEWAY_LEDGER_CONN_ID", "Create the connection"),
    "ledger of another version": (lambda world: world.schema("9999"), "has schema 9999", "Install the vers"),
    "no metadata": (unmigrated, "Airflow's Variables, which record the ledger", "Check Airflow's database"),
    "another ledger pays": (
        another_ledger_pays,
        r"ledger that pays has abababab \(Airflow's Variable staking_ledger.test_ledger.ab",
        "name its connection as ledger_conn_id",
    ),
    "overdue eras": (lambda world: owed_eras(world, depth=10), "Eras are unpaid: eras 990-996", "Start the catch-up"),
    "no receiver": (settings(alerts={"notifiers": [webhook("nowhere")]}), "`nowhere` isn't", "Create the connection"),
    "scheduler": (lambda world: world.dead("SchedulerJob"), "scheduler is not running: the last", "airflow scheduler"),
    "triggerer": (lambda world: world.dead("TriggererJob"), "triggerer is not running: the last", "airflow triggerer"),
}
"""How a set-up is broken, and in what the first error names it and says what to do."""


def paid_before(world, *, used=1):
    """The newest era was paid by this ledger with nonces 0; so many are used on the chain."""
    nonces = {"chain": "staking-gateway simulator", "staking_nonce": 0, "payment_nonce": 0}
    world.reopened(PayoutState.CONFIRMED, **nonces)
    for account, kind in ((ALICE, "staking"), (CHARLIE, "payment")):
        world.simulator.control.nonce(account, kind, by=used)


def under_way(world):
    """Another network's payload was sent with nonces 1 and has just been executed; the ledger does not know yet."""
    paid_before(world, used=2)
    nonces = {"chain": "staking-gateway simulator", "staking_nonce": 1, "payment_nonce": 1}
    payout = world.ledger.plan("another", ACTIVE - 5, 0, **PARTY, actor=RUN)
    put(world.ledger, payout, PayoutState.SIGNED, **nonces)


def seen_lately(world):
    paid_before(world)
    for era in (ACTIVE - 3, ACTIVE - 2):
        world.ledger.journal.note_once(NETWORK, era, NONCES_USED_ELSEWHERE, "1 staking nonce of the user was used")


def seen_long_ago(world):
    seen_lately(world)
    with connected(f"sqlite:///{world.tmp_path / 'ledger.db'}") as connection:
        connection.exec_driver_sql("UPDATE era_notices SET at = '2020-01-01 00:00:00.000000'")


WARNED = {
    "disabled": (settings(enabled=False), "no network of .* is enabled", "Set enabled: true"),
    "a ledger that others can open": (
        lambda world: (world.tmp_path / "ledger.db").chmod(0o644),
        "has mode 644: other users of this machine can open it",
        "Run chmod 600",
    ),
    "clock": (clocks_apart, "clock is 16 s behind the gateway's", "Set the clock"),
    "drifted calendar": (settings(calendar=hourly(minutes=185)), "era 1003 from calendar", r"append `- \{era: 1000"),
    "drifted calendar, by a wrong clock": (drifted_by_a_wrong_clock, "clock is 9000 s", "Set the clock"),
    "second deployment": (
        lambda world: paid_before(world, used=3),
        "used 2 staking nonces of the user .* and 2 payment nonces of the",
        "If that is another deployment, pause its DAGs",
    ),
    "second deployment, lately": (
        seen_lately,
        f"before era {ACTIVE - 2} was paid, 1 staking nonce of the user was used, and so before 1 other",
        "another deployment",
    ),
    "budget": (settings(catch_up={"max_fees": 99}), "than catch_up.max_fees 99", "Raise networks.testnet.catch_up"),
    "unpaid eras": (owed_eras, "Eras are unpaid: eras 990-996", "Start the catch-up"),
    "paused catch-up": (
        lambda world: world.dags(CATCH_UP_DAG, is_paused=True),
        "staking_catch_up_testnet starts no runs",
        "airflow dags unpause staking_catch_up_testnet",
    ),
}
"""How something works only for now, and in what the first warning names it and says what to do."""


class Node:
    """A node that answers."""

    def __init__(self, *, automatic):
        self._automatic = automatic

    def identity(self):
        return ChainIdentity("0x" + "11" * 32, "somenet")

    def token(self):
        return None

    def state(self):
        return ChainState(ACTIVE, ElectionWindow.CLOSED, self._automatic, 4711)


def node(**options):
    def put_up(world):
        world.gateway_connection(extra={"node_conn_id": "substrate_default"})
        world.monkeypatch.setattr(SubstrateHook, "get_conn", lambda hook: Node(**options))

    return put_up


def another_genesis(world):
    node(automatic=False)(world)
    world.ledger.plan(NETWORK, ACTIVE + 1, 0, **PARTY, actor=RUN, chain="0x" + "22" * 32)


def plain_http(world):
    world.monkeypatch.setattr("staking_gateway.http.endpoint.is_loopback", lambda host: False)
    world.gateway_connection(extra={"allow_http": True})


def receiver(world):
    world.connect("pager", conn_type="http", host="pager.example")
    world.healthy(alerts={"notifiers": [webhook("pager")]})


NOTED = {
    "no node": (lambda world: None, "node", "note", "^none configured; .*/help#no-node$"),
    "node": (node(automatic=False), "node", "ok", "substrate_default: somenet, block 4711"),
    "restored": (lambda world: world.ledger.restored("a backup", RUN), "ledger", "note", "^restored, by .* UTC: a ba"),
    "another chain": (another_genesis, "node", "error", "serves .*0x1{64}; the ledger paid testnet on 0x2{64}$"),
    "automatic chain": (node(automatic=True), "active era", "note", "pays its stakers by itself"),
    "plain http": (plain_http, "connection", "warning", "over plain http to 127.0.0.1"),
    "development user": (plain_http, "user key", "warning", "is a development account"),
    "development payer": (plain_http, "payer key", "warning", "is a development account"),
    "own nonces": (paid_before, "nonces", "ok", "^staking 1, payment 1$"),
    "payload under way": (under_way, "nonces", "ok", "^staking 2, payment 2$"),
    "second deployment, long ago": (seen_long_ago, "nonces", "ok", "^staking 1, payment 1$"),
    "nameless chain": (fault("rpc-32601:method=getChainInfo"), "gateway", "ok", "does not report its chain's name"),
    "rate limit": (fault("http-429:method=getChainInfo"), "gateway", "error", "HTTP 429"),
    "no time": (lambda world: world.offset(None), "clock", "note", "the gateway does not report its time"),
    "receiver": (receiver, "alerts", "ok", "^1 notifier can be made; nothing was sent to try them$"),
    "left out for the ledger": (lambda world: world.schema("9999"), "the rest", "note", ": nonces, alerts$"),
    "left out for the gateway": (nobody_answers, "the rest", "note", ": active era, nonces, fee$"),
}
"""How a set-up is changed, and the check that says so, at which level and in what words."""
