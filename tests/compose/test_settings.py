"""Airflow knows every setting the containers are given, and takes it from a command where it is told to."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile

import pytest
import yaml
from composition import ROOT, SERVICES
from cryptography.fernet import Fernet, InvalidToken
from engine import run
from project import checkout

from deploy.image.check_secrets import problems

# Before Airflow is imported.
_HOME = tempfile.mkdtemp(prefix="staking-gateway-compose-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ["AIRFLOW_HOME"] = _HOME

VALUES = yaml.safe_load((ROOT / "deploy/kubernetes/values.yaml").read_text())


def given():
    """Names of Airflow's settings in docker-compose.yml, the Dockerfile and the chart's values."""
    found = {name for service in SERVICES.values() for name in service.get("environment", {})}
    found |= {setting["name"] for part in (VALUES, VALUES["apiServer"]) for setting in part["env"]}
    found |= {
        line.partition("=")[0].strip() for line in (ROOT / "Dockerfile").read_text().splitlines() if "AIRFLOW__" in line
    }
    return sorted(name.removeprefix("ENV ") for name in found if "AIRFLOW__" in name)


@pytest.fixture(scope="session")
def known():
    """Airflow's options, those of the Celery provider too; and those that can come from a command."""
    from airflow.configuration import conf
    from airflow.providers.celery.get_provider_info import get_provider_info

    options = {
        (section, option) for section, told in conf.configuration_description.items() for option in told["options"]
    }
    options |= {
        (section, option) for section, told in get_provider_info()["config"].items() for option in told["options"]
    }
    return options, conf.sensitive_config_values


@pytest.mark.parametrize("name", given())
def test_airflow_knows_the_setting(known, name):
    options, sensitive = known
    section, option = name.removeprefix("AIRFLOW__").lower().split("__")
    if option.endswith("_cmd"):
        assert (section, option.removesuffix("_cmd")) in sensitive
        option = option.removesuffix("_cmd")
    assert (section, option) in options


@pytest.mark.filterwarnings("ignore:Using `httpx` with `starlette.testclient`")  # an import of Airflow's own
def test_the_fernet_key_is_changed_as_the_page_says(tmp_path, monkeypatch):
    from airflow.models.crypto import get_fernet

    folder = checkout(tmp_path)
    page = (ROOT / "tests/compose/fernet_key.sh").read_text()

    def step(section):
        commands = re.search(rf"\[start:{section}\]\n(.*?)# \[end:{section}\]", page, re.DOTALL)[1]
        run("sh", "-euc", commands, cwd=folder)
        assert problems(folder / "secrets") == []
        value = run(
            ROOT / "deploy/image/secret", "fernet_key", env={**os.environ, "SECRETS_FOLDER": str(folder / "secrets")}
        ).stdout
        monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", value)
        return get_fernet.__wrapped__()

    old = Fernet((folder / "secrets" / "fernet_key").read_bytes())
    stored = old.encrypt(b"a connection")
    both = step("add")
    assert both.decrypt(stored) == b"a connection"
    stored = both.rotate(stored)
    assert step("leave").decrypt(stored) == b"a connection"
    with pytest.raises(InvalidToken):
        old.decrypt(stored)
