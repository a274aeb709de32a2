"""Whether an era is paid, from the traces of payouts in the chain's storage.

ParachainStaking pays by itself, and removes `Points` and `DelayedPayouts` of an era with the last payment. Older pallet-staking adds the
era to a list in each validator's `Ledger`. Since 2024 it stores each validator's paid pages, and their number in `ErasStakersOverview`.
"""

from staking_gateway.chain.block import Block
from staking_gateway.chain.metadata import decode


def era_paid(block: Block, era: int) -> bool | None:
    """Whether nothing of an era is unpaid; None when the storage does not show it."""
    try:
        if block.pays_by_itself:
            return _paid_by_the_chain(block, era)
        found = _claims(block, era, _earners(block, era))
    except ValueError:  # a value with an unknown layout, or no such item
        return None
    if False in found:
        return False
    # Without any claim, a payout of the era could still be executed.
    return True if found == {True} else None


def _paid_by_the_chain(block: Block, era: int) -> bool | None:
    keys = [block.metadata.key("ParachainStaking", item, era) for item in ("DelayedPayouts", "Points")]
    active = block.active_era()
    if active is None or era >= active:
        return None
    delayed, points = block.stored(keys)
    return delayed is None and (points is None or decode("u32", points) == 0)


def _earners(block: Block, era: int) -> list[bytes]:
    """The stashes with points in an era whose rewards are stored."""
    keys = [block.metadata.key("Staking", item, era) for item in ("ErasRewardPoints", "ErasValidatorReward")]
    keys.append(block.metadata.key("Staking", "CurrentEra"))
    points, reward, newest = block.stored(keys)
    depth = block.history_depth()
    if points is None or reward is None or era + depth < decode("u32", newest or b""):
        return []
    earned = decode("EraRewardPoints", points)["individual"]
    return [bytes.fromhex(stash[2:]) for stash, number in earned if number]


def _claims(block: Block, era: int, stashes: list[bytes]) -> set[bool | None]:
    """Whether stashes have claimed, from the maps of pages, or else from ledgers.

    A stash without an exposure has points from blocks after its last active era, and nothing to claim. In runtimes with `ErasStakersClipped`,
    exposures may have another form: its ledger decides.
    """
    items = ("ErasClaimedRewards", "ClaimedRewards")
    pages_of = next((item for item in items if ("Staking", item) in block.metadata.items), None)
    if pages_of is None:
        return _in_ledgers(block, era, stashes)
    overviews = block.entries("Staking", "ErasStakersOverview", stashes, era)
    lists = block.entries("Staking", pages_of, stashes, era)
    found, older = set[bool | None](), []
    for stash, overview in overviews.items():
        raw = lists[stash]
        claimed = set() if raw is None else set(decode("Vec<u32>", raw))
        pages = 1
        if overview is not None:
            _total, own, _nominators, page_count = decode("(Compact<u128>, Compact<u128>, u32, u32)", overview)
            pages = page_count or bool(own)  # a validator without nominators has one page, for its own stake
        if overview is None and 0 not in claimed:
            older.append(stash)
        elif pages:
            found.add(sum(page < pages for page in claimed) == pages)
    has_other_form = ("Staking", "ErasStakersClipped") in block.metadata.items
    return found | _in_ledgers(block, era, older) if has_other_form else found


def _in_ledgers(block: Block, era: int, stashes: list[bytes]) -> set[bool | None]:
    controllers = block.entries("Staking", "Bonded", stashes)
    bonded = {stash: controller for stash, controller in controllers.items() if controller}
    ledgers, found = block.entries("Staking", "Ledger", bonded.values()), set[bool | None]()
    for stash, controller in bonded.items():
        try:
            ledger = decode("StakingLedger", ledgers[controller] or b"")
            found.add(era in ledger["claimed_rewards"] if ledger["stash"] == "0x" + stash.hex() else None)
        except ValueError:  # runtimes with `ClaimedRewards` may leave out the list
            found.add(None)
    return found
