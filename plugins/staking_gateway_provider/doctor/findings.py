"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from staking_gateway.errors import ConfigError, InvalidInput, StakingGatewayError


class Level(str, Enum):
    """How bad it is: an error keeps something from working, a warning will."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    :param what: what was found. Never quotes a secret.
    :param remedy: what to do about it.
    :param check: name of the check that found it.
    :param network: empty for what concerns all of them.
    """

    level: Level
    what: str
    remedy: str = ""
    check: str = ""
    network: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "level": self.level.value,
            "network": self.network or None,
            "check": self.check,
            "what": self.what,
            "remedy": self.remedy or None,
        }


def ok(what: str) -> Finding:
    """All is well."""
    return Finding(Level.OK, what)


def note(what: str, remedy: str = "") -> Finding:
    """Good to know."""
    return Finding(Level.NOTE, what, remedy)


def warning(what: str, remedy: str) -> Finding:
    """It works, but not for ever, or not for all."""
    return Finding(Level.WARNING, what, remedy)


def error(what: str, remedy: str) -> Finding:
    """It does not work."""
    return Finding(Level.ERROR, what, remedy)


def mistakes(problem: ConfigError) -> list[Finding]:
    """Every mistake of a configuration file as a finding of its own."""
    _, *lines = str(problem).splitlines()
    if not lines:
        return [failure(problem)]
    return [
        error(line, "Correct those that are told first") if line.startswith("...") else error(*_halves(line))
        for line in lines
    ]


def _halves(text: str) -> tuple[str, str]:
    # Our texts say what to do next from their second sentence on.
    what, _, next_step = text.partition(". ")
    return what, next_step


def failure(problem: StakingGatewayError, remedy: str = "") -> Finding:
    """An error of the core as a finding.

    :param remedy: used when the error brings none of its own.
    """
    if isinstance(problem, InvalidInput):
        return error(f"{problem.field}: {problem.problem}", problem.remedy)
    if remedy:
        return error(str(problem).rstrip("."), remedy)
    what, next_step = _halves(str(problem))
    return error(what, next_step or "Run it again; if it stays, the log of Airflow may tell more")
