"""What the packages of the wheel import is what the project declares, no more and no less."""

import re
import sys
from importlib.metadata import packages_distributions, requires

from tests.unit.test_walls import imported

OWN = ("staking_gateway", "staking_gateway_simulator", "staking_gateway_provider")
PROVIDERS = {"apache-airflow-providers-celery", "apache-airflow-providers-http", "psycopg2-binary", "pyarrow"}
"""Loaded by Airflow or SQLAlchemy or when asked for, by name."""


def normalized(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_declared_dependencies_are_those_imported(pytestconfig):
    files = [
        path for folder in ("include", "plugins", "dags") for path in (pytestconfig.rootpath / folder).rglob("*.py")
    ]
    modules = (
        {module.partition(".")[0] for path in files for module in imported(path)} - set(OWN) - sys.stdlib_module_names
    )
    owners = packages_distributions()
    # Airflow and each of its providers bring a part of one package.
    used = {"apache-airflow", *(normalized(name) for module in modules - {"airflow"} for name in owners[module])}
    declared = {normalized(re.match(r"[\w.-]+", line)[0]) for line in requires("airflow-provider-staking-gateway")}
    assert declared - PROVIDERS == used - PROVIDERS
