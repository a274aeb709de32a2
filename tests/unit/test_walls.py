"""The order of the core's rooms: a room imports only rooms that stand above it. The linter holds the same for each folder."""

import ast
from pathlib import Path

import pytest

import staking_gateway

PACKAGE = Path(staking_gateway.__file__).parent
ROOMS = (
    *("text", "topics", "errors", "types", "http", "signing", "eras", "config", "gateway", "chain", "ledger", "payout"),
    *("catch_up", "accounts", "books", "health", "alerts"),
)
OUTSIDE = {"airflow", "staking_gateway_provider", "staking_gateway_simulator"}


def imported(source):
    """The modules that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides its room"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(source):
    return source.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_stands_above_it(room):
    assert {room_of(source) for source in PACKAGE.rglob("*.py")} == {*ROOMS, "__init__"}
    below = {f"staking_gateway.{other}" for other in ROOMS[ROOMS.index(room) + 1 :]}
    for source in PACKAGE.rglob("*.py"):
        for module in imported(source) if room_of(source) == room else ():
            assert ".".join(module.split(".")[:2]) not in below, f"{source}: {module}"
            assert module.partition(".")[0] not in OUTSIDE, f"{source}: {module}"


def test_the_simulator_is_beside_the_core_and_imports_no_provider():
    beside = PACKAGE.parent / "staking_gateway_simulator"
    roots = {module.partition(".")[0] for source in beside.rglob("*.py") for module in imported(source)}
    assert "staking_gateway" in roots
    assert not roots & {"airflow", "staking_gateway_provider"}


def test_no_modules_import_each_other_in_a_circle():
    """Imports within functions and for types count too."""
    modules = {
        ".".join(("staking_gateway", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in PACKAGE.rglob("*.py")
    }
    arrows = {name: modules.keys() & set(imported(path)) - {name} for name, path in modules.items()}
    while free := {name for name, others in arrows.items() if not others & arrows.keys()}:
        arrows = {name: others for name, others in arrows.items() if name not in free}
    assert arrows == {}
