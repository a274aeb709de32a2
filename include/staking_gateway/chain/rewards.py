"""The total reward of an era, from the chain's storage, and the amounts that accounts got, from a block's events.

pallet-staking stores an era's reward when the era ends, for `HistoryDepth` eras; newer runtimes have a second pot for validators.
ParachainStaking removes it with the last payment. If the runtime may pay by items or events that are not known here, the amount is unknown.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from staking_gateway.chain.block import Block
from staking_gateway.chain.metadata import decode
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS
from staking_gateway.text import one_line
from staking_gateway.types import MAX_ERA, is_hash

_PALLETS = ("Staking", "ParachainStaking")
_ACCOUNT, _AMOUNT = ("stash", "account", "validator_stash"), ("amount", "rewards")
_REWARDED = {"Rewarded", "Reward", "ValidatorIncentivePaid"}
"""Events that pay an account. The names of their fields differ; older ones have none, and begin with the account and end with the amount."""
_NO_REWARDS = re.compile(
    r"Bond|Unbond|Withdr|Slash|Kick|Migrated|Collator|Candidate|Nominat|Reserved|ErrorPaying|Nonce"
)
"""Names of events with an account and an amount that pay nobody, as far as pallet-staking and ParachainStaking have such."""
_POTS = ("ErasValidatorReward", "ErasValidatorIncentiveBudget")
_POT_NAME = re.compile(r"DelayedPayouts|Eras\w*(Reward|Incentive|Bonus|Payout)(Budget|Pot|s)?")


@dataclass(frozen=True)
class EraReward:
    """The total reward of an era in the smallest unit, or why it is partly unknown; and the number of the block that was read."""

    amount: int | None
    block: int
    reason: str = ""


def paid_rewards(block: Block, era: int) -> dict[str, int] | str:
    """What accounts got in a block of an era, or of one that the runtime does not tell; or why it is unknown."""
    amounts, payouts = Counter[str](), set()
    try:
        (raw,) = block.stored([block.metadata.key("System", "Events")])
        for account, amount, of_era, transaction in _rewards(block.metadata.events(raw or b"")):
            if of_era in (era, None):
                amounts[account] += amount
            if of_era is None:
                payouts.add(transaction)
    except (ValueError, LookupError, TypeError) as error:
        return f"the rewards of block {block.number} are unknown: {one_line(str(error))[:QUOTED_CHARACTERS]}"
    if len(payouts) > 1:
        return f"block {block.number} has several payouts, and its runtime does not tell their eras apart"
    return dict(amounts)


def _rewards(records: list[dict[str, Any]]) -> Iterator[tuple[str, int, int | None, int | None]]:
    """The accounts and rewards of event records, each with its era, if the runtime tells it, and the transaction that paid, if one did.

    A payout's events follow each other. ValueError: a reward has another form, or an event may pay that is not known.
    """
    phase, era = None, None
    for record in records:
        found, transaction = (record["phase"], record["extrinsic_idx"]), record["extrinsic_idx"]
        if found != phase:
            phase, era = found, None
        if record["module_id"] not in _PALLETS:
            continue
        name, content = record["event_id"], record["attributes"]
        fields = dict(enumerate(content)) if isinstance(content, tuple) else content
        if not isinstance(fields, dict):
            fields = {}
        if name == "PayoutStarted":  # newer runtimes: the rewards of its era follow
            era = _number(_value(fields, ("era_index",), 0), MAX_ERA)
        elif name in _REWARDED:
            account, amount = _value(fields, _ACCOUNT, 0), _number(_value(fields, _AMOUNT, -1))
            if not is_hash(account):
                raise ValueError("the account of a reward is no public key")
            yield account, amount, fields.get("era", era), transaction
        elif _may_pay(name, fields):
            event = f"{record['module_id']}.{name}"
            raise ValueError(f"partly unknown: event {event} may pay an account. Use a newer version")


def _may_pay(name: str, fields: dict[Any, Any]) -> bool:
    """Whether an event with a name that is not known here holds an account and an amount."""
    has_amount = "amount" in fields or any(type(value) is int and value > MAX_ERA for value in fields.values())
    return has_amount and any(map(is_hash, fields.values())) and not _NO_REWARDS.search(name)


def _value(fields: dict[Any, Any], names: tuple[str, ...], place: int) -> Any:
    """A field by one of its names, or by its place where they have no names."""
    found = list(fields.values())[place:][:1] if 0 in fields else [fields[name] for name in names if name in fields]
    if len(found) != 1:
        raise ValueError(f"an event has no {names[0]}")
    return found[0]


def _number(value: Any, most: int = 2**128 - 1) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("an event's number has another type")
    return value


def era_reward(block: Block, era: int) -> EraReward | None:
    """The total reward of an era; None when the chain does not keep it."""
    parachain = block.pays_by_itself
    pallet, pots = ("ParachainStaking", ("DelayedPayouts",)) if parachain else ("Staking", _POTS)
    keys: dict[str, str] = {}
    for where, name in block.metadata.items:
        if where == pallet and _POT_NAME.fullmatch(name):
            with suppress(ValueError):  # an item of another form
                keys[name] = block.metadata.key(pallet, name, era)
    stored = {name: raw for name, raw in zip(keys, block.stored([*keys.values()]), strict=True) if raw is not None}
    if pots[0] not in stored:
        return None
    unknown = [name for name, raw in stored.items() if name not in pots and len(raw) == 16]  # of an amount
    if unknown:
        reason = f"partly unknown: item {pallet}.{unknown[0]} may hold a part of the reward. Use a newer version"
        return EraReward(None, block.number, reason)
    try:
        return EraReward(sum(decode("u128", stored[name]) for name in pots if name in stored), block.number)
    except ValueError:  # a value with an unknown layout
        return None
