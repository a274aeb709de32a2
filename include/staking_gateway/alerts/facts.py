"""What can be wrong with a network: conditions, each about one topic, and the facts they follow from.

A topic is an era, an account, the payer's funds or the calendar, and has one condition at most. An era's conditions are the rungs of one ladder::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

Only the most severe condition of a topic is sent: a higher rung than the last message sends another message, a lower one does not, and
the end is sent once. So one era causes five messages at most, and one when it is paid. `alerts.conditions` finds the conditions,
`ledger.alert_book` keeps what was sent, and `alerts.delivery` compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.health.overview import LiveFacts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from staking_gateway.health.eras import Situation
    from staking_gateway.ledger import Payout
    from staking_gateway.types import StakingStatus

RUNWAY_TOPIC, CALENDAR_TOPIC = "runway", "calendar"


@dataclass(frozen=True)
class AlertFacts:
    """What the conditions follow from.

    :param situation: what it takes to judge an era; the same as on the page.
    :param live: what the gateway reports.
    :param records: the ledger's parts by era.
    :param statuses: the newest eras' staking statuses: era, then the account's 0x key.
    :param open: topics with an open alert, and its kind: an `AlertKind`'s value.
    :param lost: eras whose loss was reported long ago.
    :param paying: the era of the run that looks; None: it has none.
    """

    situation: Situation
    live: LiveFacts = field(default_factory=LiveFacts)
    records: Mapping[int, Sequence[Payout]] = field(default_factory=dict)
    statuses: Mapping[int, Mapping[str, StakingStatus]] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    lost: Collection[int] = ()
    paying: int | None = None


def era_topic(era: int) -> str:
    """The topic of an era."""
    return f"era:{era}"


def open_eras(topics: Collection[str]) -> list[int]:
    """The eras among topics."""
    return [int(topic.removeprefix("era:")) for topic in topics if topic.startswith("era:")]
