"""Whether ledger, gateway and chain agree about each ended era.

The chain alone proves that books agree. A difference may also show between ledger and gateway. What cannot be read is unknown, and an
unknown result never replaces a known difference. Nothing is signed or sent here, and only rewards are corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.accounts import oldest_kept_era
from staking_gateway.books.amounts import NodeReads, note_amounts
from staking_gateway.books.execution import Sides, execution
from staking_gateway.books.nonces import Elsewhere, fees, nonces, read_nonces
from staking_gateway.books.statuses import compare_statuses
from staking_gateway.books.verdict import as_row, store_results
from staking_gateway.books.witnesses import GatewayReads
from staking_gateway.catch_up.survey import responsible_from
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import BooksDiffer, ChainError, InvalidEra
from staking_gateway.text import count
from staking_gateway.types import parse_era

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.books.verdict import Verdict
    from staking_gateway.chain import ChainReader
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger, Payout, Reconciliation
    from staking_gateway.payout.terms import Gateway


@dataclass(frozen=True)
class Comparison:
    """The result of `reconcile`.

    :param rows: in the order of the eras; a known difference stays while the new result is unknown.
    :param problem: why node or gateway told nothing; empty without such a problem.
    :param failure: the failure of the node, if any.
    """

    network: str
    eras: range
    rows: Sequence[Reconciliation]
    problem: str = ""
    failure: ChainError | None = None

    @property
    def differences(self) -> list[Reconciliation]:
        return [row for row in self.rows if row.agrees is False]

    def counts(self) -> dict[str, int]:
        """How many results agree, differ or are unknown."""
        found = [row.agrees for row in self.rows]
        return {"agree": found.count(True), "differ": found.count(False), "unknown": found.count(None)}

    def __str__(self) -> str:
        counts = self.counts()
        eras = f"{count(len(self.eras), 'era')} of {self.network}"
        told = f"{eras}: {counts['agree']} results agree, {counts['differ']} differ, {counts['unknown']} are unknown"
        return f"{told}; {self.problem}" if self.problem else told

    def raise_unless_compared(self) -> None:
        """Raise an error about each difference, or about a node that ended the comparison.

        :raises BooksDiffer: there is a difference; the text names both sides.
        :raises ChainError: the node failed, so results are unknown.
        """
        if self.differences:
            raise BooksDiffer(network=self.network, differences=[row.text for row in self.differences])
        if self.failure is not None:
            raise self.failure


def reconcile(
    name: str,
    network: NetworkConfig,
    *,
    ledger: Ledger,
    gateway: Gateway | None,
    node: ChainReader | None,
    actor: Actor,
    from_era: int | str | None = None,
    to_era: int | str | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Comparison:
    """Compare ledger, gateway and chain, and store the results. An unknown result about an era that is not this installation's is none.

    :param gateway: asked for states of requests; None: not asked.
    :param node: reads the chain; None: the chain is unknown.
    :param from_era: oldest era; None: the oldest that this installation should have paid, and whose rewards the chain may keep.
    :param to_era: newest era; None: the newest that has ended.
    :raises InvalidEra: an era has not ended, or the range is empty.
    :raises LedgerError: the ledger failed.
    """
    now, requests = clock(), GatewayReads(gateway)
    reads = NodeReads(node, network, now)
    automatic = bool(reads.ask(lambda reader: reader.state().pays_by_itself))
    active = reads.active_era
    if active is None:
        active = network.calendar.era_or_none(now) or 0
    first = responsible_from(ledger, name, network.first_era)
    expected = range(max(active - network.history_depth, first or 0, 0), active)
    eras = _requested(expected, from_era, to_era)
    ours = range(active if first is None else first, active)
    user, payer = read_nonces(name, network, ledger, reads)
    records, executions = _executions(
        name, network, eras, ours=ours, automatic=automatic, ledger=ledger, reads=reads, requests=requests, now=now
    )
    elsewhere = _paid_elsewhere(ledger, name, expected, executions, network.payout.calls)
    found = {
        era: [
            whether_paid,
            *fees(era, records.get(era, ()), payer, now=now),
            *nonces(era, records.get(era, ()), user, elsewhere=elsewhere, now=now),
        ]
        for era, whether_paid in executions.items()
    }
    rows = [as_row(name, era, one, now, actor) for era, verdicts in found.items() for one in verdicts]
    rows += _of_past(name, network, records, eras, ours=ours, ledger=ledger, reads=reads, now=now, actor=actor)
    rows = [row for row in rows if row.agrees is not None or row.era in ours or row.era in records]
    kept = store_results(ledger, name, sorted(rows, key=lambda row: row.era))
    return Comparison(name, eras, kept, "; ".join(filter(None, (reads.problem, requests.problem))), reads.failure)


def _executions(
    name: str,
    network: NetworkConfig,
    eras: range,
    *,
    ours: range,
    automatic: bool,
    ledger: Ledger,
    reads: NodeReads,
    requests: GatewayReads,
    now: datetime,
) -> tuple[dict[int, list[Payout]], dict[int, Verdict]]:
    """The payouts of each era that has some, and whether ledger, gateway and chain agree that each era is paid."""
    records: dict[int, list[Payout]] = {}
    executions: dict[int, Verdict] = {}
    for era in eras:
        on_chain = reads.ask(lambda reader, era=era: reader.era_paid(era))  # type: ignore[misc]
        why = reads.problem or "its storage does not show this era"
        # Read after the chain's answer: an earlier record may lack a payout that the chain shows.
        parts = ledger.era_payouts(name, era)
        if parts:
            records[era] = parts
        sides = Sides(
            records=parts,
            requests={part.part: requests.states(part) for part in parts},
            on_chain=on_chain,
            why=why,
            parts=network.payout.calls,
            expected=era in ours,
            automatic=automatic,
            now=now,
        )
        executions[era] = execution(sides)
    return records, executions


def _paid_elsewhere(
    ledger: Ledger, name: str, expected: range, compared: Mapping[int, Verdict], calls: int | None
) -> Elsewhere:
    """How many calls something else has made, by the ledger's payouts, and by these and earlier comparisons.

    :param expected: the eras that this installation should have paid, and whose rewards the chain may keep.
    :param calls: calls per era; None: unknown.
    """
    stored = (*ledger.facts.reconciliations(name, expected), *ledger.facts.differences(name))
    found: dict[int, tuple[bool | None, str]] = {
        row.era: (row.agrees, row.finding) for row in stored if row.subject == "execution"
    }
    found |= {era: verdict.judged[:2] for era, verdict in compared.items() if verdict.judged.agrees is not None}
    differ = {era: finding for era, (agrees, finding) in found.items() if agrees is False}
    told = {era for era, finding in differ.items() if finding == "paid_elsewhere"}
    known = {era: own for era, own in ledger.eras_found_paid(name).items() if era in told or era not in differ}
    if calls is None:
        return Elsewhere(sum(own == 0 for own in known.values()), None, exact=False)
    of_known = sum(max(calls - own, 0) for own in known.values())
    complete = all(found.get(era, (None, ""))[0] is not None for era in expected)
    return Elsewhere(of_known, of_known + calls * len(told - known.keys()) if complete else None)


def _of_past(
    name: str,
    network: NetworkConfig,
    records: Mapping[int, Sequence[Payout]],
    eras: range,
    *,
    ours: range,
    ledger: Ledger,
    reads: NodeReads,
    now: datetime,
    actor: Actor,
) -> list[Reconciliation]:
    """Amounts and statuses. What agreed once is not read again, and what the ledger lacks is stored.

    :param ours: the eras since the installation.
    """
    proven = {
        (row.era, row.subject): row
        for row in ledger.facts.reconciliations(name, eras)
        if row.agrees and row.subject in ("amount", "status") and not reads.problem
    }
    open_amounts = [era for era in eras if (era in ours or era in records) and (era, "amount") not in proven]
    noted = note_amounts(name, network, open_amounts, ledger=ledger, node=reads, actor=actor, clock=lambda: now)
    open_statuses = [era for era in eras if (era, "status") not in proven]
    kept = range(max(ours.start, oldest_kept_era(network, eras.stop, now)), ours.stop)
    statuses = compare_statuses(name, network, open_statuses, reads, expected=kept, ledger=ledger, now=now)
    found = [*noted.verdicts.items(), *statuses.items()]
    return [*proven.values(), *(as_row(name, era, verdict, now, actor) for era, verdict in found)]


def _requested(expected: range, from_era: int | str | None, to_era: int | str | None) -> range:
    active = expected.stop
    low = expected.start if from_era is None else parse_era(from_era, field="from_era")
    high = active - 1 if to_era is None else parse_era(to_era, field="to_era")
    if high >= active:
        raise InvalidEra("to_era", f"era {high} has not ended: era {active} is active", f"Write {active - 1} or less")
    if low > high and from_era is not None:
        raise InvalidEra("from_era", f"era {low} comes after era {high}", "Write an earlier era")
    if low > high and to_era is not None:
        problem = f"era {high} comes before era {low}, where the comparison begins"
        raise InvalidEra("to_era", problem, "Write a later era, or also from_era")
    return range(low, high + 1)
