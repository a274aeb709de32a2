"""The built package: complete, with whole links, and able to pay an era in an Airflow that has only the wheel and the lowest versions it declares."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from hatch_build import address, project_urls, with_whole_addresses
from staking_gateway_provider.shipped import DAGS

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
REPOSITORY = "https://git.example/owner/name"
IMPORT_ALL = """
import importlib, pkgutil, warnings
import staking_gateway, staking_gateway_provider, staking_gateway_simulator
warnings.simplefilter("ignore")
for package in (staking_gateway, staking_gateway_provider, staking_gateway_simulator):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not any(part in found.name for part in ("shipped.", "__main__")):
            importlib.import_module(found.name)
"""
# In one process, so that the era is paid and reported while the simulator runs.
PAY = """
import json, os, subprocess, sys
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

with RunningSimulator(SimulatorSettings(era_length=360_000.0, window=0.0, confirm_seconds=0.2)) as simulator:
    era = simulator.control.state()["active_era"] - 1
    gateway = {"conn_type": "stakinggateway", "host": simulator.url, "password": simulator.token}
    environment = {**os.environ, "AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT": json.dumps(gateway)}
    for command in (["dags", "test", "staking_payout_devnet"], ["staking", "eras", "--last", "1"]):
        subprocess.run([sys.argv[1], *command], env=environment, check=True, stdout=sys.stderr)
    print(json.dumps({"era": era, "paid": [payout["era"] for payout in simulator.control.truth()["payouts"]]}))
"""
KEYS = {
    "USER": {"login": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "password": "//Alice"},
    "PAYER": {"login": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "password": "//Charlie"},
}
"""Published development keys; the simulator's genesis gives them their funds."""


def run(*command, cwd=ROOT, **more):
    """What a program prints. What would lead it back to the checkout is kept from it."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AIRFLOW", "STAKING_", "PYTHON", "PACKAGE_"))
    }
    command = [str(part) for part in command]
    done = subprocess.run(command, cwd=cwd, env=kept | more, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel():
    """The wheel that is published: `make wheel` has put it into dist/, built from the source distribution."""
    (built,) = (ROOT / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel and the oldest versions that it declares."""
    folder = tmp_path_factory.mktemp("lowest")
    run(UV, "venv", "--quiet", "--python", sys.executable, folder)
    install = (UV, "pip", "install", "--quiet", "--python", folder)
    run(*install, "--resolution", "lowest-direct", "--only-binary", ":all:", "-r", "pyproject.toml")
    run(*install, "--no-deps", wheel)
    return folder / "bin" / "python"


def test_the_wheel_has_every_file_of_the_packages_and_nothing_else(wheel):
    folders = {f"include/staking_gateway{end}": "include/" for end in ("", "_simulator")}
    folders["plugins/staking_gateway_provider"] = "plugins/"
    listed = [
        run("git", "ls-files", folder).replace(above, "", 1).split("\n" + above) for folder, above in folders.items()
    ]
    files = {name.strip() for names in listed for name in names if not name.strip().endswith("ruff.toml")}
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    shipped = {
        f"staking_gateway_provider/shipped/{name}" for name in ("staking.yaml", *(f"dags/{dag}" for dag in DAGS))
    }
    assert built == files | shipped
    assert not [name for name in built if re.search(r"\.(db|env|key|log|pem|pyc)$", name)]


@pytest.mark.parametrize("repository", ["", REPOSITORY])
def test_the_package_has_the_links_of_its_repository_and_none_without_one(repository, tmp_path):
    build = (UV, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable)
    run(*build, "--out-dir", tmp_path, PACKAGE_REPOSITORY=repository)
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()
    assert not re.search(r"\]\((?!https://)|(src|srcset)=\"(?!https://)", text)
    assert f"{REPOSITORY}/blob/" in text if repository else "<img" not in text
    addresses = re.findall(r"^Project-URL: \w+, (.+)$", text, re.MULTILINE)
    assert len(addresses) == (3 if repository else 0)
    assert all(address.startswith(REPOSITORY) for address in addresses)


def test_with_a_repository_each_file_that_the_readme_names_is_linked_at_the_tag():
    assert project_urls(REPOSITORY, "https://docs.example")["Issues"] == f"{REPOSITORY}/issues"
    shown = with_whole_addresses((ROOT / "README.md").read_text(), REPOSITORY, "9.9")
    assert not re.search(r"\]\((?!https://)|(src|srcset)=\"(?!https://)", shown)
    files = re.findall(rf"{REPOSITORY}/(?:blob|raw)/v9\.9/([^\s)\"#]+)", shown)
    assert len(files) > 5
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "given",
    ["http://git.example/a", "git@git.example:a/b", "https://me:secret@git.example/a", "https://git.example/?a"],
)
def test_an_address_that_is_not_plain_https_is_refused_and_not_quoted(monkeypatch, given):
    monkeypatch.setenv("PACKAGE_REPOSITORY", given)
    with pytest.raises(ValueError, match="PACKAGE_REPOSITORY is no plain https address") as refused:
        address("PACKAGE_REPOSITORY")
    assert given not in str(refused.value)


class Index(BaseHTTPRequestHandler):
    """Takes uploads, as a package index does."""

    def do_POST(self):
        self.server.uploads.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        """Nothing is printed."""


def test_the_workflow_uploads_each_file_with_its_attestation(wheel, tmp_path):
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    (command,) = (step["run"] for step in workflow["jobs"]["publish"]["steps"] if "uv publish" in step.get("run", ""))
    for built in (wheel, *(ROOT / "dist").glob("*.tar.gz")):
        (tmp_path / "dist").mkdir(exist_ok=True)
        shutil.copy(built, tmp_path / "dist")
        (tmp_path / "dist" / f"{built.name}.publish.attestation").write_text("{}")
    with HTTPServer(("127.0.0.1", 0), Index) as index:
        index.uploads = []
        threading.Thread(target=index.serve_forever, daemon=True).start()
        command = command.replace(".venv/bin/uv", str(UV)).replace("always", "never")
        run("bash", "-c", f"{command} --token t --publish-url http://127.0.0.1:{index.server_port}/", cwd=tmp_path)
        index.shutdown()
    assert len(index.uploads) == 2
    assert all(b'name="attestations"' in body for body in index.uploads)


def test_the_lowest_declared_versions_have_all_that_the_code_imports(python, tmp_path):
    run(python, "-c", IMPORT_ALL, cwd=tmp_path, AIRFLOW_HOME=tmp_path)


def test_with_the_wheel_alone_and_its_lowest_versions_an_era_is_paid_exactly_once(python, tmp_path):
    airflow = python.with_name("airflow")
    home = {
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        **{
            f"AIRFLOW_CONN_STAKING_SIGNER_{role}": json.dumps({"conn_type": "stakingsigner", **key})
            for role, key in KEYS.items()
        },
    }
    run(airflow, "staking", "init", cwd=tmp_path, **home)
    config = next(tmp_path.rglob("staking.yaml"))
    config.write_text(config.read_text().replace("era_length: 20s", "era_length: 100h"))
    run(airflow, "db", "migrate", cwd=tmp_path, **home)
    told = json.loads(run(python, "-c", PAY, airflow, cwd=tmp_path, **home).splitlines()[-1])
    assert told["paid"] == [told["era"]]
