"""The section "Image" of docs/deploy.md on a real engine: examples/docker on Airflow's image, as any user of group 0."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from bases import airflow_image, build_options
from composition import ROOT
from engine import run

EXAMPLE = ROOT / "examples/docker"
OVERRIDE = yaml.safe_load((EXAMPLE / "docker-compose.override.yml").read_text())
SETTINGS = OVERRIDE["x-staking"]["environment"]
IMAGE = "airflow-staking"
"""The name that the page gives the image."""
USER = 12345
"""It has no entry in the image's /etc/passwd."""
MOUNTED = ("config", "dags", "logs", "plugins")
OF_AIRFLOW = {
    "image": "${AIRFLOW_IMAGE_NAME:-apache/airflow:3.3.2}",
    "user": "${AIRFLOW_UID:-50000}:0",
    "environment": {
        "AIRFLOW_CONFIG": "/opt/airflow/config/airflow.cfg",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "sqlite:////opt/airflow/config/airflow.db",
    },
    "volumes": [f"./{name}:/opt/airflow/{name}" for name in MOUNTED],
}
"""A service in the docker-compose.yaml of Airflow's documentation; the database is a file in a mounted folder."""


@pytest.fixture(scope="module")
def image(engine, tmp_path_factory):
    """The image of step 2: the example's Dockerfile, and beside it the wheel."""
    folder, secrets = tmp_path_factory.mktemp("example"), tmp_path_factory.mktemp("secrets")
    text = (EXAMPLE / "Dockerfile").read_text()
    (official,) = re.findall(r"(?m)^FROM (\S+)$", text)
    base = airflow_image(engine, official, tmp_path_factory.mktemp("official"))
    options = ("--no-build-isolation", "--python", sys.executable, "--out-dir", folder)
    run(Path(sys.executable).with_name("uv"), "build", "--wheel", *options, ROOT)
    # The package index of this machine is a secret of the build; nothing else of the Dockerfile is changed but an absent base.
    mounts = "".join(
        f"--mount=type=secret,id={name},target={target},mode=0444 "
        for name, target in (("pip.conf", "/etc/pip.conf"), ("ca.crt", "/run/secrets/ca.crt"))
    )
    (folder / "Dockerfile").write_text(text.replace(official, base).replace("RUN ", f"RUN {mounts}"))
    engine.build(IMAGE, folder, *build_options(secrets))
    yield IMAGE
    engine.docker("rmi", IMAGE)


@pytest.fixture
def compose(engine, image, tmp_path):
    """Runs Compose in the folder with `docker-compose.yaml` after step 3 of the page."""
    services = {name: {**OF_AIRFLOW, "command": name.removeprefix("airflow-")} for name in OVERRIDE["services"]}
    (tmp_path / "docker-compose.yaml").write_text(yaml.safe_dump({"services": services}))
    shutil.copy(EXAMPLE / "docker-compose.override.yml", tmp_path)
    (tmp_path / ".env").write_text(f"AIRFLOW_UID={USER}\nAIRFLOW_IMAGE_NAME={image}\n")
    for name in MOUNTED:
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o777)

    def call(*words):
        return run(*engine.compose, "--project-name", "official", *words, cwd=tmp_path)

    yield call
    call("down", "--volumes", "--remove-orphans")


def test_the_image_keeps_airflow_and_has_the_provider_and_nothing_conflicts(engine, image):
    version = re.search(r"apache/airflow:(\S+)", (EXAMPLE / "Dockerfile").read_text())[1]
    assert engine.docker("run", "--rm", image, "version").stdout.strip().splitlines()[-1] == version
    providers = engine.docker("run", "--rm", image, "providers", "list", "--output", "json").stdout
    assert "airflow-provider-staking-gateway" in {row["package_name"] for row in json.loads(providers)}
    engine.docker("run", "--rm", image, "bash", "-c", "pip check && python -c 'import psycopg2'")


def test_compose_adds_the_settings_and_init_writes_into_the_mounted_folders(compose, tmp_path):
    for service in yaml.safe_load(compose("config").stdout)["services"].values():
        assert service["environment"] == OF_AIRFLOW["environment"] | SETTINGS
        assert (service["image"], service["user"]) == (IMAGE, f"{USER}:0")
    compose("run", "--rm", "-T", "airflow-cli", "airflow", "staking", "init", "--network", "mainnet")
    written = [tmp_path / "config/staking.yaml", *(tmp_path / "dags").glob("*.py")]
    assert len(written) > 1
    for path in written:
        status = path.stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o060) == (USER, 0, 0o060), path
