"""The survey: find the unpaid eras of a network.

The ledger has the paid eras, the chain the active era, and the calendar the time of expiry. An era without a record counts as unpaid, unless a
comparison has seen it paid on the chain. If the era is paid already, another payout costs nothing. If it is unpaid, its rewards would otherwise
be lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from staking_gateway.catch_up.plan import CatchUpPlan, Request, plan_catch_up, requested_eras
from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import ActiveEra
from staking_gateway.errors import InvalidEra
from staking_gateway.gateway.gateway import Client, Gateway, if_supported
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.terms import terms_of
from staking_gateway.problem import Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.payout.terms import PayoutTerms

WATCHED_FROM = "watched_from"
"""Notice with the first era that this installation should pay."""


def survey(
    terms: PayoutTerms,
    gateway: Client | Gateway | None,
    ledger: Ledger,
    network: NetworkConfig,
    *,
    request: Request | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> CatchUpPlan:
    """Compare ledger, chain and calendar. Nothing is signed, sent or written.

    :param gateway: source of active era and fee. Without a gateway, the era comes from the calendar, and nothing expires.
    :raises InvalidEra: the requested eras cannot be paid, or the gateway does not report the active era.
    :raises GatewayError: the gateway did not answer.
    """
    request, kept, since = request or Request(), network.depths, network.first_era
    gateway = None if gateway is None else Gateway.of(gateway)
    by_chain = None if gateway is None else if_supported(gateway.active_era)
    if by_chain is None and gateway is not None:
        raise InvalidEra(
            "active era", "this gateway does not report it", f"Read it from a node. {Topic.NO_NODE.remedy}"
        )
    seen = ActiveEra.at(
        clock(),
        network.calendar,
        by_chain,
        kept.network,
        unanswered=gateway is None,
        max_drift=terms.max_drift,
        by_node=gateway is not None and gateway.node is not None,
        reached=ledger.newest_era(terms.network, PayoutState.CONFIRMED),
    )
    active = seen.era if by_chain is None else by_chain
    eras = requested_eras(active, kept.network, request, since)
    notes = (*_drift(seen), *_ignored(eras, since, request))
    first = responsible_from(ledger, terms.network, since)
    if gateway is not None and gateway.pays_by_itself():
        eras, first, notes = range(0), active, (PAYS_BY_ITSELF, *notes)
    before = seen.expired_before if request.whole and first is not None else 0
    expired = range(min(max(first or 0, before - kept.network), before), before)
    notices = ledger.journal.notices(terms.network, _reported(kept.network), since=expired.start)
    responsible = sorted({*expired} - {notice.era for notice in notices})
    looked_at = sorted({*eras, *responsible})
    return plan_catch_up(
        terms,
        seen,
        ledger.payouts_of(terms.network, looked_at),
        eras=eras,
        kept=kept,
        budget=request.budget,
        fee=None if gateway is None else if_supported(lambda: gateway.relayer_fee(terms.relayer, terms.payer)),
        responsible=responsible,
        paid_on_chain=ledger.facts.paid_on_chain(terms.network, looked_at),
        notes=notes,
    )


def plan_network(
    name: str, network: NetworkConfig, *, gateway: Gateway | None, ledger: Ledger, request: Request
) -> tuple[PayoutTerms, CatchUpPlan]:
    """The terms and the plan of a network's catch-up. Nothing is written.

    :param gateway: None makes a plan from ledger and calendar, only to show it.
    :raises ConfigError: an anchor of the calendar was edited.
    :raises InvalidEra: the requested eras cannot be paid.
    """
    ledger.journal.check_calendar(name, network.calendar)
    chain = ledger.known_chain(name) if gateway is None else chain_of(gateway, ledger, name)
    terms = replace(terms_of(name, network), chain=chain, max_fee_per_run=request.budget.fees)
    return terms, survey(terms, gateway, ledger, network, request=request)


def responsible_from(ledger: Ledger, network: str, since: int | None) -> int | None:
    """The oldest era that this installation should have paid, not before `since`; None without one."""
    known = [era for era in (since, ledger.oldest_era(network)) if era is not None]
    known += [notice.era for notice in ledger.journal.notices(network, WATCHED_FROM)]
    return max(min(known), since or 0) if known else None


def _ignored(eras: Sequence[int], since: int | None, request: Request) -> tuple[str, ...]:
    if since is None or request.first is not None or request.eras is not None or (eras and eras[0] > since):
        return ()
    return (f"eras before {since} started before the start_date, and are ignored unless they are requested",)


def _drift(active: ActiveEra) -> tuple[str, ...]:
    if not active.drifts:
        return ()
    until = ". Until then only an approved plan is paid" if active.far_apart else ""
    until += "" if active.credible else ", and no expiry is reported"
    return (
        f"active era: {active.calendar} from calendar, {active.chain} from chain. Append an anchor with the start of a recent era "
        f"to the calendar, or correct the source of the active era{until}",
    )


def write_notices(plan: CatchUpPlan, ledger: Ledger, actor: Actor) -> list[str]:
    """Write a notice for each expired era and each expiry warning, once. Returns the new notices, one line each."""
    journal = ledger.journal
    if not journal.notices(plan.network, WATCHED_FROM) and (plan.paid or plan.unpaid):
        oldest = min([*plan.paid, *(unpaid.era for unpaid in plan.unpaid)])
        journal.note_once(plan.network, oldest, WATCHED_FROM, "eras from here on should be paid", actor)
    depth = plan.seen.history_depth
    if plan.seen.credible and plan.seen.chain is not None:
        journal.note_active_era(plan.network, plan.seen.chain, depth, actor)
    gone = f"while era {plan.active} was active: never paid, and its rewards are gone"
    notices = [(era, _reported(depth), f"a catch-up reported era {era} {gone}") for era in plan.expired]
    for unpaid in () if plan.doubtful else plan.unpaid:
        left = unpaid.countdown
        if left.warning is not None:
            kind = f"expiry_{left.warning}_of_{left.depth}"
            text = f"era {unpaid.era} is unpaid and expires {left.when}, when era {left.expires_at_era} begins"
            notices.append((unpaid.era, kind, f"{text}: {unpaid.why}"))
    return [text for era, kind, text in notices if journal.note_once(plan.network, era, kind, text, actor)]


def _reported(depth: int) -> str:
    """Kind of the notice that a catch-up reported an era as expired, by a history depth. With another depth it is judged, and reported, again."""
    return f"reported_of_{depth}"
