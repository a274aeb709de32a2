"""deploy/compose/prepare ends with `ready` only when Compose will find what it made; else it names the remedy, and has changed nothing."""

from __future__ import annotations

import os
import shutil
import stat

import pytest
from composition import DEFAULTS
from engine import run
from project import checkout

from deploy.image.check_secrets import problems

VERSION = DEFAULTS["STAKING_IMAGE"].rpartition(":")[2]


@pytest.fixture
def bare(tmp_path):
    """A checkout in which nothing has been made yet."""
    folder = checkout(tmp_path / "checkout")
    shutil.rmtree(folder / "secrets")
    (folder / ".env").unlink()
    return folder


def prepare(folder, *arguments, check=True, **variables):
    """Run it; returns it ended."""
    return run("deploy/compose/prepare", *arguments, cwd=folder, check=check, env={**os.environ, **variables})


def refusal(folder, *arguments, **variables):
    """What it says when it refuses; it has changed no file."""

    def files():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = files()
    ended = prepare(folder, *arguments, check=False, **variables)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert files() == before
    assert ended.stderr.startswith("prepare: ")
    return ended.stderr


def test_an_image_of_another_version_is_refused_and_one_of_your_own_is_not(bare):
    lines = "SECRETS_FOLDER=./secrets\nSTAKING_IMAGE="
    (bare / ".env").write_text(f"{lines}staking-gateway-airflow:0.0.9\n")
    assert f"Write STAKING_IMAGE=staking-gateway-airflow:{VERSION}, then run: docker compose build" in refusal(bare)
    (bare / ".env").write_text(f"{lines}registry.example/airflow:7\n")
    prepare(bare)


@pytest.mark.parametrize(
    "line", ['SECRETS_FOLDER="./secrets"', "SECRETS_FOLDER=~/secrets", " SECRETS_FOLDER=./secrets"]
)
def test_a_line_that_compose_reads_otherwise_is_refused_by_its_number(bare, line):
    (bare / ".env").write_text(f"# SECRETS_FOLDER=./here\nMY_SECRETS_FOLDER=1\n{line}\nAIRFLOW_PORT=8080\n")
    assert refusal(bare).startswith("prepare: .env, line 3: write SECRETS_FOLDER=./secrets, or another folder")


def test_env_and_shell_name_one_folder(bare):
    assert "your shell sets SECRETS_FOLDER to './two'" in refusal(bare, SECRETS_FOLDER="./two")
    (bare / ".env").write_text("# SECRETS_FOLDER=./secrets\n")
    assert "Add: SECRETS_FOLDER=./secrets" in refusal(bare)
    (bare / ".env").write_text("SECRETS_FOLDER=./one\nSECRETS_FOLDER=./two\n")
    assert ".env names SECRETS_FOLDER more than once, first in line 1." in refusal(bare)
    (bare / ".env").write_text("AIRFLOW_PORT=8080\nSECRETS_FOLDER=./one\n")
    assert ".env, line 2, names the folder ./one, and not ./two." in refusal(bare, "./two")
    prepare(bare, "./one")


@pytest.mark.parametrize("name", ["a|b", "a\nb", "$a"])
def test_a_folder_that_env_cannot_name_is_refused(bare, name):
    assert "the folder's name may have letters, digits, spaces inside and" in refusal(bare, name)


def test_a_folder_that_env_can_name_is_made_and_named(bare, tmp_path):
    for name in ("./a b/gé_1.2", str(tmp_path / "outside")):
        (bare / ".env").unlink(missing_ok=True)
        assert "ready" in prepare(bare, name).stdout
        assert f"\nSECRETS_FOLDER={name}\n" in (bare / ".env").read_text()
        assert problems(bare / name) == []


def test_an_unknown_option_and_a_folder_of_other_things_are_refused(bare):
    assert "see deploy/compose/prepare --help" in refusal(bare, "-x")
    before = bare.stat().st_mode
    assert ". holds other things than secrets. Name a folder of its own" in refusal(bare, ".")
    assert bare.stat().st_mode == before, "it is not closed to others"


def test_it_adds_what_is_missing_and_leaves_what_exists_and_closes_the_folder(bare):
    prepare(bare)
    folder = bare / "secrets"
    kept = {
        path.name: path.read_text() for path in folder.iterdir() if path.name not in ("redis_password", "jwt_secret")
    }
    for name in ("redis_password", "jwt_secret"):
        (folder / name).unlink()
    (folder / "redis_password").mkdir()  # as Docker does where a file is missing
    (folder / "jwt_secret.new").write_text("left by an interrupted run")
    folder.chmod(0o755)
    made = prepare(bare).stdout
    assert made.count("made") == 2
    assert kept.items() <= {path.name: path.read_text() for path in folder.iterdir()}.items()
    assert problems(folder) == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_cannot_become_a_secret_is_refused_by_its_name(bare):
    (bare / "secrets").mkdir()
    (bare / "secrets" / "connections.json").symlink_to("nowhere")
    assert "./secrets/connections.json is a link that leads nowhere." in refusal(bare)
