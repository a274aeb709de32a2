"""Which eras a catch-up pays, in which order, and why not the others. Pure: no network, no disk, no clock.

Every era of the payable range is either paid or unpaid. The unpaid ones are paid in the order in which they would be lost, as far as
the budget goes; the rest is left for the next run. What is older than the payable range and was never paid has expired.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.expiry import Countdown, countdown, payable_eras
from staking_gateway.errors import InvalidEra, InvalidInput, PlanChanged
from staking_gateway.payout.standing import is_paid, was_paid, why_unpaid
from staking_gateway.text import count
from staking_gateway.types import MAX_AMOUNT, MAX_ERA, parse_era, parse_unsigned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from staking_gateway.eras.expiry import Depths
    from staking_gateway.ledger import Payout
    from staking_gateway.ledger.journal import Journal
    from staking_gateway.payout.terms import PayoutTerms


def eras_covered(amount: int | None, fee: int | None, calls: int | None) -> int | None:
    """For how many eras an amount pays the fees; None when nobody knows, or the calls are free.

    :param amount: in the smallest unit; None when it is unknown.
    :param fee: of a call, in the smallest unit; None when the gateway tells none.
    :param calls: calls an era takes; None, until nothing is left, counts as one.
    """
    return None if amount is None or not fee else amount // (fee * (calls or 1))


@dataclass(frozen=True)
class Budget:
    """What one catch-up may do.

    :param eras: most eras to pay; None is no limit.
    :param fees: most fees to pay, in the smallest unit; None is no limit.
    :raises InvalidInput: a budget of nothing would pay nothing.
    """

    eras: int | None = None
    fees: int | None = None

    def __post_init__(self) -> None:
        for name, most in (("eras", MAX_ERA), ("fees", MAX_AMOUNT)):
            value = getattr(self, name)
            if value is not None:
                number = parse_unsigned(value, most, field=f"max_{name}")
                if number == 0:
                    raise InvalidInput(f"max_{name}", "a budget of 0 pays nothing", "Write 1 or more, or leave it out")
                object.__setattr__(self, name, number)

    def affords(self, fee: int | None, calls: int | None) -> int | None:
        """How many eras fit, or None for any number; see `eras_covered`."""
        limits = (self.eras, eras_covered(self.fees, fee, calls))
        return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True)
class UnpaidEra:
    """An era that is owed.

    :param why: what the ledger knows about it.
    :param countdown: how long it can still be paid.
    """

    era: int
    why: str
    countdown: Countdown


@dataclass(frozen=True)
class CatchUpPlan:
    """What a catch-up does.

    :param terms: what else a payout depends on: accounts, chain, parts; plain JSON.
    :param fee: of one call when the plan was made, in the smallest unit; None when the gateway tells none.
    :param paid: eras of the range that are paid.
    :param pay: eras to pay, the one that would be lost first in front.
    :param later: unpaid eras the budget leaves for the next run, in the same order.
    :param expired: unpaid eras that can no longer be paid; nothing is sent for them.
    :param doubtful: the chain's active era cannot be true; no expiry is reported.
    """

    network: str
    active: int
    terms: Mapping[str, Any]
    fee: int | None
    paid: tuple[int, ...]
    pay: tuple[UnpaidEra, ...]
    later: tuple[UnpaidEra, ...]
    expired: tuple[int, ...]
    notes: tuple[str, ...] = field(default=(), compare=False)
    doubtful: bool = field(default=False, compare=False)

    @property
    def unpaid(self) -> tuple[UnpaidEra, ...]:
        """All eras that are owed and can be paid."""
        return self.pay + self.later

    @property
    def eras(self) -> list[int]:
        """The eras to pay, in order."""
        return [unpaid.era for unpaid in self.pay]

    def decisions(self) -> dict[str, Any]:
        """All that makes one plan another: what is paid, on which terms, and what is lost. What is left for later, countdowns
        and reasons pass with time and are not part of it.
        """
        return {
            "network": self.network,
            "terms": dict(self.terms),
            "fee": None if self.fee is None else str(self.fee),
            "pay": self.eras,
            "expired": list(self.expired),
        }

    @property
    def hash(self) -> str:
        """Names the plan: the first 16 hex digits of the SHA-256 of its decisions as canonical JSON."""
        text = json.dumps(self.decisions(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def lines(self) -> list[str]:
        """The plan for a log."""
        fee = "unknown" if self.fee is None else self.fee
        lines = [
            f"Plan {self.hash} of {self.network}, while era {self.active} is active: {count(len(self.pay), 'era')} to pay at a fee of "
            f"{fee} a call, {len(self.later)} left for later, {len(self.expired)} expired, {len(self.paid)} paid"
        ]
        for action, group in (("pay", self.pay), ("later", self.later)):
            lines += [
                f"  {action:5} era {owed.era}: expires in {count(owed.countdown.eras_left, 'era')}; {owed.why}"
                for owed in group
            ]
        lines += [f"  lost  era {era}: expired" for era in self.expired]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        owed = {
            name: [{"era": unpaid.era, "why": unpaid.why, **unpaid.countdown.as_dict()} for unpaid in group]
            for name, group in (("pay", self.pay), ("later", self.later))
        }
        told = {"hash": self.hash, "active_era": self.active, "paid": list(self.paid), "notes": list(self.notes)}
        return {**self.decisions(), **told, **owed}


def requested_range(
    active: int, depth: int, *, first: int | None = None, last: int | None = None, since: int | None = None
) -> range:
    """The eras a catch-up looks at.

    :param first: oldest era asked for; None takes the oldest that can be paid.
    :param last: newest era asked for; None takes the newest that can be paid.
    :param since: eras before it are nobody's business, unless they are asked for.
    :raises InvalidEra: the eras asked for are not all payable, or run backwards.
    """
    payable = payable_eras(active, depth)
    low = payable.start if since is None else max(payable.start, since)
    if first is not None:
        low = parse_era(first, field="from_era")
        if low < payable.start:
            raise InvalidEra(
                "from_era",
                f"era {low} has expired: while era {active} is active, the oldest that can be paid is {payable.start}",
                f"Write {payable.start} or more",
            )
    high = payable.stop - 1
    if last is not None:
        high = parse_era(last, field="to_era")
    for name, value in (("from_era", first), ("to_era", last)):
        if value is not None and parse_era(value, field=name) >= active:
            raise InvalidEra(name, f"era {value} has not ended, era {active} is active", f"Write {active - 1} or less")
    if first is not None and last is not None and low > high:
        raise InvalidEra("from_era", f"era {low} comes after to_era {high}", "Swap the two")
    if last is not None and high < payable.start:
        raise InvalidEra("to_era", f"era {high} has expired", f"Write {payable.start} or more")
    return range(low, high + 1)


def plan_catch_up(
    network: str,
    active: int,
    records: Mapping[int, Sequence[Payout]],
    *,
    eras: range,
    kept: Depths,
    parts: int | None,
    budget: Budget,
    fee: int | None,
    terms: Mapping[str, Any],
    responsible: Collection[int] = (),
    notes: tuple[str, ...] = (),
    doubtful: bool = False,
) -> CatchUpPlan:
    """Decide.

    :param active: the active era.
    :param records: the ledger's parts by era.
    :param eras: the eras to look at, all payable; see `requested_range`.
    :param parts: calls an era takes; None repeats until nothing is left.
    :param responsible: older eras that should have been paid; those that were not have expired.
    """
    paid = tuple(era for era in eras if is_paid(records.get(era, ()), parts))
    settled = set(paid)
    owed = [
        UnpaidEra(era, why_unpaid(records.get(era, ())), countdown(era, active, kept))
        for era in eras
        if era not in settled
    ]
    owed.sort(key=lambda unpaid: (unpaid.countdown.expires_at_era, unpaid.era))
    most = budget.affords(fee, parts)
    most = len(owed) if most is None else most
    return CatchUpPlan(
        network=network,
        active=active,
        terms=terms,
        fee=fee,
        paid=paid,
        pay=tuple(owed[:most]),
        later=tuple(owed[most:]),
        expired=tuple(era for era in responsible if not was_paid(records.get(era, ()))),
        notes=notes,
        doubtful=doubtful,
    )


def check_approval(journal: Journal, plan_hash: str, plan: CatchUpPlan) -> None:
    """Refuse a plan that is not the approved one.

    :param plan_hash: of the approved plan.
    :raises PlanChanged: it is another one; tells the differences.
    :raises InvalidInput: no plan of that hash was ever made for this network.
    """
    if plan_hash == plan.hash:
        return
    approved = journal.plan(plan.network, plan_hash)
    if approved is None:
        raise InvalidInput(
            "approve", f"there is no plan {plan_hash!r} of {plan.network}", "Make a plan first, and approve its hash"
        )
    # What is compared is the plan, not its name: another version may have named the same decisions by another hash.
    if changed := differences(approved, plan):
        raise PlanChanged(changed, plan_hash=plan.hash)


def at_planned_fee(terms: PayoutTerms, plan: CatchUpPlan) -> PayoutTerms:
    """The terms on which an approved plan is paid: its fee is the most a call may cost."""
    limits = [limit for limit in (terms.max_fee_per_payout, plan.fee) if limit is not None]
    return replace(terms, max_fee_per_payout=max(1, min(limits))) if limits else terms


def differences(approved: Mapping[str, Any], plan: CatchUpPlan) -> list[str]:
    """What has changed since a plan was approved, one line each; empty when it is the same plan.

    :param approved: what `CatchUpPlan.as_dict` or `decisions` gave then.
    """
    now = plan.decisions()
    lines = [
        f"{name}: was {approved.get(name)}, is {now[name]}"
        for name in ("network", "fee")
        if approved.get(name) != now[name]
    ]
    before = approved.get("terms") or {}
    lines += [
        f"{name}: was {before.get(name)}, is {now['terms'].get(name)}"
        for name in sorted({*before, *now["terms"]})
        if before.get(name) != now["terms"].get(name)
    ]
    for name in ("pay", "expired"):
        then = [entry["era"] if isinstance(entry, dict) else entry for entry in approved.get(name) or []]
        gone, come = sorted({*then} - {*now[name]}), sorted({*now[name]} - {*then})
        if gone:
            lines.append(f"{name}: no longer {', '.join(map(str, gone))}")
        if come:
            lines.append(f"{name}: now also {', '.join(map(str, come))}")
        if not gone and not come and then != now[name]:
            lines.append(f"{name}: in another order")
    return lines
