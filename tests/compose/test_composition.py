"""What docker-compose.yml promises, read from the file alone: no engine is needed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import yaml
from composition import LASTING, ROOT, SERVICES, TEXT, ancestors, composition, example, secrets_of, variables
from engine import run

ONCE = {"check", "databases", "migrate", "demo", "cli"}
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

every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
every_lasting_service = pytest.mark.parametrize("service", LASTING.values(), ids=LASTING)


def test_it_follows_the_published_schema_of_compose_files():
    run(
        Path(sys.executable).parent / "check-jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        ROOT / "docker-compose.yml",
    )


@every_service
def test_an_image_is_pinned_to_a_version(service):
    assert re.fullmatch(r"[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*(@sha256:[0-9a-f]{64})?", service["image"])


@every_service
def test_nobody_is_root_and_nothing_grants_a_right(service):
    assert str(service["user"]).split(":")[0] not in ("", "0", "root")
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    granted = {
        "privileged", "cap_add", "devices", "pid", "ipc", "userns_mode", "group_add", "sysctls", "extra_hosts", "cgroup_parent",
    }  # fmt: skip
    assert granted & service.keys() == set()
    assert service.get("network_mode", "none") == "none"


@every_service
def test_memory_processor_processes_and_logs_have_a_limit(service):
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert 0 < service["cpus"] <= 1, "Docker refuses more processors than the machine has"
    assert 0 < service["pids_limit"] <= 256
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


@every_service
def test_what_comes_from_the_machine_cannot_be_written(service):
    for volume in service.get("volumes", []):
        source, _, rest = volume.partition(":")
        if source.startswith((".", "/", "$")):
            assert rest.endswith(":ro"), volume
        assert "docker.sock" not in volume


@every_service
def test_ports_are_open_to_this_machine_alone(service):
    assert [port for port in service.get("ports", []) if not port.startswith("127.0.0.1:")] == []


@every_service
def test_the_environment_names_where_secrets_are_and_holds_none(service):
    names = re.compile(
        r"PASSWORD|SECRET|TOKEN|FERNET|_KEY|BROKER_URL|BACKEND_URL|SQL_ALCHEMY_CONN|RESULT_BACKEND|BASIC_AUTH|AIRFLOW_CONN"
    )
    for name, value in service.get("environment", {}).items():
        if names.search(name):
            assert (
                name.endswith(("_FILE", "_CMD", "PASSWORDS_FILE"))
                or "/run/secrets/" in str(value)
                or value.startswith("airflow.secrets.")
            ), name
        assert "@" not in str(value), f"{name} looks like a URL with a password in it"


def test_each_secret_is_given_to_those_who_need_it_and_to_nobody_else():
    assert composition()["secrets"].keys() == HOLDERS.keys()
    for secret, holders in HOLDERS.items():
        assert {name for name, service in SERVICES.items() if secret in secrets_of(service)} == holders, secret


def test_who_is_given_the_signers_puts_them_together_with_the_other_connections():
    for name, service in SERVICES.items():
        environment = service.get("environment", {})
        command = environment.get("AIRFLOW__SECRETS__BACKEND_KWARGS_CMD", "")
        assert ("signers" in secrets_of(service)) == ("/run/secrets/signers.json" in command) or name == "check", name
        assert not command or "AIRFLOW__SECRETS__BACKEND_KWARGS" not in environment, name
        assert not command or (ROOT / "deploy/image/connections.py").name in command


def test_what_a_service_asks_the_secret_command_for_it_holds():
    asked = {
        "metadata_url": "metadata_password",
        "broker_url": "redis_password",
        "results_url": "redis_password",
        "flower_login": "flower_password",
    }
    for name, service in SERVICES.items():
        wanted = re.findall(r"/opt/staking/bin/secret (\w+)", str(service.get("environment", "")))
        assert {asked.get(word, word) for word in wanted} <= secrets_of(service), name


@every_lasting_service
def test_what_runs_is_started_again_and_tells_whether_it_works(service):
    assert service["restart"] == "unless-stopped"
    assert service["init"] is True
    assert service["healthcheck"].keys() >= {"test", "interval", "timeout", "retries"}


def test_what_ends_is_not_started_again_and_answers_nobody():
    assert {name for name in SERVICES if name not in LASTING} == ONCE
    for name in ONCE:
        assert not SERVICES[name].keys() & {"ports", "healthcheck"}


def test_nothing_starts_before_the_secrets_are_checked():
    for name in SERVICES.keys() - {"check", "cli"}:
        assert "check" in ancestors(name), name


def test_nothing_of_airflow_starts_before_its_tables_are_there():
    for name in ("api-server", "scheduler", "dag-processor", "triggerer", "worker", "demo", "simulator"):
        assert {"databases", "migrate"} <= ancestors(name), name


def test_tasks_reach_the_api_server_inside_the_composition():
    address = SERVICES["api-server"]["environment"]["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"]
    assert address == "http://api-server:8080/execution/"


def test_the_demo_switches_on_every_dag_of_its_network():
    *shell, script = SERVICES["demo"]["command"]
    assert shell == ["sh", "-c"]
    first, *switched_on = script.split(" && ")
    assert first.startswith("airflow connections import")
    files = {path.stem for path in (ROOT / "dags").glob("staking_*.py") if "with dag:" in path.read_text()}
    assert len(files) == 2
    assert set(switched_on) == {f"airflow dags unpause --yes {stem}_devnet" for stem in files}


def test_what_is_waited_for_is_waited_for_in_the_way_it_ends():
    for name, service in SERVICES.items():
        for parent, how in service.get("depends_on", {}).items():
            expected = "service_completed_successfully" if parent in ONCE else "service_healthy"
            assert how == {"condition": expected}, (name, parent)


def test_nothing_outside_profiles_waits_for_something_inside():
    for name, service in SERVICES.items():
        if "profiles" not in service:
            assert not any("profiles" in SERVICES[parent] for parent in ancestors(name)), name


def test_the_databases_are_on_networks_that_lead_nowhere():
    networks = composition()["networks"]
    for name in ("postgres", "redis"):
        assert all(networks[network]["internal"] for network in SERVICES[name]["networks"]), name
    assert "networks" not in SERVICES["simulator"], "it needs neither database"


def test_workers_can_be_any_number():
    assert not SERVICES["worker"].keys() & {"container_name", "hostname", "ports"}


def test_the_profiles_are_those_the_documentation_names():
    profiles = {profile for service in SERVICES.values() for profile in service.get("profiles", [])}
    assert profiles == {"demo", "flower", "tools"}


def test_the_example_has_every_setting_with_its_default_and_a_word_about_it():
    told = {name: value for name, (value, _) in example().items()}
    assert told == {name: default or "" for name, default in variables().items()}
    assert [name for name, (_, comment) in example().items() if len(comment) < 20] == []


def test_a_missing_folder_of_secrets_is_refused_with_the_remedy():
    assert "${SECRETS_FOLDER:?run deploy/compose/prepare}" in TEXT


def test_the_signer_of_the_demos_access_tokens_signs_no_payout():
    connections = json.loads((ROOT / "deploy/compose/demo.json").read_text())
    (maker,) = {fields["extra"]["bearer_signer_conn_id"] for fields in connections.values() if "host" in fields}
    network = yaml.safe_load((ROOT / "include/staking.yaml").read_text())["networks"]["devnet"]
    payouts = {network["user_signer_conn_id"], network["payer_signer_conn_id"]}
    assert connections.keys() == {"staking_gateway_default", maker, *payouts}
    for name in ("login", "password"):
        assert connections[maker][name] not in {connections[signer][name] for signer in payouts}
