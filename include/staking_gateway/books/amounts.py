"""The amounts of ended eras, from a node of the chain into the ledger. What the node does not tell stays unknown.

The total reward is in the chain's storage for `HistoryDepth` eras, also while the era is unpaid. What each account got is only in the events of the
payout's block, which most nodes keep for some minutes. So both are read by the run of the era.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.books.compare import CORRECTED, Result, agreed, executed, unknown
from staking_gateway.ledger import AccountReward, EraFacts
from staking_gateway.types import NonceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from staking_gateway.books.compare import Sides
    from staking_gateway.chain import EraReward
    from staking_gateway.ledger import Payout, Reconciliation

_PARTS_OF_A_SHARE = 10**9
"""The chain cuts each share of a reward to this fraction of it (`Perbill`), and rounds the product to the nearest unit."""


@dataclass(frozen=True)
class Shares:
    """What accounts got of an era.

    :param amounts: by 0x key; None: unknown. `why` says why.
    :param blocks: the blocks whose events tell it.
    """

    amounts: dict[str, int] | None
    why: str = ""
    blocks: Sequence[int] = ()


def note_amounts(sides: Sides, eras: Iterable[int]) -> dict[int, Reconciliation]:
    """Store end, total reward and token of ended eras, and what the watched accounts got of the paid ones.

    The chain's total replaces another total in the ledger: a node of another chain may have told it.

    :param sides: without a node, the rewards stay unknown; its `node_problem` says why a node told nothing.
    :returns: era to the comparison of its total reward with what accounts got.
    """
    ledger, network, name, token = sides.ledger, sides.network, sides.name, sides.network.token
    chain, found = ledger.known_chain(name), {}
    for era in eras:
        records, ended_at = ledger.era_payouts(name, era), network.calendar.end(era)
        parts = executed(records)
        if not parts and ended_at > sides.now:
            continue  # the era may not have ended
        known = ledger.facts.era(name, era)
        total = None if known is None else known.reward
        told = sides.ask(lambda reader, era=era: reader.era_reward(era))  # type: ignore[misc]
        newer = None if told is None or told.amount in (None, total) else told
        token = token or sides.ask(lambda reader: reader.token())
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
                noted_at=sides.now,
                run=str(sides.actor),
            )
        )
        if parts and sides.node is not None:
            shares = _shares(sides, era, parts)
            _note_watched(sides, era, shares)
            whole = parts == records and network.payout.parts is not None and len(parts) >= network.payout.parts
            found[era] = _compare(sides, era, told, shares, noted=total, whole=whole)
    sides.store(list(found.values()))
    return found


def _note_watched(sides: Sides, era: int, shares: Shares) -> None:
    """Store what the watched accounts got of an era."""
    watched = {account.status_key: account.account for account in sides.network.accounts}
    got = shares.amounts or {}
    rewards = [
        AccountReward(
            network=sides.name,
            era=era,
            account_key=key,
            address=watched[key],
            amount=amount,
            source="events",
            block_number=shares.blocks[0] if len(shares.blocks) == 1 else None,
            noted_at=sides.now,
            run=str(sides.actor),
        )
        for key, amount in got.items()
        if key in watched
    ]
    sides.ledger.facts.note_rewards(rewards)


def _block(sides: Sides, part: Payout) -> int | None:
    """The block in which the payload of a part used its staking nonce."""
    copy = part.last
    if part.block_number is not None or copy is None or copy.staking_nonce is None:
        return part.block_number
    user, nonce = copy.user_key, copy.staking_nonce
    return sides.ask(lambda reader: reader.block_of_nonce(user, NonceKind.STAKING, nonce))


def _shares(sides: Sides, era: int, parts: Sequence[Payout]) -> Shares:
    """What accounts got of an era, by the events in the blocks of its payouts: of all parts or of none."""
    of_parts = [_block(sides, part) for part in parts]
    blocks = sorted({block for block in of_parts if block is not None})
    if None in of_parts:
        return Shares(None, "neither ledger nor node has the block of the payout")
    found: dict[str, int] = {}
    for block in blocks:
        told = sides.ask(lambda reader, block=block: reader.paid_rewards(block))  # type: ignore[misc]
        amounts = None if told is None else told.amounts(era)
        if told is None or amounts is None:
            return Shares(None, sides.node_problem if told is None else told.reason)
        if len({one.transaction for one in told.rewards or () if one.era is None}) > 1:
            return Shares(None, f"block {block} has several payouts, and its runtime does not tell their eras apart")
        for key, amount in amounts.items():
            found[key] = found.get(key, 0) + amount
    return Shares(found, blocks=blocks)


def _compare(
    sides: Sides, era: int, reward: EraReward | None, shares: Shares, *, noted: int | None, whole: bool
) -> Reconciliation:
    """Compare the total reward with what accounts got.

    :param reward: the total that the chain tells now; `noted` is the one that it told earlier.
    :param whole: whether the ledger has executed all calls of the era; otherwise accounts may get the rest later, or by something else.
    """
    told = None if reward is None else reward.amount
    if reward is not None and reward.reason:
        result = unknown(f"the reward of the era is {reward.reason}")
    elif None not in (told, noted) and told != noted:
        text = f"the reward of the era was {noted} in the ledger, and is {told} on the chain; the ledger has the chain's now"
        result = Result(False, CORRECTED, text)
    else:
        result = judge_amounts(noted if told is None else told, shares, whole=whole)
    ledger = [] if shares.amounts is None else [f"accounts got {sum(shares.amounts.values())}"]
    ledger += [] if noted is None else [f"the reward of the era is {noted}, noted earlier from the chain"]
    chain = None if told is None else f"the reward of the era is {told}"
    return sides.row(era, "amount", result, ledger_says="; ".join(ledger) or None, chain_says=chain)


def judge_amounts(total: int | None, shares: Shares, *, whole: bool) -> Result:
    """Whether accounts got the total reward of an era, as far as rounding explains. Parameters as `_compare`."""
    if shares.amounts is None:
        return unknown(f"what accounts got is unknown: {shares.why}")
    if total is None:
        return unknown("the chain does not tell the reward of the era")
    got, steps = sum(shares.amounts.values()), 2 * len(shares.amounts)
    if total - steps * (total // _PARTS_OF_A_SHARE + 1) <= got <= total + steps:
        return agreed("accounts got the reward of the era")
    text = f"the reward of the era is {total}, and accounts got {got} by the payout's events"
    if got < total and not whole:
        return unknown(f"{text}; the rest may be unpaid, or paid by something else")
    return Result(False, "amount_differs", text)
