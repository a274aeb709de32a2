"""The order of the core's rooms: a room imports only rooms that stand above it. The linter holds the same for each folder."""

import ast
import builtins
import re
from pathlib import Path

import staking_gateway
import staking_gateway_provider

PACKAGE = Path(staking_gateway.__file__).parent
PROVIDER = Path(staking_gateway_provider.__file__).parent


def imported(source):
    """The modules that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides its room"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


def test_every_error_that_a_docstring_promises_is_a_class_that_its_module_could_raise():
    """An error that was merged into another one must not stay in a promise."""
    sources = [path.read_text() for package in (PACKAGE, PROVIDER) for path in package.rglob("*.py")]
    known = {*dir(builtins), *re.findall(r"^class (\w+)", "\n".join(sources), re.MULTILINE)}
    foreign = {name for text in sources for name in re.findall(r"\bimport ([\w, ]+)", text)}
    known |= {name.strip() for names in foreign for name in names.split(",")}
    promised = {name for text in sources for name in re.findall(r":raises (\w+):", text)}
    assert promised - known == set()
