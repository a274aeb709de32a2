"""What the alerts' tables hold of a condition, and of one look at a network."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class AlertKind(str, Enum):
    """What a condition is about."""

    NOT_PAID = "not_paid"
    HELD = "held"
    REJECTED = "rejected"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    NOT_STAKING = "not_staking"
    STAKING = "staking"
    RUNWAY = "runway"
    DRIFT = "drift"


class Severity(str, Enum):
    """How bad it is."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True)
class Condition:
    """Something that is not as it should be.

    :param topic: what it is about; with the network's name its key.
    :param rank: a condition of a higher rank than the last message of its topic gets a message too.
    :param subject: the topic in words.
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
    final: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "topic": self.topic,
            "kind": self.kind.value,
            "severity": self.severity.value,
            "subject": self.subject,
            "era": self.era,
            "cause": self.cause,
            "next_step": self.next_step,
        }


@dataclass
class Findings:
    """The conditions of a network, the ones that ended, and the ones that are not known.

    :param present: the conditions, each of another topic.
    :param settled: topics that are over for good, and how they ended.
    :param absent: topics without a condition at this moment, and how that is said once it has lasted.
    :param unpaid: unpaid eras that can be paid.
    :param unexpected: watched accounts in the wrong state, by their newest check.
    :param checked: whether any account's status is known.
    :param runway: for how many eras the payer's funds last; None when that is unknown.
    """

    present: dict[str, Condition] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    unpaid: list[int] = field(default_factory=list)
    unexpected: int = 0
    checked: bool = False
    runway: int | None = None
