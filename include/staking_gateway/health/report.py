"""Reports of an era's run and of a catch-up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import EraNotPaid, StakingGatewayError, accounts_differ
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.problem import Topic
from staking_gateway.text import count
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger

NOT_CHECKED = "not checked"
STATUS_UNKNOWN = "the accounts' statuses at the end of this era are no longer known"
_EXPIRED = f"{Outcome.EXPIRED.value}, its rewards are gone"
MOST_NAMED = 50
"""The most accounts in the wrong state that a report names."""


@dataclass(frozen=True)
class EraReport:
    """The report of an era.

    :param payout: the outcome, as `EraOutcome.as_dict` gives it.
    :param staking: number of staking accounts; likewise `not_staking`.
    :param unexpected: name of an account in the wrong state, to its status.
    :param too_late: whether accounts were not checked because a later era has ended meanwhile.
    """

    network: str
    era: int
    payout: Mapping[str, Any]
    staking: int
    not_staking: int
    unexpected: Mapping[str, str]
    too_late: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON. `unexpected` has the first 50 accounts, `unexpected_count` is the number of all."""
        return {
            **self.payout,
            "staking": self.staking,
            "not_staking": self.not_staking,
            "unexpected": dict(islice(self.unexpected.items(), MOST_NAMED)),
            "unexpected_count": len(self.unexpected),
        }

    def lines(self) -> list[str]:
        """The report for a log."""
        lines = [f"Era {self.era} of {self.network}: {_words(self.payout)}"]
        for part in self.payout["parts"]:
            how = f"confirmed by {part['confirmed_by']}" if part["confirmed_by"] else part["reason"] or ""
            lines.append(
                f"  part {part['part']}: {part['state']}, request {part['request_id']}, transaction {part['tx_hash']}, "
                f"fee {part['fee']}, {how}"
            )
        unknown = f"; {STATUS_UNKNOWN}" if self.too_late else ""
        lines.append(f"  accounts: {self.staking} staking, {self.not_staking} not staking{unknown}")
        lines += [f"  {account}: {found}" for account, found in islice(self.unexpected.items(), MOST_NAMED)]
        if len(self.unexpected) > MOST_NAMED:
            lines.append(f"  and {count(len(self.unexpected) - MOST_NAMED, 'account')} more in the wrong state")
        return lines

    def raise_if_red(self) -> None:
        """Raise an error unless the era is paid and all accounts are in the right state.

        :raises EraNotPaid: the era is unpaid.
        :raises StakingGatewayError: an account is in the wrong state.
        """
        outcome = Outcome(self.payout["outcome"])
        if not outcome.is_green:
            raise EraNotPaid(
                network=self.network,
                era=self.era,
                outcome=outcome.value,
                reason=str(self.payout["reason"]),
                topic=self.payout["topic"],
            )
        if self.unexpected:
            raise accounts_differ(self.unexpected, era=self.era, fault="are in the wrong state")


def era_report(
    network: str,
    era: int,
    outcome: Mapping[str, Any] | None,
    settings: NetworkConfig,
    ledger: Ledger,
    *,
    too_late: bool = False,
) -> EraReport:
    """The report from the payout's outcome and the stored statuses.

    :param outcome: of the payout; None when its task failed. Then the ledger shows whether a payload was signed.
    :param settings: of the network; a watched account without a status is reported as not checked.
    :param too_late: a later era has ended before the accounts were checked; then an account without a status is not reported.
    """
    found = {status.account_key: status.status for status in ledger.statuses(network, era)}
    unexpected: dict[str, str] = {}
    counts = dict.fromkeys(StakingStatus, 0)
    for account in settings.accounts:
        status = found.get(account.status_key)
        if status is None:
            if not too_late:
                unexpected[account.name] = NOT_CHECKED
            continue
        counts[status] += 1
        if not account.expect.allows(status):
            unexpected[account.name] = f"{status.value}, expected {account.expect.value}"
    return EraReport(
        network=network,
        era=era,
        payout=outcome or _no_outcome(network, era, ledger),
        staking=counts[StakingStatus.IS_STAKING],
        not_staking=counts[StakingStatus.IS_NOT_STAKING],
        unexpected=unexpected,
        too_late=too_late,
    )


def _no_outcome(network: str, era: int, ledger: Ledger) -> dict[str, Any]:
    """The outcome of an era whose payout task left none: the ledger shows whether a payload was signed."""
    failure = ledger.journal.failures(network).get(era)
    outcome, facts = Outcome.NOT_TRIED, "the run failed before it paid, and nothing was sent"
    topic = outcome.topic if failure is None else failure.problem.topic
    if any(part.copies for part in ledger.era_payouts(network, era)):
        outcome, facts = Outcome.UNKNOWN, "the payout task left no outcome, and a payload was signed"
        topic = outcome.topic
    reason = f"{facts}: {'see the first failed task' if failure is None else failure.problem.facts}"
    about = {"network": network, "era": era, "outcome": outcome.value, "reason": reason}
    return {**about, "topic": topic.anchor, "parts": []}


@dataclass(frozen=True)
class CatchUpReport:
    """The report of a catch-up.

    :param plan: as `CatchUpPlan.as_dict` gives it, with `dry_run`.
    :param outcomes: era to its outcome, in the order of the plan.
    """

    plan: Mapping[str, Any]
    outcomes: Mapping[int, Mapping[str, Any]]

    @property
    def unpaid(self) -> dict[int, str]:
        """Eras of the plan that are still unpaid or have newly expired, and why."""
        red = {era: one for era, one in self.outcomes.items() if not Outcome(one["outcome"]).is_green}
        expired = [] if self.plan["dry_run"] else self.plan["expired"]
        return {era: _words(one) for era, one in red.items()} | dict.fromkeys(expired, _EXPIRED)

    def as_dict(self) -> dict[str, Any]:
        return {
            "plan": dict(self.plan),
            "outcomes": {str(era): dict(outcome) for era, outcome in self.outcomes.items()},
            "unpaid": {str(era): why for era, why in self.unpaid.items()},
        }

    def lines(self) -> list[str]:
        """The report for a log."""
        plan = self.plan
        lines = [f"Catch-up of {plan['network']}, plan {plan['hash']}{', a dry run' if plan['dry_run'] else ''}"]
        lines += [f"  era {era}: {_words(outcome)}" for era, outcome in self.outcomes.items()]
        lines += [f"  era {era}: {_EXPIRED}" for era in plan["expired"]]
        return lines + ([f"  left for the next run: {count(len(plan['later']), 'era')}"] if plan["later"] else [])

    def raise_if_red(self) -> None:
        """Raise an error unless all eras of the plan are paid.

        :raises StakingGatewayError: an era of the plan is still unpaid, or has newly expired.
        """
        if self.unpaid:
            shown = "; ".join(f"era {era}: {outcome}" for era, outcome in islice(self.unpaid.items(), 5))
            more = f"; and {len(self.unpaid) - 5} more" if len(self.unpaid) > 5 else ""
            facts = f"{count(len(self.unpaid), 'era')} of {self.plan['network']} not paid: {shown}{more}"
            remedy = "Fix the cause; the next run pays all eras that are still payable"
            raise StakingGatewayError(facts, topic=Topic.UNPAID, remedy=remedy)


def catch_up_report(plan: Mapping[str, Any], outcomes: Iterable[Mapping[str, Any]], ledger: Ledger) -> CatchUpReport:
    """The report from the plan and `EraOutcome.as_dict()` of its payouts."""
    known = {int(outcome["era"]): outcome for outcome in outcomes}
    eras = [] if plan["dry_run"] else [entry["era"] for entry in plan["pay"]]
    network = str(plan["network"])
    return CatchUpReport(plan, {era: known.get(era) or _no_outcome(network, era, ledger) for era in eras})


def _words(outcome: Mapping[str, Any]) -> str:
    return f"{outcome['outcome']} {outcome['reason']}".rstrip()
