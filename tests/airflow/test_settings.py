"""Where `staking.yaml` and the ledger's connection come from: variables, the section `[staking_gateway]`, AIRFLOW_HOME."""

import pytest
from airflow.cli import cli_parser

from staking_gateway.errors import ConfigError
from staking_gateway_provider.networks import config_path, config_path_if_any, default_ledger, new_config_path

VARIABLE, SETTING = "STAKING_GATEWAY_CONFIG", "AIRFLOW__STAKING_GATEWAY__CONFIG_FILE"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An AIRFLOW_HOME and a working directory of its own, and a package that is no checkout's."""
    for name in (VARIABLE, SETTING):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("airflow.configuration.get_airflow_home", lambda: str(tmp_path / "home"))
    monkeypatch.setattr("staking_gateway.__file__", str(tmp_path / "site-packages/a/loader.py"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def write(place):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("networks: {}\n")
        return path

    return write


def test_each_place_of_the_file_counts_before_the_next(elsewhere, monkeypatch):
    assert config_path_if_any() is None
    for place in ("work/include/staking.yaml", "home/staking.yaml", "home/include/staking.yaml"):
        path = elsewhere(place)
        assert config_path() == path
    for name in (SETTING, VARIABLE):
        path = elsewhere(f"{name}.yaml")
        monkeypatch.setenv(name, str(path))
        assert config_path() == path


def test_in_the_checkout_of_the_package_its_own_file_is_the_one_that_all_programs_read(
    elsewhere, monkeypatch, tmp_path
):
    monkeypatch.setattr("staking_gateway.__file__", str(tmp_path / "work/include/a/loader.py"))
    assert new_config_path() == tmp_path / "home/include/staking.yaml"
    own = elsewhere("work/include/staking.yaml")
    assert new_config_path() == config_path() == own


@pytest.mark.parametrize(("name", "field"), [(VARIABLE, VARIABLE), (SETTING, "[staking_gateway] config_file")])
def test_a_named_file_that_is_missing_is_refused(elsewhere, monkeypatch, name, field):
    elsewhere("home/staking.yaml")
    monkeypatch.setenv(name, "/no/such/staking.yaml")
    for find in (config_path, config_path_if_any):
        with pytest.raises(ConfigError) as refused:
            find()
        assert (refused.value.field, refused.value.fault) == (field, "there is no file /no/such/staking.yaml")


def test_the_variable_of_the_ledger_counts_before_the_setting(monkeypatch):
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID", raising=False)
    assert default_ledger() is None
    monkeypatch.setenv("AIRFLOW__STAKING_GATEWAY__LEDGER_CONN_ID", "by_setting")
    assert default_ledger() == ("[staking_gateway] ledger_conn_id", "by_setting")
    monkeypatch.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "by_variable")
    assert default_ledger() == ("STAKING_GATEWAY_LEDGER_CONN_ID", "by_variable")


def test_airflow_lists_the_section(capsys):
    words = ["config", "list", "--section", "staking_gateway", "--include-descriptions"]
    arguments = cli_parser.get_parser().parse_args(words)
    arguments.func(arguments)
    listed = capsys.readouterr().out
    for said in ("[staking_gateway]", "config_file", "ledger_conn_id", "Path of staking.yaml"):
        assert said in listed
