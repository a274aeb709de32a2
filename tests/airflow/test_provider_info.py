"""What Airflow is told of the provider, and what being told costs."""

import ast
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from importlib.metadata import entry_points, version
from importlib.resources import files

import jsonschema
import pytest
import yaml
from airflow.plugins_manager import AirflowPlugin

from staking_gateway_provider.connections import GatewayExtras, NodeExtras, SignerExtras
from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_provider.timetables.era import EraTimetable

DISTRIBUTION = "airflow-provider-staking-gateway"
INFO = get_provider_info()
EXTRAS = {"stakinggateway": GatewayExtras, "stakingsigner": SignerExtras, "substrate": NodeExtras}


def in_a_fresh_airflow(airflow_home, code):
    """Run code in a process of its own; what it prints last is JSON."""
    environment = {**os.environ, "AIRFLOW_HOME": str(airflow_home)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def schema(name):
    return json.loads((files("airflow") / name).read_text())


class TestInfo:
    def test_is_what_airflow_accepts(self):
        jsonschema.validate(INFO, schema("provider_info.schema.json"))
        assert json.loads(json.dumps(INFO)) == INFO

    def test_describes_the_connection_forms_as_airflow_wants_them(self):
        whole = schema("provider.yaml.schema.json")
        jsonschema.validate(INFO["connection-types"], whole["properties"]["connection-types"])

    def test_names_the_distribution_and_its_version(self):
        assert INFO["package-name"] == DISTRIBUTION
        assert INFO["versions"] == [version(DISTRIBUTION)]

    def test_lists_every_module_of_each_kind(self):
        for kind in ("hooks", "operators", "sensors", "triggers"):
            package = importlib.import_module(f"staking_gateway_provider.{kind}")
            modules = {f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)}
            listed = {module for entry in INFO[kind] for module in entry["python-modules"]}
            assert listed == modules - {"staking_gateway_provider.operators.base"}

    def test_the_registry_names_each_class_that_users_meet_with_one_line(self, pytestconfig):
        root = pytestconfig.rootpath
        listed = yaml.safe_load((root / ".airflow-registry.yaml").read_text())
        classes = {
            entry["module"]: entry["description"]
            for entries in listed.values()
            if isinstance(entries, list)
            for entry in entries
        }
        met = {one["hook-class-name"] for one in INFO["connection-types"]} | set(INFO["extra-links"])
        met |= {plugin["plugin-class"] for plugin in INFO.get("plugins", ())}
        for snippet in (root / "tests" / "docs_snippets").glob("*.py"):
            for node in ast.walk(ast.parse(snippet.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module.startswith("staking_gateway_provider."):
                    met |= {f"{node.module}.{alias.name}" for alias in node.names if alias.name[0].isupper()}
        assert len(met) > 12
        assert met - set(classes) == set()
        assert [name for name, line in classes.items() if not 20 < len(line) < 150 or "\n" in line] == []

    @pytest.mark.parametrize("form", INFO["connection-types"], ids=EXTRAS)
    def test_names_the_hook_of_each_connection_type(self, form):
        module, _, name = form["hook-class-name"].rpartition(".")
        hook = getattr(importlib.import_module(module), name)
        assert (hook.conn_type, hook.hook_name) == (form["connection-type"], form["hook-name"])
        assert hook.default_conn_name.replace("_", "") == f"{hook.conn_type}default"
        assert re.fullmatch("[a-z]+", hook.conn_type), "Airflow's servers warn of others, or change them"
        made = hook(**{hook.conn_name_attr: "some"})
        assert getattr(made, hook.conn_name_attr) == "some"

    @pytest.mark.parametrize("form", INFO["connection-types"], ids=EXTRAS)
    def test_has_a_field_for_every_extra_that_is_allowed(self, form):
        assert set(form["conn-fields"]) == set(EXTRAS[form["connection-type"]].model_fields)
        for field in form["conn-fields"].values():
            assert "null" in field["schema"]["type"], "a field left blank is sent as null"

    def test_is_found_by_airflow(self):
        (entry,) = [entry for entry in entry_points(group="apache_airflow_provider") if entry.dist.name == DISTRIBUTION]
        assert entry.load()() == INFO


class TestPlugin:
    def test_is_found_by_airflow_and_brings_the_timetable(self):
        (entry,) = [entry for entry in entry_points(group="airflow.plugins") if entry.dist.name == DISTRIBUTION]
        plugin = entry.load()
        assert issubclass(plugin, AirflowPlugin)
        assert plugin.timetables == [EraTimetable]
        assert "plugins" not in INFO, "Airflow would load it twice"

    @pytest.mark.parametrize(("named", "read"), [("include/staking.yaml", 1), ("none.yaml", 0)])
    def test_reads_the_settings_if_there_are_any(self, airflow_home, monkeypatch, named, read):
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", named)
        code = "import staking_gateway_provider.plugin as _; from staking_gateway.config import file; print(len(file._files))"
        assert in_a_fresh_airflow(airflow_home, code) == read


class TestCost:
    def test_forms_and_commands_are_listed_without_importing_hooks_or_commands(self, airflow_home):
        code = """
import json, sys
from airflow.providers_manager import ProvidersManager
manager = ProvidersManager()
types = {
    found.connection_type: [found.hook_name, found.hook_class_name, found.field_behaviour]
    for found in manager.iter_connection_type_hook_ui_metadata()
    if found.hook_class_name and found.hook_class_name.startswith("staking_gateway_provider.")
}
fields = {
    name: widget.field["schema"].get("title")
    for name, widget in manager._connection_form_widgets_from_metadata.items()
    if name.startswith(("extra__staking", "extra__substrate"))
}
from staking_gateway_provider.cli import get_commands
assert get_commands()
print(json.dumps([types, fields, [name for name in sys.modules if name.startswith("staking_gateway")]]))
"""
        types, fields, loaded = in_a_fresh_airflow(airflow_home, code)
        for form in INFO["connection-types"]:
            kind = form["connection-type"]
            name, hook, behaviour = types[kind]
            assert (name, hook) == (form["hook-name"], form["hook-class-name"])
            assert behaviour["relabeling"] == form["ui-field-behaviour"]["relabeling"]
            for field, definition in form["conn-fields"].items():
                assert fields[f"extra__{kind}__{field}"] == definition["label"]
        modules = ("", ".get_provider_info", ".connections", ".cli")
        provider = {name for name in loaded if name.startswith("staking_gateway_provider")}
        assert provider == {f"staking_gateway_provider{name}" for name in modules}

    def test_the_command_that_people_type_most_loads_neither_clients_of_many_accounts_nor_a_key_library(
        self, airflow_home
    ):
        code = """
import json, sys
import staking_gateway_provider.commands.look
print(json.dumps([name for name in ("aiohttp", "substrateinterface", "sr25519", "jinja2.ext") if name in sys.modules]))
"""
        assert in_a_fresh_airflow(airflow_home, code) == []
