"""What can be wrong with a network: conditions, each about one topic, and the facts they follow from.

A topic is an era, an account, the payer's funds or the calendar, and has one condition at most. An era's conditions are the rungs of one ladder::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

A condition that is higher up than what was told of its topic is told of as well, a lower one is not, and the end of it all once. So
an era that is a nuisance in five ways in a row is five messages at the most, and one when it is paid. `alert_conditions` finds what is
there, `ledger.alert_book` remembers what was told, and `alert_delivery` puts the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from staking_gateway.ledger import Payout
    from staking_gateway.types import StakingStatus

RUNWAY_TOPIC, CALENDAR_TOPIC = "runway", "calendar"


@dataclass(frozen=True)
class AlertFacts:
    """What the conditions follow from.

    :param active: the active era: as the chain tells, or else by the calendar.
    :param first: the oldest era that should have been paid; None: none should.
    :param surely_active: an era that is active for certain: a loss is told of once and for all, so it needs the chain's word. None: the
        chain could not be asked, or cannot be believed.
    :param told: the active era as the chain tells, and `dated` by the calendar; None: it does not.
    :param records: the ledger's parts by era.
    :param statuses: the newest eras' staking statuses: era, then the account's 0x key.
    :param open: topics that were told of and are not over, and as what: an `AlertKind`'s value.
    :param lost: eras whose loss was told of long ago.
    :param paying: the era of the run that looks; None: it has none.
    :param window_open: the election window is open just now.
    :param automatic: the chain pays its stakers without being asked.
    :param problem: why the gateway could not be asked; empty when it could.
    :param runway: eras the payer's balance lasts for; None when the gateway does not tell.
    """

    now: datetime
    active: int
    first: int | None
    surely_active: int | None = None
    told: int | None = None
    dated: int | None = None
    records: Mapping[int, Sequence[Payout]] = field(default_factory=dict)
    statuses: Mapping[int, Mapping[str, StakingStatus]] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    lost: Collection[int] = ()
    paying: int | None = None
    window_open: bool = False
    automatic: bool = False
    problem: str = ""
    runway: int | None = None


def era_topic(era: int) -> str:
    """The topic of an era."""
    return f"era:{era}"


def open_eras(topics: Collection[str]) -> list[int]:
    """The eras among topics."""
    return [int(topic.removeprefix("era:")) for topic in topics if topic.startswith("era:")]
