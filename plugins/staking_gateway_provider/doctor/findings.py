"""The findings of checks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway_provider.doctor.fixes import Fix
from staking_gateway_provider.help import help_address


class Level(str, Enum):
    """An error keeps something from working now, a warning will later."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `what` never quotes a secret; `network` is empty for the whole installation.

    :param topic: the section of the runbook; None: that of the check.
    :param blocks: the unpaid eras that this problem blocks, in words; may be empty.
    :param fix: a safe step that solves the problem, if there is one.
    :param first: every other finding may follow from this one.
    :param own: the remedy is that of the error, which knows more than the topic.
    """

    level: Level
    what: str
    remedy: str = ""
    check: str = ""
    network: str = ""
    topic: Topic | None = None
    blocks: str = ""
    fix: Fix | None = None
    first: bool = False
    own: bool = False

    @property
    def help(self) -> str | None:
        """Address of the runbook's section; None for a finding without a problem."""
        return help_address(self.topic) if self.level in (Level.WARNING, Level.ERROR) else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "level": self.level.value,
            "network": self.network or None,
            "check": self.check,
            "what": self.what,
            "remedy": self.remedy or None,
            "blocks": self.blocks or None,
            "topic": None if self.topic is None else self.topic.anchor,
            "help": self.help,
        }


ok = partial(Finding, Level.OK)
note = partial(Finding, Level.NOTE)
warning = partial(Finding, Level.WARNING)
error = partial(Finding, Level.ERROR)


def mistakes(found: ConfigError) -> list[Finding]:
    """A finding for each mistake of a configuration file."""
    return [error(one.facts, one.remedy, topic=one.topic) for one in found.mistakes or (found.problem,)]


def failure(problem: StakingGatewayError, remedy: str = "") -> Finding:
    """A finding for an error of the core; `remedy` is for an error without its own."""
    found = problem.problem
    own = bool(found.own_remedy)
    return error(found.facts, found.own_remedy or remedy or found.remedy, topic=found.topic, own=own)
