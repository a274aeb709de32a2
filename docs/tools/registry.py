"""`.airflow-registry.yaml`, for Airflow's registry of providers: every public class with the first sentence of its docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import yaml
from airflow.plugins_manager import AirflowPlugin
from airflow.sdk import BaseHook, BaseNotifier, BaseOperator, BaseOperatorLink, RetryPolicy
from airflow.sdk.bases.sensor import BaseSensorOperator
from airflow.timetables.base import Timetable
from airflow.triggers.base import BaseTrigger

import staking_gateway_provider
from staking_gateway_provider.dags import StakingNetwork
from staking_gateway_provider.get_provider_info import get_provider_info

_KINDS: dict[str, tuple[type, ...]] = {
    "hooks": (BaseHook,),
    "sensors": (BaseSensorOperator,),
    "operators": (BaseOperator,),
    "triggers": (BaseTrigger,),
    "notifiers": (BaseNotifier,),
    "other": (Timetable, RetryPolicy, BaseOperatorLink, AirflowPlugin, StakingNetwork),
}
"""Kind to base classes; a class is of the first kind that fits."""
_BASES = {"ReportOperator", "StakingOperator", "GatewayPollTrigger"}


def text() -> str:
    """The file."""
    found: dict[str, list[dict[str, str]]] = {kind: [] for kind in _KINDS}
    for module in pkgutil.walk_packages(staking_gateway_provider.__path__, "staking_gateway_provider."):
        if ".ui" in module.name:
            continue
        for name, one in vars(importlib.import_module(module.name)).items():
            if (
                inspect.isclass(one)
                and one.__module__ == module.name
                and not name.startswith("_")
                and name not in _BASES
            ):
                kind = next((kind for kind, bases in _KINDS.items() if {*bases} & {*one.__mro__}), None)
                if kind:
                    summary = re.split(r"(?<=\.)\s", inspect.getdoc(one) or "", maxsplit=1)[0].strip()
                    found[kind].append({"module": f"{module.name}.{name}", "description": summary})
    info = get_provider_info()
    about = "Pay every staking era exactly once, through a JSON-RPC staking gateway."
    head = {"package-name": info["package-name"], "display-name": info["name"], "description": about}
    filled = {kind: entries for kind, entries in found.items() if entries}
    return "# Made by: make docs\n" + yaml.safe_dump({**head, **filled}, sort_keys=False, width=140)
