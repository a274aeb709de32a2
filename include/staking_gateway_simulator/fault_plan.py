"""Which fault happens to which call: rules, and a plan that follows them the same way every time. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass

from staking_gateway.errors import InvalidInput
from staking_gateway_simulator.accounts import make
from staking_gateway_simulator.faults import FAULTS, Fault, FaultKind, Layer, applicable

ANY = "any"
"""In place of a fault's name: one of those that can happen to the call, lies excepted, drawn for each call anew."""
_MOST_SECONDS = 86400.0
_MOST_STEPS = 1_000_000
_MOST_CALLS = 10**12
MAX_SEED = 2**64 - 1


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False))
class FaultRule:
    """One fault, and the calls it happens to: by path and method, after `skip` of them, `times` at most, by chance.

    :param fault: a name of `FAULTS`, or `any`.
    :param path: only calls to this path.
    :param method: only calls of this JSON-RPC method.
    :param probability: 0 to 1, for each call by itself.
    :param skip: so many matching calls are spared first.
    :param times: it happens so often at most; None: no limit.
    :param seconds: the fault's own setting, see its meaning; None: its default.
    :param by: likewise.
    :raises ValidationError: a value that cannot be used.
    """

    fault: str
    path: str | None = None
    method: str | None = None
    probability: float = Field(default=1.0, ge=0, le=1)
    skip: int = Field(default=0, ge=0, le=_MOST_CALLS)
    times: int | None = Field(default=None, ge=0, le=_MOST_CALLS)
    seconds: float | None = Field(default=None, ge=-_MOST_SECONDS, le=_MOST_SECONDS)
    by: int | None = Field(default=None, ge=0, le=_MOST_STEPS)

    @model_validator(mode="after")
    def _check_fault(self) -> FaultRule:
        kind = FAULTS.get(self.fault)
        if kind is None and self.fault != ANY:
            raise InvalidInput("fault", f"{self.fault!r} is no fault", f"Use any, or one of: {', '.join(FAULTS)}")
        for name in ("seconds", "by"):
            if getattr(self, name) is not None and (kind is None or getattr(kind, name) is None):
                raise InvalidInput(name, f"{self.fault} has no such setting", "Leave it out")
        if self.seconds is not None and self.seconds < 0 and self.fault != "clock-skew":
            raise InvalidInput("seconds", f"{self.seconds} is less than 0", "Use a number from 0")
        return self

    @classmethod
    def parse(cls, text: str) -> FaultRule:
        """Read a rule such as `late:path=/send:seconds=40:times=1`: the fault's name, then what differs from the defaults.

        :raises InvalidInput: not such a text.
        """
        name, *settings = text.strip().split(":")
        fields: dict[str, Any] = {"fault": name}
        for setting in settings:
            key, _, value = setting.partition("=")
            if key in fields:
                raise InvalidInput(key, "is given twice", "Give it once")
            try:
                fields[key] = json.loads(value)
            except ValueError:
                fields[key] = value
        return cls.of(fields)

    @classmethod
    def of(cls, fields: object) -> FaultRule:
        """Read a rule from a JSON value: a text as `parse` reads it, or an object with the fields of this class.

        :raises InvalidInput: neither.
        """
        if isinstance(fields, str):
            return cls.parse(fields)
        if not isinstance(fields, dict):
            raise InvalidInput("fault", "is missing", 'Write a rule as {"fault": "reset-after", "times": 1}')
        return make(cls, fields)

    def candidates(self, path: str, method: str) -> tuple[FaultKind, ...]:
        """The faults this rule can bring upon a call."""
        if (self.path is not None and path != self.path) or (self.method is not None and method != self.method):
            return ()
        if self.fault == ANY:
            return applicable(path, method)
        kind = FAULTS[self.fault]
        return (kind,) if kind.applies_to(path, method) else ()


class Faults(NamedTuple):
    """What happens to one call: at most one fault of each layer."""

    wire: Fault | None = None
    world: Fault | None = None


NO_FAULTS = Faults()


@dataclass
class _Watch:
    """A rule at work: how many calls it could have struck, and how many it struck."""

    rule: FaultRule
    seen: int = 0
    struck: int = 0


class FaultPlan:
    """Decides for call after call. The same seed (0 to 2**64 - 1), rules and calls give the same faults, and chance depends on nothing
    but the seed, the number of the call and the place of the rule.

    Rules are asked in their order. The first that strikes has its layer for this call; a rule whose layer is taken is not
    asked and does not count the call.
    """

    def __init__(self, rules: Iterable[FaultRule] = (), seed: int = 0) -> None:
        self.counts: Counter[str] = Counter()
        """How often each fault has taken effect, whatever the rules were."""
        self.set(rules, seed)

    def set(self, rules: Iterable[FaultRule], seed: int = 0) -> None:
        """Replace all rules and begin again with call number 1."""
        self.seed = seed
        self.calls = 0
        self._watches = [_Watch(rule) for rule in rules]

    @property
    def active(self) -> bool:
        """Whether there is any rule; without one a call need not be asked about, and is not counted."""
        return bool(self._watches)

    def next(self, path: str, method: str) -> Faults:
        """Decide about the next call."""
        self.calls += 1
        found: dict[Layer, Fault] = {}
        for place, watch in enumerate(self._watches):
            rule = watch.rule
            kinds = [kind for kind in rule.candidates(path, method) if kind.layer not in found]
            if not kinds or not self._strikes(place, watch):
                continue
            kind = kinds[0] if len(kinds) == 1 else kinds[int(draw(self.seed, self.calls, 2 * place + 1) * len(kinds))]
            seconds = kind.seconds if rule.seconds is None else rule.seconds
            by = kind.by if rule.by is None else rule.by
            found[kind.layer] = Fault(kind, self.calls, seconds or 0.0, by or 0)
        return Faults(found.get(Layer.WIRE), found.get(Layer.WORLD))

    def _strikes(self, place: int, watch: _Watch) -> bool:
        rule = watch.rule
        watch.seen += 1
        if watch.seen <= rule.skip or (rule.times is not None and watch.struck >= rule.times):
            return False
        if rule.probability < 1 and draw(self.seed, self.calls, 2 * place) >= rule.probability:
            return False
        watch.struck += 1
        return True

    def describe(self) -> dict[str, Any]:
        """Seed, calls, counts and rules, as JSON."""
        return {
            "seed": self.seed,
            "calls": self.calls,
            "counts": dict(self.counts),
            "rules": [
                {
                    **{key: value for key, value in vars(watch.rule).items() if value is not None},
                    "seen": watch.seen,
                    "struck": watch.struck,
                }
                for watch in self._watches
            ],
        }


def draw(seed: int, number: int, salt: int) -> float:
    """A number in [0, 1) that depends on its arguments alone (the finaliser of splitmix64)."""
    mixed = (seed * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03 + salt * 0x8CB92BA72F3D8DD7) & MAX_SEED
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MAX_SEED
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MAX_SEED
    return ((mixed ^ (mixed >> 31)) >> 11) / 2**53
