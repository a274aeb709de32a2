"""The folder `examples`: what each platform asks of such files, and that they are about the same package and the same names."""

from __future__ import annotations

import json
import re
from importlib.metadata import metadata, requires

import jsonschema
import pytest
import yaml
from airflow.sdk import Connection
from packaging.requirements import Requirement
from packaging.version import Version

from staking_gateway.config.loader import load_config
from staking_gateway_provider.connections import ledger_connection_url
from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_simulator.settings import DEFAULT_TOKEN

DISTRIBUTION = "airflow-provider-staking-gateway"
OLDEST_AIRFLOW = "3.3.0"
OPTIONS = get_provider_info()["config"]["staking_gateway"]["options"]
CONNECTION_KEYS = {
    *("conn_id", "conn_type", "conn_host", "conn_schema", "conn_login", "conn_password", "conn_port", "conn_uri"),
    "conn_extra",
}
"""Those that `astro dev start` reads of `airflow_settings.yaml`."""


def _items(*required, **properties):
    """A list of objects, as JSON Schema says it."""
    one = {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}
    return {"type": "array", "items": one}


TEXT = {"type": "string"}
PART_OF_THE_CHART = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("airflowVersion", "defaultAirflowRepository", "defaultAirflowTag"), TEXT),
        "env": _items("name", "value", name=TEXT, value=TEXT),
        "volumes": _items("name", name=TEXT, configMap={"type": "object", "properties": {"name": TEXT}}),
        "volumeMounts": _items("name", "mountPath", name=TEXT, mountPath=TEXT, readOnly={"type": "boolean"}),
    },
    "additionalProperties": False,
}
"""What the `values.schema.json` of the chart says about the values that are set, and the chart's version 1.22.0 documents."""


def option_of(variable):
    """The option of our section that a variable of Airflow sets."""
    section, _, option = variable.removeprefix("AIRFLOW__").partition("__")
    assert section == "STAKING_GATEWAY", variable
    return option.lower()


@pytest.fixture
def examples(pytestconfig):
    return pytestconfig.rootpath / "examples"


class TestAstro:
    @pytest.fixture
    def project(self, examples):
        return examples / "astro"

    @pytest.fixture
    def connections(self, project):
        return yaml.safe_load((project / "airflow_settings.yaml").read_text())["airflow"]["connections"]

    @pytest.fixture
    def override(self, project):
        return yaml.safe_load((project / "docker-compose.override.yml").read_text())

    @pytest.fixture
    def variables(self, project):
        return dict(re.findall(r"^ENV (\w+)=(\S+)$", (project / "Dockerfile").read_text(), re.MULTILINE))

    def test_the_cli_takes_the_folder_for_a_project(self, project):
        assert yaml.safe_load((project / ".astro" / "config.yaml").read_text())["project"]["name"]
        assert not (project / "pyproject.toml").exists(), "the CLI would read that one instead of the Dockerfile"
        assert all((project / name).is_file() for name in ("packages.txt", "requirements.txt", "Dockerfile"))

    def test_its_image_is_an_astro_runtime_of_a_series_that_is_supported(self, project):
        (image,) = re.findall(r"^FROM (\S+)$", (project / "Dockerfile").read_text(), re.MULTILINE)
        series = re.fullmatch(r"astrocrpublic\.azurecr\.io/runtime:(\d+\.\d+)-\d+", image)
        assert series
        assert Version(series[1]).release == Version(OLDEST_AIRFLOW).release[:2]

    def test_it_requires_this_package_with_an_extra_that_it_has(self, project):
        (line,) = (project / "requirements.txt").read_text().splitlines()
        required = Requirement(line)
        assert required.name == DISTRIBUTION
        assert required.extras == {"postgres"} <= set(metadata(DISTRIBUTION).get_all("Provides-Extra"))
        assert any("psycopg2" in one and "postgres" in one for one in requires(DISTRIBUTION))

    def test_the_cli_adds_each_connection_as_it_is_written(self, connections):
        for connection in connections:
            assert {"conn_id", "conn_type"} <= set(connection) <= CONNECTION_KEYS
            assert "conn_uri" not in connection, "the other keys would count, and this one not"
            assert isinstance(connection.get("conn_port", 0), int)
            assert "'" not in "".join(map(str, connection.values())), "the CLI puts each value into single quotes"
            assert isinstance(json.loads(connection.get("conn_extra", "{}")), dict)

    def test_its_connections_are_all_that_the_shipped_network_needs(self, pytestconfig, connections, variables):
        network = load_config(pytestconfig.rootpath / "include" / "staking.yaml").network("devnet")
        needed = {network.gateway_conn_id, network.user_signer_conn_id, network.payer_signer_conn_id}
        ledger = variables["AIRFLOW__STAKING_GATEWAY__LEDGER_CONN_ID"]
        by_id = {connection["conn_id"]: connection for connection in connections}
        assert set(by_id) == needed | {ledger}
        assert by_id[network.gateway_conn_id]["conn_password"] == DEFAULT_TOKEN
        assert by_id[network.user_signer_conn_id]["conn_login"] == str(network.user)
        assert by_id[network.payer_signer_conn_id]["conn_login"] == str(network.payer)

    def test_its_ledger_is_the_database_that_it_starts(self, connections, override):
        (fields,) = [one for one in connections if one["conn_type"] == "postgres"]
        service = override["services"][fields["conn_host"]]
        assert service["networks"] == ["airflow"], "that of the CLI's services"
        made = {name.removeprefix("POSTGRES_").lower(): value for name, value in service["environment"].items()}
        assert made == {"user": fields["conn_login"], "password": fields["conn_password"], "db": fields["conn_schema"]}
        assert service["volumes"], "a ledger that is lost with its container is no ledger"
        url = ledger_connection_url(
            Connection(
                conn_id=fields["conn_id"],
                conn_type="postgres",
                host=fields["conn_host"],
                login=fields["conn_login"],
                password=fields["conn_password"],
                schema=fields["conn_schema"],
                port=fields["conn_port"],
                extra=fields["conn_extra"],
            )
        )
        assert str(url).startswith("postgresql")

    def test_its_settings_are_options(self, variables):
        assert {option_of(name) for name in variables} == set(OPTIONS)
        assert variables["AIRFLOW__STAKING_GATEWAY__CONFIG_FILE"].startswith("/usr/local/airflow/include/")


class TestImage:
    def test_it_is_the_official_one_of_a_supported_airflow_whose_version_stays(self, examples):
        text = (examples / "docker" / "Dockerfile").read_text()
        (version,) = re.findall(r"^FROM apache/airflow:(\S+)$", text, re.MULTILINE)
        assert Version(version) >= Version(OLDEST_AIRFLOW)
        assert '"apache-airflow==${AIRFLOW_VERSION}"' in text
        assert "USER" not in text, "the official image refuses pip as root"

    def test_every_service_gets_the_same_settings(self, examples):
        override = yaml.safe_load((examples / "docker" / "docker-compose.override.yml").read_text())
        for service in override["services"].values():
            assert {option_of(name) for name in service["environment"]} == set(OPTIONS)


class TestHelm:
    @pytest.fixture
    def values(self, examples):
        return yaml.safe_load((examples / "helm" / "values.yaml").read_text())

    def test_the_values_are_parameters_of_the_chart(self, values):
        jsonschema.validate(values, PART_OF_THE_CHART)
        assert set(values) == set(PART_OF_THE_CHART["properties"])
        assert Version(values["airflowVersion"]) >= Version(OLDEST_AIRFLOW)

    def test_the_settings_are_options_and_the_file_is_mounted(self, values):
        variables = {entry["name"]: entry["value"] for entry in values["env"]}
        assert {option_of(name) for name in variables} == set(OPTIONS)
        (volume,), (mount,) = values["volumes"], values["volumeMounts"]
        assert mount["name"] == volume["name"]
        assert variables["AIRFLOW__STAKING_GATEWAY__CONFIG_FILE"] == f"{mount['mountPath']}/staking.yaml"
        assert mount["readOnly"] is True
