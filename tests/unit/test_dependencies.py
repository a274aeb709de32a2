"""What the packages of the wheel import is what the project declares, no more and no less."""

import ast
import re
import sys
from importlib.metadata import packages_distributions, requires

OWN = ("staking_gateway", "staking_gateway_simulator", "staking_gateway_provider")
PROVIDERS = {"apache-airflow-providers-celery", "apache-airflow-providers-http", "psycopg2-binary", "pyarrow"}
"""Loaded by Airflow or SQLAlchemy or when asked for, by name."""


def imported_by(path):
    """Top-level modules that a file imports, type checkers' imports included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_declared_dependencies_are_those_imported(pytestconfig):
    files = [
        path for folder in ("include", "plugins", "dags") for path in (pytestconfig.rootpath / folder).rglob("*.py")
    ]
    modules = {module for path in files for module in imported_by(path)} - set(OWN) - sys.stdlib_module_names
    owners = packages_distributions()
    # Airflow and each of its providers bring a part of one package.
    used = {"apache-airflow", *(normalized(name) for module in modules - {"airflow"} for name in owners[module])}
    declared = {normalized(re.match(r"[\w.-]+", line)[0]) for line in requires("airflow-provider-staking-gateway")}
    assert declared - PROVIDERS == used - PROVIDERS
