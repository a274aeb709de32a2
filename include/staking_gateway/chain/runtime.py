"""What a runtime's metadata means: the family of staking pallets, the election's phases, and how long rewards are kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from datetime import datetime

    from staking_gateway.chain.metadata import Metadata


class Staking(str, Enum):
    """The families of staking runtimes, recognised by their storage items."""

    ELECTION_STATUS = "pallet-staking with Staking.EraElectionStatus"
    PHASES = "pallet-staking with an election pallet's CurrentPhase"
    NO_WINDOW = "pallet-staking without an election item"
    PARACHAIN = "ParachainStaking, which pays its stakers by itself"


@dataclass(frozen=True)
class ChainState:
    """The chain at its newest finalized block.

    :param active_era: index of the running era.
    :param started_at: start of the era in UTC; None when the chain does not store it.
    :param window: CLOSED also when the runtime has no election window.
    :param phase: the runtime's name for the state of the election; None when it stores none.
    :param pays_by_itself: whether the runtime pays its stakers by itself; then there is nothing to submit.
    :param block: number of the block.
    :param remark: a warning, such as an unknown phase, or an empty text.
    :param pays_in_election: whether the runtime has an election that does not stop payouts.
    """

    active_era: int
    started_at: datetime | None
    window: ElectionWindow
    phase: str | None
    pays_by_itself: bool
    block: int
    remark: str = ""
    pays_in_election: bool = False


def family(metadata: Metadata) -> Staking | None:
    """The family of a runtime; None for one without a known staking pallet."""
    if metadata.item("Staking", "ActiveEra"):
        if metadata.item("Staking", "EraElectionStatus"):
            return Staking.ELECTION_STATUS
        return Staking.PHASES if election_pallet(metadata) else Staking.NO_WINDOW
    return Staking.PARACHAIN if metadata.item("ParachainStaking", "Era") else None


def election_pallet(metadata: Metadata) -> str | None:
    """The pallet with `CurrentPhase`; runtimes name it differently."""
    found = [name for name in metadata.pallets if metadata.item(name, "CurrentPhase")]
    return next((name for name in found if "election" in name.lower()), found[0] if found else None)


_OPEN = {"signed", "signedvalidation", "unsigned", "snapshot", "done", "export", "emergency"}


def judge_phase(value: Any) -> tuple[ElectionWindow, str, str]:
    """The meaning of a decoded `CurrentPhase`.

    :param value: a word, or a dictionary with the word as its only key (a decoded enumeration).
    :returns: the window, the word and a remark. An unknown word counts as open: a newer runtime may have new phases.
    :raises ValueError: not a word.
    """
    name = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else value
    if not isinstance(name, str):
        raise ValueError("a phase is a word")
    word = name.lower()
    if word == "off":
        return ElectionWindow.CLOSED, name, ""
    remark = "" if word in _OPEN else f"the election phase {name[:80]!r} is unknown and taken as not closed"
    if word == "emergency":
        remark = "the election is stuck in its emergency phase"
    return ElectionWindow.OPEN, name, remark
