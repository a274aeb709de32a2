"""One report per era: what was paid, and which accounts are not as they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import countdown
from staking_gateway.errors import AccountsNotStaking, EraNotPaid, ErasNotPaid
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.text import count
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger, Payout

NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class EraReport:
    """What became of an era.

    :param payout: the outcome as `EraOutcome.as_dict` gives it.
    :param staking: how many accounts are staking; likewise `not_staking`.
    :param unexpected: account (with its label) to what was found instead of what must be.
    :param expiry: how long the era can still be paid, as `Countdown.as_dict` gives it; None when nothing is owed.
    """

    network: str
    era: int
    payout: Mapping[str, Any]
    staking: int
    not_staking: int
    unexpected: Mapping[str, str]
    expiry: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            **self.payout,
            "staking": self.staking,
            "not_staking": self.not_staking,
            "unexpected": dict(self.unexpected),
            "expiry": None if self.expiry is None else dict(self.expiry),
        }

    def lines(self) -> list[str]:
        """The report for a log."""
        lines = [f"Era {self.era} of {self.network}: {self.payout['outcome']} {self.payout['reason']}".rstrip()]
        for part in self.payout["parts"]:
            how = f"confirmed by {part['confirmed_by']}" if part["confirmed_by"] else part["reason"] or ""
            lines.append(
                f"  part {part['part']}: {part['state']}, request {part['request_id']}, transaction {part['tx_hash']}, "
                f"fee {part['fee']}, {how}"
            )
        if self.expiry is not None:
            lines.append(
                f"  owed still: expires in {count(self.expiry['eras_left'], 'era')}, when era {self.expiry['expires_at_era']} begins at "
                f"{self.expiry['expires_at']}"
            )
        lines.append(f"  accounts: {self.staking} staking, {self.not_staking} not staking")
        lines += [f"  {account}: {found}" for account, found in self.unexpected.items()]
        return lines

    def raise_if_red(self) -> None:
        """Fail loudly.

        :raises EraNotPaid: something is owed.
        :raises AccountsNotStaking: an account is not as it must be.
        """
        outcome = Outcome(self.payout["outcome"])
        if not outcome.is_green:
            raise EraNotPaid(
                network=self.network, era=self.era, outcome=outcome.value, reason=str(self.payout["reason"])
            )
        if self.unexpected:
            raise AccountsNotStaking(era=self.era, accounts=self.unexpected)


def era_report(
    network: str,
    era: int,
    outcome: Mapping[str, Any] | None,
    settings: NetworkConfig,
    ledger: Ledger,
    *,
    clock: Callable[[], datetime] = utc_now,
) -> EraReport:
    """Put together what the payout and the status checks left behind.

    :param outcome: of the payout; None when its task failed without one. Then the ledger says whether anything was signed.
    :param settings: whose accounts are watched; one that was not checked is reported as such.
    """
    found = {status.account_key: status.status for status in ledger.statuses(network, era)}
    unexpected: dict[str, str] = {}
    counts = dict.fromkeys(StakingStatus, 0)
    for account in settings.accounts:
        status = found.get(account.status_key)
        name = f"{account.label} ({account.account})" if account.label else account.account
        if status is None:
            unexpected[name] = NOT_CHECKED
            continue
        counts[status] += 1
        if not account.expect.allows(status):
            unexpected[name] = f"{status.value}, expected {account.expect.value}"
    payout = outcome or _no_outcome(network, era, signed=_is_signed(ledger.era_payouts(network, era)))
    left = None
    if not Outcome(payout["outcome"]).is_green:
        calendar = settings.calendar
        left = countdown(era, calendar.era_at(clock()), settings.depths).as_dict(calendar)
    return EraReport(
        network=network,
        era=era,
        payout=payout,
        staking=counts[StakingStatus.IS_STAKING],
        not_staking=counts[StakingStatus.IS_NOT_STAKING],
        unexpected=unexpected,
        expiry=left,
    )


def signed_eras(ledger: Ledger, network: str, eras: Collection[int]) -> set[int]:
    """The eras among some for which a payload was signed."""
    span = range(min(eras), max(eras) + 1) if eras else range(0)
    return {era for era, parts in ledger.payouts_of(network, span).items() if era in eras and _is_signed(parts)}


def _is_signed(parts: Iterable[Payout]) -> bool:
    return any(part.plans for part in parts)


def _no_outcome(network: str, era: int, *, signed: bool) -> dict[str, Any]:
    """The outcome of an era whose payout task left none."""
    if signed:
        outcome, reason = (
            Outcome.UNKNOWN,
            "the payout task left no outcome, and a payload was signed; see the task's log",
        )
    else:
        outcome, reason = Outcome.NOT_TRIED, "the run failed before paying; nothing was sent. See the first failed task"
    return {"network": network, "era": era, "outcome": outcome.value, "reason": reason, "parts": []}


@dataclass(frozen=True)
class CatchUpReport:
    """What became of a catch-up.

    :param plan: as `CatchUpPlan.as_dict` gives it, and whether it was a `dry_run`.
    :param notices: what was said about expiry for the first time.
    :param outcomes: era to its outcome, in the order of the plan.
    """

    plan: Mapping[str, Any]
    notices: Sequence[str]
    outcomes: Mapping[int, Mapping[str, Any]]

    @property
    def unpaid(self) -> dict[int, str]:
        """Eras of the plan that are owed still, or have newly expired, and why."""
        found = {
            era: f"{outcome['outcome']} {outcome['reason']}".rstrip()
            for era, outcome in self.outcomes.items()
            if not Outcome(outcome["outcome"]).is_green
        }
        expired = [] if self.plan["dry_run"] else self.plan["expired"]
        return {**found, **dict.fromkeys(expired, f"{Outcome.EXPIRED.value} its rewards are gone")}

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "plan": dict(self.plan),
            "notices": list(self.notices),
            "outcomes": {str(era): dict(outcome) for era, outcome in self.outcomes.items()},
            "unpaid": {str(era): why for era, why in self.unpaid.items()},
        }

    def lines(self) -> list[str]:
        """The report for a log."""
        plan = self.plan
        lines = [f"Catch-up of {plan['network']}, plan {plan['hash']}{', a dry run' if plan['dry_run'] else ''}"]
        lines += [f"  era {era}: {told['outcome']} {told['reason']}".rstrip() for era, told in self.outcomes.items()]
        lines += [f"  era {era}: {Outcome.EXPIRED.value}, its rewards are gone" for era in plan["expired"]]
        lines += [f"  left for the next run: {count(len(plan['later']), 'era')}"] if plan["later"] else []
        return lines

    def raise_if_red(self) -> None:
        """Fail loudly.

        :raises ErasNotPaid: an era of the plan is owed still, or has newly expired.
        """
        if self.unpaid:
            raise ErasNotPaid(network=str(self.plan["network"]), outcomes=self.unpaid)


def catch_up_report(
    plan: Mapping[str, Any], notices: Sequence[str], outcomes: Iterable[Mapping[str, Any]], ledger: Ledger
) -> CatchUpReport:
    """Put together what the plan and the payouts left behind.

    :param outcomes: as `EraOutcome.as_dict` gives them. For an era without one the ledger says whether anything was signed.
    """
    told = {int(outcome["era"]): outcome for outcome in outcomes}
    eras = [] if plan["dry_run"] else [entry["era"] for entry in plan["pay"]]
    network = str(plan["network"])
    signed = signed_eras(ledger, network, {*eras} - {*told})
    found = {era: told.get(era) or _no_outcome(network, era, signed=era in signed) for era in eras}
    return CatchUpReport(plan, notices, found)
