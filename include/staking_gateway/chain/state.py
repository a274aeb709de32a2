"""Era and election window of a chain, and the meaning of election phases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from datetime import datetime


class Staking(str, Enum):
    """The families of staking runtimes, recognised by their storage items."""

    ELECTION_STATUS = "pallet-staking with Staking.EraElectionStatus"
    PHASES = "pallet-staking with an election pallet's CurrentPhase"
    NO_WINDOW = "pallet-staking without an election item"
    PARACHAIN = "ParachainStaking, which pays its stakers by itself"


@dataclass(frozen=True)
class Layout:
    """The family of a runtime, and the pallet that stores `CurrentPhase`, if any."""

    staking: Staking
    election: str | None = None


@dataclass(frozen=True)
class ChainState:
    """The chain at one block.

    :param active_era: index of the running era.
    :param started_at: start of the era in UTC; None when the chain does not store it, or the node has pruned the block.
    :param window: CLOSED also when the runtime has no election window.
    :param phase: the runtime's name for the state of the election; None when it stores none.
    :param pays_by_itself: whether the runtime pays its stakers by itself; then there is nothing to submit.
    :param block: number of the block.
    :param remark: a warning, such as an unknown phase, or an empty text.
    """

    active_era: int
    started_at: datetime | None
    window: ElectionWindow
    phase: str | None
    pays_by_itself: bool
    block: int
    remark: str = ""


_CLOSED = {"off"}
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
    if name.lower() in _CLOSED:
        return ElectionWindow.CLOSED, name, ""
    if name.lower() in _OPEN:
        stuck = "the election is stuck in its emergency phase" if name.lower() == "emergency" else ""
        return ElectionWindow.OPEN, name, stuck
    return ElectionWindow.OPEN, name, f"the election phase {name[:80]!r} is unknown and taken as not closed"
