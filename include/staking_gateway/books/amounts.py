"""The amounts of ended eras, from a node of the chain into the ledger. What the node does not tell stays unknown.

The total reward is in the chain's storage for `HistoryDepth` eras, also while the era is unpaid. What each account got is only in the events of the
payout's block, which most nodes keep for some minutes. So both are read by the run of the era.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from staking_gateway.books.execution import executed
from staking_gateway.books.verdict import CORRECTED, Judgement, Verdict, agreed, as_row, store_results, unknown
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import ChainError
from staking_gateway.ledger import AccountReward, EraFacts
from staking_gateway.types import NonceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.chain import ChainReader
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger, Payout

T = TypeVar("T")
_PARTS_OF_A_SHARE = 10**9
"""The chain cuts each share of a reward to this fraction of it (`Perbill`), and rounds the product to the nearest unit."""


class NodeReads:
    """Reads a node near the calendar until the first failure, so that a dead node costs one time-out.

    :ivar configured: whether there is a node.
    :ivar active_era: by the node; None before the first answer.
    :ivar problem: why nothing more is read; empty while the node answers.
    :ivar failure: the failure of the node, if any.
    """

    def __init__(self, node: ChainReader | None, network: NetworkConfig, now: datetime) -> None:
        self._node = node
        self._by_calendar = network.calendar.era_or_none(now)
        self._max_drift = network.calendar_settings.max_drift
        self.active_era: int | None = None
        self.configured = node is not None
        self.problem = "" if node is not None else "no node of the chain is configured"
        self.failure: ChainError | None = None

    def ask(self, read: Callable[[ChainReader], T]) -> T | None:
        """The answer; None after a failure."""
        if self._node is None or self.problem:
            return None
        try:
            if self.active_era is None:
                self.active_era = self._era_near_calendar(self._node)
            return read(self._node)
        except ChainError as error:
            self.problem, self.failure = error.what, error
            return None

    def _era_near_calendar(self, node: ChainReader) -> int:
        active = node.state().active_era
        if self._by_calendar is not None and abs(active - self._by_calendar) > self._max_drift:
            problem = (
                f"era {active} is active by the node, era {self._by_calendar} by the calendar, so the node is not asked: it may belong to "
                "another chain, or be out of date"
            )
            raise ChainError(problem, node=node.endpoint.name, method="active era")
        return active


@dataclass(frozen=True)
class Shares:
    """What accounts got of an era.

    :param amounts: by 0x key; None: unknown. `why` says why.
    :param blocks: the blocks whose events tell it.
    """

    amounts: dict[str, int] | None
    why: str = ""
    blocks: Sequence[int] = ()


@dataclass(frozen=True)
class Noted:
    """The result of `note_amounts`.

    :param problem: why a configured node told nothing; empty without such a problem.
    :param verdicts: era to the comparison of its total reward with what accounts got.
    """

    problem: str = ""
    verdicts: dict[int, Verdict] = field(default_factory=dict)


def note_amounts(
    name: str,
    network: NetworkConfig,
    eras: Iterable[int],
    *,
    ledger: Ledger,
    node: ChainReader | NodeReads | None,
    actor: Actor,
    clock: Callable[[], datetime] = utc_now,
) -> Noted:
    """Store end, total reward and token of ended eras, and what the watched accounts got of the paid ones.

    The chain's total replaces another total in the ledger: a node of another chain may have told it.

    :param node: None: without a node, the rewards stay unknown.
    """
    chain, token, now = ledger.known_chain(name), network.token, clock()
    reads = node if isinstance(node, NodeReads) else NodeReads(node, network, now)
    watched = {account.status_key: account.account for account in network.accounts}
    noted = Noted()
    for era in eras:
        records, ended_at = ledger.era_payouts(name, era), network.calendar.end(era)
        parts = executed(records)
        if not parts and ended_at > now:
            continue  # the era may not have ended
        known = ledger.facts.era(name, era)
        total = None if known is None else known.reward
        told = reads.ask(lambda reader, era=era: reader.era_reward(era))  # type: ignore[misc]
        newer = None if told is None or told.amount == total else told
        token = token or reads.ask(lambda reader: reader.token())
        ledger.facts.note_era(
            EraFacts(
                network=name,
                era=era,
                chain=chain,
                ended_at=ended_at,
                reward=None if newer is None else newer.amount,
                reward_source=None if newer is None else "storage",
                reward_block=None if newer is None else newer.block,
                symbol=None if token is None else token.symbol,
                decimals=None if token is None else token.decimals,
                noted_at=now,
                run=str(actor),
            )
        )
        if not parts or not reads.configured:
            continue
        shares = _shares(era, [part.block_number or _block(part, reads) for part in parts], reads)
        _note_watched(name, era, shares, watched, ledger=ledger, now=now, actor=actor)
        whole = parts == records and network.payout.calls is not None and len(parts) >= network.payout.calls
        noted.verdicts[era] = _compare(None if told is None else told.amount, shares, noted=total, whole=whole)
    rows = [as_row(name, era, verdict, now, actor) for era, verdict in noted.verdicts.items()]
    store_results(ledger, name, rows)
    return Noted(reads.problem if reads.configured else "", noted.verdicts)


def _note_watched(
    name: str, era: int, shares: Shares, watched: Mapping[str, str], *, ledger: Ledger, now: datetime, actor: Actor
) -> None:
    """Store what the watched accounts, by 0x key, got of an era."""
    of_watched = {key: amount for key, amount in (shares.amounts or {}).items() if key in watched}
    ledger.facts.note_rewards(
        [
            AccountReward(
                network=name,
                era=era,
                account_key=key,
                address=watched[key],
                amount=amount,
                source="events",
                block_number=shares.blocks[0] if len(shares.blocks) == 1 else None,
                noted_at=now,
                run=str(actor),
            )
            for key, amount in of_watched.items()
        ]
    )


def _block(part: Payout, reads: NodeReads) -> int | None:
    """The block in which the payload of a part used its staking nonce."""
    copy = part.last
    if copy is None or copy.staking_nonce is None:
        return None
    user, nonce = copy.user_key, copy.staking_nonce
    return reads.ask(lambda reader: reader.block_of_nonce(user, NonceKind.STAKING, nonce))


def _shares(era: int, of_parts: Sequence[int | None], reads: NodeReads) -> Shares:
    """What accounts got of an era, by the events in the blocks of its payouts: of all parts or of none."""
    blocks = sorted({block for block in of_parts if block is not None})
    if None in of_parts:
        return Shares(None, "neither ledger nor node has the block of the payout")
    found: dict[str, int] = {}
    for block in blocks:
        told = reads.ask(lambda reader, block=block: reader.paid_rewards(block))  # type: ignore[misc]
        amounts = None if told is None else told.amounts(era)
        if told is None or amounts is None:
            return Shares(None, reads.problem if told is None else told.reason)
        if len({one.transaction for one in told.rewards or () if one.era is None}) > 1:
            return Shares(None, f"block {block} has several payouts, and its runtime does not tell their eras apart")
        for key, amount in amounts.items():
            found[key] = found.get(key, 0) + amount
    return Shares(found, blocks=blocks)


def _compare(told: int | None, shares: Shares, *, noted: int | None, whole: bool) -> Verdict:
    """Compare the total reward with what accounts got.

    :param told: the total that the chain tells now; `noted` is the one that it told earlier.
    :param whole: whether the ledger has executed all calls of the era; otherwise accounts may get the rest later, or by something else.
    """
    got = None if shares.amounts is None else sum(shares.amounts.values())
    ledger = (
        None if got is None else f"accounts got {got}",
        None if noted is None else f"the reward of the era is {noted}, noted earlier from the chain",
    )
    chain = None if told is None else f"the reward of the era is {told}"
    if None not in (told, noted) and told != noted:
        text = f"the reward of the era was {noted} in the ledger, and is {told} on the chain; {CORRECTED}"
        judged = Judgement(False, "amount_differs", text)
    else:
        judged = _judge(noted if told is None else told, got, shares, whole=whole)
    return Verdict("amount", judged, ledger="; ".join(filter(None, ledger)) or None, chain=chain)


def _judge(total: int | None, got: int | None, shares: Shares, *, whole: bool) -> Judgement:
    if got is None:
        return unknown(f"what accounts got is unknown: {shares.why}")
    if total is None:
        return unknown("the chain does not tell the reward of the era")
    steps = 2 * len(shares.amounts or ())
    if total - steps * (total // _PARTS_OF_A_SHARE + 1) <= got <= total + steps:
        return agreed("accounts got the reward of the era")
    text = f"the reward of the era is {total}, and accounts got {got} by the payout's events"
    if got < total and not whole:
        return unknown(f"{text}; the rest may be unpaid, or paid by something else")
    return Judgement(False, "amount_differs", text)
