"""How the watched accounts stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway_provider.doctor.findings import Finding, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.config.models import WatchedAccount
    from staking_gateway.types import StakingStatus
    from staking_gateway_provider.doctor.case import Case

_ERAS = 8
"""Eras before the newest check in which an account's own newest check may lie."""
_NAMED = 3


def check_accounts(case: Case) -> Iterator[Finding]:
    """Each is as expected, by its newest check. Nobody is asked: the runs do that, and the ledger has what they found.

    Before the first run there is nothing to say.
    """
    watched = case.config.accounts
    newest = None if case.ledger is None else case.ledger.newest_status_era(case.name)
    if case.ledger is None or newest is None:
        return
    by_era = case.ledger.statuses_of(case.name, range(max(newest - _ERAS, 0), newest + 1))
    known = {key: (era, status) for era in sorted(by_era) for key, status in by_era[era].items()}
    found = [(account, known[key]) for account in watched if (key := account.account_id.hex) in known]
    wrong = [(account, seen) for account, seen in found if not account.expect.allows(seen[1])]
    if wrong:
        told = "; ".join(_spell(account, *seen) for account, seen in wrong[:_NAMED])
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        yield warning(
            f"{len(wrong)} of {len(watched)} not as expected: {told}{more}",
            "Nominate again, or stop it, with these accounts; or correct their `expect` in staking.yaml. Until then every "
            f"run of staking_payout_{case.name} is red. All of them: airflow staking accounts --network {case.name}",
        )
    elif len(found) < len(watched):
        yield note(f"{len(found)} of {len(watched)} as expected; the others were not checked lately")
    else:
        yield ok(f"{len(found)} as expected, last checked in era {newest}")


def _spell(account: WatchedAccount, era: int, status: StakingStatus) -> str:
    name = account.label or account.account
    return f"{name} is {status.value} and must be {account.expect.value}, says era {era}"
