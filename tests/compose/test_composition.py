"""What docker-compose.yml promises, read from the file alone: no engine is needed."""

from __future__ import annotations

import re

import pytest
from composition import COMPOSITION, DEFAULTS, ROOT, SERVICES, TEXT, secrets_of

import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported

AIRFLOW = {"migrate", "api-server", "scheduler", "dag-processor", "triggerer", "cli", "demo"}
HOLDERS = {
    "postgres_password": {"check", "postgres", "databases"},
    "metadata_password": {"check", "databases", *AIRFLOW},
    "ledger_password": {"check", "databases"},
    "redis_password": {"check", "redis", "scheduler", "worker", "flower"},
    "fernet_key": {"check", *AIRFLOW},
    "jwt_secret": {"check", "api-server", "scheduler"},
    "api_secret_key": {"check", "api-server"},
    "flower_password": {"check", "flower"},
    "ui_passwords": {"check", "api-server"},
    "connections": {"check", "migrate", "api-server", "triggerer", "cli"},
    "signers": {"check", "api-server", "cli"},
}
"""Who is given which secret. Whoever adds a service here has to say why it needs it."""
SECRET_SETTINGS = re.compile(
    r"PASSWORD|SECRET|TOKEN|FERNET|_KEY|BROKER_URL|BACKEND_URL|SQL_ALCHEMY_CONN|RESULT_BACKEND|BASIC_AUTH|AIRFLOW_CONN"
)
GRANTS = {
    "privileged", "cap_add", "devices", "pid", "ipc", "userns_mode", "group_add", "sysctls", "extra_hosts", "cgroup_parent",
}  # fmt: skip

every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


@every_service
def test_nobody_is_root_and_nothing_grants_a_right(service):
    assert str(service["user"]).split(":")[0] not in ("", "0", "root")
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert GRANTS & service.keys() == set()
    assert service.get("network_mode", "none") == "none"


@every_service
def test_the_image_is_pinned_and_everything_has_a_limit(service):
    assert re.fullmatch(r"[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*(@sha256:[0-9a-f]{64})?", service["image"])
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert 0 < service["cpus"] <= 1, "Docker refuses more processors than the machine has"
    assert 0 < service["pids_limit"] <= 256
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


@every_service
def test_what_comes_from_the_machine_is_read_only_and_ports_are_open_to_this_machine_alone(service):
    for volume in service.get("volumes", []):
        assert volume.endswith(":ro") or not volume.startswith((".", "/", "$")), volume
    assert [port for port in service.get("ports", []) if not port.startswith("127.0.0.1:")] == []


@every_service
def test_the_environment_names_where_secrets_are_and_holds_none(service):
    for name, value in service.get("environment", {}).items():
        if SECRET_SETTINGS.search(name):
            where = "/run/secrets/" in str(value) or value.startswith("airflow.secrets.")
            assert where or name.endswith(("_FILE", "_CMD")), name
        assert "@" not in str(value), f"{name} looks like a URL with a password in it"


def test_each_secret_is_given_to_those_who_need_it_and_to_nobody_else():
    assert COMPOSITION["secrets"].keys() == HOLDERS.keys()
    for secret, holders in HOLDERS.items():
        assert {name for name, service in SERVICES.items() if secret in secrets_of(service)} == holders, secret
    assert "${SECRETS_FOLDER:?run deploy/compose/prepare}" in TEXT


def test_a_service_holds_each_secret_that_its_settings_read():
    parts = {"metadata_url": "metadata_password", "flower_login": "flower_password"}
    parts |= dict.fromkeys(("broker_url", "results_url"), "redis_password")
    for name, service in SERVICES.items():
        environment = str(service.get("environment", ""))
        read = re.findall(r"/opt/staking/bin/secret (\w+)", environment)
        read += re.findall(r"/run/secrets/(connections|signers)\.json", environment)
        assert {parts.get(word, word) for word in read} <= secrets_of(service), name
        assert "signers" not in secrets_of(service) or "signers" in read or name == "check", name


def test_the_databases_are_on_networks_that_lead_nowhere():
    for name in ("postgres", "redis"):
        assert all(COMPOSITION["networks"][network]["internal"] for network in SERVICES[name]["networks"]), name
    assert "networks" not in SERVICES["simulator"], "it needs neither database"


def test_the_example_has_every_setting_with_its_default():
    example = dict(re.findall(r"(?m)^(\w+)=(.*)$", (ROOT / ".env.example").read_text()))
    assert example == DEFAULTS


def test_airflow_knows_each_setting_and_each_that_comes_from_a_command():
    from airflow.configuration import conf
    from airflow.providers.celery.get_provider_info import get_provider_info

    described = (conf.configuration_description, get_provider_info()["config"])
    known = {(name, option) for one in described for name, section in one.items() for option in section["options"]}
    given = {name for service in SERVICES.values() for name in service.get("environment", {})}
    given |= set(re.findall(r"\bAIRFLOW__\w+", (ROOT / "Dockerfile").read_text()))
    settings = {tuple(name.lower().split("__")[1:]) for name in given if name.startswith("AIRFLOW__")}
    commands = {(section, option.removesuffix("_cmd")) for section, option in settings if option.endswith("_cmd")}
    assert len(settings) > 20
    assert commands <= conf.sensitive_config_values
    assert {one for one in settings if not one[1].endswith("_cmd")} | commands <= known
