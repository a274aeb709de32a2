"""The plan of a catch-up: which eras it pays, and in which order. Pure: no network, no disk, no clock.

Each payable era is paid or unpaid. A catch-up pays the unpaid eras within its budget, soonest to expire first. The next run pays the rest. An
older era that was never paid has expired.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.expiry import Countdown, check_payable, payable_eras
from staking_gateway.errors import EraNotEnded, InvalidEra, InvalidInput, PlanChanged
from staking_gateway.payout.copies import in_flight, is_paid, is_seen_paid, was_paid, why_unpaid
from staking_gateway.text import amount, count
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, parse_era, parse_eras, parse_unsigned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from staking_gateway.eras.expiry import ActiveEra, Depths
    from staking_gateway.ledger import Payout
    from staking_gateway.ledger.journal import Journal
    from staking_gateway.payout.terms import PayoutTerms
    from staking_gateway.text import Token


def eras_covered(amount: int | None, fee: int | None, calls: int | None) -> int | None:
    """For how many eras an amount pays the fees; None when amount or fee (of a call) is unknown, or calls are free.

    :param calls: calls per era; None (until nothing is left) counts as one.
    """
    return None if amount is None or not fee else amount // (fee * (calls or 1))


@dataclass(frozen=True)
class Budget:
    """The most eras and fees (in the smallest unit) of one catch-up; None is no limit.

    :raises InvalidInput: a limit is 0 or no number.
    """

    eras: int | None = None
    fees: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("eras", MAX_ERA), ("fees", MAX_AMOUNT)):
            value = getattr(self, name)
            if value is not None:
                try:
                    number = parse_unsigned(value, most, field=f"max_{name}")
                except InvalidInput as error:
                    unit = ", in the smallest unit of the token" if name == "fees" else ""
                    raise InvalidInput(error.field, error.fault, f"{error.problem.remedy}{unit}") from None
                if number == 0:
                    raise InvalidInput(f"max_{name}", "a budget of 0 pays nothing", "Write 1 or more, or leave it out")
                object.__setattr__(self, name, number)

    def affords(self, fee: int | None, calls: int | None) -> int | None:
        """How many eras the budget pays; None is no limit."""
        limits = (self.eras, eras_covered(self.fees, fee, calls))
        return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True)
class Request:
    """The requested eras and budget of a catch-up.

    :param first: oldest era; None: the oldest that can be paid. Likewise `last`.
    :param eras: instead of both: a list of eras and ranges, such as `1391, 1395-1402`.
    """

    first: int | None = None
    last: int | None = None
    eras: str | None = None
    budget: Budget = field(default_factory=Budget)

    @property
    def whole(self) -> bool:
        """Whether no era is named."""
        return self.first is None and self.last is None and self.eras is None


@dataclass(frozen=True)
class UnpaidEra:
    """An unpaid era, why it is unpaid, and how long it can still be paid.

    :param sent: its payout is in flight: a run waits for the result, and signs nothing meanwhile.
    """

    era: int
    why: str
    countdown: Countdown
    sent: bool = False


@dataclass(frozen=True)
class CatchUpPlan:
    """The plan of a catch-up.

    :param seen: the active era.
    :param terms: accounts, chain and parts of the payouts; plain JSON.
    :param fee: of one call at the time of the plan, in the smallest unit; None: unknown.
    :param paid: requested eras that are paid.
    :param pay: eras to pay, soonest to expire first.
    :param later: unpaid eras beyond the budget, in the same order.
    :param expired: unpaid eras that can no longer be paid.
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
        """The active era, from the chain if it reports one."""
        return self.seen.era if self.seen.chain is None else self.seen.chain

    @property
    def unpaid(self) -> tuple[UnpaidEra, ...]:
        """All unpaid eras that can be paid."""
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
    def doubtful(self) -> bool:
        """Whether the chain's active era is not credible, so that no expiry is reported."""
        return self.seen.chain is not None and not self.seen.credible

    def check(self) -> None:
        """Refuse a plan that only a person can approve.

        :raises GatewayError: the active era is far from the calendar's.
        """
        self.seen.check(self.network)

    @property
    def hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the decisions as canonical JSON."""
        text = json.dumps(self.decisions(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def lines(self, token: Token | None = None) -> list[str]:
        """The plan for a log; the first line sums it up."""
        fee = "an unknown fee" if self.fee is None else f"a fee of {amount(self.fee, token)}"
        sent = f"{self.in_flight} in flight, " if self.in_flight else ""
        lines = [
            f"Plan {self.hash} of {self.network}, while era {self.active} is active: {count(len(self.pay) - self.in_flight, 'era')} to pay "
            f"at {fee} a call, {sent}{len(self.later)} left for later, {len(self.expired)} expired, {len(self.paid)} paid"
        ]
        for action, group in (("pay", self.pay), ("later", self.later)):
            lines += [
                f"  {'wait' if unpaid.sent else action:5} era {unpaid.era}: expires {unpaid.countdown.when}; {unpaid.why}"
                for unpaid in group
            ]
        lines += [f"  lost  era {era}: expired" for era in self.expired]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        groups = {
            name: [
                {"era": unpaid.era, "why": unpaid.why, "sent": unpaid.sent, **unpaid.countdown.as_dict()}
                for unpaid in group
            ]
            for name, group in (("pay", self.pay), ("later", self.later))
        }
        about = {"hash": self.hash, "active_era": self.active, "paid": list(self.paid), "notes": list(self.notes)}
        return {**self.decisions(), **about, **groups}


def requested_eras(active: int, depth: int, request: Request, since: int | None = None) -> Sequence[int]:
    """The eras of a catch-up, in ascending order.

    :param since: earlier eras are ignored, unless `Request.first` names one. Among `Request.eras` they are refused.
    :raises InvalidEra: a requested era cannot be paid, or the request is not clear.
    """
    payable = payable_eras(active, depth)
    ends = (("from_era", request.first), ("to_era", request.last))
    requested = {name: parse_era(era, field=name) for name, era in ends if era is not None}
    if request.eras is not None and requested:
        raise InvalidEra("eras", "from_era or to_era is given as well", "Give the eras or the range, not both")
    chosen = () if request.eras is None else parse_eras(request.eras)
    try:
        for name, era in (*requested.items(), *(("eras", era) for era in chosen)):
            check_payable(era, active, depth, field=name)
    except EraNotEnded as error:  # a person corrects the number; only a run's own era is awaited
        raise InvalidEra(error.field, error.fault, error.problem.remedy) from None
    if chosen:
        if since is not None and chosen[0] < since:
            fault = f"era {chosen[0]} started before the start_date"
            raise InvalidEra("eras", fault, f"Write {since} or more, or set an earlier start_date")
        return chosen
    low = requested.get("from_era", max(payable.start, since or 0))
    high = requested.get("to_era", payable.stop - 1)
    if len(requested) == 2 and low > high:
        raise InvalidEra("from_era", f"era {low} comes after to_era {high}", "Swap the two")
    return range(low, high + 1)


def plan_catch_up(
    terms: PayoutTerms,
    seen: ActiveEra,
    records: Mapping[int, Sequence[Payout]],
    *,
    eras: Sequence[int],
    kept: Depths,
    budget: Budget,
    fee: int | None,
    responsible: Collection[int] = (),
    paid_on_chain: Collection[int] = (),
    notes: tuple[str, ...] = (),
) -> CatchUpPlan:
    """The plan for some eras.

    :param records: the ledger's parts by era.
    :param eras: payable eras, see `requested_eras`.
    :param kept: after how many eras rewards are gone.
    :param responsible: older eras that this installation should have paid.
    :param paid_on_chain: eras that the chain was seen to have paid.
    """

    def is_done(era: int) -> bool:
        of_era = records.get(era, ())
        return is_paid(of_era, terms.parts) or is_seen_paid(of_era, on_chain=era in paid_on_chain)

    plan = CatchUpPlan(
        network=terms.network,
        seen=seen,
        terms={
            "chain": terms.lane,
            "relayer": terms.relayer.address,
            "user": terms.user.address,
            "payer": terms.payer.address,
            "parts": "until_empty" if terms.parts is None else terms.parts,
            "history_depth": kept.network,
        },
        fee=fee,
        paid=tuple(era for era in eras if is_done(era)),
        pay=(),
        later=(),
        expired=tuple(era for era in responsible if not is_done(era) and not was_paid(records.get(era, ()))),
        notes=notes,
    )
    unpaid = sorted(
        (
            UnpaidEra(
                era,
                why_unpaid(records.get(era, ())),
                kept.countdown(era, plan.active),
                sent=any(in_flight(part) and part.hold is None for part in records.get(era, ())),
            )
            for era in {*eras} - {*plan.paid}
        ),
        key=lambda one: (one.countdown.expires_at_era, one.era),
    )
    most = budget.affords(fee, terms.parts)
    later = () if most is None else tuple(unpaid[most:])
    if later:
        limits = {"max_eras": budget.eras, "max_fees, in the smallest unit,": budget.fees}
        told = " and ".join(f"{name} {limit}" for name, limit in limits.items() if limit is not None)
        notes = (*notes, f"the budget, {told}, leaves {count(len(later), 'era')} for later")
    return replace(plan, pay=tuple(unpaid[:most]), later=later, notes=notes)


def approved_plan(journal: Journal, plan_hash: str, plan: CatchUpPlan) -> CatchUpPlan:
    """The eras of an approved plan that are still unpaid. Eras that have ended since, or were paid since, change nothing.

    :param plan_hash: of the approved plan.
    :param plan: of now, which has the approved eras.
    :raises PlanChanged: fee, accounts or terms differ, or an approved era can no longer be paid; the error lists the differences.
    :raises InvalidInput: this network has no plan with that hash.
    """
    approved = journal.plan(plan.network, plan_hash)
    if approved is None:
        raise InvalidInput(
            "approve", f"there is no plan {plan_hash!r} of {plan.network}", "Make a plan first, and approve its hash"
        )
    if changed := differences(approved, plan):
        raise PlanChanged(changed, plan_hash=plan.hash)
    eras = eras_of(approved)
    return replace(plan, pay=tuple(unpaid for unpaid in plan.unpaid if unpaid.era in eras), later=())


def eras_of(approved: Mapping[str, Any]) -> list[int]:
    """The eras that a stored plan (its `as_dict()`) pays."""
    return [entry["era"] for entry in approved["pay"]]


def terms_by_hash(terms: PayoutTerms, journal: Journal, plan_hash: str, era: int) -> PayoutTerms:
    """As `approved_terms`, by the hash of a stored plan; unchanged if that plan does not pay the era."""
    plan = journal.plan(terms.network, plan_hash)
    if plan is None or era not in eras_of(plan):
        return terms
    return _approved(terms, None if plan["fee"] is None else int(plan["fee"]))


def approved_terms(terms: PayoutTerms, plan: CatchUpPlan) -> PayoutTerms:
    """The terms of an approved plan: its fee is the limit of each call, and its eras need no support by the calendar."""
    return _approved(terms, plan.fee)


def _approved(terms: PayoutTerms, fee: int | None) -> PayoutTerms:
    limits = [limit for limit in (terms.max_fee_per_payout, fee) if limit is not None]
    return replace(terms, calendar=None, max_fee_per_payout=max(1, min(limits)) if limits else None)


def differences(approved: Mapping[str, Any], plan: CatchUpPlan) -> list[str]:
    """What speaks against an approved plan (its `as_dict()`) now, one line each."""
    now = plan.decisions()
    before, after = ({**plan, **(plan.get("terms") or {})} for plan in (approved, now))
    names = ("network", "fee", *sorted({*(approved.get("terms") or {}), *now["terms"]}))
    lines = [
        f"{name}: was {_told(name, before.get(name))}, is {_told(name, after.get(name))}"
        for name in names
        if before.get(name) != after.get(name)
    ]
    gone = sorted({*eras_of(approved)} - {*plan.paid} - {unpaid.era for unpaid in plan.unpaid})
    return [*lines, *([f"pay: no longer {', '.join(map(str, gone))}"] if gone else ())]


def _told(name: str, value: object) -> object:
    return amount(int(str(value)), None) if name == "fee" and value is not None else value
