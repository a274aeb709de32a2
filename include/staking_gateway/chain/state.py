"""What a chain tells of its eras, and what its words for the election mean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.types import ElectionWindow

if TYPE_CHECKING:
    from datetime import datetime


class Staking(str, Enum):
    """The families of staking runtimes, told apart by what they store."""

    ELECTION_STATUS = "pallet-staking with Staking.EraElectionStatus"
    PHASES = "pallet-staking with an election pallet's CurrentPhase"
    NO_WINDOW = "pallet-staking without an election item"
    PARACHAIN = "ParachainStaking, which pays its stakers by itself"


@dataclass(frozen=True)
class Layout:
    """Where a runtime keeps what is asked of it.

    :param election: pallet that stores `CurrentPhase`, where there is one.
    """

    staking: Staking
    election: str | None = None


@dataclass(frozen=True)
class ChainState:
    """The chain at one block.

    :param active_era: index of the running era.
    :param started_at: when it began, in UTC; None when the chain has not written it down, or the block is forgotten.
    :param window: CLOSED also where the runtime has no election window.
    :param phase: the runtime's own word for the state of the election; None where it stores none.
    :param pays_by_itself: the runtime pays its stakers without being asked, so there is nothing to submit.
    :param block: number of the block all of this was read at.
    :param remark: what a reader should know beside that, such as a phase this version has no word for.
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
    """What a decoded `CurrentPhase` means.

    :param value: a word, or a dictionary whose only key is the word, as substrate-interface decodes an enumeration.
    :returns: the window, the word and a remark. A word unknown here is not closed: a newer runtime may have named a new phase
        of an election that is going on.
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
    return ElectionWindow.OPEN, name, f"the election phase {name[:80]!r} is unknown here and taken as not closed"
