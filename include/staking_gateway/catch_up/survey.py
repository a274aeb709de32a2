"""Finding what a network owes, and paying it in turn.

The ledger knows what was paid, the chain tells the active era, and the calendar when an era is lost. An era the ledger knows nothing
about counts as unpaid: asking for its payout costs nothing when it was paid by somebody else, and its rewards when it was not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.catch_up.plan import Budget, CatchUpPlan, plan_catch_up, requested_range
from staking_gateway.config import defaults
from staking_gateway.eras.calendar import payable_eras, utc_now
from staking_gateway.errors import GatewayError, InvalidEra
from staking_gateway.gateway.capabilities import if_supported
from staking_gateway.http.endpoint import is_transient
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.outcomes import Outcome, Wait, WaitFor
from staking_gateway.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime, timedelta

    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.eras.expiry import Depths
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.payout.engine import PayoutEngine
    from staking_gateway.payout.outcomes import EraOutcome
    from staking_gateway.payout.terms import Gateway, PayoutTerms

EXPIRED = "expired"
_WATCHED = "watched_from"


@dataclass(frozen=True)
class Request:
    """What a catch-up is asked for.

    :param first: oldest era; None takes the oldest that can be paid. Likewise `last`.
    :param budget: how much it may do.
    """

    first: int | None = None
    last: int | None = None
    budget: Budget = field(default_factory=Budget)


def survey(
    terms: PayoutTerms,
    gateway: Gateway | None,
    ledger: Ledger,
    *,
    kept: Depths,
    calendar: EraCalendar | None = None,
    start: datetime | None = None,
    request: Request | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> CatchUpPlan:
    """Compare ledger, chain and calendar. Nothing is signed, sent or written.

    :param gateway: tells the active era and the fee; without one, the calendar tells the era and nobody the fee.
    :param kept: after how many eras rewards are gone.
    :param start: eras that started earlier are nobody's business, unless they are asked for.
    :raises InvalidEra: the eras asked for cannot be paid, or the gateway does not tell the active era.
    :raises GatewayError: the gateway did not answer.
    """
    request = request or Request()
    active = _active_era(gateway, calendar, clock())
    if active is None:
        raise InvalidEra(
            "active era",
            "this gateway does not tell it",
            "Read it from a node: set era_source to chain in its connection",
        )
    since = calendar.first_era_from(start) if calendar and start else None
    eras = requested_range(active, kept.network, first=request.first, last=request.last, since=since)
    drift = _drift(active, calendar, clock()) if calendar else ()
    notes = (*drift, *_left_alone(eras, since, request))
    if gateway is not None and gateway.pays_by_itself():
        eras, since, notes = range(0), active, (PAYS_BY_ITSELF, *notes)
    whole = request.first is None and request.last is None
    older = _responsible(ledger, terms.network, active, kept, since) if whole and not drift else range(0)
    records = ledger.payouts_of(terms.network, range(min([*older[:1], *eras[:1]], default=0), active))
    told = {notice.era for notice in ledger.journal.notices(terms.network, EXPIRED)}
    return plan_catch_up(
        terms.network,
        active,
        records,
        eras=eras,
        kept=kept,
        parts=terms.parts,
        budget=request.budget,
        fee=None if gateway is None else if_supported(lambda: gateway.relayer_fee(terms.relayer, terms.payer)),
        terms={
            "chain": terms.lane,
            "relayer": terms.relayer.address,
            "user": terms.user.address,
            "payer": terms.payer.address,
            "parts": "until_empty" if terms.parts is None else terms.parts,
            "history_depth": kept.network,
        },
        responsible=[era for era in older if era not in told],
        notes=notes,
        drifted=bool(drift),
    )


def _active_era(gateway: Gateway | None, calendar: EraCalendar | None, now: datetime) -> int | None:
    if gateway is not None:
        return if_supported(gateway.active_era)
    return calendar.era_at(now) if calendar else None


def _left_alone(eras: range, since: int | None, request: Request) -> tuple[str, ...]:
    if since is None or request.first is not None or (eras and eras.start > since):
        return ()
    return (f"eras before {since} started before the start_date, and are left alone unless they are asked for",)


def _responsible(ledger: Ledger, network: str, active: int, kept: Depths, since: int | None) -> range:
    """The eras that should have been paid, and are too old by now."""
    known = [era for era in (since, ledger.oldest_era(network)) if era is not None]
    known += [notice.era for notice in ledger.journal.notices(network, _WATCHED)]
    payable = payable_eras(active, kept.network)
    oldest = max(min(known), since or 0) if known else payable.start
    return range(oldest, payable.start)


def _drift(active: int, calendar: EraCalendar, now: datetime) -> tuple[str, ...]:
    dated = calendar.era_at(now)
    if abs(dated - active) <= 1:
        return ()
    return (
        f"the calendar says that era {dated} runs, the chain says era {active}: append an anchor with the start of a "
        "recent era to the calendar, or correct what tells the active era. Until then nothing is said about expiry",
    )


def write_notices(plan: CatchUpPlan, ledger: Ledger, actor: Actor) -> list[str]:
    """Say what has expired and what is about to, once for each era.

    :returns: what had not been said before, one line each.
    """
    journal = ledger.journal
    if not journal.notices(plan.network, _WATCHED) and (plan.paid or plan.unpaid):
        oldest = min([*plan.paid, *(owed.era for owed in plan.unpaid)])
        journal.note_once(plan.network, oldest, _WATCHED, "eras from here on should be paid", actor)
    said = [(era, EXPIRED, f"era {era} was never paid and has EXPIRED; its rewards are gone") for era in plan.expired]
    for owed in () if plan.drifted else plan.unpaid:
        left = owed.countdown
        if left.warning is not None:
            kind = f"expiry_{left.warning}_of_{left.depth}"
            text = f"era {owed.era} is unpaid and expires in {count(left.eras_left, 'era')}, when era {left.expires_at_era} begins"
            said.append((owed.era, kind, f"{text}: {owed.why}"))
    return [text for era, kind, text in said if journal.note_once(plan.network, era, kind, text, actor)]


@dataclass(frozen=True)
class Patience:
    """How long to wait for an era before going on to the next one.

    :param window: for the closed election window.
    :param confirmation: for everything else.
    """

    window: timedelta = defaults.WINDOW_TIMEOUT
    confirmation: timedelta = defaults.CONFIRMATION_TIMEOUT


def pay_in_turn(
    engine: PayoutEngine,
    eras: Iterable[int],
    *,
    patience: Patience | None = None,
    on_wait: Callable[[Wait], object] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[EraOutcome]:
    """Pay eras one after the other; one that cannot be paid does not stop the others.

    :param on_wait: is told what is being waited for, when that changes.
    :returns: the outcome of each era, as it comes.
    :raises LedgerError: the ledger failed; nothing is lost, call again.
    :raises GatewayError: the gateway refuses to talk at all, for instance the token.
    """
    patience = patience or Patience()
    for era in eras:
        begun: dict[bool, float] = {}
        told = ""
        while isinstance(step := _advance(engine, era), Wait):
            if on_wait is not None and step.message != told:
                told = step.message
                on_wait(step)
            window = step.reason is WaitFor.WINDOW
            limit = (patience.window if window else patience.confirmation).total_seconds()
            left = begun.setdefault(window, clock()) + limit - clock()
            if left <= 0:
                step = engine.abandon(era, step)
                break
            sleep(min(step.retry_in.total_seconds(), left))
        yield step


def _advance(engine: PayoutEngine, era: int) -> Wait | EraOutcome:
    try:
        return engine.advance(era)
    except GatewayError as error:
        if not is_transient(error):
            raise
        return Wait(WaitFor.REPLAY, f"era {era}: {error}", engine.poll_interval, abandoned=Outcome.UNKNOWN)
