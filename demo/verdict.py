"""Whether what Airflow and the ledger say is what really happened, by the simulator's own record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger import Ledger
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demo.devnet import Devnet
    from demo.moment import Run
    from staking_gateway.ledger import Payout


@dataclass(frozen=True)
class PaidEra:
    """An era as Airflow and the ledger tell it.

    :param outcome: the payout task's outcome, from its XCom.
    :param ended_at: when the era ended, which is when its election window closed.
    """

    era: int
    outcome: str | None
    ended_at: datetime
    payouts: tuple[Payout, ...]
    staking: int
    not_staking: int


@dataclass(frozen=True)
class Verdict:
    """The eras, beside the truth.

    :param truth: what the simulator says, as one line.
    :param disagreements: what does not match; must be empty.
    """

    eras: tuple[PaidEra, ...]
    truth: str
    disagreements: tuple[str, ...]


def read_eras(devnet: Devnet, runs: Sequence[Run]) -> list[PaidEra]:
    """What Airflow and the ledger say about the eras of some runs."""
    ledger = Ledger(f"sqlite:///{devnet.stack.home / 'staking_ledger.db'}")
    try:
        return [_read_era(devnet, ledger, run) for run in runs]
    finally:
        ledger.close()


def _read_era(devnet: Devnet, ledger: Ledger, run: Run) -> PaidEra:
    era = int(run.era or 0)
    outcome = devnet.stack.api.xcom(devnet.dag_id, run.run_id, "payout", "outcome") or {}
    statuses = [found.status for found in ledger.statuses(devnet.name, era)]
    return PaidEra(
        era=era,
        outcome=outcome.get("outcome"),
        ended_at=devnet.network.calendar.end(era),
        payouts=tuple(ledger.era_payouts(devnet.name, era)),
        staking=statuses.count(StakingStatus.IS_STAKING),
        not_staking=statuses.count(StakingStatus.IS_NOT_STAKING),
    )


def judge(eras: Sequence[PaidEra], truth: dict[str, Any], accounts: int) -> Verdict:
    """Compare.

    :param eras: the eras that were paid, in order.
    :param truth: the simulator's `/control/truth`. Eras after the last one are none of our business: the next one may be
        in the making.
    :param accounts: how many accounts each era must have a status for.
    """
    last = eras[-1].era
    executed = [payout for payout in truth["payouts"] if payout["era"] <= last]
    owed = [era["era"] for era in truth["owing"] if era["era"] <= last]
    owed += [era for first, end in truth["expired"] for era in range(first, min(end, last) + 1)]
    found = [text for era in eras for text in _disagreements(era, executed, accounts)]
    found += [f"era {era} is owed" for era in owed]
    known = {era.era for era in eras}
    found += [
        f"era {payout['era']} was paid, but not by these runs" for payout in executed if payout["era"] not in known
    ]
    accepted = [request["request_id"] for request in truth["requests"] if request["era"] <= last]
    for request_id in sorted(set(accepted) - {payout["request_id"] for payout in executed}):
        found.append(f"request {request_id} was accepted, but not executed")
    charged = sum(int(payout["fee"]) for payout in truth["payouts"])
    if charged != int(truth["fees_charged"]):
        found.append(f"the payouts' fees are {charged}, but {truth['fees_charged']} was charged")
    fees = sum(int(payout["fee"]) > 0 for payout in executed)
    line = f"simulator's truth: {len(executed)} payouts executed, {fees} fees charged, {len(owed)} eras owed"
    return Verdict(tuple(eras), line, tuple(found))


def _disagreements(era: PaidEra, executed: Sequence[dict[str, Any]], accounts: int) -> list[str]:
    found = []
    if era.outcome not in ("PAID", "ALREADY_PAID"):
        found.append(f"era {era.era}: its outcome is {era.outcome}")
    ours = sorted((str(part.request_id), str(part.tx_hash), str(part.fee)) for part in era.payouts)
    theirs = sorted((paid["request_id"], paid["tx_hash"], paid["fee"]) for paid in executed if paid["era"] == era.era)
    if ours != theirs:
        found.append(f"era {era.era}: the ledger has {ours}, the simulator executed {theirs}")
    if len(theirs) != 1:
        found.append(f"era {era.era}: {len(theirs)} payouts were executed, not one")
    if era.staking + era.not_staking != accounts:
        found.append(f"era {era.era}: {era.staking + era.not_staking} of {accounts} accounts have a status")
    return found


def seconds_to_acceptance(era: PaidEra, truth: dict[str, Any]) -> float | None:
    """Seconds from the close of the era's election window to the acceptance of its first payout."""
    times = [datetime.fromisoformat(paid["accepted_at"]) for paid in truth["payouts"] if paid["era"] == era.era]
    return (min(times) - era.ended_at).total_seconds() if times else None
