"""Whether an era is paid, from the traces of payouts in the chain's storage.

ParachainStaking pays by itself, and removes `Points` and `DelayedPayouts` of an era with the last payment. Older pallet-staking adds the
era to a list in each validator's `Ledger`. Since 2024 it stores each validator's paid pages in `ClaimedRewards`, and the number of
pages in `ErasStakersOverview`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.chain.block import Staking
from staking_gateway.chain.scale import compact, decode, exactly, many, row, struct, u32

if TYPE_CHECKING:
    from staking_gateway.chain.block import Block

_TOGETHER = 100
"""Validators that are read together; one with unclaimed rewards ends the search."""
_PAGE_ITEMS = ("ErasClaimedRewards", "ClaimedRewards")
_REWARD_POINTS = struct(total=u32, individual=many(row(exactly(32), u32)))
_OVERVIEW = struct(total=compact, own=compact, nominators=u32, pages=u32)
_LEDGER = struct(
    stash=exactly(32), total=compact, active=compact, unlocking=many(row(compact, compact)), claimed=many(u32)
)
"""`StakingLedger` with claimed eras. Runtimes with `ClaimedRewards` may have ledgers without the list."""


class _Claim(Enum):
    CLAIMED = "claimed"
    UNCLAIMED = "unclaimed"
    NOTHING = "nothing to claim"
    UNKNOWN = "unknown"


def encoded(era: int) -> bytes:
    """An era as an argument of a map."""
    return era.to_bytes(4, "little")


def era_paid(block: Block, era: int) -> bool | None:
    """Whether nothing of an era is unpaid; None when the storage does not show it."""
    try:
        if block.staking is Staking.PARACHAIN:
            return _paid_by_the_chain(block, era)
        return _paid_by_calls(block, era)
    except ValueError:  # a value with an unknown layout
        return None


def _paid_by_the_chain(block: Block, era: int) -> bool | None:
    keys = [block.metadata.key("ParachainStaking", item, encoded(era)) for item in ("DelayedPayouts", "Points")]
    if None in keys or era >= block.parachain_era():
        return None
    delayed, points = block.stored([key for key in keys if key])
    return delayed is None and (points is None or decode(u32, points) == 0)


def _paid_by_calls(block: Block, era: int) -> bool | None:
    stashes = _earners(block, era)
    pages = next((item for item in _PAGE_ITEMS if block.metadata.item("Staking", item)), None)
    found: set[_Claim] = set()
    for start in range(0, len(stashes), _TOGETHER):
        some = stashes[start : start + _TOGETHER]
        found.update(_in_pages(block, era, some, pages) if pages else _in_ledgers(block, era, some))
        if _Claim.UNCLAIMED in found:
            return False
    # Without any claim, a payout of the era could still be executed.
    return True if _Claim.CLAIMED in found and _Claim.UNKNOWN not in found else None


def _earners(block: Block, era: int) -> list[bytes]:
    """The stashes with points in an era whose rewards are stored; an empty list for other eras."""
    keys = [block.metadata.key("Staking", item, encoded(era)) for item in ("ErasRewardPoints", "ErasValidatorReward")]
    keys.append(block.metadata.key("Staking", "CurrentEra"))
    # `history_depth` needs this item in some runtimes; in this batch it costs no call.
    kept = [key for key in (block.metadata.key("Staking", "HistoryDepth"),) if key]
    if None in keys:
        return []
    points, reward, newest, *_ = block.stored([key for key in keys if key] + kept)
    depth = block.history_depth()
    if points is None or reward is None or newest is None or depth is None or era + depth < decode(u32, newest):
        return []
    return [stash for stash, earned in decode(_REWARD_POINTS, points)["individual"] if earned]


def _in_pages(block: Block, era: int, stashes: list[bytes], name: str) -> list[_Claim]:
    """Claims from the maps of pages.

    A stash without an exposure in pages has nothing to claim, where the runtime has no exposures of another form: it has points from blocks
    after the era in which it was active. In runtimes with `ErasStakersClipped` its ledger decides.
    """
    overviews = _entries(block, "ErasStakersOverview", [(encoded(era), stash) for stash in stashes])
    lists = _entries(block, name, [(encoded(era), stash) for stash in stashes])
    claims, older = [], []
    for stash, overview, raw in zip(stashes, overviews, lists, strict=True):
        claimed = set(decode(many(u32), raw)) if raw is not None else set()
        if overview is None and 0 not in claimed:
            older.append(stash)
            continue
        count = 1 if overview is None else _page_count(overview)
        claims.append(_in_list(count, claimed))
    if block.metadata.item("Staking", "ErasStakersClipped"):
        return claims + _in_ledgers(block, era, older)
    return claims + [_Claim.NOTHING] * len(older)


def _page_count(raw: bytes) -> int:
    """A validator without nominators has one page, for its own stake."""
    overview = decode(_OVERVIEW, raw)
    return overview["pages"] or int(overview["own"] > 0)


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
        ledger = decode(_LEDGER, raw or b"")
    except ValueError:
        return _Claim.UNKNOWN
    if ledger["stash"] != stash:
        return _Claim.UNKNOWN
    return _Claim.CLAIMED if era in ledger["claimed"] else _Claim.UNCLAIMED


def _entries(block: Block, item: str, arguments: list[tuple[bytes, ...]]) -> list[bytes | None]:
    """Entries of a map of the staking pallet; raises ValueError when there is no such map."""
    keys = [block.metadata.key("Staking", item, *one) for one in arguments]
    if None in keys:
        raise ValueError(f"there is no map {item}")
    return block.stored([key for key in keys if key])
