"""The notifiers that `staking.yaml` names: any of Airflow's, with their arguments."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseNotifier

from staking_gateway.errors import ConfigError
from staking_gateway.text import one_line, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from staking_gateway.config.models import AlertSettings

_LONGEST = 300


def notifier_path(network: str, index: int) -> str:
    return f"networks.{network}.alerts.notifiers[{index}]"


def make_notifier(path: str, entry: Mapping[str, Any]) -> BaseNotifier:
    """A notifier from its entry.

    :param path: of the entry in `staking.yaml`.
    :param entry: `class`, and the keyword arguments of the class.
    :raises ConfigError: there is no such class, it is no notifier, or it refuses the arguments.
    """
    named = entry["class"]
    try:
        module, _, name = named.rpartition(".")
        found = getattr(import_module(module), name)
    except Exception as error:
        raise ConfigError(
            f"{path}.class",
            f"{named} cannot be imported ({type(error).__name__})",
            "Correct the path of the class, or install its package on each machine that runs tasks",
        ) from error
    if not (isinstance(found, type) and issubclass(found, BaseNotifier)):
        raise ConfigError(
            f"{path}.class", f"{named} is not a notifier", "Name a class that is derived from Airflow's BaseNotifier"
        )
    try:
        return found(**{name: value for name, value in entry.items() if name != "class"})
    except Exception as error:
        raise ConfigError(
            path,
            f"{named} refuses its arguments: {shorten(one_line(str(error)), _LONGEST)}",
            "Write the arguments that the documentation of the class names",
        ) from error


def check_notifiers(network: str, alerts: AlertSettings) -> None:
    """Raise ConfigError for the first notifier with a mistake."""
    for index, entry in enumerate(alerts.notifiers):
        make_notifier(notifier_path(network, index), entry)


def connection_ids(alerts: AlertSettings) -> list[str]:
    """The connections that the notifiers' arguments name, each once."""
    named = (value for entry in alerts.notifiers for name, value in entry.items() if name.endswith("_conn_id"))
    return list(dict.fromkeys(value for value in named if isinstance(value, str)))
