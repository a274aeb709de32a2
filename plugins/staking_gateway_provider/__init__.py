"""Apache Airflow provider for JSON-RPC staking gateways: adapters only, every rule lives in `staking_gateway`."""

import re
from importlib.metadata import PackageNotFoundError, version

OLDEST_AIRFLOW = "3.3.0"


def _check_airflow() -> list[int]:
    """The version of Airflow. An older one is refused: a forced installation would otherwise fail in the middle of a payout, with an unrelated error.

    :raises RuntimeError: Airflow is too old.
    """
    try:
        installed = version("apache-airflow-core")
    except PackageNotFoundError:
        installed = version("apache-airflow")  # Airflow 2 has no core package
    oldest, found = ([int(number) for number in re.findall(r"\d+", text)[:3]] for text in (OLDEST_AIRFLOW, installed))
    if found < oldest:
        raise RuntimeError(
            f"airflow-provider-staking-gateway needs Airflow {OLDEST_AIRFLOW} or newer, and this is Airflow {installed}. "
            "Upgrade Airflow, or remove the package: pip uninstall airflow-provider-staking-gateway"
        )
    return found


AIRFLOW = _check_airflow()
"""The first three numbers of Airflow's version."""
