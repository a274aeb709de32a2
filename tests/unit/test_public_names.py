"""What the package shows: its names, and what it does not load."""

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import staking_gateway
import staking_gateway.chain

PACKAGE = Path(staking_gateway.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
PROVIDER = {"airflow", "staking_gateway_provider"}
HEAVY = {"aiohttp", "alembic", "pydantic", "requests", "scalecodec", "sqlalchemy", "substrateinterface", "tenacity"}


def in_a_fresh_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_costs_nothing():
    loaded = in_a_fresh_python("import sys, staking_gateway, staking_gateway.errors\nprint(*sys.modules)").split()
    assert "staking_gateway.errors" in loaded
    assert not {name.partition(".")[0] for name in loaded} & (HEAVY | PROVIDER)
    assert {name for name in loaded if name.startswith("staking_gateway.")} == {
        *("staking_gateway.errors", "staking_gateway.problem"),
    }


def test_the_version_is_that_of_the_distribution_and_an_unknown_name_is_none_of_the_package():
    assert staking_gateway.__version__ == version("airflow-provider-staking-gateway")
    assert staking_gateway.AccountId.__module__ == "staking_gateway.types"
    with pytest.raises(AttributeError, match="no attribute 'Payer'"):
        _ = staking_gateway.Payer


def test_substrate_interface_is_never_imported_by_importing_a_module():
    """It costs half a second; functions import it when they need it."""
    modules = {"substrateinterface", "scalecodec", "sr25519", "bip39"}
    for source in SOURCES:
        for node in ast.parse(source.read_text()).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & modules, source
