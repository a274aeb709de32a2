"""Ledgers for tests: a fresh one in each kind of database, payouts to put in, and processes that use one at once."""

import multiprocessing
import os
import tempfile
import threading
import uuid
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sa

from staking_gateway.errors import LedgerConflict, LedgerError, StakingGatewayError
from staking_gateway.ledger import Actor, Ledger, PayoutState, database
from staking_gateway.ledger.invariant import check
from staking_gateway.ledger.records import Copy, Sight, Sighting
from staking_gateway.ledger.schema import HEAD, VERSION_TABLE, schema_version
from staking_gateway.ledger.tables import ledger_identity, metadata
from staking_gateway.ledger.views import VIEWS
from staking_gateway.types import AccountId

POSTGRESQL = os.environ.get("STAKING_TEST_POSTGRES_URL", "")
"""A database the tests may make and drop schemas in; `make live ONLY=services` sets it."""
KINDS = ("sqlite", "postgresql") if POSTGRESQL else ("sqlite",)
NETWORK = "testnet"
NOW = datetime(2026, 6, 1, 12, 30, 15, 123456, tzinfo=timezone.utc)
RUN = Actor("staking_payout_testnet/scheduled__era-1392", 2)
SIGNATURES = {"proxy_signature": "0x" + "ab" * 64, "fee_payment_signature": "0x" + "cd" * 64}


def account(number):
    return AccountId.parse(f"0x{number:064x}")


USER, PAYER, RELAYER = account(1), account(2), account(3)


def make_tables(url):
    Ledger(url).close()


def sqlite_url(folder, name="ledger.db", *, fill=make_tables, with_eras=()):
    """URL of a new ledger in a file.

    Making the tables and `fill(url, *with_eras)` take longer than most tests. Each process runs them once, and copies the file.
    """
    file = folder / name
    file.touch(mode=0o600)
    file.write_bytes(_filled(fill, with_eras))
    return f"sqlite:///{file}"


@cache
def _filled(fill, eras):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "ledger.db")
        fill(f"sqlite:///{file}", *eras)
        return file.read_bytes()


@contextmanager
def ledger_url(kind, folder):
    """URL of a new ledger, gone afterwards."""
    if kind == "sqlite":
        yield sqlite_url(folder)
        return
    with fresh_url(kind, folder) as url:
        yield url


@contextmanager
def fresh_url(kind, folder, *options):
    """URL of an empty database, gone afterwards.

    :param options: settings of a PostgreSQL session, as name=value.
    """
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'ledger.db'}"
        return
    schema = f"ledger_{uuid.uuid4().hex}"
    with postgresql() as server:
        server.exec_driver_sql(f"CREATE SCHEMA {schema}")
    try:
        query = {"options": " ".join(f"-c{one}" for one in (f"search_path={schema}", *options))}
        yield sa.make_url(POSTGRESQL).update_query_dict(query).render_as_string(hide_password=False)
    finally:
        with postgresql() as server:
            server.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")


@contextmanager
def postgresql():
    """A connection to the server, past the ledger."""
    with connected(POSTGRESQL) as server:
        yield server


def with_driver(url):
    """A URL as the ledger names it."""
    made = sa.make_url(url)
    return made.set(drivername="postgresql+psycopg2") if made.drivername in ("postgres", "postgresql") else made


@contextmanager
def connected(url):
    """A connection past the ledger, each statement committed at once."""
    engine = sa.create_engine(with_driver(url), poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def heard(event, listener, target=sa.Engine):
    """Call a listener at each event of every engine, or of every pool."""
    sa.event.listen(target, event, listener)
    try:
        yield
    finally:
        sa.event.remove(target, event, listener)


_INDEXES_AND_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('index', 'trigger')",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() "
    "UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def assert_made(url):
    """A new ledger has what the code defines: tables, indexes, guards, views, and an identity."""
    make_tables(url)
    assert schema_version(url) == HEAD
    with connected(url) as connection:
        assert set(sa.inspect(connection).get_table_names()) == {*metadata.tables, VERSION_TABLE}
        indexes = {index.name for table in metadata.tables.values() for index in table.indexes}
        guards = {"payout_events_are_not_changed", "payouts_are_not_deleted", "answers_are_not_changed"}
        named = connection.exec_driver_sql(_INDEXES_AND_TRIGGERS[connection.dialect.name]).scalars().all()
        assert indexes | guards <= {*named}
        assert set(sa.inspect(connection).get_view_names()) == VIEWS.keys()
        assert connection.execute(sa.select(ledger_identity)).one()


def planned(ledger, era=1392, part=0, *, network=NETWORK, user=USER, payer=PAYER, actor=RUN):
    return ledger.plan(network, era, part, user=user, payer=payer, relayer=RELAYER, actor=actor)


def copy_of(payout, **fields):
    """A payload to sign; without nonces of its own, both are the number of the payout's era."""
    owner = {name: getattr(payout, name) for name in ("chain", "user_key", "payer_key", "relayer_key")}
    nonces = {"staking_nonce": payout.era, "payment_nonce": payout.era, "fee": None}
    author = {"signed_at": NOW, "run": RUN.run, "try_number": RUN.try_number}
    return Copy(**{"id": 0, **owner, **nonces, **SIGNATURES, **author, **fields})


def signed(ledger, payout, *, mark=None, known=None, **fields):
    return ledger.sign(payout, copy_of(payout, **fields), "signed", RUN, mark=mark, known=known)


def answered(ledger, payout, state=PayoutState.SUBMITTED, *, of=None, **fields):
    """The answer to the newest send of the newest copy: by default, the gateway accepted it."""
    copy = payout.copies[-1]
    request = {"answer": "accepted", "text": "accepted", "request_id": f"request {copy.id}"}
    sent = replace(copy.sends[-1], **{name: fields.pop(name, told) for name, told in request.items()})
    about = {"state": state, "hold": None, "reason": None, "cause": "answered", "actor": RUN}
    return ledger.answer(of or payout, copy.id, sent, **{**about, **fields})


def judged(ledger, payout, state=PayoutState.CONFIRMED, *, charged=True, cause="judged", actor=RUN, **changes):
    """The newest copy was executed, or something else used its staking nonce and the fee was charged for nothing."""
    copy, mine = payout.copies[-1], state is PayoutState.CONFIRMED
    if mine:
        changes = {"executed": copy.id, "confirmed_by": "nonce", "confirmed_at": NOW, **changes}
    seen = [Sighting(Sight.MINE if mine else Sight.NOT_MINE, NOW, copy.staking_nonce, user_key=copy.user_key)]
    if charged and not mine:
        seen.append(Sighting(Sight.CHARGED, NOW, copy.payment_nonce, copy.payer_key))
    return ledger.transition(payout, state, cause, actor, sightings=seen, **changes)


_ANSWERS = {PayoutState.SUBMITTED: "accepted", PayoutState.UNKNOWN: "lost", PayoutState.CONFIRMED: "accepted"}


def put(ledger, payout, state, actor=RUN, *, cause="test", **fields):
    """Leave a part in a state. A payload is signed, answered and judged as the state tells, or as fields of the copy ask for.

    :param fields: of the copy, of the answer, of the request's state (`tx_hash`, `block_number`, `status`), and of the part.
    """
    of_copy, of_answer, of_read = (
        {name: fields.pop(name) for name in names if name in fields}
        for names in (
            ("chain", "staking_nonce", "payment_nonce", "fee", "signed_at"),
            ("request_id", "answer", "text"),
            ("status", "tx_hash", "block_number"),
        )
    )
    if state is not PayoutState.SIGNED and state not in _ANSWERS and not of_copy:
        return ledger.transition(payout, state, cause, actor, **fields)
    author = {"signed_at": ledger.now(), "run": actor.run, "try_number": actor.try_number}
    payout = ledger.sign(payout, copy_of(payout, **{**author, **of_copy}), cause, actor)
    if state is PayoutState.SIGNED:
        return payout
    answer = {"answer": _ANSWERS.get(state, "refused"), "request_id": None, "text": cause, **of_answer}
    if answer["answer"] == "accepted":
        answer["request_id"] = answer["request_id"] or f"request {payout.copies[-1].id}"
    told = {name: fields.get(name) for name in ("hold", "reason")}
    before = PayoutState.SUBMITTED if state is PayoutState.CONFIRMED else state
    payout = answered(ledger, payout, before, cause=cause, actor=actor, **answer, **told)
    if of_read:
        sent = payout.copies[-1].sends[-1]
        if before is not state:
            fields = {"confirmed_by": "request_state", **fields}
        read = replace(sent, read_at=ledger.now(), **{"status": "Processed", **of_read})
        payout = ledger.transition(payout, before, cause, actor, reads=[(payout.copies[-1].id, read)])
    if before is state:
        return payout
    return judged(ledger, payout, cause=cause, actor=actor, **{"confirmed_at": ledger.now(), **fields})


def assert_consistent(ledger, url):
    """Every record is as its history tells, step by step, and keeps the invariant."""
    with connected(url) as connection:
        keys = connection.exec_driver_sql("SELECT network, era, part FROM payouts").all()
        if url.startswith("sqlite"):
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert not connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    for network, era, part in keys:
        payout = ledger.payout(network, era, part)
        events = ledger.events(payout)
        assert [event.version for event in events] == list(range(1, payout.version + 1)), payout
        assert events[-1].to_state is payout.state, payout
        assert events[-1].at == payout.updated_at, payout
        check(payout, payout)
    return len(keys)


@contextmanager
def refused(url, *told):
    """The block must fail with one clear error, which names the ledger and quotes nothing that is nobody's business."""
    with pytest.raises(LedgerError) as caught:
        yield caught
    text = str(caught.value)
    assert database.ledger_name(with_driver(url)) in text
    for part in told:
        assert part in text
    assert_discreet(caught.value, sa.make_url(url).password)


def assert_discreet(error, password=None):
    told = repr(error) + str(error)
    assert error.__suppress_context__ or error.__context__ is None
    for secret in (*SIGNATURES.values(), password or "no password", "INSERT", "UPDATE", "SELECT", "VALUES"):
        assert secret not in told
    assert "\n" not in str(error)


# --- threads and processes, all let go at once ---------------------------------------------------------------------------


def together(work, arguments):
    """Run `work` in one thread per argument; results, or the errors of the ledger."""
    start = threading.Barrier(len(arguments))

    def run(argument):
        start.wait(30)
        try:
            return work(argument)
        except LedgerError as error:
            return error

    with ThreadPoolExecutor(len(arguments)) as threads:
        return list(threads.map(run, arguments))


class Processes:
    """Four processes, which take their time to start and are therefore kept."""

    COUNT = 4

    def __init__(self):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])  # imported once, not four times
        barrier = context.Barrier(self.COUNT)
        self._pool = ProcessPoolExecutor(self.COUNT, context, initializer=_join_in, initargs=(barrier,))

    def race(self, work, url, arguments):
        """Run `work(url, argument)` in each process; what each came to. It calls `start` to be let go with the others."""
        parts = [self._pool.submit(_take_part, work, url, argument) for argument in arguments]
        return [part.result(timeout=60) for part in parts]

    def close(self):
        self._pool.shutdown()


_barriers = []


def _join_in(barrier):
    _barriers.append(barrier)


def start():
    """Wait until every process is here."""
    _barriers[0].wait(60)


def _take_part(work, url, argument):
    try:
        return work(url, argument)
    except StakingGatewayError as error:
        return type(error).__name__ if isinstance(error, LedgerConflict) else str(error)


def first_use(url, number):
    start()
    with closing(Ledger(url)) as ledger:
        return planned(ledger, era=number % 2).state.value


def sign(url, era):
    with closing(Ledger(url)) as ledger:
        payout = ledger.payout(NETWORK, era, 0)
        start()
        return signed(ledger, payout).state.value


def write_until_killed(url, eras):
    """Sign for eras in an endless loop, telling on standard output each change that the ledger has confirmed."""
    ledger = Ledger(url)
    while True:
        for era in range(eras):
            payout = signed(ledger, planned(ledger, era))
            print(era, payout.version, flush=True)  # noqa: T201 - the parent reads it
            payout = answered(ledger, payout)
            print(era, payout.version, flush=True)  # noqa: T201 - the parent reads it
