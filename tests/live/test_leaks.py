"""Every fault there is, failures, retries, deferrals and alerts; then no secret is found in anything that Airflow stored or shows.

Why live: Airflow's own logs, database, trigger rows, error pages, commands and API decide where a value ends up. That our errors and log
lines hold no secret is proved without Airflow (`tests/security`).
"""

from __future__ import annotations

import base64
import json
import secrets
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
import sqlalchemy as sa
from cryptography.fernet import Fernet, InvalidToken
from substrateinterface import Keypair

from staking_gateway.signing import LocalSigner
from staking_gateway.types import AccountId
from staking_gateway_simulator.faults import FAULTS
from staking_gateway_simulator.settings import DEFAULT_FEE
from staking_gateway_simulator.signer import RunningSigner
from staking_gateway_simulator.signing_policy import SigningPolicy
from tests.live.network import ACTIVE, RELAYER, Network
from tests.live.stand import PATIENCE, ROOT, Stand
from tests.support import servers
from tests.support.notifiers import webhook
from tests.support.receiver import Receiver

NETWORK = "faulty"
OWED = 60
SECONDS = {
    "late": 4, "refuse": 0.5, "http-429": 1, "window-opens": 3, "slow-execution": 4, "clock-skew": 3600, "nonce-stale": 3600,
    "nonce-ahead": 3600, "queue-blocked": 4, "early-sending-failed": 4, "early-rejected": 4, "early-processed": 4,
}  # fmt: skip
"""Of faults that by default would hold the run up, or hardly ever strike."""
FEES = ("fee-before", "fee-after")
"""Faults that strike without a higher fee: the signer signs a payment nonce for one fee only."""
ON_THE_PAYOUT = (
    "reset-after", "silence-after", "truncated", "not-json", "http-502-after", "rpc-32600", "rpc-32603-after", "wrong-id",
    "error-in-result", "http-403",
)  # fmt: skip
RECEIVER = {**webhook("alerts_receiver"), "endpoint": "{{ conn.alerts_receiver.password }}"}
"""Its path is a secret, so it is in the connection's password."""
CONNECTIONS = (
    "issued_gateway", "refused_gateway", "gateway_away", "node_with_a_key",
    "signer_unreadable", "signer_of_another", "signer_misspelt", "signer_away",
)  # fmt: skip
COMMANDS = [
    ["staking", "doctor"],
    ["staking", "doctor", "--output", "json"],
    ["staking", "pay", "--network", NETWORK, "--dry-run"],
    ["staking", "eras", "--network", NETWORK],
    ["staking", "ledger", "status"],
    ["staking", "why", "--network", NETWORK, "--era", str(ACTIVE - 1)],
    ["staking", "accounts", "--network", NETWORK, "--check"],
    *(["connections", "test", conn_id] for conn_id in CONNECTIONS),
    ["staking", "pay", "--network", NETWORK, "--yes", "--eras", str(ACTIVE - 2)],
    ["tasks", "list", "careless"],
]


def rules(names=FAULTS, times=1):
    """Each of some faults for any call it can happen to."""
    more = {name: f":seconds={seconds}" for name, seconds in SECONDS.items()} | dict.fromkeys(FEES, ":by=0")
    return [f"{name}:times={times}{more.get(name, '')}" for name in names]


HTTP_LIBRARIES = (b"[urllib3.", b".hooks.http.HttpHook]", b".notifications.http.HttpNotifier]")


class Unreliable(Receiver):
    """Of three messages refuses the first, takes the second, and answers the third with headers that cannot be read.

    :ivar seen: how many messages came, the refused ones too.
    """

    seen = 0

    def answer(self, exchange, message):
        self.seen += 1
        if self.seen % 3 == 0:
            exchange.wfile.write(b"HTTP/1.1 200 OK\r\nno colon at all\r\nContent-Length: 2\r\n\r\n{}")
        elif self.seen % 3 == 1:
            self.reply(exchange, 500)
        else:
            super().answer(exchange, message)


class Faulty(Network):
    """A network with secrets of every kind: a phrase, a seed, tokens, and paths that are secret.

    :ivar secrets: what must be found nowhere, by name; private keys as hex without 0x.
    """

    def __init__(self, receiver, signer, phrase, seed):
        other = "0x" + secrets.token_hex(32)
        names = ("issued", "refused", "signer", "hookpath", "nodepath", "database")
        self._tokens = {name: f"{name}-{secrets.token_urlsafe(24)}" for name in names}
        self._tokens["signer"] = signer.token
        pairs = [Keypair.create_from_mnemonic(phrase), *map(Keypair.create_from_seed, (seed, other))]
        keys = {f"private key {number}": pair.private_key.hex() for number, pair in enumerate(pairs)}
        self.typed = f"typed-{secrets.token_hex(12)} by mistake"
        self.secrets = {
            "phrase": phrase, "typed by mistake": self.typed, "payer's seed": seed[2:], "another seed": other[2:],
            **keys, **self._tokens,
        }  # fmt: skip
        super().__init__(
            NETWORK,
            chain={"unpaid-eras": OWED, "token": self._tokens["issued"]},
            timing={"poll_interval": "1s", "lag": "1s", "finalized_within": "1s", "confirmation_timeout": "60s"},
            alerts={"notifiers": [RECEIVER], "paid_within": "1s", "held_after": "1s"},
            explorer_url="https://explorer.example/tx/{tx_hash}",
        )
        self.keys = {"user": f"{phrase}//faulty", "payer": seed}
        self.settings |= {role: LocalSigner(key).account.address for role, key in self.keys.items()}
        self._other, self._receiver, self._signer = other, receiver, signer

    def connections(self):
        """Good ones, and some that are wrong in every way."""
        tokens, user, away = self._tokens, self.settings["user"], "http://127.0.0.1:9"
        patience = {"read_timeout": 3, "total_timeout": 6, "read_attempts": 2}
        good, signers = super().connections(), {"conn_type": "stakingsigner"}
        gateway = good[f"gateway_{NETWORK}"]
        gateway["extra"] |= patience
        gateways = {**gateway, "extra": patience}
        node = {"host": f"ws://127.0.0.1:9/{tokens['nodepath']}?key={tokens['nodepath']}"}
        return {
            **good,
            f"payer_{NETWORK}": {**signers, "login": self.settings["payer"], "host": self._signer.url, "password": tokens["signer"]},
            "alerts_receiver": {"conn_type": "http", "host": self._receiver.url, "password": tokens["hookpath"]},
            "issued_gateway": {**gateways, "password": tokens["issued"]},
            "refused_gateway": {**gateways, "password": tokens["refused"]},
            "gateway_away": {**gateways, "host": away, "password": tokens["issued"]},
            "gateway_of_node": {**gateways, "password": tokens["issued"], "extra": {**patience, "node_conn_id": "node_with_a_key"}},
            "node_with_a_key": {"conn_type": "substrate", **node},
            "signer_unreadable": {**signers, "password": self.typed},
            "signer_of_another": {**signers, "login": user, "password": self._other},
            "signer_misspelt": {**signers, "login": self.typed, "password": self.keys["payer"]},
            "signer_away": {**signers, "login": user, "host": away, "password": tokens["signer"]},
            "ledger_away": {
                "conn_type": "postgres", "host": "127.0.0.1", "port": 9, "login": "ledger", "password": tokens["database"],
                "schema": "x",
            },
        }  # fmt: skip


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """The network after its worst hour: each fault has struck, every careless task has failed."""
    folder = tmp_path_factory.mktemp("faulty")
    shutil.copytree(ROOT / "dags", folder / "dags", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("careless.py"), folder / "dags")
    settings = {
        "CORE__MAX_ACTIVE_RUNS_PER_DAG": "24",
        "LOGGING__LOGGING_LEVEL": "DEBUG",
        "CORE__HIDE_SENSITIVE_VAR_CONN_FIELDS": "False",  # Airflow's stars would hide what is leaked
    }
    seed, token = "0x" + secrets.token_hex(32), f"signer-{secrets.token_urlsafe(24)}"
    phrase = Keypair.generate_mnemonic()
    relayers, users = {AccountId.parse(RELAYER)}, {LocalSigner(f"{phrase}//faulty").account}
    policy = SigningPolicy(frozenset(relayers), 10**6 * DEFAULT_FEE, frozenset(users), daily_count=10**6)
    with RunningSigner(policy, users=(), payers=[seed], token=token) as signer, Unreliable() as receiver:
        net = Faulty(receiver, signer, phrase, seed)
        net.receiver = receiver
        # So many tasks at once queue for SQLite's one lock; a program of Airflow that loses its patience with it ends.
        with Stand(folder, [net], database="postgresql", dags=folder / "dags", settings=settings) as stand:
            stand.start()
            stand.wait_until_up("careless")
            for dag_id in (net.dag_id, "careless"):
                stand.api.unpause(dag_id)
            net.found_while_deferred = suffer(net)
            yield net


def suffer(net):
    """Run era after era until every fault has struck; what was found in the database while tasks were deferred."""
    api, control = net.api, net.control
    control.set_faults(*(f"{name}:path=/send:times=1" for name in ON_THE_PAYOUT), *rules(), seed=7)
    careless = api.trigger("careless")
    eras = iter(range(ACTIVE - 1, ACTIVE - OWED, -1))
    found, seen_deferred = {}, 0

    def missing():
        told = control.faults()
        left = [name for name in FAULTS if not told["counts"].get(name)]
        if left and all(rule["struck"] for rule in told["rules"]):  # some struck a call that was refused anyway
            control.set_faults(*rules(left, times=2), seed=7)
        return left

    def look():
        nonlocal seen_deferred
        active = [run for run in net.runs() if run["state"] in ("queued", "running")]
        for _ in range(5 - len(active)):
            net.trigger(next(eras))
        if api.call("GET", "pools/default_pool")["deferred_slots"]:
            seen_deferred += 1
            if seen_deferred < 6:
                found.update(secrets_in(net, triggers_hold))
        return not missing()

    net.wait(look, "every fault has struck", missing, 4 * PATIENCE)
    control.set_faults()
    net.wait(lambda: api.run("careless", careless)["state"] in ("failed", "success"), "the careless tasks have ended")
    net.wait(lambda: len(net.receiver.messages) > 1, "alerts were sent")
    net.wait(net.executed, "something was paid")
    assert seen_deferred, "nothing was ever deferred"
    return found


# --- where to look ---------------------------------------------------------------------------------------------------


def spellings(secret):
    """A secret as it may have been written down: as it is, in hex, in an address, in JSON, and in base64 at any place of a text."""
    raw = secret.encode()
    texts = (
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        repr(secret)[1:-1],
    )
    found = {raw.hex().encode(), *(text.encode() for text in texts)}
    for before in range(3):  # what stands before it decides how the same bytes are spelt; the ends hold foreign bits
        coded = base64.b64encode(b"\0" * before + raw)
        found.add(coded[(4 * before + 2) // 3 + (before > 0) : len(coded) - 4])
    return sorted(found)


def secrets_in(net, search):
    """Names of the secrets, and where a search finds them in any spelling."""
    found = {}
    for name, secret in net.secrets.items():
        for spelling in spellings(secret):
            if where := search(net, spelling):
                found[name, spelling.decode(errors="replace")] = where
    return found


def found_in_files(net, needle):
    """Files that hold some bytes."""
    home = net.stand.home
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.relative_to(home) for path in files if needle in content(net, path)]


def content(net, path):
    """A file's bytes; nothing when it has gone meanwhile.

    Airflow prints a task's log a second time, unmasked. There, HTTP libraries name the webhook that they call: it alone is left out.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return b""
    if path.parent.name == "components":
        hook = net.secrets["hookpath"].encode()
        lines = [line.replace(hook, b"") if any(name in line for name in HTTP_LIBRARIES) else line for line in lines]
    return b"".join(lines)


def found_in_database(net, needle):
    """Columns of Airflow's database that hold some bytes, encrypted columns opened."""
    return sorted({where for where, value in values_of(net.stand, net.stand.database_url) if needle in value})


def found_in_ledger(net, needle):
    """Columns of the ledger that hold some bytes."""
    return sorted({where for where, value in values_of(net.stand, net.stand.ledger_url) if needle in value})


def triggers_hold(net, needle):
    """Columns of the rows of triggers, and of tasks that wait for them, that hold some bytes."""
    return [where for where in found_in_database(net, needle) if where.startswith(("trigger.", "task_instance"))]


def values_of(stand, url):
    """Every value of every table of a database, as bytes, with its table and column; encrypted ones also opened."""
    fernet = Fernet(stand.fernet_key)
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as database:
        for table in sa.inspect(database).get_table_names():
            rows = database.execute(sa.text(f'SELECT * FROM "{table}"'))
            for row in rows.mappings():
                for column, value in row.items():
                    text = value if isinstance(value, str) else json.dumps(value, default=str)
                    told = bytes(value) if isinstance(value, memoryview) else text.encode()
                    yield f"{table}.{column}", told
                    with suppress(InvalidToken):
                        yield f"{table}.{column}", fernet.decrypt(told)


def signatures_of(net):
    """The signatures the ledger keeps, without 0x."""
    statement = "SELECT proxy_signature, fee_payment_signature FROM payout_copies"
    rows = servers.execute(sa.make_url(net.stand.ledger_url), statement)
    return [signature.removeprefix("0x").encode() for row in rows for signature in row if signature]


# --- what is found ---------------------------------------------------------------------------------------------------


def test_everything_that_can_go_wrong_went_wrong(net):
    states = {
        task["task_id"]: task["state"] for task in net.api.tasks("careless", net.api.runs("careless")[0]["dag_run_id"])
    }
    failed = {name for name, state in states.items() if state in ("failed", "up_for_retry")}
    careless = ("look_at_", "pay_", "ask_refused", "ask_gateway_away")
    assert failed >= {name for name in states if name.startswith(careless)}
    assert net.receiver.seen > len(net.receiver.messages)
    tasks = [task for run in net.runs() for task in net.api.tasks(net.dag_id, run["dag_run_id"])]
    assert any(task["try_number"] > 1 for task in tasks)


def test_no_secret_is_in_a_trigger_while_tasks_are_deferred(net):
    assert net.found_while_deferred == {}


@pytest.mark.parametrize("search", [found_in_files, found_in_database, found_in_ledger])
def test_no_secret_is_in_any_file_in_airflows_database_or_in_the_ledger(net, search):
    assert secrets_in(net, search) == {}
    # Self-made tokens begin with the same letters: base64 of `{"pk":`.
    assert search(net, b"eyJwayI6") == []


def test_signatures_are_in_the_ledger_and_nowhere_else(net):
    signatures = signatures_of(net)
    assert len(signatures) >= 2
    for signature in signatures:
        assert found_in_files(net, signature) == []
        assert found_in_database(net, signature) == []


def assert_tells_no_secret(net, told, where):
    for name, secret in net.secrets.items():
        assert not [spelling for spelling in spellings(secret) if spelling in told], (where, name)


def test_no_command_tells_a_secret(net):
    with ThreadPoolExecutor(3) as side_by_side:
        printed = [*side_by_side.map(lambda words: net.stand.run(*words), COMMANDS)]
    printed.append(net.stand.run("staking", "ledger", "status", AIRFLOW__STAKING_GATEWAY__LEDGER_CONN_ID="ledger_away"))
    for words, done in zip([*COMMANDS, "a ledger that is away"], printed, strict=True):
        told = (done.stdout + done.stderr).encode()
        assert told.strip(), words
        assert_tells_no_secret(net, told, words)


def test_no_route_of_the_page_or_of_airflows_api_tells_a_secret(net):
    runs = [run["dag_run_id"] for run in net.runs()][:2]
    paths = [
        "/staking/", "/staking/api/networks", f"/staking/api/networks/{NETWORK}/overview",
        "/api/v2/eventLogs?limit=100", "/api/v2/importErrors", "/api/v2/config",
        *(f"/api/v2/dags/{net.dag_id}/dagRuns/{run}/taskInstances/payout/xcomEntries/outcome" for run in runs),
        *(f"/api/v2/dags/{net.dag_id}/dagRuns/{run}/taskInstances/payout/logs/1" for run in runs),
    ]  # fmt: skip
    for path in paths:
        told = net.api.page(path)
        assert told, path
        assert_tells_no_secret(net, told, path)


def test_the_search_finds_what_is_there_in_every_spelling(net):
    assert all(search(net, NETWORK.encode()) for search in (found_in_files, found_in_database, found_in_ledger))
    secret = "a-secret/with?odd=letters and more"
    coded = [base64.b64encode(secret.encode()), base64.b64encode(b"user:" + secret.encode())]
    for hidden in (
        *coded,
        *(text.encode() for text in (secret, secret.encode().hex(), quote(secret, safe=""), json.dumps(secret))),
    ):
        assert any(spelling in hidden for spelling in spellings(secret)), hidden
