"""Whether an era is paid, from the traces of payouts in the chain's storage.

ParachainStaking pays by itself, and removes `Points` and `DelayedPayouts` of an era with the last payment. Older pallet-staking adds the
era to a list in each validator's `Ledger`. Since 2024 it stores each validator's paid pages in `ClaimedRewards`, and the number of
pages in `ErasStakersOverview`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.chain.metadata import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from staking_gateway.chain.block import Block

_PAGE_ITEMS = ("ErasClaimedRewards", "ClaimedRewards")


def encoded(era: int) -> bytes:
    """An era as an argument of a map."""
    return era.to_bytes(4, "little")


def era_paid(block: Block, era: int) -> bool | None:
    """Whether nothing of an era is unpaid; None when the storage does not show it."""
    try:
        if block.pays_by_itself:
            return _paid_by_the_chain(block, era)
        return _paid_by_calls(block, era)
    except ValueError:  # a value with an unknown layout
        return None


def _paid_by_the_chain(block: Block, era: int) -> bool | None:
    keys = [block.metadata.key("ParachainStaking", item, encoded(era)) for item in ("DelayedPayouts", "Points")]
    if None in keys or era >= block.parachain_era():
        return None
    delayed, points = block.stored([key for key in keys if key])
    return delayed is None and (points is None or decode("u32", points) == 0)


def _paid_by_calls(block: Block, era: int) -> bool | None:
    stashes = _earners(block, era)
    pages = next((item for item in _PAGE_ITEMS if block.metadata.item("Staking", item)), None)
    found = _in_pages(block, era, stashes, pages) if pages else _in_ledgers(block, era, stashes)
    if False in found:
        return False
    # Without any claim, a payout of the era could still be executed.
    return True if found == {True} else None


def _earners(block: Block, era: int) -> list[bytes]:
    """The stashes with points in an era whose rewards are stored; an empty list for other eras."""
    keys = [block.metadata.key("Staking", item, encoded(era)) for item in ("ErasRewardPoints", "ErasValidatorReward")]
    keys.append(block.metadata.key("Staking", "CurrentEra"))
    if None in keys:
        return []
    points, reward, newest = block.stored([key for key in keys if key])
    depth = block.history_depth()
    if points is None or reward is None or newest is None or not depth or era + depth < decode("u32", newest):
        return []
    earned = decode("EraRewardPoints", points)["individual"]
    return [bytes.fromhex(stash[2:]) for stash, number in earned if number]


def _in_pages(block: Block, era: int, stashes: list[bytes], name: str) -> set[bool | None]:
    """Whether stashes have claimed, from the maps of pages.

    A stash without an exposure in pages has nothing to claim, where the runtime has no exposures of another form: it has points from blocks
    after the era in which it was active. In runtimes with `ErasStakersClipped` its ledger decides.
    """
    overviews = _entries(block, "ErasStakersOverview", stashes, encoded(era))
    lists = _entries(block, name, stashes, encoded(era))
    found, older = set[bool | None](), []
    for stash, overview in overviews.items():
        raw = lists[stash]
        claimed = set() if raw is None else set(decode("Vec<u32>", raw))
        pages = 1 if overview is None else _page_count(overview)
        if overview is None and 0 not in claimed:
            older.append(stash)
        elif pages:
            found.add(sum(page < pages for page in claimed) == pages)
    return found | _in_ledgers(block, era, older) if block.metadata.item("Staking", "ErasStakersClipped") else found


def _page_count(raw: bytes) -> int:
    """A validator without nominators has one page, for its own stake."""
    overview = decode("PagedExposureMetadata", raw)
    return overview["page_count"] or bool(overview["own"])


def _in_ledgers(block: Block, era: int, stashes: list[bytes]) -> set[bool | None]:
    """Whether bonded stashes have claimed; None: the ledger of one cannot be read."""
    bonded = {stash: controller for stash, controller in _entries(block, "Bonded", stashes).items() if controller}
    ledgers = _entries(block, "Ledger", bonded.values())
    return {_in_ledger(stash, ledgers[controller], era) for stash, controller in bonded.items()}


def _in_ledger(stash: bytes, raw: bytes | None, era: int) -> bool | None:
    """Whether a ledger lists an era; None without such a list, which runtimes with `ClaimedRewards` may leave out."""
    try:
        ledger = decode("StakingLedger", raw or b"")
    except ValueError:
        return None
    return era in ledger["claimed_rewards"] if ledger["stash"] == "0x" + stash.hex() else None


def _entries(block: Block, item: str, names: Iterable[bytes], *before: bytes) -> dict[bytes, bytes | None]:
    """Entries of a map of the staking pallet by their last argument; raises ValueError when there is no such map."""
    keys = {name: block.metadata.key("Staking", item, *before, name) for name in names}
    if None in keys.values():
        raise ValueError(f"there is no map {item}")
    return dict(zip(keys, block.stored([key for key in keys.values() if key]), strict=True))
