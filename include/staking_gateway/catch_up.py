"""Catch-up: the unpaid eras of a network, the plan to pay them, and its approval. An era without a record counts as unpaid, unless a comparison
has seen it paid on the chain: another payout of a paid era costs nothing, and an unpaid era would lose its rewards.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import ActiveEra, Countdown, check_payable, payable_eras, utc_now
from staking_gateway.errors import EraNotEnded, InvalidEra, InvalidInput
from staking_gateway.gateway.gateway import Client, Gateway, if_supported
from staking_gateway.ledger import Ledger, Payout, PayoutState
from staking_gateway.ledger.journal import Journal
from staking_gateway.payout.copies import in_flight, is_capped, is_paid, is_seen_paid, was_paid, why_unpaid
from staking_gateway.payout.decide import PAYS_BY_ITSELF
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.outcomes import Hold
from staking_gateway.payout.terms import PayoutTerms, terms_of
from staking_gateway.problem import Topic
from staking_gateway.text import Token, amount, count
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, parse_era, parse_eras, parse_unsigned


def eras_covered(amount: int | None, fee: int | None, calls: int | None) -> int | None:
    """For how many eras an amount pays the fees; None: amount or fee (of a call) is unknown, or calls are free. No number of calls counts as one."""
    return None if amount is None or not fee else amount // (fee * (calls or 1))


@dataclass(frozen=True)
class Request:
    """The requested eras and budget of a catch-up. Raises InvalidInput if a limit is 0 or no number.

    :param first: oldest era, `last`: newest; None: of those that can be paid. `eras`, instead of both: a list such as `1391, 1395-1402`.
    :param max_eras: the most eras of one catch-up; None is no limit. Likewise `max_fees`, in the smallest unit.
    """

    first: int | None = None
    last: int | None = None
    eras: str | None = None
    max_eras: int | None = None
    max_fees: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("max_eras", MAX_ERA), ("max_fees", MAX_AMOUNT)):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, parse_unsigned(value, most, field=name))
                if getattr(self, name) == 0:
                    raise InvalidInput(name, "a budget of 0 pays nothing", "Write 1 or more, or leave it out")


@dataclass(frozen=True)
class UnpaidEra:
    """An unpaid era. `sent`: its payout is in flight: a run waits for the result, and signs nothing meanwhile."""

    era: int
    why: str
    countdown: Countdown
    sent: bool = False
    held: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {"era": self.era, "why": self.why, "sent": self.sent, **self.countdown.as_dict()}


@dataclass(frozen=True)
class CatchUpPlan:
    """The plan of a catch-up.

    :param seen: the active era, which the chain tells. If it is far from the calendar's, a person must approve the plan, see `ActiveEra.check`.
    :param terms: accounts, chain and parts of the payouts, as plain JSON; `fee`: of one call, in the smallest unit; None: unknown.
    :param paid: requested eras that are paid already; `expired`: those that can no longer be paid.
    :param pay: soonest to expire first, and last those that wait for a person; `later`: those beyond the budget.
    """

    network: str
    seen: ActiveEra = field(compare=False)
    terms: Mapping[str, Any]
    fee: int | None
    paid: tuple[int, ...]
    pay: tuple[UnpaidEra, ...]
    later: tuple[UnpaidEra, ...]
    expired: tuple[int, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def active(self) -> int:
        return self.seen.chain or 0

    @property
    def unpaid(self) -> tuple[UnpaidEra, ...]:
        return self.pay + self.later

    @property
    def in_flight(self) -> int:
        """How many of the eras in `pay` are sent already."""
        return sum(unpaid.sent for unpaid in self.pay)

    @property
    def eras(self) -> list[int]:
        """The eras to pay, in order, also those in flight."""
        return [unpaid.era for unpaid in self.pay]

    def decisions(self) -> dict[str, Any]:
        """The content of an approval: eras to pay, terms and expired eras. Other values change with time."""
        return {
            "network": self.network,
            "terms": dict(self.terms),
            "fee": None if self.fee is None else str(self.fee),
            "pay": self.eras,
            "expired": list(self.expired),
        }

    @property
    def hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the decisions as canonical JSON."""
        text = json.dumps(self.decisions(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def lines(self, token: Token | None = None) -> list[str]:
        """The plan for a log; the first line sums it up."""
        fee = "an unknown fee" if self.fee is None else f"a fee of {amount(self.fee, token)}"
        parts = self.terms["parts"]
        calls = {1: "", "until_empty": ", calls until nothing is left"}.get(parts, f", {parts} calls an era")
        sent = f"{self.in_flight} in flight, " if self.in_flight else ""
        lines = [
            f"Plan {self.hash} of {self.network}, while era {self.active} is active: {count(len(self.pay) - self.in_flight, 'era')} to pay "
            f"at {fee} a call{calls}, {sent}{len(self.later)} left for later, {len(self.expired)} expired, {len(self.paid)} paid"
        ]
        for unpaid in self.unpaid:
            action = "wait" if unpaid.sent else "pay" if unpaid in self.pay else "later"
            lines.append(f"  {action:5} era {unpaid.era}: expires {unpaid.countdown.when}; {unpaid.why}")
        lines += [f"  lost  era {era}: expired" for era in self.expired]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.decisions(),
            "hash": self.hash,
            "active_era": self.active,
            "paid": list(self.paid),
            "pay": [unpaid.as_dict() for unpaid in self.pay],
            "later": [unpaid.as_dict() for unpaid in self.later],
            "notes": list(self.notes),
        }


def requested_eras(active: int, depth: int, request: Request, since: int | None = None) -> Sequence[int]:
    """The eras of a catch-up, in ascending order, without those before `since`, unless `Request.first` names one. InvalidEra: one of `Request.eras` is
    before it, a requested one cannot be paid, or the request is not clear.
    """
    given = {"from_era": request.first, "to_era": request.last}
    ends = {name: parse_era(era, field=name) for name, era in given.items() if era is not None}
    if request.eras is not None and ends:
        raise InvalidEra("eras", "from_era or to_era is given as well", "Give the eras or the range, not both")
    chosen = () if request.eras is None else parse_eras(request.eras)
    try:
        for name, era in (*ends.items(), *(("eras", era) for era in chosen)):
            check_payable(era, active, depth, field=name)
    except EraNotEnded as error:  # a person corrects the number; only a run's own era is awaited
        raise InvalidEra(error.field, error.fault, error.problem.remedy) from None
    if chosen and since is not None and chosen[0] < since:
        fault = f"era {chosen[0]} started before the start_date"
        raise InvalidEra("eras", fault, f"Write {since} or more, or set an earlier start_date")
    payable = payable_eras(active, depth)
    low, high = ends.get("from_era", max(payable.start, since or 0)), ends.get("to_era", payable.stop - 1)
    if len(ends) == 2 and low > high:
        raise InvalidEra("from_era", f"era {low} comes after to_era {high}", "Swap the two")
    return chosen or range(low, high + 1)


def approved_plan(journal: Journal, plan_hash: str, plan: CatchUpPlan) -> CatchUpPlan:
    """The plan of now with the eras of an approved one that are still unpaid. Eras that have ended since, or were paid since, change nothing.
    InvalidInput: there is no such plan, fee, accounts or terms differ, or an approved era can no longer be paid.
    """
    approved = journal.plan(plan.network, plan_hash)
    if approved is None:
        problem = f"there is no plan {plan_hash!r} of {plan.network}"
        raise InvalidInput("approve", problem, "Make a plan first, and approve its hash")
    if changed := differences(approved, plan):
        fault, remedy = f"the plan has changed: {'; '.join(changed)}", f"Check the new plan, and approve {plan.hash}"
        raise InvalidInput("plan", fault, remedy, topic=Topic.PLAN_CHANGED)
    eras = eras_of(approved)
    return replace(plan, pay=tuple(unpaid for unpaid in plan.unpaid if unpaid.era in eras), later=())


def eras_of(approved: Mapping[str, Any]) -> list[int]:
    """The eras that a stored plan (its `as_dict()`) pays."""
    return [entry["era"] for entry in approved["pay"]]


def terms_by_hash(terms: PayoutTerms, journal: Journal, plan_hash: str, era: int) -> PayoutTerms:
    """As `approved_terms`, by the hash of a stored plan. InvalidInput: no plan with that hash pays the era with these accounts and calls."""
    plan, agreed = journal.plan(terms.network, plan_hash), _agreed(terms).items()
    if plan is None or era not in eras_of(plan) or not agreed <= plan["terms"].items():
        problem = f"no plan {plan_hash!r} of {terms.network} pays era {era} with these accounts and {terms.parts or 'any number of'} calls"
        raise InvalidInput("approve", problem, "Make a plan first, and approve its hash")
    return approved_terms(terms, None if plan["fee"] is None else int(plan["fee"]))


def _agreed(terms: PayoutTerms) -> dict[str, Any]:
    """The terms that an approval binds, for each era that is paid by it."""
    accounts = {role: getattr(terms, role).address for role in ("relayer", "user", "payer")}
    return {**accounts, "parts": terms.parts or "until_empty"}


def approved_terms(terms: PayoutTerms, fee: int | None) -> PayoutTerms:
    """The terms of an approved plan: its fee is the limit of each call, and its eras may be as far from the calendar's as they are."""
    limits = [limit for limit in (terms.max_fee_per_payout, fee) if limit is not None]
    return replace(terms, max_drift=MAX_ERA, max_fee_per_payout=max(1, min(limits)) if limits else None)


def differences(approved: Mapping[str, Any], plan: CatchUpPlan) -> list[str]:
    """What speaks against an approved plan (its `as_dict()`) now, one line each."""
    before, after = (
        {**one["terms"], "fee": one["fee"] and amount(int(one["fee"]), None)} for one in (approved, plan.decisions())
    )
    lines = [f"{name}: was {before[name]}, is {after[name]}" for name in after if before[name] != after[name]]
    gone = sorted({*eras_of(approved)} - {*plan.paid} - {unpaid.era for unpaid in plan.unpaid})
    return [*lines, *([f"pay: no longer {', '.join(map(str, gone))}"] if gone else ())]


WATCHED_FROM = "watched_from"
"""Notice with the first era that this installation should pay."""
_REPORTED = "reported_of_{}"
"""Notice that an era was reported as expired, by a history depth: with another depth it is judged, and reported, again."""


def survey(
    terms: PayoutTerms,
    gateway: Client | Gateway,
    ledger: Ledger,
    network: NetworkConfig,
    *,
    request: Request | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> CatchUpPlan:
    """Compare ledger, chain and calendar; nothing is written. InvalidEra: as of `requested_eras`, or the gateway does not report the active era."""
    request, depth, since, gateway = request or Request(), network.history_depth, network.first_era, Gateway.of(gateway)
    whole = request.first is None and request.last is None and request.eras is None
    active = if_supported(gateway.active_era)
    if active is None:
        remedy = f"Read it from a node. {Topic.NO_NODE.remedy}"
        raise InvalidEra("active era", "this gateway does not report it", remedy)
    reached = ledger.newest_era(terms.network, PayoutState.CONFIRMED)
    seen = network.active_era(clock(), active, by_node=gateway.node is not None, reached=reached)
    eras = requested_eras(active, depth, request, since)
    first = responsible_from(ledger, terms.network, since)
    notes = []
    if whole and since is not None and (not eras or eras[0] == since):
        notes.append(f"eras before {since} started before the start_date: to pay them, set an earlier one")
    if gateway.pays_by_itself():
        eras, first = range(0), active
        notes.append(PAYS_BY_ITSELF)
    before = seen.expired_before if whole and first is not None else 0
    lost = range(min(max(first or 0, before - depth), before), before)
    reported = {one.era for one in ledger.journal.notices(terms.network, _REPORTED.format(depth), since=lost.start)}
    looked_at = sorted({*eras, *lost} - reported)
    records = ledger.payouts_of(terms.network, looked_at)
    on_chain = ledger.facts.paid_on_chain(terms.network, looked_at)
    done = {
        era
        for era in looked_at
        if is_paid(records.get(era, ()), terms.parts) or is_seen_paid(records.get(era, ()), on_chain=era in on_chain)
    }
    unpaid = [_unpaid(era, records.get(era, ()), network.countdown(era, active), terms) for era in {*eras} - done]
    unpaid.sort(key=lambda one: (one.held, one.countdown.expires_at_era, one.era))
    fee = if_supported(lambda: gateway.relayer_fee(terms.relayer, terms.payer))
    limits = (len(unpaid), request.max_eras, eras_covered(request.max_fees, fee, terms.parts))
    most = min(limit for limit in limits if limit is not None)
    return CatchUpPlan(
        network=terms.network,
        seen=seen,
        terms={"chain": terms.lane, **_agreed(terms), "history_depth": depth},
        fee=fee,
        paid=tuple(era for era in eras if era in done),
        pay=tuple(unpaid[:most]),
        later=tuple(unpaid[most:]),
        expired=tuple(era for era in lost if not (era in done or era in reported or was_paid(records.get(era, ())))),
        notes=tuple(notes),
    )


def _unpaid(era: int, parts: Sequence[Payout], countdown: Countdown, terms: PayoutTerms) -> UnpaidEra:
    sent = any(in_flight(part) and part.hold is None for part in parts)
    held = any(part.hold in (Hold.CHARGED.value, Hold.CONTRADICTION.value) for part in parts)
    return UnpaidEra(era, why_unpaid(parts), countdown, sent, held or is_capped(parts, terms.parts, terms.max_parts))


def plan_network(
    name: str, network: NetworkConfig, *, gateway: Gateway, ledger: Ledger, request: Request
) -> tuple[PayoutTerms, CatchUpPlan]:
    """The terms and the plan of a network's catch-up. Raises as `survey`, and ConfigError if an anchor of the calendar was edited."""
    ledger.journal.check_calendar(name, network.calendar)
    terms = replace(terms_of(name, network), chain=chain_of(gateway, ledger, name), max_fee_per_run=request.max_fees)
    return terms, survey(terms, gateway, ledger, network, request=request)


def responsible_from(ledger: Ledger, network: str, since: int | None) -> int | None:
    """The oldest era that this installation should have paid, not before `since`; None without one."""
    known = [era for era in (since, ledger.oldest_era(network)) if era is not None]
    known += [notice.era for notice in ledger.journal.notices(network, WATCHED_FROM)]
    return max(min(known), since or 0) if known else None


def write_notices(plan: CatchUpPlan, ledger: Ledger) -> list[str]:
    """Write a notice for each expired era and each expiry warning, once. Returns the new notices, one line each."""
    journal = ledger.journal
    if not journal.notices(plan.network, WATCHED_FROM) and (plan.paid or plan.unpaid):
        oldest = min([*plan.paid, *(unpaid.era for unpaid in plan.unpaid)])
        journal.note_once(plan.network, oldest, WATCHED_FROM, "eras from here on should be paid")
    credible, depth = plan.seen.credible, plan.seen.history_depth
    if credible:
        journal.note_active_era(plan.network, plan.active, depth)
    gone = f"while era {plan.active} was active: never paid, and its rewards are gone"
    notices = [(era, _REPORTED.format(depth), f"a catch-up reported era {era} {gone}") for era in plan.expired]
    for unpaid in plan.unpaid if credible else ():
        left = unpaid.countdown
        if left.warning is not None:
            text = f"era {unpaid.era} is unpaid and expires {left.when}, when era {left.expires_at_era} begins"
            notices.append((unpaid.era, f"expiry_{left.warning}_of_{left.depth}", f"{text}: {unpaid.why}"))
    return [text for era, kind, text in notices if journal.note_once(plan.network, era, kind, text)]
