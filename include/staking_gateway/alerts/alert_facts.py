"""The facts from which the conditions of a network follow.

A topic is an era, an account, the payer's funds, the calendar, or a cause that stands before every payout. It has one condition at most. The conditions of an era, by severity::

    not_paid -> held -> rejected -> expiring (50, 80, 95 %) -> expired

While such a cause has its alert, the eras that it blocks send only `expiring` and `expired`.

A message is sent for a more severe condition than in the topic's last message, and once for its end. So an era sends five messages at most,
and one when it is paid. `alerts.find_conditions` finds the conditions, and `ledger.alert_book` stores alerts and messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staking_gateway.health.facts import LiveFacts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from staking_gateway.health.eras import Situation
    from staking_gateway.health.facts import AirflowFacts
    from staking_gateway.ledger import Payout, Reconciliation, TaskFailure
    from staking_gateway.problem import Topic
    from staking_gateway.types import StakingStatus

RUNWAY_TOPIC, CALENDAR_TOPIC = "runway", "calendar"
BLOCKED_PREFIX = "blocked:"
BOOKS_PREFIX = "books:"


@dataclass(frozen=True)
class AlertFacts:
    """The facts from which the conditions follow.

    :param situation: for the judgement of eras; the same as on the page.
    :param live: from the gateway.
    :param airflow: what is known of Airflow's programs; None: nothing.
    :param failures: why runs have failed, by era; None for the catch-up's.
    :param records: the ledger's parts by era.
    :param statuses: staking statuses of the newest eras: era, then the account's 0x key.
    :param differences: the newest comparisons of ledger and chain whose sides differ.
    :param open: topic of an open alert to its kind, an `AlertKind`'s value.
    :param lost: eras whose expiry was reported long ago.
    :param paying: the era of the present run; None: the run of the newest ended era counts as present.
    """

    situation: Situation
    live: LiveFacts = field(default_factory=LiveFacts)
    airflow: AirflowFacts | None = None
    failures: Mapping[int | None, TaskFailure] = field(default_factory=dict)
    records: Mapping[int, Sequence[Payout]] = field(default_factory=dict)
    statuses: Mapping[int, Mapping[str, StakingStatus]] = field(default_factory=dict)
    differences: Sequence[Reconciliation] = ()
    open: Mapping[str, str] = field(default_factory=dict)
    lost: Collection[int] = ()
    paying: int | None = None


def era_topic(era: int) -> str:
    return f"era:{era}"


def blocked_topic(cause: Topic) -> str:
    """The topic of a cause that stands before every payout."""
    return f"{BLOCKED_PREFIX}{cause.anchor}"


def open_eras(topics: Collection[str]) -> list[int]:
    """The eras among topics."""
    return [int(topic.removeprefix("era:")) for topic in topics if topic.startswith("era:")]
