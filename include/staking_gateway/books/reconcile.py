"""Whether ledger, gateway and chain agree about each ended era.

The chain alone proves that books agree. A difference may also show between ledger and gateway. What cannot be read is unknown, and an
unknown result never replaces a known difference. Nothing is signed or sent here, and only rewards are corrected.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.accounts import oldest_kept_era
from staking_gateway.books.amounts import note_amounts
from staking_gateway.books.compare import (
    Claims,
    Result,
    Sides,
    agreed,
    execution,
    fees,
    nonces,
    read_nonces,
    unknown,
)
from staking_gateway.catch_up.survey import responsible_from
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import ChainError, InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway.text import count
from staking_gateway.types import AccountId, StakingStatus, parse_era

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.chain import ChainReader
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.gateway.gateway import Gateway
    from staking_gateway.ledger import Actor, Ledger, Reconciliation

_MOST_NAMED = 5


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

        :raises StakingGatewayError: there is a difference; the text names both sides.
        :raises ChainError: the node failed, so results are unknown.
        """
        if self.differences:
            texts = [row.text for row in self.differences]
            more = f"; and {len(texts) - 5} more" if len(texts) > 5 else ""
            facts = f"{self.network} has {count(len(texts), 'difference')}: {'; '.join(texts[:5])}{more}"
            raise StakingGatewayError(facts, topic=Topic.BOOKS, remedy=Topic.BOOKS.remedy)
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
    sides = Sides(name, network, ledger, gateway, node, actor, clock())
    automatic = bool(sides.ask(lambda reader: reader.state().pays_by_itself))
    active = sides.active_era
    if active is None:
        active = network.calendar.era_or_none(sides.now) or 0
    first = responsible_from(ledger, name, network.first_era)
    expected = range(max(active - network.history_depth, first or 0, 0), active)
    eras = _requested(expected, from_era, to_era)
    ours = range(active if first is None else first, active)
    user, payer = read_nonces(sides)
    rows: list[Reconciliation] = []
    known = {*ours}
    for era in eras:
        on_chain = sides.ask(lambda reader, era=era: reader.era_paid(era))  # type: ignore[misc]
        # Read after the chain's answer: an earlier record may lack a payout that the chain shows.
        records = ledger.era_payouts(name, era)
        claims = Claims(
            records=records,
            requests={part.part: sides.request_states(part) for part in records},
            on_chain=on_chain,
            why=sides.node_problem or "its storage does not show this era",
            parts=network.payout.parts,
            expected=era in ours,
            automatic=automatic,
            now=sides.now,
        )
        rows += [execution(sides, era, claims), *fees(sides, era, records, payer), *nonces(sides, era, records, user)]
        known.update(era for _ in records)
    rows += _of_past(sides, eras, known, ours=ours)
    rows = [row for row in rows if row.agrees is not None or row.era in known]
    kept = sides.store(sorted(rows, key=lambda row: row.era))
    problem = "; ".join(filter(None, (sides.node_problem, sides.gateway_problem)))
    return Comparison(name, eras, kept, problem, sides.failure)


def _of_past(sides: Sides, eras: range, known: Collection[int], *, ours: range) -> list[Reconciliation]:
    """Amounts and statuses. What agreed once is not read again, and what the ledger lacks is stored.

    :param known: the eras of this installation, and those with records.
    :param ours: the eras since the installation.
    """
    proven = {
        (row.era, row.subject): row
        for row in sides.ledger.facts.reconciliations(sides.name, eras)
        if row.agrees and row.subject in ("amount", "status") and not sides.node_problem
    }
    amounts = note_amounts(sides, [era for era in eras if era in known and (era, "amount") not in proven])
    kept = range(max(ours.start, oldest_kept_era(sides.network, eras.stop, sides.now)), ours.stop)
    open_statuses = [era for era in eras if (era, "status") not in proven]
    statuses = compare_statuses(sides, open_statuses, expected=kept)
    return [*proven.values(), *amounts.values(), *statuses.values()]


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


# --- staking statuses ----------------------------------------------------------------------------------------------------


def compare_statuses(sides: Sides, eras: Collection[int], *, expected: range) -> dict[int, Reconciliation]:
    """Compare stored statuses with those at the end of each era. An expected era without any gets those of the chain.

    The newest era is asked first. A node without an era's blocks has none of older eras, and is not asked for them. The statuses of one era at
    a time are in memory.

    :param expected: the eras whose statuses the ledger should have.
    """
    ledger, network = sides.ledger, sides.network
    watched: list[AccountId] = []
    for account in network.accounts:
        with suppress(InvalidInput):  # the check of the settings names it
            watched.append(account.account_id)
    found, why = {}, ""
    for era in sorted(eras, reverse=True):
        ours: Mapping[str, StakingStatus] = ledger.statuses_of(sides.name, range(era, era + 1)).get(era, {})
        accounts = [AccountId.parse(key) for key in ours] or (watched if era in expected else [])
        if not accounts:
            continue
        past = None
        if not why:
            past = sides.ask(lambda reader, era=era, accounts=accounts: reader.staking_at_end_of(era, accounts))  # type: ignore[misc]
            why = sides.node_problem if past is None else past.reason
        theirs = None if past is None else past.statuses
        if not ours and theirs is not None:
            given = [(account, theirs[account.hex]) for account in accounts]
            ledger.record_statuses(sides.name, era, given, keep_from=oldest_kept_era(network, era, sides.now))
            ours = theirs
        if ours:
            result = unknown(f"the chain's statuses are unknown: {why}") if theirs is None else _judge(ours, theirs)
            chain = None if theirs is None else _says(theirs)
            found[era] = sides.row(era, "status", result, ledger_says=_says(ours), chain_says=chain)
    return found


def _judge(ours: Mapping[str, StakingStatus], theirs: Mapping[str, StakingStatus]) -> Result:
    other = [key for key, status in ours.items() if theirs[key] is not status]
    if not other:
        return agreed("the accounts had the stored statuses at the end of the era")
    named = ", ".join(
        f"{key} is {ours[key]} in the ledger and {theirs[key]} on the chain" for key in other[:_MOST_NAMED]
    )
    more = f", and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
    return Result(False, "status_differs", f"{count(len(other), 'account')}: {named}{more}")


def _says(statuses: Mapping[str, StakingStatus]) -> str:
    staking = list(statuses.values()).count(StakingStatus.IS_STAKING)
    return f"{staking} staking, {len(statuses) - staking} not staking"
