"""Reports of an era's run and of a catch-up: plain JSON, lines for a log, and the error if they are red."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import EraNotPaid, StakingGatewayError, accounts_differ
from staking_gateway.ledger import Ledger
from staking_gateway.payout.copies import is_paid
from staking_gateway.payout.outcomes import EraOutcome, Outcome
from staking_gateway.problem import Topic
from staking_gateway.text import amount, count
from staking_gateway.types import StakingStatus

NOT_CHECKED = "not checked"
STATUS_UNKNOWN = "the accounts' statuses at the end of this era are no longer known"
MOST_NAMED = 50
"""The most accounts in the wrong state that a report names."""


@dataclass(frozen=True)
class Report:
    """`error`: why it is red, as EraNotPaid, or a StakingGatewayError of the topic ACCOUNTS or UNPAID; None: it is green."""

    data: Mapping[str, Any]
    lines: list[str]
    error: StakingGatewayError | None = None

    def raise_if_red(self) -> None:
        if self.error is not None:
            raise self.error


def era_report(
    network: str,
    era: int,
    outcome: Mapping[str, Any] | None,
    settings: NetworkConfig,
    ledger: Ledger,
    *,
    too_late: bool = False,
) -> Report:
    """The report is red unless the era is paid and all accounts are in the right state by the stored statuses.

    :param outcome: of the payout, as `EraOutcome.as_dict` gives it; None when its task left none.
    :param too_late: a later era has ended before the accounts were checked; only then an account without a status is not reported.
    :returns: `data` has the outcome, the numbers of accounts `staking` and `not_staking`, the first accounts in the wrong state as
        `unexpected`, and the number of all as `unexpected_count`.
    """
    keys = {account.account.hex for account in settings.accounts}
    found = ledger.statuses_of(network, range(era, era + 1), keys).get(era, {})
    unexpected = {}
    for account in settings.accounts:
        status = found.get(account.account.hex)
        if status is None and not too_late:
            unexpected[account.name] = NOT_CHECKED
        elif status is not None and not account.expect.allows(status):
            unexpected[account.name] = f"{status.value}, expected {account.expect.value}"
    same = outcome and (outcome["network"], outcome["era"]) == (network, era)  # that of another era proves nothing
    outcome = _outcome_now(network, era, outcome if same else None, settings.payout.parts, ledger)
    staking = list(found.values()).count(StakingStatus.IS_STAKING)
    idle = len(found) - staking
    named = dict(islice(unexpected.items(), MOST_NAMED))
    accounts = {"staking": staking, "not_staking": idle, "unexpected": named, "unexpected_count": len(unexpected)}
    lines, token = [f"Era {era} of {network}: {_words(outcome)}"], settings.token or ledger.views.token(network)
    for part in outcome["parts"]:
        fee = "unknown" if part["fee"] is None else amount(int(part["fee"]), token)
        how = f"confirmed by {part['confirmed_by']}" if part["confirmed_by"] else part["reason"] or ""
        sent = f"request {part['request_id']}, transaction {part['tx_hash']}, fee {fee}"
        lines.append(f"  part {part['part']}: {part['state']}, {sent}, {how}")
    lines.append(f"  accounts: {staking} staking, {idle} not staking{f'; {STATUS_UNKNOWN}' if too_late else ''}")
    lines += [f"  {account}: {status}" for account, status in named.items()]
    if len(unexpected) > MOST_NAMED:
        lines.append(f"  and {count(len(unexpected) - MOST_NAMED, 'account')} more in the wrong state")
    error: StakingGatewayError | None = None
    if not Outcome(outcome["outcome"]).is_green:
        error = EraNotPaid(outcome)
    elif unexpected:
        error = accounts_differ(unexpected, era=era, fault="are in the wrong state")
    return Report({**outcome, **accounts}, lines, error)


def catch_up_report(plan: Mapping[str, Any], outcomes: Iterable[Mapping[str, Any]], ledger: Ledger) -> Report:
    """The report is red while an era of the plan is unpaid, or has newly expired: `data` has the plan, as `CatchUpPlan.as_dict` gives it, with `dry_run`;
    the `outcomes` by era, as `EraOutcome.as_dict` gives them, in the order of the plan; and the `unpaid` eras with the reason.
    """
    network, dry = str(plan["network"]), plan["dry_run"]
    known = {int(outcome["era"]): outcome for outcome in outcomes}
    parts = None if plan["terms"]["parts"] == "until_empty" else plan["terms"]["parts"]
    eras = [] if dry else [entry["era"] for entry in plan["pay"]]
    found = {era: _outcome_now(network, era, known.get(era), parts, ledger) for era in eras}
    gone = f"{Outcome.EXPIRED.value}, its rewards are gone"
    unpaid = {era: _words(one) for era, one in found.items() if not Outcome(one["outcome"]).is_green}
    unpaid |= {} if dry else dict.fromkeys(plan["expired"], gone)
    lines = [f"Catch-up of {network}, plan {plan['hash']}{', a dry run' if dry else ''}"]
    lines += [f"  era {era}: {_words(outcome)}" for era, outcome in found.items()]
    lines += [f"  era {era}: {gone}" for era in plan["expired"]]
    lines += [f"  left for the next run: {count(len(plan['later']), 'era')}"] if plan["later"] else []
    error = None
    if unpaid:
        shown = "; ".join(f"era {era}: {outcome}" for era, outcome in islice(unpaid.items(), 5))
        more = f"; and {len(unpaid) - 5} more" if len(unpaid) > 5 else ""
        facts = f"{count(len(unpaid), 'era')} of {network} not paid: {shown}{more}"
        remedy = "Fix the cause; the next run pays all eras that are still payable"
        error = StakingGatewayError(facts, topic=Topic.UNPAID, remedy=remedy)
    told = {
        "outcomes": {str(era): one for era, one in found.items()},
        "unpaid": {str(era): why for era, why in unpaid.items()},
    }
    return Report({"plan": dict(plan), **told}, lines, error)


def _outcome_now(network: str, era: int, outcome: Any, parts: int | None, ledger: Ledger) -> Mapping[str, Any]:
    """The outcome, unless the era was paid since its task ended. Of a task that left none, the ledger shows whether a payload was signed."""
    records = tuple(ledger.era_payouts(network, era))
    if not (outcome and Outcome(outcome["outcome"]).is_green) and is_paid(records, parts):
        return EraOutcome(network, era, Outcome.ALREADY_PAID, "", records).as_dict()
    if outcome:
        return dict(outcome)
    failure, signed = ledger.journal.failures(network).get(era), any(part.copies for part in records)
    found, facts = Outcome.NOT_TRIED, "the run failed before it paid, and nothing was sent"
    if signed:
        found, facts = Outcome.UNKNOWN, "the payout task left no outcome, and a payload was signed"
    topic = found.topic if signed or failure is None else failure.problem.topic
    reason = f"{facts}: {'see the first failed task' if failure is None else failure.problem.facts}"
    about = {"network": network, "era": era, "outcome": found.value, "reason": reason}
    return {**about, "topic": topic.anchor, "parts": []}


def _words(outcome: Mapping[str, Any]) -> str:
    return f"{outcome['outcome']} {outcome['reason']}".rstrip()
