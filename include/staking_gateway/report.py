"""One report per era: what was paid, and which accounts are not as they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import AccountsNotStaking, EraNotPaid
from staking_gateway.outcomes import Outcome
from staking_gateway.settings import Expectation
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from staking_gateway.ledger import Ledger
    from staking_gateway.settings import WatchedAccount

_EXPECTED = {Expectation.STAKING: StakingStatus.IS_STAKING, Expectation.NOT_STAKING: StakingStatus.IS_NOT_STAKING}
NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class EraReport:
    """What became of an era.

    :param payout: the outcome as `EraOutcome.as_dict` gives it.
    :param staking: how many accounts are staking; likewise `not_staking`.
    :param unexpected: account (with its label) to what was found instead of what must be.
    """

    network: str
    era: int
    payout: Mapping[str, Any]
    staking: int
    not_staking: int
    unexpected: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            **self.payout,
            "staking": self.staking,
            "not_staking": self.not_staking,
            "unexpected": dict(self.unexpected),
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
    accounts: Iterable[WatchedAccount],
    ledger: Ledger,
) -> EraReport:
    """Put together what the payout and the status checks left behind.

    :param outcome: of the payout; None when its task came to none, which is an outcome of its own: UNKNOWN.
    :param accounts: the watched accounts; one that was not checked is reported as such.
    """
    found = {status.account_key: status.status for status in ledger.statuses(network, era)}
    unexpected: dict[str, str] = {}
    counts = dict.fromkeys(StakingStatus, 0)
    for account in accounts:
        status = found.get(account.account_id.hex)
        name = f"{account.label} ({account.account})" if account.label else account.account
        if status is None:
            unexpected[name] = NOT_CHECKED
            continue
        counts[status] += 1
        if _EXPECTED.get(account.expect, status) is not status:
            unexpected[name] = f"{status.value}, expected {account.expect.value}"
    return EraReport(
        network=network,
        era=era,
        payout=outcome or _no_outcome(network, era),
        staking=counts[StakingStatus.IS_STAKING],
        not_staking=counts[StakingStatus.IS_NOT_STAKING],
        unexpected=unexpected,
    )


def _no_outcome(network: str, era: int) -> dict[str, Any]:
    return {
        "network": network,
        "era": era,
        "outcome": Outcome.UNKNOWN.value,
        "reason": "the payout task came to no outcome; see its log, and those before it",
        "parts": [],
    }
