"""The page about several machines names settings that Airflow has, with the defaults Airflow has."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"
ROW = re.compile(r"^\| `\[(\w+)\] (\w+)` \| ([^|]+) \|", re.MULTILINE)
SETTINGS = ROW.findall(PAGE.read_text())


def test_the_page_has_a_table_of_settings():
    assert ("scheduler", "task_instance_heartbeat_timeout", "300") in SETTINGS


@pytest.mark.parametrize(("section", "name", "default"), SETTINGS, ids=lambda value: value)
def test_a_setting_has_the_default_the_page_names(section, name, default):
    from airflow.configuration import conf
    from airflow.providers.celery.executors.default_celery import DEFAULT_CELERY_CONFIG
    from airflow.providers_manager import ProvidersManager

    ProvidersManager().initialize_providers_configuration()
    known = conf.configuration_description[section]["options"][name]["default"]
    if section == "celery_broker_transport_options":
        # The configuration leaves it to the code.
        assert known is None
        known = str(DEFAULT_CELERY_CONFIG["broker_transport_options"][name])
    assert default == known
