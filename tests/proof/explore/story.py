"""A path through the model in words."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.proof.explore.model import World
    from tests.proof.explore.values import Act, Payload, Step

_FACTS = ("over", "hold", "fee_charged", "disagree", "refused", "lease_owner")


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
    """A step in words."""
    kind, *rest = step
    if kind in ("execute", "drop", "deny", "arrive"):
        payload = _payload(world, rest[0])
        if kind == "drop":
            return f"the chain drops {payload}"
        if kind == "deny":
            return f"the gateway says that it could not send {payload}, which may execute all the same"
        if kind == "arrive":
            return f"{payload} arrives late and is {rest[1]}"
        return f"the chain takes up {payload}: {rest[1]}"
    if kind == "tick":
        return "time passes"
    if kind == "event":
        return str(rest[0])
    name = world.slots[rest[0]].name
    if kind in ("start", "die"):
        return f"{name}: the process {'starts' if kind == 'start' else 'dies'}"
    if kind == "send":
        return f"{name}: sends {_payload(world, rest[1])}: {rest[2]}"
    act = _act(world, world.of[rest[2]], rest[1])
    if kind == "look":
        stale = [f"{fact.value} {value}" for fact, value, behind in rest[3] if behind]
        read = f" (reads old values: {', '.join(stale)})" if stale else ""
        then = f"; {sentence(world, rest[4])}" if len(rest) > 4 else ""
        return f"{name}: reads{read} and {act}{then}"
    return f"{name}: {'is refused by the ledger' if kind == 'refused' else 'has done so'}: {act}"


def _payload(world: World, payload: Payload) -> str:
    return f"{_part(world, payload.record)}'s payload ({payload.staking}, {payload.payment}) with fee {payload.fee}"


def _part(world: World, record: int) -> str:
    return f"era {record // world.parts}" + (f" part {record % world.parts}" if world.parts > 1 else "")


def _act(world: World, act: Act, target: int) -> str:
    part = _part(world, target)
    if act.kind == "sign":
        fee, payment, staking = act.nonces or (0, 0, 0)
        return f"signs {part} with ({staking}, {payment}), fee {fee}"
    if act.kind == "move":
        facts = {name: value for name, value in act.changes if name in _FACTS and value}
        told = "".join(f", {name} = {value}" for name, value in facts.items())
        return f"writes {part} {act.state.value if act.state else ''}{told}"
    if act.kind == "done":
        return f"ends {act.outcome.value if act.outcome else ''}"
    return {"send": f"is about to send {part}", "wait": "waits", "raise": "fails"}[act.kind]
