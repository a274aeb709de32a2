"""The folder `examples`: what each platform asks of such files, and that they are about the same package and the same names."""

import re
from importlib.metadata import metadata, requires

import pytest
import yaml
from packaging.requirements import Requirement

from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_simulator.settings import DEFAULT_TOKEN
from tests.support.settings import load_config

DISTRIBUTION = "airflow-provider-staking-gateway"
OPTIONS = get_provider_info()["config"]["staking_gateway"]["options"]


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

    def test_it_requires_this_package_with_an_extra_that_it_has(self, project):
        (line,) = (project / "requirements.txt").read_text().splitlines()
        required = Requirement(line)
        assert required.name == DISTRIBUTION
        assert required.extras == {"postgres"} <= set(metadata(DISTRIBUTION).get_all("Provides-Extra"))
        assert any("psycopg2" in one and "postgres" in one for one in requires(DISTRIBUTION))

    def test_its_connections_are_all_that_the_shipped_network_needs(self, pytestconfig, connections, variables):
        network = load_config(pytestconfig.rootpath / "include" / "staking.yaml").network("devnet")
        needed = {network.gateway_conn_id, network.user_signer_conn_id, network.payer_signer_conn_id}
        ledger = variables["AIRFLOW__STAKING_GATEWAY__LEDGER_CONN_ID"]
        by_id = {connection["conn_id"]: connection for connection in connections}
        assert set(by_id) == needed | {ledger}
        assert by_id[network.gateway_conn_id]["conn_password"] == DEFAULT_TOKEN
        assert by_id[network.user_signer_conn_id]["conn_login"] == str(network.user)
        assert by_id[network.payer_signer_conn_id]["conn_login"] == str(network.payer)

    def test_its_settings_are_options(self, variables):
        assert {option_of(name) for name in variables} == set(OPTIONS)
        assert variables["AIRFLOW__STAKING_GATEWAY__CONFIG_FILE"].startswith("/usr/local/airflow/include/")


class TestImage:
    def test_every_service_gets_the_same_settings(self, examples):
        override = yaml.safe_load((examples / "docker" / "docker-compose.override.yml").read_text())
        for service in override["services"].values():
            assert {option_of(name) for name in service["environment"]} == set(OPTIONS)


class TestHelm:
    @pytest.fixture
    def values(self, examples):
        return yaml.safe_load((examples / "helm" / "values.yaml").read_text())

    def test_the_settings_are_options_and_the_file_is_mounted(self, values):
        variables = {entry["name"]: entry["value"] for entry in values["env"]}
        assert {option_of(name) for name in variables} == set(OPTIONS)
        (volume,), (mount,) = values["volumes"], values["volumeMounts"]
        assert mount["name"] == volume["name"]
        assert variables["AIRFLOW__STAKING_GATEWAY__CONFIG_FILE"] == f"{mount['mountPath']}/staking.yaml"
        assert mount["readOnly"] is True
