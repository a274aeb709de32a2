"""Check of the watched accounts."""

from __future__ import annotations

from collections.abc import Iterator

from staking_gateway.config.models import WatchedAccount
from staking_gateway.problem import Topic
from staking_gateway.types import StakingStatus
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, note, ok, warning

_ERAS = 8
"""A status counts when it is from one of this many eras before the newest stored era."""
_NAMED = 3


def check_accounts(case: Case) -> Iterator[Finding]:
    """The newest stored status of each account is the expected one. The gateway is not asked."""
    watched = case.config.accounts
    newest = None if case.ledger is None else case.ledger.newest_status_era(case.name)
    if case.ledger is None or newest is None:
        return
    keys = {account.status_key for account in watched}
    known = case.ledger.newest_statuses(case.name, range(max(newest - _ERAS, 0), newest + 1), keys)
    found = [(account, known[account.status_key]) for account in watched if account.status_key in known]
    wrong = [(account, stored) for account, stored in found if not account.expect.allows(stored[1])]
    if wrong:
        listed = "; ".join(_spell(account, *stored) for account, stored in wrong[:_NAMED])
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        yield warning(
            f"{len(wrong)} of {len(watched)} in the wrong state: {listed}{more}",
            f"{Topic.ACCOUNTS.remedy}. Until then every run of staking_payout_{case.name} is red. To list them: "
            f"airflow staking accounts --network {case.name}",
        )
    elif len(found) < len(watched):
        yield note(f"{len(found)} of {len(watched)} in the right state; the others have no recent status")
    else:
        yield ok(f"{len(found)} in the right state, last checked in era {newest}")


def _spell(account: WatchedAccount, era: int, status: StakingStatus) -> str:
    name = account.label or account.account
    return f"{name} is {status.value} and must be {account.expect.value} (checked in era {era})"
