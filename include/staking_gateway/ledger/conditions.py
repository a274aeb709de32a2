"""The conditions of a network that alerts report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from staking_gateway.problem import Topic


class AlertKind(str, Enum):
    """Kind of a condition."""

    NOT_PAID = "not_paid"
    HELD = "held"
    REJECTED = "rejected"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    NOT_STAKING = "not_staking"
    STAKING = "staking"
    RUNWAY = "runway"
    DRIFT = "drift"
    BOOKS = "books"
    BLOCKED = "blocked"

    @property
    def topic(self) -> Topic:
        """The section of the runbook, for a condition that names none."""
        return _TOPICS[self]


_TOPICS = {
    AlertKind.NOT_PAID: Topic.UNPAID,
    AlertKind.HELD: Topic.HELD_FEE,
    AlertKind.REJECTED: Topic.REJECTED,
    AlertKind.EXPIRING: Topic.UNPAID,
    AlertKind.EXPIRED: Topic.EXPIRED,
    AlertKind.NOT_STAKING: Topic.ACCOUNTS,
    AlertKind.STAKING: Topic.ACCOUNTS,
    AlertKind.RUNWAY: Topic.RUNWAY,
    AlertKind.DRIFT: Topic.DRIFT,
    AlertKind.BOOKS: Topic.BOOKS,
    AlertKind.BLOCKED: Topic.UNPAID,
}


class Severity(str, Enum):
    """Severity of a condition."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True)
class Condition:
    """A problem of one topic.

    :param topic: era, account, funds, calendar or a cause; its key, with the network's name.
    :param rank: a higher rank than that of the topic's last message sends another message.
    :param subject: the topic in words.
    :param runbook: anchor of the runbook's section; empty: that of the kind.
    :param final: nothing can be done any more; the topic gets no further message.
    """

    topic: str
    kind: AlertKind
    rank: int
    severity: Severity
    subject: str
    cause: str
    next_step: str
    era: int | None = None
    runbook: str = ""
    final: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "kind": self.kind.value,
            "severity": self.severity.value,
            "subject": self.subject,
            "era": self.era,
            "cause": self.cause,
            "next_step": self.next_step,
            "runbook": self.runbook or self.kind.topic.anchor,
        }


@dataclass
class Findings:
    """The conditions of a network now. A topic in none of the first three groups is unknown.

    :param present: topic to its condition.
    :param settled: topics that have ended for good, and how.
    :param absent: topics without a condition now, and the text once that has lasted.
    :param unpaid: unpaid eras that can be paid.
    :param unexpected: watched accounts in the wrong state, by their newest check.
    :param checked: whether any account's status is known.
    :param runway: for how many eras the payer's funds last; None: unknown.
    """

    present: dict[str, Condition] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    unpaid: list[int] = field(default_factory=list)
    unexpected: int = 0
    checked: bool = False
    runway: int | None = None
