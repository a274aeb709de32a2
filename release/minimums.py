"""The clients' tests with the oldest versions that the package declares: does each minimum have all that the code uses?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from release.programs import (
    LOCK,
    UV,
    index_environment,
    make_environment,
    plain_environment,
    resolve,
    run,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path

SUITES = (
    *(f"tests/contract/test_{name}.py" for name in ("clients", "network_rules", "node_clients", "remote_signer")),
    *(f"tests/unit/test_{name}.py" for name in ("config", "ledger", "signing")),
)
"""Every library that the core needs is used in these."""
_TOOLS = ("hypothesis", "pytest", "pytest-asyncio", "pytest-xdist")
_IMPORT_ALL = """
import importlib, pkgutil, warnings
import staking_gateway, staking_gateway_provider
warnings.simplefilter("ignore")
for package in (staking_gateway, staking_gateway_provider):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not any(part in found.name for part in ("migrations.env", "example_dags.", "shipped.")):
            importlib.import_module(found.name)
"""


def try_minimums(wheel: Path, folder: Path) -> str:
    """Import all modules and run the tests with the oldest direct dependencies.

    :param folder: an empty folder.
    :returns: what was seen.
    :raises ReleaseFailed: something does not work; raise the minimum of its library in `pyproject.toml`.
    """
    requirements = resolve(folder / "requirements.txt", lowest=True)
    python = make_environment(folder / "environment", requirements, wheel)
    locked = versions(LOCK.read_text())
    tools = [f"{name}=={locked[name]}" for name in _TOOLS]
    install = [UV, "pip", "install", "--quiet", "--python", python, "--constraint", requirements]
    run([*install, *tools], env=index_environment())
    home = plain_environment(AIRFLOW_HOME=str(folder / "airflow"))
    run([python, "-c", _IMPORT_ALL], cwd=folder, env=home)
    # Old versions have old leaks, and warn of later Pythons.
    command = [python, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-o", "filterwarnings=ignore"]
    told = run([*command, *SUITES], env=home)
    return f"the oldest declared versions: {told.splitlines()[-1]}"
