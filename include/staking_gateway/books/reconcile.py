"""Whether ledger, gateway and chain agree about each ended era; and what the ledger gets from a node: amounts and statuses. What each account got
is only in the events of the payout's block, which most nodes keep for some minutes: the run of the era reads it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staking_gateway.books.compare import Result, Sides, executed, execution, nonces, read_nonces
from staking_gateway.catch_up import responsible_from
from staking_gateway.chain import EraReward
from staking_gateway.errors import InvalidEra, StakingGatewayError
from staking_gateway.ledger.records import AccountReward, EraFacts, Payout, Reconciliation
from staking_gateway.problem import Topic
from staking_gateway.text import count
from staking_gateway.types import AccountId, NonceKind, StakingStatus, parse_era

_MOST_NAMED = 5


@dataclass(frozen=True)
class Comparison:
    """The result of `reconcile`: `rows` in the order of the eras; a known difference stays while the new result is unknown."""

    sides: Sides
    eras: range
    rows: Sequence[Reconciliation]

    @property
    def differences(self) -> list[Reconciliation]:
        return [row for row in self.rows if row.agrees is False]

    def counts(self) -> dict[str, int]:
        found = [row.agrees for row in self.rows]
        return {"agree": found.count(True), "differ": found.count(False), "unknown": found.count(None)}

    def __str__(self) -> str:
        results = ", ".join(f"{number} {what}" for what, number in self.counts().items())
        told = f"{count(len(self.eras), 'era')} of {self.sides.name}; results: {results}"
        return "; ".join(filter(None, (told, self.sides.node_problem, self.sides.gateway_problem)))

    def raise_unless_compared(self) -> None:
        """Raise StakingGatewayError about the differences, which names both sides; or else ChainError, if the node failed."""
        if self.differences:
            texts = [row.text for row in self.differences]
            facts = f"{self.sides.name} has {count(len(texts), 'difference')}: {'; '.join(texts[:_MOST_NAMED])}"
            raise StakingGatewayError(facts, topic=Topic.BOOKS, remedy=Topic.BOOKS.remedy)
        if self.sides.failure is not None:
            raise self.sides.failure


def reconcile(sides: Sides, from_era: int | str | None = None, to_era: int | str | None = None) -> Comparison:
    """Compare ledger, gateway and chain, and store the results. An unknown result about an era that is not this installation's is none.

    :param from_era: None: the oldest era that this installation should have paid, and whose rewards the chain may keep; `to_era`: the newest ended.
    :raises InvalidEra: an era has not ended, or the range is empty.
    """
    name, network, ledger = sides.name, sides.network, sides.ledger
    automatic = bool(sides.ask(lambda reader: reader.state().pays_by_itself))
    active = network.active_era(sides.now, sides.active_era).era
    first = responsible_from(ledger, name, network.first_era)
    expected = range(max(active - network.history_depth, first or 0, 0), active)
    eras = _requested(expected, from_era, to_era)
    ours = range(active if first is None else first, active)
    accounts = read_nonces(sides)
    rows: list[Reconciliation] = []
    known = {*ours}
    for era in eras:
        on_chain = sides.ask(lambda reader, era=era: reader.era_paid(era))  # type: ignore[misc]
        # Read after the chain's answer: an earlier record may lack a payout that the chain shows.
        records = ledger.era_payouts(name, era)
        rows.append(execution(sides, era, records, on_chain, expected=era in ours, automatic=automatic))
        rows += [row for account in accounts for row in nonces(sides, era, records, account)]
        known.update(era for _ in records)
    stored = [] if sides.node_problem else ledger.facts.rows(Reconciliation, name, eras)
    proven = [row for row in stored if row.agrees and row.subject in ("amount", "status")]
    done = {(row.era, row.subject) for row in proven}  # is not read again
    kept = range(max(ours.start, network.oldest_kept_era(eras.stop, sides.now)), ours.stop)
    rows += proven
    rows += note_amounts(sides, [era for era in eras if era in known and (era, "amount") not in done])
    rows += compare_statuses(sides, [era for era in eras if (era, "status") not in done], expected=kept)
    rows = [row for row in rows if row.agrees is not None or row.era in known]
    return Comparison(sides, eras, sides.store(sorted(rows, key=lambda row: row.era)))


def _requested(expected: range, from_era: int | str | None, to_era: int | str | None) -> range:
    active = expected.stop
    low = expected.start if from_era is None else parse_era(from_era, field="from_era")
    high = active - 1 if to_era is None else parse_era(to_era, field="to_era")
    if high >= active:
        raise InvalidEra("to_era", f"era {high} has not ended: era {active} is active", f"Write {active - 1} or less")
    if low > high and (from_era, to_era) != (None, None):
        field = "to_era" if from_era is None else "from_era"
        raise InvalidEra(field, f"the first era {low} comes after the last era {high}", "Write another era")
    return range(low, high + 1)


def compare_statuses(sides: Sides, eras: Collection[int], *, expected: range) -> list[Reconciliation]:
    """Compare stored statuses with those at the end of each era. An `expected` era without any gets those of the chain. The newest era is asked
    first: a node without an era's blocks has none of older eras.
    """
    ledger, network = sides.ledger, sides.network
    watched = [one.account for one in network.accounts if one.account.public_key]
    found, why = [], ""
    for era in sorted(eras, reverse=True):
        ours: Mapping[str, StakingStatus] = ledger.statuses_of(sides.name, range(era, era + 1)).get(era, {})
        accounts = [AccountId.parse(key) for key in ours] or (watched if era in expected else [])
        if not accounts:
            continue
        theirs: Mapping[str, StakingStatus] | str | None
        theirs = why or sides.ask(lambda reader, era=era, accounts=accounts: reader.staking_at_end_of(era, accounts))  # type: ignore[misc]
        if theirs is None or isinstance(theirs, str):
            why = theirs or sides.node_problem
            result: Result = ("unknown", f"the chain's statuses are unknown: {why}")
            chain = None
        else:
            if not ours:
                given = [(account, theirs[account.hex]) for account in accounts]
                ledger.record_statuses(sides.name, era, given, keep_from=network.oldest_kept_era(era, sides.now))
                ours = theirs
            result, chain = _judge(ours, theirs), _says(theirs)
        if ours:
            found.append(sides.row(era, "status", result, ledger_says=_says(ours), chain_says=chain))
    return found


def _judge(ours: Mapping[str, StakingStatus], theirs: Mapping[str, StakingStatus]) -> Result:
    other = [key for key, status in ours.items() if theirs[key] is not status]
    if not other:
        return "agrees", "the accounts had the stored statuses at the end of the era"
    named = [f"{key} is {ours[key]} in the ledger and {theirs[key]} on the chain" for key in other[:_MOST_NAMED]]
    return "status_differs", f"{count(len(other), 'account')}: {', '.join(named)}"


def _says(statuses: Mapping[str, StakingStatus]) -> str:
    staking = list(statuses.values()).count(StakingStatus.IS_STAKING)
    return f"{staking} staking, {len(statuses) - staking} not staking"


_PARTS_OF_A_SHARE = 10**9
"""The chain cuts each share of a reward to this fraction of it (`Perbill`), and rounds the product to the nearest unit."""


def note_amounts(sides: Sides, eras: Iterable[int]) -> list[Reconciliation]:
    """Store end, total reward and token of ended eras, and what the watched accounts got of the paid ones. Returns comparisons of the totals with
    what accounts got. The chain's total replaces another one in the ledger: a node of another chain may have told it.
    """
    ledger, network, name, token = sides.ledger, sides.network, sides.name, sides.network.token
    chain, found = ledger.known_chain(name), []
    for era in eras:
        records, ended_at = ledger.era_payouts(name, era), network.calendar.end(era)
        parts = executed(records)
        if not parts and ended_at > sides.now:
            continue  # the era may not have ended
        known = ledger.facts.era(name, era)
        total = None if known is None else known.reward
        told = sides.ask(lambda reader, era=era: reader.era_reward(era))  # type: ignore[misc]
        token = token or sides.ask(lambda reader: reader.token())
        news: dict[str, Any] = {} if token is None else token._asdict()
        if told is not None and told.amount not in (None, total):
            news |= {"reward": told.amount, "reward_source": "storage", "reward_block": told.block}
        ledger.facts.note(EraFacts(network=name, era=era, chain=chain, ended_at=ended_at, noted_at=sides.now, **news))
        if parts and sides.node is not None:
            amounts = _note_rewards(sides, era, parts)
            whole = parts == records and network.payout.parts is not None and len(parts) >= network.payout.parts
            says = [] if isinstance(amounts, str) else [f"accounts got {sum(amounts.values())}"]
            says += [] if total is None else [f"the reward of the era is {total}, noted earlier from the chain"]
            by_chain = None if told is None or told.amount is None else f"the reward of the era is {told.amount}"
            result = judge_amounts(told, amounts, noted=total, whole=whole)
            found.append(sides.row(era, "amount", result, ledger_says="; ".join(says) or None, chain_says=by_chain))
    return found


def _note_rewards(sides: Sides, era: int, parts: Sequence[Payout]) -> Mapping[str, int] | str:
    """Store what the watched accounts got of an era. Returns what all accounts got, as `_amounts`."""
    blocks = {_block(sides, part) for part in parts}
    amounts = _amounts(sides, era, blocks)
    if isinstance(amounts, str):
        return amounts
    block = next(iter(blocks)) if len(blocks) == 1 else None
    watched = [one.account for one in sides.network.accounts if one.account.hex in amounts]
    about: dict[str, Any] = {"network": sides.name, "era": era, "block_number": block, "noted_at": sides.now}
    sides.ledger.facts.note(
        *(
            AccountReward(account_key=one.hex, address=one.spelling, amount=amounts[one.hex], source="events", **about)
            for one in watched
        )
    )
    return amounts


def _block(sides: Sides, part: Payout) -> int | None:
    """The block in which the payload of a part used its staking nonce."""
    copy = part.last
    if part.block_number is not None or copy is None or copy.staking_nonce is None:
        return part.block_number
    user, nonce = copy.user_key, copy.staking_nonce
    return sides.ask(lambda reader: reader.block_of_nonce(user, NonceKind.STAKING, nonce))


def _amounts(sides: Sides, era: int, blocks: Collection[int | None]) -> Mapping[str, int] | str:
    """What accounts got of an era by 0x key, by the events in the blocks of its payouts: of all or of none, and then why."""
    found: Counter[str] = Counter()
    for block in blocks:
        if block is None:
            return "neither ledger nor node has the block of the payout"
        told = sides.ask(lambda reader, block=block: reader.paid_rewards(block, era))  # type: ignore[misc]
        if told is None or isinstance(told, str):
            return told or sides.node_problem
        found.update(told)
    return found


def judge_amounts(
    reward: EraReward | None, amounts: Mapping[str, int] | str, *, noted: int | None, whole: bool
) -> Result:
    """Whether accounts got the total reward of an era, as far as rounding explains. The chain tells `reward` now, and told `noted` earlier. Unless the
    ledger has executed the `whole` era, accounts may get the rest later, or by something else.
    """
    told = None if reward is None else reward.amount
    if reward is not None and reward.reason:
        return "unknown", f"the reward of the era is {reward.reason}"
    if None not in (told, noted) and told != noted:
        return "amount_differs", f"the reward of the era was {noted} in the ledger, and is {told} on the chain"
    total = noted if told is None else told
    if isinstance(amounts, str):
        return "unknown", f"what accounts got is unknown: {amounts}"
    if total is None:
        return "unknown", "the chain does not tell the reward of the era"
    got, steps = sum(amounts.values()), 2 * len(amounts)
    if total - steps * (total // _PARTS_OF_A_SHARE + 1) <= got <= total + steps:
        return "agrees", "accounts got the reward of the era"
    text = f"the reward of the era is {total}, and accounts got {got} by the payout's events"
    if got < total and not whole:
        return "unknown", f"{text}; the rest may be unpaid, or paid by something else"
    return "amount_differs", text
