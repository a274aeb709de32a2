"""docs/deploy.md on a real engine: examples/docker is built on Airflow's image, and works as any user of group 0."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from bases import build_options, official_airflow
from composition import ROOT
from engine import run
from project import PATIENCE, Control

from staking_gateway_provider.shipped import DAGS

EXAMPLE = ROOT / "examples/docker"
DOCKERFILE = (EXAMPLE / "Dockerfile").read_text()
SETTINGS = {
    "AIRFLOW__STAKING_GATEWAY__CONFIG_FILE": "/opt/airflow/config/staking.yaml",
    "AIRFLOW__STAKING_GATEWAY__LEDGER_CONN_ID": "staking_ledger",
}
IMAGE = "airflow-staking"
"""The name that the page gives the image."""
USERS = pytest.mark.parametrize("user", [50000, 12345])
"""The default user id of the official image, and an id that has no entry in its /etc/passwd."""
SERVICES = ("apiserver", "scheduler", "dag-processor", "worker", "triggerer", "cli")
MOUNTED = ("config", "dags", "logs", "plugins")


def composition_of_airflow():
    """What the docker-compose.yaml of Airflow's documentation says of its services; the database is a file in a mounted folder."""
    common = {
        "image": "${AIRFLOW_IMAGE_NAME:-apache/airflow:3.3.2}",
        "user": "${AIRFLOW_UID:-50000}:0",
        "environment": {
            "AIRFLOW_CONFIG": "/opt/airflow/config/airflow.cfg",
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "sqlite:////opt/airflow/config/airflow.db",
        },
        "volumes": [f"./{name}:/opt/airflow/{name}" for name in MOUNTED],
    }
    return {"services": {f"airflow-{name}": {**common, "command": name} for name in SERVICES}}


class Installation:
    """The folder with `docker-compose.yaml` after step 3 of the page.

    :param engine: where it runs.
    :param folder: an empty one.
    :param user: id that the containers run as.
    """

    def __init__(self, engine, folder, user):
        self.folder, self._engine = folder, engine
        self._name = f"official{user}"
        (folder / "docker-compose.yaml").write_text(yaml.safe_dump(composition_of_airflow()))
        shutil.copy(EXAMPLE / "docker-compose.override.yml", folder)
        # The default user needs no setting.
        chosen = "" if user == 50000 else f"AIRFLOW_UID={user}\n"
        (folder / ".env").write_text(f"{chosen}AIRFLOW_IMAGE_NAME={IMAGE}\n")
        for name in MOUNTED:
            (folder / name).mkdir()
        owned = (
            "--volume",
            f"{folder}:/mounted",
            "--entrypoint",
            "chown",
            IMAGE,
            "--recursive",
            f"{user}:0",
            "/mounted",
        )
        engine.docker("run", "--rm", "--user", "0:0", *owned)

    def compose(self, *words, check=True):
        """Run Compose in the folder."""
        return run(*self._engine.compose, "--project-name", self._name, *words, cwd=self.folder, check=check)

    def cli(self, *words, check=True):
        """`docker compose run --rm airflow-cli ...`, as the page has it."""
        return self.compose("run", "--rm", "-T", "airflow-cli", *words, check=check)

    def doctor(self):
        """The errors that `airflow staking doctor` finds."""
        words = ("airflow", "staking", "doctor", "--network", "mainnet", "--output", "json")
        ended = self.cli(*words, check=False)
        assert ended.returncode == 1, ended.stderr
        return "\n".join(finding["what"] for finding in json.loads(ended.stdout) if finding["level"] == "error")


def filled_in(form):
    """The written `staking.yaml` with a value for each FILL_IN."""
    account = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
    form = form.replace("{era: FILL_IN, start: FILL_IN}", "{era: 1392, start: 2026-11-20T00:00:00Z}")
    for field, value in {
        "era_length": "1d",
        "start_date": "2026-11-20T00:00:00Z",
        "max_fee_per_(?:payout|day)": "1000",
    }.items():
        form = re.sub(rf"({field}): FILL_IN", rf"\1: {value}", form)
    return form.replace(": FILL_IN", f": {account}")


@pytest.fixture(scope="module")
def image(engine, measured, tmp_path_factory):
    """The image of step 2: the example's Dockerfile, and beside it the wheel."""
    folder, secrets = tmp_path_factory.mktemp("example"), tmp_path_factory.mktemp("secrets")
    (base,) = re.findall(r"(?m)^FROM (\S+)$", DOCKERFILE)
    began = time.monotonic()
    with official_airflow(engine, base, tmp_path_factory.mktemp("official")) as official:
        ready = time.monotonic()
        measured(f"{base}: {'official' if official else 'stand-in'}, {ready - began:.0f} s")
        run(
            Path(sys.executable).with_name("uv"),
            "build",
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            folder,
            ROOT,
        )
        # The package index of this machine is a secret of the build; nothing else of the Dockerfile is changed.
        options = build_options(secrets)
        text = DOCKERFILE
        for name, target in (("pip.conf", "/etc/pip.conf"), ("ca.crt", "/run/secrets/ca.crt")):
            if any(option.startswith(f"id={name},") for option in options):
                text = text.replace("RUN ", f"RUN --mount=type=secret,id={name},target={target},mode=0444 ", 1)
        (folder / "Dockerfile").write_text(text)
        engine.build(IMAGE, folder, *options)
        measured(f"examples/docker on it: {time.monotonic() - ready:.0f} s")
        yield IMAGE
        engine.docker("rmi", IMAGE)


@pytest.fixture
def installation(engine, image, tmp_path, user):
    made = Installation(engine, tmp_path, user)
    yield made
    made.compose("down", "--volumes", "--remove-orphans")


def test_the_image_has_the_airflow_of_its_base_and_the_provider_and_nothing_conflicts(engine, image):
    base = re.search(r"(?m)^FROM \S+:(\S+)$", DOCKERFILE)[1]
    assert engine.docker("run", "--rm", image, "version").stdout.strip().splitlines()[-1] == base
    providers = engine.docker("run", "--rm", image, "providers", "list", "--output", "json").stdout
    assert "airflow-provider-staking-gateway" in {row["package_name"] for row in json.loads(providers)}
    engine.docker("run", "--rm", image, "bash", "-c", "pip check && python -c 'import psycopg2'")


@USERS
def test_init_writes_into_the_mounted_folders_and_doctor_names_what_is_missing(installation, user):
    listed = installation.cli("config", "list", "--section", "staking_gateway", "--show-values").stdout
    settings = {name.rpartition("__")[2].lower(): value for name, value in SETTINGS.items()}
    assert dict(re.findall(r"(?m)^(\w+) = (\S+)$", listed)) == settings

    said = installation.cli("airflow", "staking", "init", "--network", "mainnet").stdout
    config, dags = installation.folder / "config/staking.yaml", installation.folder / "dags"
    assert "Written: /opt/airflow/config/staking.yaml" in said
    assert {path.name for path in dags.glob("*.py")} == set(DAGS)
    for path in (config, *dags.glob("*.py")):
        status = path.stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o060) == (user, 0, 0o060), path
    assert "networks.mainnet.payer: 'FILL_IN' is not an account" in installation.doctor()

    config.write_text(filled_in(config.read_text()))
    installation.cli("airflow", "db", "migrate")
    missing = installation.doctor()
    for connection in ("staking_ledger", "staking_gateway_mainnet", "staking_signer_mainnet_user"):
        assert connection in missing


@pytest.mark.parametrize("user", [12345])
def test_compose_adds_the_settings_to_each_service_and_keeps_its_own(installation):
    services = yaml.safe_load(installation.compose("config").stdout)["services"]
    own = composition_of_airflow()["services"]
    assert set(services) == set(own)
    for name, service in services.items():
        assert service["environment"] == own[name]["environment"] | SETTINGS
        assert (service["image"], service["user"]) == (IMAGE, "12345:0")


def test_the_demo_pays_an_era_as_a_user_without_a_name(engine, image, measured):
    begun = time.monotonic()
    words = ("--user", "12345:0", "--env", "AIRFLOW__CORE__LOAD_EXAMPLES=False", image, "bash", "-c")
    started = engine.docker(
        "run", "--detach", "--init", *words, "airflow staking init --demo && exec airflow standalone"
    )
    container = started.stdout.strip()

    def execute(_service, *command):
        return engine.docker("exec", container, *command, check=False).stdout

    def paid():
        listed = execute("", "airflow", "staking", "eras", "--network", "devnet", "--last", "5", "--output", "json")
        with suppress(json.JSONDecodeError):
            return [row for row in json.loads(listed) if row["outcome"] == "PAID"]

    try:
        while not paid():
            ended = engine.docker("logs", "--tail", "40", container)
            story = ended.stdout + ended.stderr
            assert engine.inspect(container)[0]["State"]["Running"], f"The container has ended:\n{story}"
            assert time.monotonic() < begun + PATIENCE, f"No era is paid after {PATIENCE} s:\n{story}"
            time.sleep(2)
        measured(
            f"staking init --demo and standalone in one container: first era paid after {time.monotonic() - begun:.0f} s"
        )
        payouts = [payout["era"] for payout in Control(SimpleNamespace(execute=execute)).truth()["payouts"]]
        assert payouts
        assert len(payouts) == len(set(payouts))
        assert execute("", "id", "-u").strip() == "12345"
    finally:
        engine.docker("rm", "--force", "--volumes", container)
