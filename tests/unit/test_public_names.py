"""What the package shows: its names, its error tree, and what it does not need."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import staking_gateway
import staking_gateway.chain
from staking_gateway import errors

PACKAGE = Path(staking_gateway.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
PROVIDER = {"airflow", "staking_gateway_provider"}
HEAVY = {"aiohttp", "alembic", "pydantic", "requests", "scalecodec", "sqlalchemy", "substrateinterface", "tenacity"}
# Run by their tools alone: `python -m` and Alembic.


def in_a_fresh_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", [staking_gateway, staking_gateway.chain])
def test_public_names_are_all_that_resolves_and_are_told_to_the_type_checker(package):
    assert sorted(package.__all__) == package.__all__
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Gateway'"):
        _ = package.Gateway
    (checking,) = (node for node in ast.parse(Path(package.__file__).read_text()).body if isinstance(node, ast.If))
    imported = {alias.name for node in checking.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(package.__all__)


def drawn_tree():
    """Class name to the names of its bases, read from the drawing in the docstring of `errors`."""
    line = re.compile(r"^ {4}(?P<indent>[│ ]*)(?:[├└]── )?(?P<name>[A-Z]\w+)(?: \((?P<other>\w+)\))?")
    drawn = {}
    path = []
    for text in (errors.__doc__ or "").partition("\n\n")[2].splitlines():
        found = line.match(text)
        if not found:
            continue
        depth = len(found["indent"]) // 4 + ("── " in text)
        path[depth:] = [found["name"]]
        drawn[found["name"]] = {path[depth - 1] if depth else "Exception"} | ({found["other"]} - {None})
    return drawn


def test_the_drawn_tree_of_errors_is_the_real_one():
    real = {
        name: {base.__name__ for base in kind.__bases__}
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if kind.__module__ == errors.__name__ and issubclass(kind, BaseException)
    }
    assert len(real) > 30
    assert drawn_tree() == real


def test_importing_the_package_costs_nothing():
    loaded = in_a_fresh_python("import sys, staking_gateway, staking_gateway.errors\nprint(*sys.modules)").split()
    assert "staking_gateway.errors" in loaded
    assert not {name.partition(".")[0] for name in loaded} & (HEAVY | PROVIDER)
    assert {name for name in loaded if name.startswith("staking_gateway.")} == {
        *("staking_gateway.errors", "staking_gateway.topics"),
    }


def test_substrate_interface_is_never_imported_by_importing_a_module():
    """It costs half a second; functions import it when they need it."""
    modules = {"substrateinterface", "scalecodec", "sr25519", "bip39"}
    for source in SOURCES:
        for node in ast.parse(source.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & modules, source
