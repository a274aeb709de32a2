"""deploy/compose/prepare says `ready` only when Compose will find what it has made, and else what to write, before it changes anything."""

from __future__ import annotations

import os
import re
import shutil
import stat

import pytest
from composition import ROOT, example
from engine import run
from project import checkout

from deploy.image.check_secrets import problems


@pytest.fixture
def bare(tmp_path):
    """A checkout in which nothing has been made yet."""
    folder = checkout(tmp_path / "checkout")
    shutil.rmtree(folder / "secrets")
    (folder / ".env").unlink()
    return folder


def prepare(folder, *arguments, **variables):
    """Run it; returns it ended."""
    return run("deploy/compose/prepare", *arguments, cwd=folder, check=False, env={**os.environ, **variables})


def refusal(folder, *arguments, **variables):
    """What it says when it refuses; neither .env nor a secret has come of it."""

    def files():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = files()
    ended = prepare(folder, *arguments, **variables)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert files() == before
    assert ended.stderr.startswith("prepare: ")
    assert ended.stderr.count("\n") == 1, "one message, and no other program's"
    return ended.stderr


# --- a .env of an older version ----------------------------------------------------------------------------------------


def test_an_image_of_another_version_is_refused_and_one_of_your_own_is_not(bare):
    version = re.search(r'(?m)^version = "(.*)"$', (ROOT / "pyproject.toml").read_text())[1]
    lines = "SECRETS_FOLDER=./secrets\nSTAKING_IMAGE="
    (bare / ".env").write_text(f"{lines}staking-gateway-airflow:0.0.9\n")
    assert refusal(bare) == (
        f"prepare: .env names the image of version 0.0.9, and this is version {version}. "
        f"Write STAKING_IMAGE=staking-gateway-airflow:{version}, then run: docker compose build\n"
    )
    for image in (f"staking-gateway-airflow:{version}", "registry.example/airflow:7"):
        (bare / ".env").write_text(f"{lines}{image}\n")
        assert prepare(bare).returncode == 0


def test_the_secrets_that_an_older_version_did_not_have_are_added_to_the_old_ones(bare):
    assert prepare(bare).returncode == 0
    connections = bare / "secrets" / "connections.json"
    before = connections.read_text()
    (bare / "secrets" / "signers.json").unlink()
    assert prepare(bare).returncode == 0
    assert (bare / "secrets" / "signers.json").read_text() == "{}\n"
    assert connections.read_text() == before


# --- the folder .env names ---------------------------------------------------------------------------------------------


VALUES = (
    "",
    '"./secrets"',
    "'./secrets'",
    "./secrets # ours",
    "./secrets\r",
    "./secrets ",
    " ./secrets",
    "~/secrets",
    "$HOME/secrets",
)
LINES = [f"SECRETS_FOLDER={value}" for value in VALUES] + [
    "SECRETS_FOLDER = ./secrets", " SECRETS_FOLDER=./secrets", "export SECRETS_FOLDER=./secrets", "SECRETS_FOLDER: ./secrets",
    "'SECRETS_FOLDER'=./secrets", "\ufeffSECRETS_FOLDER=./secrets", "SECRETS_FOLDER",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_compose_reads_otherwise_is_refused_by_its_number(bare, line):
    (bare / ".env").write_text(f"# SECRETS_FOLDER=./here\nMY_SECRETS_FOLDER=1\n{line}\nAIRFLOW_PORT=8080\n", newline="")
    assert refusal(bare).startswith("prepare: .env, line 3: write SECRETS_FOLDER=./secrets, or another folder")


@pytest.mark.parametrize(
    "text", ["", "AIRFLOW_PORT=8080\n", "# SECRETS_FOLDER=./secrets\n", "SECRETS_FOLDER_OLD=./secrets\n"]
)
def test_an_env_without_the_line_is_refused_with_the_line(bare, text):
    (bare / ".env").write_text(text)
    assert "Add: SECRETS_FOLDER=./secrets" in refusal(bare)


def test_an_env_that_names_two_folders_is_refused(bare):
    (bare / ".env").write_text("SECRETS_FOLDER=./one\nSECRETS_FOLDER=./two\n")
    assert ".env names SECRETS_FOLDER more than once, first in line 1." in refusal(bare)


def test_another_folder_than_the_one_of_env_is_refused_and_both_are_named(bare):
    (bare / ".env").write_text("AIRFLOW_PORT=8080\nSECRETS_FOLDER=./one\n")
    assert ".env, line 2, names the folder ./one, and not ./two." in refusal(bare, "./two")
    assert prepare(bare, "./one").returncode == 0


def test_a_variable_that_compose_would_take_instead_is_refused(bare):
    assert "your shell sets SECRETS_FOLDER to './two', which Compose takes" in refusal(bare, SECRETS_FOLDER="./two")
    assert "Run: unset SECRETS_FOLDER" in refusal(bare, "./one", SECRETS_FOLDER="")
    assert prepare(bare, "./two", SECRETS_FOLDER="./two").returncode == 0


# --- the folder it is given --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a|b", "a&b", "a\\b", "a\nb", "a\n", "a\r", "~/a", "$a", "a#b", '"a"', " a", "a ", "", "a:b", "a*"]
)
def test_a_folder_that_env_cannot_name_is_refused_before_there_is_an_env(bare, name):
    told = refusal(bare, name)
    assert "the folder's name may have letters, digits, spaces inside and . _ / @ % + , = -" in told


@pytest.mark.parametrize("name", ["./elsewhere", "elsewhere/", "./a b/gé_1.2", "a@b%c+d,e=f-g"])
def test_a_folder_that_env_can_name_is_made_and_named(bare, name):
    assert "ready" in prepare(bare, name).stdout
    assert f"\nSECRETS_FOLDER={name}\n" in (bare / ".env").read_text()
    assert problems(bare / name) == []
    assert "ready" in prepare(bare).stdout, "it is the one .env names"


def test_a_folder_outside_of_the_checkout_is_made(bare, tmp_path):
    prepare(bare, tmp_path / "outside")
    assert problems(tmp_path / "outside") == []


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_it_tells_how_it_is_used(bare, option):
    ended = prepare(bare, option)
    assert ended.returncode == 0
    assert ended.stdout.startswith("usage: deploy/compose/prepare [FOLDER]\n")
    assert not (bare / ".env").exists()


@pytest.mark.parametrize("arguments", [["-x"], ["--folder", "a"], ["a", "b"]])
def test_what_it_does_not_know_is_refused(bare, arguments):
    assert "see deploy/compose/prepare --help" in refusal(bare, *arguments)


# --- what is in the folder ---------------------------------------------------------------------------------------------


def test_a_folder_that_was_open_to_others_is_closed(bare):
    (bare / "secrets").mkdir(mode=0o755)
    prepare(bare)
    assert stat.S_IMODE((bare / "secrets").stat().st_mode) == 0o700
    (bare / "secrets").chmod(0o755)
    prepare(bare)
    assert stat.S_IMODE((bare / "secrets").stat().st_mode) == 0o700


def test_a_folder_of_other_things_is_neither_filled_nor_closed(bare):
    before = bare.stat().st_mode
    assert ". holds other things than secrets. Name a folder of its own" in refusal(bare, ".")
    assert bare.stat().st_mode == before


def test_it_goes_on_where_it_was_interrupted(bare):
    (bare / "secrets").mkdir()
    (bare / "secrets" / "postgres_password.new").write_text("half")
    assert "ready" in prepare(bare).stdout
    assert problems(bare / "secrets") == []


@pytest.mark.parametrize("name", ["redis_password", "connections.json"])
def test_what_cannot_become_a_secret_is_refused_by_its_name(bare, name):
    path = bare / "secrets" / name
    path.mkdir(parents=True)
    (path / "something").touch()
    assert f"./secrets/{name} is a folder, where a file has to be. Remove it" in refusal(bare)
    shutil.rmtree(path)
    path.symlink_to("nowhere")
    assert f"./secrets/{name} is a link that leads nowhere. Remove it, or make what it leads to" in refusal(bare)


# --- the folders that are mounted --------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["STAKING_FOLDER", "DAGS_FOLDER"])
def test_the_example_says_how_a_folder_that_is_mounted_begins(setting):
    value, comment = example()[setting]
    assert value.startswith("./")
    assert re.search(r"It begins with \./ or /", comment)
    assert f"${{{setting}:-{value}}}:/opt/" in (ROOT / "docker-compose.yml").read_text(), (
        "a short form, which knows volumes by name"
    )
