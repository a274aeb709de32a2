"""The state of a network, from which its problems follow: what ledger, gateway and Airflow report, and each era judged once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from staking_gateway.catch_up.plan import eras_covered
from staking_gateway.catch_up.survey import responsible_from
from staking_gateway.eras.expiry import URGENT_PERCENT, expires_at_era
from staking_gateway.errors import ConfigError
from staking_gateway.health.eras import OPEN, RECENTLY, Situation, State, judge_era, oldest_judged
from staking_gateway.health.facts import AirflowFacts, LiveFacts, active_era
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.fee_limits import Spent, exceeded_limit, missing_limit, read_spent
from staking_gateway.payout.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.eras import Judgement
    from staking_gateway.ledger import Ledger, Payout, Reconciliation, Stop, TaskFailure
    from staking_gateway.problem import Problem
    from staking_gateway.text import Token

_KNOWN_ERAS = 500
"""Older eras than these are judged by the ledger's payouts alone."""


@dataclass(frozen=True)
class NetworkState:
    """The state of a network.

    :param cells: the judged eras, at least all that can be paid.
    :param records: their parts in the ledger.
    :param failures: why runs have failed, by era; None for the catch-up's.
    :param expired: eras that expired lately.
    :param wrong_accounts: names of accounts in the wrong state, the first ones; `unexpected` is their number.
    :param differences: the newest comparisons whose sides differ.
    :param urgent: unpaid eras close to expiry.
    :param stopped: the stop of the ledger.
    :param spent: the fees that count against the limits now.
    :param setup: what is wrong with the set-up, by who can look: those with danger stand before every payout.
    :param refused: why the ledger refuses the calendar of the settings; None: it does not.
    """

    name: str
    network: NetworkConfig
    situation: Situation
    cells: Mapping[int, Judgement]
    records: Mapping[int, Sequence[Payout]]
    live: LiveFacts
    airflow: AirflowFacts
    failures: Mapping[int | None, TaskFailure] = field(default_factory=dict)
    expired: Sequence[int] = ()
    wrong_accounts: Sequence[str] = ()
    unexpected: int = 0
    differences: Sequence[Reconciliation] = ()
    urgent: frozenset[int] = frozenset()
    stopped: Stop | None = None
    spent: Spent = field(default_factory=Spent)
    refused: ConfigError | None = None
    setup: Sequence[Problem] = ()

    @cached_property
    def funds(self) -> Runway:
        """How long the payer's funds last, beside the unpaid eras."""
        return runway(self.network, balance=self.live.balance, fee=self.live.fee, unpaid=len(self.unpaid))

    @property
    def token(self) -> Token | None:
        """The token in which amounts are shown."""
        return self.network.token or self.live.token

    @cached_property
    def missing_limit(self) -> str | None:
        """The limit of fees without which nothing is signed, if any."""
        return None if self.live.is_local else missing_limit(terms_of(self.name, self.network))

    @cached_property
    def exceeded_limit(self) -> tuple[str, str] | None:
        """The limit that the present fee exceeds, and why; None: it exceeds none, or the fee is unknown."""
        fee = self.live.fee
        return None if fee is None else exceeded_limit(fee, self.spent, terms_of(self.name, self.network))

    @cached_property
    def unpaid(self) -> list[int]:
        """Unpaid eras without a payment in progress, oldest first."""
        return [
            era
            for era, cell in sorted(self.cells.items())
            if cell.state in OPEN and cell.state is not State.EARLIER and not cell.in_hand
        ]


def network_state(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    live: LiveFacts,
    *,
    now: datetime,
    airflow: AirflowFacts | None = None,
    also: Collection[int] = (),
    setup: Sequence[Problem] = (),
) -> NetworkState:
    """The state of a network. Nothing is written.

    :param also: further ended eras to judge.
    :raises LedgerError: the ledger could not be read.
    """
    airflow, refused = airflow or AirflowFacts(), refusal(name, network, ledger)
    situation = situation_of(name, network, ledger, live, now=now, airflow=airflow, refused=refused)
    active = situation.active
    oldest = min([*also, active.payable.start, oldest_judged(situation, network.history_depth)])
    known = range(max(0, oldest), active.era)
    records = ledger.payouts_of(name, known)
    cells = {era: judge_era(era, records.get(era, ()), situation) for era in known}
    left = {era: network.depths.countdown(era, active.era) for era, cell in cells.items() if cell.state in OPEN}
    return NetworkState(
        name=name,
        network=network,
        situation=situation,
        cells=cells,
        records=records,
        live=live,
        airflow=airflow,
        failures=ledger.journal.failures(name),
        expired=[era for era, cell in cells.items() if cell.state is State.EXPIRED and _lately(era, situation)],
        differences=known_differences(ledger, name, situation),
        urgent=frozenset(era for era, one in left.items() if (one.warning or 0) >= URGENT_PERCENT),
        stopped=ledger.stopped(),
        spent=read_spent(ledger, terms_of(name, network), run="", now=now),
        refused=refused,
        setup=setup,
    )


def _lately(era: int, situation: Situation) -> bool:
    """Whether an era has expired lately. Without a calendar to rely on, this is a part of the history."""
    depth = situation.active.history_depth
    if not situation.dated:
        return era >= situation.active.expired_before - max(depth // 12, 1)
    return situation.now - situation.calendar.start(expires_at_era(era, depth)) <= RECENTLY


def refusal(name: str, network: NetworkConfig, ledger: Ledger) -> ConfigError | None:
    """Why the ledger refuses the calendar of the settings; None: it does not."""
    try:
        ledger.journal.check_calendar(name, network.calendar)
    except ConfigError as error:
        return error
    return None


def situation_of(
    name: str,
    network: NetworkConfig,
    ledger: Ledger,
    live: LiveFacts,
    *,
    now: datetime,
    airflow: AirflowFacts | None = None,
    refused: ConfigError | None = None,
) -> Situation:
    """The facts that the judgement of a network's eras needs.

    A refused calendar says neither which era is active nor which era `start_date` means.
    """
    airflow, active = (
        airflow or AirflowFacts(),
        active_era(network, live, now, reached=ledger.newest_era(name, PayoutState.CONFIRMED)),
    )
    since = network.first_era
    if refused is not None:
        known = None if live.active is not None else active.calendar
        active, since = replace(active, calendar=known, unanswered=True), None
    newest = range(max(0, active.era - max(_KNOWN_ERAS, 3 * network.history_depth)), active.era)
    return Situation(
        calendar=network.calendar,
        now=now,
        active=active,
        first=responsible_from(ledger, name, since),
        since=since,
        parts=network.payout.parts,
        delay=network.delay,
        runs=airflow.runs,
        automatic=live.automatic,
        catching_up=airflow.catching_up,
        halted=airflow.halted,
        paid_on_chain=ledger.facts.paid_on_chain(name, newest),
        dated=refused is None and not active.drifts,
    )


def known_differences(ledger: Ledger, name: str, situation: Situation) -> list[Reconciliation]:
    """The known differences between ledger and chain, of the eras that the chain still keeps; nobody can compare older ones again."""
    return [row for row in ledger.facts.differences(name) if row.era >= situation.active.payable.start]


@dataclass(frozen=True)
class Runway:
    """For how many eras the payer's balance pays the fees, at the present fee.

    :param eras: None when balance or fee is unknown, or calls are free. Then the funds are not short.
    :param short: fewer eras than `alerts.runway_warning`, or than unpaid eras.
    :param critical: fewer eras than unpaid eras, or none.
    """

    eras: int | None
    short: bool
    critical: bool


def runway(network: NetworkConfig, *, balance: int | None, fee: int | None, unpaid: int = 0) -> Runway:
    """Judge the payer's funds.

    :param balance: the payer's free balance in the smallest unit; None: unknown. Likewise `fee`, of one call.
    :param unpaid: number of unpaid eras.
    """
    eras, least = eras_covered(balance, fee, network.payout.parts), max(unpaid, 1)
    if eras is None:
        return Runway(None, short=False, critical=False)
    return Runway(eras, short=eras < max(least, network.alerts.runway_warning), critical=eras < least)
