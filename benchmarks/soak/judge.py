"""Whether what Airflow and the ledger say is what really happened. Pure: it gets evidence, and tells every contradiction."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.soak.judge_alerts import wrong_alerts
from staking_gateway.health.report import NOT_CHECKED
from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.soak.evidence import AirflowEvidence, NetworkEvidence, Run

_AT_ONCE = timedelta(seconds=20)
"""How long a call may be under way: what an account did is uncertain so close to a change."""


def violations(networks: Sequence[NetworkEvidence], airflow: AirflowEvidence) -> list[str]:
    """Every broken promise, one line each; must be empty."""
    found: list[str] = []
    for network in networks:
        told = [
            *_paid_wrongly(network),
            *_recorded_wrongly(network),
            *_runs_wrong(network),
            *_statuses_wrong(network),
            *wrong_alerts(network),
        ]
        found += [f"{network.name}: {line}" for line in told]
    if airflow.forgotten:
        found.append(f"Airflow: {airflow.forgotten} triggers are left that nobody waits for")
    return found


def executed_by_era(truth: Mapping[str, Any]) -> dict[int, list[Mapping[str, Any]]]:
    """The payouts the chain has executed."""
    found: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for payout in truth["payouts"]:
        found[payout["era"]].append(payout)
    return found


def _paid_wrongly(network: NetworkEvidence) -> Iterator[str]:
    """Each era is executed once, though the chain would take more."""
    executed = executed_by_era(network.truth)
    for era in network.eras:
        times = len(executed.get(era, ()))
        if times > 1:
            yield f"era {era} was paid {times} times"
        elif times == 0:
            states = [record.state.value for record in network.payouts.get(era, ())] or ["nothing"]
            yield f"era {era} is not paid; the ledger says {', '.join(states)}"
    for era, payouts in executed.items():
        if era not in network.eras and len(payouts) > 1:
            yield f"era {era}, after the last one, was paid {len(payouts)} times"
    charged = sum(int(payout["fee"]) for payout in network.truth["payouts"])
    if charged != int(network.truth["fees_charged"]):
        yield f"the payouts' fees are {charged}, but {network.truth['fees_charged']} was charged"


def _recorded_wrongly(network: NetworkEvidence) -> Iterator[str]:
    """The ledger's records are the executed payouts, number by number, in one lane."""
    executed = executed_by_era(network.truth)
    for era in network.eras:
        paid = executed.get(era, [])
        for record in network.payouts.get(era, ()):
            if record.state is not PayoutState.CONFIRMED:
                if paid:
                    yield f"era {era} is paid, but the ledger says {record.state.value}"
                continue
            wanted = (record.fee, record.staking_nonce, record.payment_nonce)
            numbers = [(int(one["fee"]), int(one["staking_nonce"]), int(one["payment_nonce"])) for one in paid]
            if paid and wanted not in numbers:
                yield f"era {era}: the ledger has fee and nonces {wanted}, the chain executed {numbers}"
            transactions = [one["tx_hash"] for one in paid]
            if paid and record.tx_hash is not None and record.tx_hash not in transactions:
                yield f"era {era}: the ledger has transaction {record.tx_hash}, the chain executed {transactions}"
    lanes = Counter(record.chain for records in network.payouts.values() for record in records)
    if len(lanes) > 1:
        told = ", ".join(f"{lane} ({count} payouts)" for lane, count in lanes.items())
        yield f"one chain has several lanes: {told}"


def _runs_wrong(network: NetworkEvidence) -> Iterator[str]:
    """A green run has its era paid and a green report; a red one says why."""
    executed = executed_by_era(network.truth)
    for run in network.runs:
        eras = [run.era] if run.era is not None else _promised(run)
        if run.state == "success":
            for era in eras:
                if era in network.eras and not _paid_by(executed.get(era, []), run.ended_at):
                    yield f"run {run.run_id} of {run.dag_id} is green, but era {era} was not paid by its end"
            if run.era is not None and run.report is None:
                yield f"run {run.run_id} of {run.dag_id} is green without a report"
        elif run.state == "failed":
            if not why_red(run):
                yield f"run {run.run_id} of {run.dag_id} is red, and nothing says why"
        elif run.era in network.eras:
            yield f"run {run.run_id} of {run.dag_id} is {run.state} in the end"


def _promised(run: Run) -> list[int]:
    """The eras a catch-up says it has paid."""
    outcomes = (run.report or {}).get("outcomes", {})
    return [int(era) for era, told in outcomes.items() if Outcome(told["outcome"]).is_green]


def _paid_by(payouts: Sequence[Mapping[str, Any]], when: datetime | None) -> bool:
    return any(when is not None and datetime.fromisoformat(payout["executed_at"]) <= when for payout in payouts)


def why_red(run: Run) -> str:
    """Why a run is red, in a word or two; empty when nothing says so."""
    report = run.report or {}
    outcome = report.get("outcome")
    if outcome is not None and not Outcome(outcome).is_green:
        return str(outcome)
    if report.get("unpaid"):
        return "eras owed"
    unexpected = report.get("unexpected") or {}
    if NOT_CHECKED in unexpected.values():
        return "accounts not checked"
    if unexpected:
        return "account not staking"
    return f"{run.failed[0]} failed" if run.failed else ""


def _statuses_wrong(network: NetworkEvidence) -> Iterator[str]:
    """Each era whose run came in time has the status of each account, and it is the account's. A late run stores none."""
    for run in network.runs:
        if run.era is None or run.era not in network.eras or run.too_late:
            continue
        found = {status.account_key: status for status in network.statuses.get(run.era, ())}
        missing = [account for account in network.accounts if account not in found]
        if missing and run.state == "success":
            yield f"era {run.era}: {len(missing)} accounts have no status, and its run is green"
        elif missing:
            yield f"era {run.era}: {len(missing)} accounts have no status ({why_red(run)})"
    for era, statuses in network.statuses.items():
        for status in statuses:
            idle = any(
                one.since - _AT_ONCE <= status.checked_at <= one.until + _AT_ONCE
                for one in network.idle
                if one.account == status.account_key
            )
            staking = status.account_key in network.staking
            if not idle and (status.status is StakingStatus.IS_STAKING) is not staking:
                yield f"era {era}: account {status.account_key} was found {status.status.value}, which it was not"
