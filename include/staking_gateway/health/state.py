"""The state of a network, from which its problems follow: what ledger, gateway and Airflow report, and each era judged once."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cached_property
from typing import Any

from staking_gateway.catch_up import eras_covered, responsible_from
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import HISTORY_DEPTH, RUN_GRACE, URGENT_PERCENT, EraCalendar, utc_now
from staking_gateway.errors import ChainError, ConfigError, GatewayError
from staking_gateway.gateway.gateway import Gateway, if_supported
from staking_gateway.ledger import Ledger, Payout, PayoutState
from staking_gateway.ledger.records import Reconciliation
from staking_gateway.ledger.tables import DIFFERS
from staking_gateway.payout.copies import (
    NEVER_TRIED,
    SEEN_PAID,
    STATE_WORDS,
    is_capped,
    is_paid,
    is_seen_paid,
    unsettled,
    was_paid,
    why_unpaid,
)
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.fee_limits import above_limit, missing_limit, read_spent
from staking_gateway.payout.outcomes import Outcome, hold_of
from staking_gateway.payout.terms import terms_of
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.text import Token
from staking_gateway.types import MAX_ERA, ElectionWindow

ERAS = HISTORY_DEPTH
"""Newest ended eras that are judged and shown by default."""
RECENTLY = timedelta(days=7)
"""An expiry is shown, and may send its alert, for this time."""
FRESH = timedelta(minutes=5)
"""A sent or planned part with a change within this time counts as in progress, if no run of its era has ended."""


@dataclass(frozen=True)
class LiveFacts:
    """Present values from a gateway; None for an unavailable value.

    :param fee: of one call, in the smallest unit; likewise `balance`, the payer's free balance.
    :param automatic: the chain pays its stakers by itself.
    :param by_node: the active era comes from a node of the chain, and so does `token`, unless the network's settings name one.
    :param problem: why a request failed, if one did; `failed` has the problem of each fact that a request could not read.
    """

    active: int | None = None
    window: ElectionWindow | None = None
    fee: int | None = None
    balance: int | None = None
    automatic: bool = False
    by_node: bool = False
    token: Token | None = None
    is_local: bool = True
    problem: Problem | None = None
    failed: Mapping[str, Problem] = field(default_factory=dict, compare=False)
    at: datetime | None = None

    @property
    def silent(self) -> bool:
        return self.problem is not None and self.active is None and self.window is None and self.fee is None


def read_facts(gateway: Gateway, network: NetworkConfig, *, clock: Callable[[], datetime] = utc_now) -> LiveFacts:
    """After a failed request, the other facts are kept."""
    relayer, payer = network.relayer, network.payer
    requests: dict[str, Callable[[], object]] = {
        "active": lambda: if_supported(gateway.active_era),
        "automatic": gateway.pays_by_itself,
        "window": lambda: if_supported(gateway.election_window),
        "fee": lambda: if_supported(lambda: gateway.relayer_fee(relayer, payer)),
    }
    if network.token is None and gateway.node is not None:
        requests["token"] = gateway.node.token
    requests["balance"] = lambda: gateway.free_balance(payer)
    answers: dict[str, Any] = {}
    failed: dict[str, Problem] = {}
    for name, request in requests.items():
        try:
            answers[name] = request()
        except GatewayError as error:
            failed[name] = error.problem
            if error.code is None and not isinstance(error, ChainError):
                break  # the gateway is unreachable
    problem = next(iter(failed.values()), None)
    if answers.get("active") == 0 and (network.calendar.era_or_none(clock()) or 0) > 1:
        answers["active"] = None
        problem = problem or Problem(Topic.GATEWAY_FAILS, "it reports era 0, so it has no data yet")
    by_node, local = gateway.node is not None, not gateway.is_remote
    return LiveFacts(**answers, by_node=by_node, is_local=local, problem=problem, failed=failed, at=clock())


@dataclass(frozen=True)
class EraRun:
    """A run of a DAG; its state as Airflow spells it, e.g. `running`."""

    dag_id: str
    run_id: str
    state: str = ""

    @property
    def active(self) -> bool:
        return self.state in ("queued", "running")


@dataclass(frozen=True)
class AirflowFacts:
    """What Airflow knows of the network's DAGs, and of its own programs.

    :param runs: era to its latest run; None: unknown.
    :param known: Airflow has the payout DAG, which may be `paused`; None: unknown.
    :param catch_up: the queued or running catch-up run; `last_catch_up` is the last one that has ended.
    :param catch_up_eras: the eras that the plan of that run pays; None: it has no plan yet, so it may pay any.
    :param dead: programs without a sign of life, and the last one.
    """

    runs: Mapping[int, EraRun] | None = None
    known: bool | None = None
    paused: bool = False
    catch_up: EraRun | None = None
    catch_up_eras: Collection[int] | None = None
    catch_up_paused: bool = False
    catch_up_due: datetime | None = None
    last_catch_up: EraRun | None = None
    dead: Mapping[Topic, datetime | None] = field(default_factory=dict)

    @property
    def halted(self) -> bool:
        """Whether payout runs do not go on, even if they are queued or running."""
        return self.paused or self.known is False or bool(self.dead)

    def catches_up(self, eras: Iterable[int]) -> bool:
        """Whether a catch-up run goes on that pays these eras."""
        goes_on = self.catch_up is not None and not self.catch_up_paused and not self.dead
        return goes_on and (self.catch_up_eras is None or set(eras) <= set(self.catch_up_eras))


class State(str, Enum):
    """State of an era's payout, by its letter on the page.

    HELD: not sent, because of the election window, the fee or the gateway. REJECTED: refused, or waits for a person's decision.
    EARLIER: ended before this installation's first payout. IGNORED: not managed by this installation.
    """

    PAID = "P"
    WAITING = "W"
    HELD = "H"
    REJECTED = "R"
    EXPIRED = "X"
    UNKNOWN = "U"
    UNPAID = "O"
    EARLIER = "?"
    IGNORED = "-"

    @property
    def word(self) -> str:
        own = {State.WAITING: "in progress", State.UNKNOWN: "result unknown", State.EARLIER: "status unknown"}
        return own.get(self, self.name.lower())


OPEN = (State.WAITING, State.HELD, State.REJECTED, State.UNKNOWN, State.UNPAID)
"""States of an era that this installation should pay, and still can."""


@dataclass(frozen=True)
class Judgement:
    """`in_hand`: the payment is in progress."""

    state: State
    reason: str
    in_hand: bool = False


class NetworkState:
    """The state of a network: what ledger, gateway and Airflow report, and the judged eras. Nothing is written.

    A refused calendar says neither which era is active nor which era `start_date` means.

    :param airflow: gives what Airflow knows of these eras: all that can be paid or shown, and the active one.
    :param newest: how many newest ended eras to judge at least, and to show; `also`: further ones to judge.
    :param setup: what is wrong with the set-up; those with danger stand before every payout. None: nobody has looked.
    :ivar first: the oldest era that this installation should have paid; None without one.
    :ivar records: the parts of the eras that are judged, `known`: at least all that can be paid.
    :ivar failures: why runs have failed, by era; None for the catch-up's.
    :ivar differences: the newest comparisons whose sides differ, of the eras that the chain still keeps; nobody can compare older ones again.
    :ivar refused: why the ledger refuses the calendar of the settings; None: it does not.
    :ivar wrong_accounts: watched accounts in the wrong state, each with its state in words.
    :raises LedgerError: the ledger could not be read.
    """

    def __init__(
        self,
        name: str,
        network: NetworkConfig,
        ledger: Ledger,
        live: LiveFacts,
        *,
        now: datetime,
        airflow: Callable[[range], AirflowFacts] = lambda _: AirflowFacts(),
        newest: int = ERAS,
        also: Collection[int] = (),
        setup: Sequence[Problem] | None = None,
    ) -> None:
        self.name = name
        self.network = network
        self.ledger = ledger
        self.live = live
        self.now = now
        self.newest = newest
        self.setup = setup
        self.wrong_accounts: Sequence[str] = ()
        known = {"by_node": live.by_node, "reached": ledger.newest_era(name, PayoutState.CONFIRMED)}
        self.active = network.active_era(now, live.active, unanswered=live.problem is not None, **known)
        self.refused: ConfigError | None = None
        try:
            ledger.journal.check_calendar(name, network.calendar)
        except ConfigError as error:
            self.refused = error
            calendar = None if live.active is not None else self.active.calendar
            self.active = replace(self.active, calendar=calendar, unanswered=True)
        self.first = responsible_from(ledger, name, self.since)
        payable, shown = self.active.payable.start, self.active.era - newest
        # Before the ledger: the run of a paid era may have ended.
        self.airflow = airflow(range(max(0, min(payable, shown)), self.active.era + 1))
        # Also those that expired lately.
        oldest = payable if self.first is None else payable - network.history_depth
        self.known = range(max(0, min([*also, shown, oldest])), self.active.era)
        self.records: Mapping[int, Sequence[Payout]] = ledger.payouts_of(name, self.known)
        self.paid_on_chain: Collection[int] = ledger.facts.paid_on_chain(name, self.known)
        self.failures = ledger.journal.failures(name)
        self.differences = ledger.facts.rows(Reconciliation, name, range(payable, MAX_ERA + 1), DIFFERS)
        self.stopped = ledger.stopped()
        self.spent = read_spent(ledger, terms_of(name, network), run="", now=now)

    @property
    def since(self) -> int | None:
        """The era of `start_date`."""
        return self.network.first_era if self.refused is None else None

    @property
    def calendar(self) -> EraCalendar:
        return self.network.calendar

    @property
    def dated(self) -> bool:
        """Whether the calendar can be relied on: it is neither refused nor apart from the chain."""
        return self.refused is None and not self.active.drifts

    @property
    def token(self) -> Token | None:
        return self.network.token or self.live.token

    @cached_property
    def cells(self) -> Mapping[int, Judgement]:
        """Oldest first."""
        return {era: judge_era(era, self.records.get(era, ()), self) for era in self.known}

    @cached_property
    def owed(self) -> list[int]:
        """Unpaid eras that this installation should pay, also those with a payment in progress, oldest first."""
        return [era for era, cell in self.cells.items() if cell.state in OPEN]

    @cached_property
    def unpaid(self) -> list[int]:
        """Those without a payment in progress."""
        return [era for era in self.owed if not self.cells[era].in_hand]

    @cached_property
    def expired(self) -> list[int]:
        """Eras that expired lately: their expiry is shown, and may send its alert."""
        lost = [era for era, cell in self.cells.items() if cell.state is State.EXPIRED]
        if self.dated:
            return [era for era in lost if self.now - self.gone_at(era) <= RECENTLY]
        oldest = self.active.expired_before - max(self.active.history_depth // 12, 1)  # a part of the history
        return [era for era in lost if era >= oldest]

    @cached_property
    def urgent(self) -> set[int]:
        left = {era: self.network.countdown(era, self.active.era) for era in self.owed}
        return {era for era, one in left.items() if (one.warning or 0) >= URGENT_PERCENT}

    def gone_at(self, era: int) -> datetime:
        """When the rewards of an era are certainly gone, by the calendar."""
        return self.calendar.start(era + self.active.history_depth + 1)

    def run(self, era: int) -> EraRun | None:
        return None if self.airflow.runs is None else self.airflow.runs.get(era)

    def is_expected(self, era: int) -> bool:
        """Whether this installation should have paid an era that was never attempted."""
        return self.first is not None and era >= self.first

    @cached_property
    def runway(self) -> int | None:
        """For how many eras the payer's balance pays the fees, at the present fee; None: unknown, or calls are free."""
        return eras_covered(self.live.balance, self.live.fee, self.network.payout.parts)

    @property
    def funds(self) -> Level:
        """DANGER: the balance pays fewer eras than are unpaid, or none. ATTENTION: fewer than `alerts.runway_warning`."""
        if self.runway is None:
            return Level.OK
        if self.runway < max(len(self.unpaid), 1):
            return Level.DANGER
        return Level.ATTENTION if self.runway < self.network.alerts.runway_warning else Level.OK

    @cached_property
    def missing_limit(self) -> str | None:
        return None if self.live.is_local else missing_limit(terms_of(self.name, self.network))

    @cached_property
    def exceeded_limit(self) -> str | None:
        """Which limit the present fee exceeds; None: it exceeds none, or the fee is unknown."""
        fee = self.live.fee
        return None if fee is None else above_limit(fee, self.spent, terms_of(self.name, self.network))


def judge_era(era: int, records: Sequence[Payout], network: NetworkState) -> Judgement:
    airflow = network.airflow
    expired = era < network.active.expired_before
    if is_paid(records, network.network.payout.parts) or (expired and was_paid(records)):
        return Judgement(State.PAID, _how(records))
    if network.live.automatic:
        return Judgement(State.IGNORED, PAYS_BY_ITSELF)
    if is_seen_paid(records, on_chain=era in network.paid_on_chain):
        return Judgement(State.PAID, SEEN_PAID)
    if expired:
        if records or network.is_expected(era):
            return Judgement(State.EXPIRED, f"never paid, and its rewards are gone; {why_unpaid(records)}")
        return Judgement(State.IGNORED, "ended before this installation started, and too old to be paid")
    run = network.run(era)
    running = run is not None and run.active and not airflow.halted
    part = unsettled(records)
    if part is not None:
        # HELD, REJECTED and UNKNOWN have one name. A part that waits for a person counts as rejected: no run ends that hold by itself.
        same = State.__members__.get(part.state.name, State.WAITING)
        state = State.REJECTED if hold_of(part) is Outcome.REJECTED else same
        capped = is_capped(records, network.network.payout.parts, network.network.payout.max_parts)
        ended = capped or (run is not None and not running and not airflow.catches_up([era]))
        moves = state in (State.WAITING, State.UNKNOWN) and not ended and network.now - part.updated_at < FRESH
        in_hand = (running or moves) and state is not State.REJECTED
        if state is State.WAITING and not in_hand:
            return Judgement(State.UNPAID, f"{why_unpaid(records)}; no payment is in progress")
        return Judgement(state, part.reason or STATE_WORDS[part.state], in_hand)
    if running:
        return Judgement(State.WAITING, "its run waits until the era can be paid", in_hand=True)
    return Judgement(State.UNPAID, why_unpaid(records)) if records else _judge_untried(era, run, network)


def _judge_untried(era: int, run: EraRun | None, network: NetworkState) -> Judgement:
    if network.since is not None and era < network.since:
        return Judgement(State.IGNORED, "before the network's start_date")
    if run is not None and run.active:
        return Judgement(State.UNPAID, "its run does not go on")
    if run is not None:
        return Judgement(State.UNPAID, f"its run ended ({run.state}) before it paid; see its tasks")
    end = network.calendar.end(era)
    begins = end + network.network.calendar_settings.delay + min(RUN_GRACE, end - network.calendar.start(era))
    if network.dated and network.now < begins and not network.airflow.halted:
        return Judgement(State.WAITING, "has just ended; its run begins soon", in_hand=True)
    if not network.is_expected(era):
        return Judgement(State.EARLIER, "ended before the first payout of this installation; a catch-up finds out")
    has_none = network.airflow.runs is not None and not network.airflow.catches_up([era])
    return Judgement(State.UNPAID, f"{NEVER_TRIED}, and without a run" if has_none else NEVER_TRIED)


def _how(records: Sequence[Payout]) -> str:
    if any(record.state is PayoutState.CONFIRMED for record in records):
        by = next((record.confirmed_by for record in reversed(records) if record.confirmed_by), None)
        return f"confirmed by {by}" if by else "confirmed"
    return "already paid, from gateway"
