"""Whether an era is paid, from the traces of payouts in the chain's storage.

ParachainStaking pays by itself, and removes `Points` and `DelayedPayouts` of an era with the last payment. Older pallet-staking adds the
era to a list in each validator's `Ledger`. Since 2024 it stores each validator's paid pages in `ClaimedRewards`, and the number of
pages in `ErasStakersOverview`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.chain import storage
from staking_gateway.chain.state import Staking
from staking_gateway.chain.storage import encode_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.chain.block import Block

_MOST_VALIDATORS = 2000
"""Limit of validators per era; no known chain has so many."""
_TOGETHER = 100
"""Validators that are read together; one with unclaimed rewards ends the search."""
_PAGE_ITEMS = ("ErasClaimedRewards", "ClaimedRewards")


class _Claim(Enum):
    CLAIMED = "claimed"
    UNCLAIMED = "unclaimed"
    NOTHING = "nothing to claim"
    UNKNOWN = "unknown"


def era_paid(block: Block, era: int) -> bool | None:
    """Whether nothing of an era is unpaid; None when the storage does not show it.

    :raises ChainError: the storage cannot be read.
    """
    try:
        if block.staking is Staking.PARACHAIN:
            return _paid_by_the_chain(block, era)
        return _paid_by_calls(block, era)
    except ValueError:  # a value with an unknown layout
        return None


def _paid_by_the_chain(block: Block, era: int) -> bool | None:
    keys = [block.map_key("ParachainStaking", item, encode_number(era)) for item in ("DelayedPayouts", "Points")]
    current, _ = block.parachain_era()
    if None in keys or era >= current:
        return None
    delayed, points = block.stored_together([key for key in keys if key])
    return delayed is None and (points is None or storage.decode_number(points) == 0)


def _paid_by_calls(block: Block, era: int) -> bool | None:
    stashes = _earners(block, era)
    claims = _claims_of(block, era)
    if claims is None or len(stashes) > _MOST_VALIDATORS:
        return None
    found: set[_Claim] = set()
    for start in range(0, len(stashes), _TOGETHER):
        found.update(claims(stashes[start : start + _TOGETHER]))
        if _Claim.UNCLAIMED in found:
            return False
    # Without any claim, a payout of the era could still be executed.
    return True if _Claim.CLAIMED in found and _Claim.UNKNOWN not in found else None


def _earners(block: Block, era: int) -> list[bytes]:
    """The stashes with points in an era whose rewards are stored; an empty list for other eras."""
    points, reward = (
        block.map_key("Staking", item, encode_number(era)) for item in ("ErasRewardPoints", "ErasValidatorReward")
    )
    if points is None or reward is None:
        return []
    newest, depth_item = (storage.key("Staking", item) for item in ("CurrentEra", "HistoryDepth"))
    # `history_depth` needs the last item in some runtimes; in this batch it costs no call.
    raw_points, raw_reward, raw_newest, _ = block.stored_together([points, reward, newest, depth_item])
    depth = block.history_depth()
    if raw_points is None or raw_reward is None or raw_newest is None or depth is None:
        return []
    if era + depth < storage.decode_number(raw_newest):
        return []
    return storage.decode_reward_points(raw_points)


def _claims_of(block: Block, era: int) -> Callable[[list[bytes]], list[_Claim]] | None:
    """The function that reads the claims of stashes in this runtime; None for unknown records."""
    stash = bytes(32)
    if any(block.map_key("Staking", item, encode_number(era), stash) for item in _PAGE_ITEMS):
        if block.map_key("Staking", "ErasStakersOverview", encode_number(era), stash) is None:
            return None
        return lambda stashes: _in_pages(block, era, stashes)
    return lambda stashes: _in_ledgers(block, era, stashes)


def _in_pages(block: Block, era: int, stashes: list[bytes]) -> list[_Claim]:
    """Claims from the maps of pages; stashes without pages are looked up in the ledgers."""
    name = next(item for item in _PAGE_ITEMS if block.map_key("Staking", item, encode_number(era), stashes[0]))
    overviews = _entries(block, "ErasStakersOverview", [(encode_number(era), stash) for stash in stashes])
    lists = _entries(block, name, [(encode_number(era), stash) for stash in stashes])
    claims, older = [], []
    for stash, overview, pages in zip(stashes, overviews, lists, strict=True):
        claimed = set(storage.decode_numbers(pages)) if pages is not None else set()
        if overview is None and 0 not in claimed:
            older.append(stash)
            continue
        claims.append(_in_list(storage.decode_page_count(overview) if overview is not None else 1, claimed))
    return claims + _in_ledgers(block, era, older)


def _in_list(count: int, claimed: set[int]) -> _Claim:
    if count == 0:
        return _Claim.NOTHING
    return _Claim.CLAIMED if sum(page < count for page in claimed) == count else _Claim.UNCLAIMED


def _in_ledgers(block: Block, era: int, stashes: list[bytes]) -> list[_Claim]:
    controllers = _entries(block, "Bonded", [(stash,) for stash in stashes])
    bonded = {stash: controller for stash, controller in zip(stashes, controllers, strict=True) if controller}
    ledgers = _entries(block, "Ledger", [(controller,) for controller in bonded.values()])
    claims = [_Claim.NOTHING] * (len(stashes) - len(bonded))
    return claims + [_in_ledger(stash, ledger, era) for stash, ledger in zip(bonded, ledgers, strict=True)]


def _in_ledger(stash: bytes, raw: bytes | None, era: int) -> _Claim:
    try:
        ledger = storage.decode_ledger(raw or b"")
    except ValueError:
        return _Claim.UNKNOWN
    if ledger.stash != stash:
        return _Claim.UNKNOWN
    return _Claim.CLAIMED if era in ledger.claimed else _Claim.UNCLAIMED


def _entries(block: Block, item: str, arguments: list[tuple[bytes, ...]]) -> list[bytes | None]:
    """Entries of a map of the staking pallet; raises ValueError when there is no such map."""
    keys = [block.map_key("Staking", item, *one) for one in arguments]
    if None in keys:
        raise ValueError(f"there is no map {item}")
    return block.stored_together([key for key in keys if key])
