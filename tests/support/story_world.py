"""A scripted world for stories: a chain with forks, a gateway that lags and lies, a clock, and tasks that try again.

The chain is a list of included calls. What a read shows follows from the list and from the time that the read shows, so a lag, a fork
and a finalized read need no state of their own. The gateway verifies signatures, as gateways do: it learns nonces and fees in this way.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from math import inf
from uuid import UUID

import sqlalchemy as sa

from staking_gateway.errors import ConnectionLost, EraNotEnded, GatewayError, LedgerError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout import EraOutcome, PayoutEngine, PayoutTerms, Wait
from staking_gateway.signing import LocalSigner, ProofMaker, fee_payment_message, payout_message, verify
from staking_gateway.types import ElectionWindow, NonceKind, RequestState, RequestStatus
from tests.support.failed import refusal
from tests.support.ledgers import connected, with_driver
from tests.support.simulated import ALICE, BOB, CHARLIE, DAVE
from tests.support.world import START

STAKING, PAYMENT = NonceKind.STAKING, NonceKind.PAYMENT
FIRST = {STAKING: 5, PAYMENT: 7}
"""The nonces of every account at the start. (5,7) is the first payload of a user."""
FEE = 10
ACTIVE = 12
"""The active era at the start, midnight UTC. It changes at noon."""
NEXT_ERA = 12 * 3600
BLOCK = 6
POLL = timedelta(seconds=60)
FINAL = 60
"""Seconds after which a block is final."""
HOUR = 3600
NEXT_TRY = 1200
"""Seconds until an era that is not green is tried again, by a new task."""
OTHER_TOOL = LocalSigner("//Eve").account
SIGNERS = {signer.account: signer for signer in (ALICE, CHARLIE, DAVE)}


@dataclass(eq=False)
class Payload:
    """A signed payload, as chain and gateway see it. The chain executes it at most once, because of its nonces."""

    era: int
    user: object
    payer: object
    staking: int
    payment: int
    fee: int = FEE

    @property
    def key(self):
        """What its fee is charged by."""
        return self.payer, self.payment


@dataclass(eq=False)
class Call:
    """A payload in a block.

    :param paid: whether it paid stakers; otherwise only its fee was charged.
    :param undone: when a fork took the block back.
    """

    payload: Payload
    at: float
    paid: bool
    undone: float = inf

    @property
    def block(self):
        return 1000 + int(self.at) // BLOCK


def is_green(step):
    return isinstance(step, EraOutcome) and step.outcome.is_green


class Chain:
    """The included calls.

    :param calls: payouts that an era takes before the chain refuses it as paid. With more than one, a second payout is seen.
    :param charges: whether the chain takes the fee of a payload that cannot pay.
    """

    def __init__(self, *, calls=1, charges=False):
        self.calls, self.charges, self.included = calls, charges, []

    def at(self, time):
        """The calls of the best chain at a time."""
        return [call for call in self.included if call.at <= time < call.undone]

    def finalized(self, time):
        return [call for call in self.at(time) if call.at <= time - FINAL]

    def nonce(self, account, kind, time):
        if kind is PAYMENT:
            return FIRST[kind] + sum(call.payload.payer == account for call in self.at(time))
        return FIRST[kind] + sum(call.paid and call.payload.user == account for call in self.at(time))

    @staticmethod
    def paid(era, calls):
        """How often an era was paid by these calls."""
        return sum(call.paid and call.payload.era == era for call in calls)

    def include(self, payload, time):
        """Put a payload into a block, if the chain takes it."""
        if payload.payment != self.nonce(payload.payer, PAYMENT, time):
            return
        pays = payload.staking == self.nonce(payload.user, STAKING, time)
        pays = pays and self.paid(payload.era, self.at(time)) < self.calls
        if pays or self.charges:
            self.included.append(Call(payload, time, pays))

    def pay_by_other_tool(self, era, time):
        nonces = (self.nonce(OTHER_TOOL, kind, time) for kind in (STAKING, PAYMENT))
        self.include(Payload(era, OTHER_TOOL, OTHER_TOOL, *nonces), time)

    def charge(self, payer, time):
        """Another tool uses a payer's nonce, for something else than a payout."""
        payload = Payload(None, OTHER_TOOL, payer, 0, self.nonce(payer, PAYMENT, time))
        self.included.append(Call(payload, time, paid=False))

    def undo(self, era, time):
        """A fork takes back the payouts of an era."""
        undone = [call for call in self.at(time) if call.payload.era == era]
        assert all(time - call.at < FINAL for call in undone), "no fork undoes a final block"
        for call in undone:
            call.undone = time


@dataclass
class Sent:
    """What becomes of one send.

    :param answer: "accepted"; "lost", after it was accepted; otherwise the text with which it is refused.
    :param runs: seconds until the payload gets into a block; None: it is dropped. A refused one gets there too, if this is a number.
    :param states: the request's states that the gateway reports instead of the chain's: pairs of seconds and status.
    :param request_id: an id that the gateway has used before.
    :param before: called before the bytes arrive, `after` before the answer leaves.
    """

    answer: str = "accepted"
    runs: float | None = 12
    states: tuple = ()
    request_id: str | None = None
    before: object = None
    after: object = None


class StoryGateway(Gateway):
    """Reads the chain at the time `lag[what]` seconds ago.

    `door` holds what becomes of the next sends, and `always` what becomes of every other send of an era. Without them, the gateway
    checks nonces, fee and era at the best block.

    :param node: whether a node of the chain tells if an era is paid.
    :param words: whether the door says that an era is paid.
    """

    def __init__(self, world, *, node=False, words=True):
        self._world, self._chain = world, world.chain
        self.words, self.fee, self.door, self.ahead, self.runs = words, FEE, [], 0, 12
        self.lag, self.fees, self.sent, self.always = {}, {FEE}, [], {}
        self._payloads, self._requests, self._told = {}, {}, [*range(20)]
        self.client, self.node, self.is_remote = self, node or None, False

    def _read(self, what, value):
        return value(self._world.time - self.lag.get(what, 0))

    def era_paid(self, era):
        return self.node and self._read("era_paid", lambda time: self._chain.paid(era, self._chain.finalized(time)) > 0)

    def pays_by_itself(self):
        return False

    def election_window(self):
        return ElectionWindow.CLOSED

    def active_era(self):
        return self._read("active_era", lambda time: ACTIVE + int(time + 86400 - NEXT_ERA) // 86400)

    def nonce(self, account, kind):
        self._told.insert(0, self.ahead + self._read(kind, partial(self._chain.nonce, account, kind)))
        return self._told[0]

    def relayer_fee(self, relayer, payer):
        self.fees.add(self.fee)
        return self.fee

    def request_state(self, request_id):
        def status(time):
            payload, states = self._requests[request_id]
            told = [state for since, state in states if since <= time]
            call = next((call for call in self._chain.at(time) if call.payload is payload), None)
            found = RequestStatus.PENDING
            if told or call:
                found = told[-1] if told else RequestStatus.PROCESSED if call.paid else RequestStatus.REJECTED
            block = call.block if call and found is RequestStatus.PROCESSED else None
            return RequestState(found, found.value, f"0x{UUID(request_id).int:064x}", block)

        return self._read("request", status)

    def payout_stakers(self, *, relayer, user, payer, era, proxy_signature, fee_payment_signature, payment_nonce):
        payload = self._payloads.get(fee_payment_signature)
        if payload is None:
            staking = next(n for n in self._told if verify(payout_message(relayer, era, n), proxy_signature, user))
            signed = partial(fee_payment_message, user, relayer, proxy_signature, payment_nonce=payment_nonce)
            fee = next(fee for fee in self.fees if verify(signed(relayer_fee=fee), fee_payment_signature, payer))
            payload = self._payloads[fee_payment_signature] = Payload(era, user, payer, staking, payment_nonce, fee)
        sent = self.door.pop(0) if self.door else self.always.get(era) or Sent(self._checked(payload), self.runs)
        if sent.before:
            sent.before()
        world = self._world
        self.sent.append((world.time, payload))
        accepted = sent.answer in ("accepted", "lost")
        if sent.runs is not None and (accepted or sent.answer.endswith("kept")):
            world.later(sent.runs, lambda: self._chain.include(payload, world.time))
        if sent.after:
            sent.after()
        if not accepted:
            why = sent.answer.removesuffix(", kept")
            raise refusal(why, method="payout")
        request_id = sent.request_id or str(UUID(int=len(self._requests) + 1))
        self._requests.setdefault(request_id, (payload, [(world.time + after, state) for after, state in sent.states]))
        if sent.answer == "lost":
            raise ConnectionLost("reset", method="payout")
        return request_id

    def _checked(self, payload):
        """The answer to a send that no story tells."""
        time = self._world.time
        if self.words and self._chain.paid(payload.era, self._chain.at(time)) >= self._chain.calls:
            return "era already paid"
        if payload.fee != self.fee:
            return "invalid fee authorisation"
        nonces = ((payload.user, STAKING, payload.staking), (payload.payer, PAYMENT, payload.payment))
        right = all(self._chain.nonce(account, kind, time) == signed for account, kind, signed in nonces)
        return "accepted" if right else "invalid nonce"


def watch_commits(url, monkeypatch):
    """Commits fail below SQLAlchemy, as the returned list says of the next ones."""
    dialect, faults = with_driver(url).get_dialect(), []
    commit, error = dialect.do_commit, dialect.import_dbapi().OperationalError

    def do_commit(self, connection):
        fault = faults.pop(0) if faults else None
        if fault != "not done":
            commit(self, connection)
        if fault:
            raise error("server closed the connection unexpectedly")

    monkeypatch.setattr(dialect, "do_commit", do_commit)
    return faults


@dataclass
class World:
    """Chain, gateway, ledger and tasks. `time` is seconds since `START`; it moves only when a test or a task moves it.

    :param commits: what becomes of the next commits of the ledger: "not done" or "not answered"; see `watch_commits`.
    :param settings: of chain, gateway and terms.
    :param fast: seconds that the clock of ledger and tasks is ahead.
    """

    url: str
    commits: list
    settings: dict
    time: float = 0
    tries: int = 0
    fast: float = 0

    def __post_init__(self):
        take = self.settings.pop
        self._events, self.green = [], set()
        self.chain = Chain(calls=take("calls", 1), charges=take("charges", False))
        self.gateway = StoryGateway(self, node=take("node", False), words=take("words", True))
        own = {"network": "testnet", "chain": "the chain", "poll_interval": POLL}
        accounts = {"user": ALICE.account, "payer": CHARLIE.account, "relayer": BOB.account}
        self.terms = PayoutTerms(**own | accounts | self.settings)
        self.ledger = Ledger(self.url, clock=self.now)

    def now(self):
        return START + timedelta(seconds=self.time + self.fast)

    def later(self, seconds, event):
        self._events.append((self.time + seconds, event))

    def elapse(self, seconds):
        """Let time pass, and what was to happen."""
        end = self.time + seconds
        while self._events and (first := min(self._events, key=lambda event: event[0]))[0] <= end:
            self._events.remove(first)
            self.time = max(self.time, first[0])
            first[1]()
        self.time = max(self.time, end)

    def engine(self, *, proofs=None, **changes):
        """A new task, with changed terms."""
        self.tries += 1
        terms = replace(self.terms, **changes)
        proofs = proofs or ProofMaker(SIGNERS[terms.user], SIGNERS[terms.payer])
        return PayoutEngine(terms, self.gateway, proofs, self.ledger, Actor("run", self.tries), clock=self.now)

    def step(self, era, engine):
        """One call of the engine; the error, if it may pass."""
        try:
            step = engine.advance(era)
        except (GatewayError, LedgerError, EraNotEnded) as error:
            return error
        if is_green(step):
            self.green.add(era)
        return step

    def until_outcome(self, era, engine=None, *, within=HOUR):
        """Call the engine until an outcome, as a task does. After `within` seconds the last step, which then is no outcome."""
        engine, began, step = engine or self.engine(), self.time, None
        while self.time < began + within:
            step = self.step(era, engine)
            if isinstance(step, EraOutcome):
                break
            patience = 12 if self.time < began + 180 else 60  # the engine names the latest time only
            self.elapse(min(step.retry_in.total_seconds(), patience) if isinstance(step, Wait) else 30)
        return step

    def drive(self, era, engine=None, *, within=HOUR, **changes):
        """Call engines until the era is green, as tasks and catch-ups do. Returns the last step."""
        end, step = self.time + within, None
        while self.time < end:
            step = self.until_outcome(era, engine or self.engine(**changes), within=end - self.time)
            if is_green(step):
                break
            engine = None
            self.elapse(NEXT_TRY)
        return step

    def must_pay(self, *eras, engine=None, **options):
        """Eras that can be paid end green in time, by whatever they cost; and every promise is kept."""
        for era in eras:
            step = self.drive(era, engine, **options)
            assert is_green(step), f"era {era} is not green: {step!r}"
        self.check()

    def check(self):
        """The promises, when everything that can still happen has happened."""
        self.elapse(2 * HOUR)
        final = [call for call in self.chain.included if call.undone == inf]
        for era in {call.payload.era for call in final if call.payload.user != OTHER_TOOL}:
            assert self.chain.paid(era, final) <= (self.terms.parts or 1), f"era {era} was paid more than once"
        for era in self.green:
            assert self.chain.paid(era, final), f"era {era} is green, and was never paid"
        limit = self.terms.max_fee_per_day
        if limit is not None:
            assert all(fees <= limit for fees in self.fees_by_day().values()), f"more than {limit} was signed in a day"

    def fees_by_day(self):
        """What the payloads that reached the gateway can cost, by the day on which their fee was first committed."""
        first, days = {}, {}
        for time, payload in self.gateway.sent:
            day, fee = first.get(payload.key, (int(time) // 86400, 0))
            first[payload.key] = day, max(fee, payload.fee)
        for day, fee in first.values():
            days[day] = days.get(day, 0) + fee
        return days

    # --- backups --------------------------------------------------------------------------------------------------------

    def backup(self):
        """Keep the ledger as it is now."""
        with connected(self.url) as connection:
            if self.url.startswith("sqlite"):
                connection.exec_driver_sql("VACUUM INTO ?", (connection.engine.url.database + ".old",))
                return
            for table in sa.inspect(connection).get_table_names():
                connection.exec_driver_sql(f"CREATE TABLE old_{table} AS TABLE {table}")

    def restore(self):
        """Put the backup back, and mark the ledger as restored."""
        self.ledger.close()
        with connected(self.url) as connection:
            if self.url.startswith("sqlite"):
                file = connection.engine.url.database
                with closing(sqlite3.connect(file + ".old")) as old, closing(sqlite3.connect(file)) as new:
                    old.backup(new)
            else:
                connection.exec_driver_sql("SET session_replication_role = replica")
                for table in sa.inspect(connection).get_table_names():
                    if not table.startswith("old_"):
                        connection.exec_driver_sql(f"DELETE FROM {table}")
                        connection.exec_driver_sql(f"INSERT INTO {table} OVERRIDING SYSTEM VALUE TABLE old_{table}")
        self.ledger.restored("a backup was restored", Actor("a person"))
