"""What the provider registry is told: every public class of a kind it lists, in the words of the class itself."""

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
import yaml
from airflow.partition_mappers.base import PartitionMapper
from airflow.sdk import BaseHook, BaseNotifier, BaseOperator
from airflow.sdk.bases.sensor import BaseSensorOperator
from airflow.sdk.definitions.deadline import BaseDeadlineReference
from airflow.timetables.base import Timetable
from airflow.triggers.base import BaseTrigger

import staking_gateway_provider
from staking_gateway_provider.get_provider_info import get_provider_info

TOLD = yaml.safe_load((Path(__file__).parents[2] / ".airflow-registry.yaml").read_text())
KINDS = {
    "hooks": (BaseHook,),
    "sensors": (BaseSensorOperator,),
    "operators": (BaseOperator,),
    "triggers": (BaseTrigger,),
    "notifiers": (BaseNotifier,),
    "other": (BaseDeadlineReference, PartitionMapper, Timetable),
}
"""Kind to base classes; a class is of the first kind that fits."""
ABSTRACT = {"ReportOperator", "StakingOperator", "GatewayPollTrigger"}


def public_classes():
    """Path to kind."""
    found = {}
    for module in pkgutil.walk_packages(staking_gateway_provider.__path__, "staking_gateway_provider."):
        if ".ui." in module.name or ".example_dags" in module.name:
            continue
        for name, one in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(one) and one.__module__ == module.name and not name.startswith("_"):
                kind = next((kind for kind, bases in KINDS.items() if {*bases} & {*one.__mro__}), None)
                if kind is not None and name not in ABSTRACT:
                    found[f"{module.name}.{name}"] = kind
    return found


def test_every_public_class_is_told_as_what_it_is():
    assert {entry["module"]: kind for kind in KINDS for entry in TOLD[kind]} == public_classes()


@pytest.mark.parametrize(
    "entry", [entry for kind in KINDS for entry in TOLD[kind]], ids=lambda entry: entry["module"].rpartition(".")[2]
)
def test_a_class_is_described_as_it_describes_itself(entry):
    module, _, name = entry["module"].rpartition(".")
    summary = inspect.getdoc(getattr(importlib.import_module(module), name)).partition("\n\n")[0]
    assert entry["description"] == " ".join(summary.split())


def test_the_package_is_named_as_airflow_names_it():
    info = get_provider_info()
    assert (TOLD["package-name"], TOLD["display-name"]) == (info["package-name"], info["name"])
