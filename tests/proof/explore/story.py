"""A path through the model in words."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from staking_gateway.payout.evidence import Done, Move, Raise, Repeat, Sign
from staking_gateway.payout.outcomes import Wait
from tests.proof.explore.environment import Step
from tests.proof.explore.model import World
from tests.proof.explore.scenario import Payload

_DONE = {
    "write": "has done so",
    "refused": "is refused by the ledger",
    "failed": "the ledger fails",
    "unheard": "done, unheard",
}


def follow(world: World, path: Iterable[int]) -> Iterator[Step]:
    """The steps of a path, as `Verdict.violations` gives it, each with the state after it."""
    state = world.start()
    for number in path:
        step, state = next(islice(world.steps(state), number, None))
        yield step, state


def story(world: World, path: Iterable[int]) -> list[str]:
    """One sentence for each step of a path."""
    return [sentence(world, step) for step, _ in follow(world, path)]


def sentence(world: World, step: tuple[Any, ...]) -> str:
    kind, *rest = step
    if kind == "tick":
        return "time passes"
    if kind == "event":
        words, *about = rest
        return str(words.format(*(_payload(world, one) if isinstance(one, Payload) else one for one in about)))
    name = world.slots[rest[0]].name
    if kind == "die":
        return f"{name}: the process dies"
    if kind == "slow":
        return f"{name}: begins to read, one fact after the other"
    if kind == "read":
        return f"{name}: reads {rest[1][0].value}: {_value(rest[1][2])}"
    if kind == "send":
        return f"{name}: sends {_payload(world, rest[1])}: {rest[2]}"
    if kind == "answer":
        return f"{name}: writes down the answer: {rest[2].kind.value}"
    place, act = rest[1], rest[2]
    if kind == "look":
        stale = [f"{fact.value} {_value(value)}" for fact, _, value, behind in rest[3] if behind]
        read = f" (reads old values: {', '.join(stale)})" if stale else ""
        return f"{name}: reads{read} and {_act(world, place, act)}"
    return f"{name}: {_DONE[kind]}: {_act(world, place, act)}"


def _value(value: Any) -> str:
    if hasattr(value, "wire_status"):
        return f"{value.wire_status} in block {value.block_number}"
    return "no answer" if isinstance(value, Exception) else str(getattr(value, "value", value))


def _payload(world: World, payload: Payload) -> str:
    return f"{_part(world, payload.part)}'s payload ({payload.staking}, {payload.payment}) with fee {payload.fee}"


def _part(world: World, place: int) -> str:
    return f"era {place // world.parts}" + (f" part {place % world.parts}" if world.parts > 1 else "")


def _act(world: World, place: int, act: Any) -> str:
    part = _part(world, place)
    if isinstance(act, Sign):
        return f"signs {part} with ({act.staking}, {act.payment}), fee {act.fee}"
    if isinstance(act, Repeat):
        return f"sends copy {act.copy} of {part} again"
    if isinstance(act, Move):
        seen = "".join(f", {one.kind.value} {'' if one.nonce is None else one.nonce}" for one in act.sightings)
        seen += "".join(f", request reads {one.status}" for _, one in act.reads)
        hold = dict(act.changes).get("hold")
        then = f", then {_act(world, place, act.then)}" if act.then else ""
        return f"writes {part} {act.state.value}{seen}{f', held: {hold}' if hold else ''}{then}"
    if isinstance(act, Done):
        return f"ends {act.outcome.value}"
    return {Wait: "waits", Raise: "fails"}.get(type(act)) or str(act)
