"""Secrets are made by chance, and refused when they are missing, weak, placeholders or the same twice."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from composition import ROOT
from engine import run
from project import checkout

from deploy.image.check_secrets import problems

GOOD = "q7Zr0tXc2VbN5mLk8JhG1fDs4ApO6iUy"


@pytest.fixture
def folder(tmp_path):
    """What deploy/compose/prepare makes in a checkout."""
    return checkout(tmp_path) / "secrets"


def test_those_that_are_made_will_do_and_are_different_every_time(folder, tmp_path):
    assert problems(folder) == []
    other = checkout(tmp_path / "other") / "secrets"
    same = {path.name for path in folder.iterdir() if path.read_text() == (other / path.name).read_text()}
    assert same == {"signers.json"}, "it is empty"
    assert len(list(folder.iterdir())) == 11


def test_nobody_else_on_the_machine_can_read_them(folder):
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.parent / ".env").stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o644}, "their containers' users can"


def test_what_exists_is_left_as_it_is(folder):
    (folder / "jwt_secret").unlink()
    (folder / "redis_password").unlink()
    (folder / "redis_password").mkdir()
    before = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    made = run("deploy/compose/prepare", cwd=folder.parent).stdout
    assert {name: (folder / name).read_text() for name in before} == before
    assert "made ./secrets/jwt_secret" in made
    assert "made ./secrets/redis_password" in made, "Docker had made a folder of it"
    assert made.count("made") == 2
    assert problems(folder) == []


REFUSED = [
    (
        {"redis_password": ""},
        "redis_password: has 0 characters, of 32 at least. Delete it and run deploy/compose/prepare",
    ),
    ({"redis_password": GOOD[:31]}, "redis_password: has 31 characters, of 32 at least. "),
    ({"fernet_key": GOOD}, "fernet_key: has 32 characters, of 44 at least. "),
    ({"jwt_secret": GOOD + "\n", "api_secret_key": GOOD}, "jwt_secret and api_secret_key: hold the same value. "),
    ({"ui_passwords.json": "[]"}, "ui_passwords.json: is not an object of passwords. "),
    ({"ui_passwords.json": '{"admin": "short"}'}, "ui_passwords.json, admin: has 5 characters, of 12 at least"),
    ({"connections.json": "{}}"}, "connections.json: is not an object of connections. "),
    ({"signers.json": "[]"}, "signers.json: is not an object of connections. "),
]


@pytest.mark.parametrize(("files", "told"), REFUSED)
def test_what_will_not_do_is_refused_with_the_remedy_and_is_not_quoted(folder, files, told):
    for name, content in files.items():
        (folder / name).write_text(content)
    (found,) = problems(folder)
    assert found.startswith(told)
    assert not [text for text in files.values() if len(text) > 2 and text in found]


def test_a_missing_one_is_refused_with_the_remedy(folder):
    for name in ("ledger_password", "jwt_secret"):
        (folder / name).unlink()
    (folder / "jwt_secret").mkdir()
    (folder / "api_secret_key").write_bytes(b"\xff\xfe")
    assert [one.partition(". ")[0] for one in problems(folder)] == [
        "ledger_password: is missing",
        "jwt_secret: cannot be read (IsADirectoryError)",
        "api_secret_key: cannot be read (UnicodeDecodeError)",
    ]


@pytest.mark.parametrize("name", ["postgres_password", "fernet_key", "jwt_secret"])
@pytest.mark.parametrize(
    ("end", "good"),
    [("", True), ("\n", True), ("\n\n", False), ("\r\n", False), ("\r", False), (" ", False), ("\t\n", False)],
)
def test_a_file_passes_only_when_whatever_reads_it_reads_the_same(folder, name, end, good):
    """One of them takes all newlines off the end, another one; none takes anything else."""
    path = folder / name
    before = path.read_text()
    path.write_text(before + end, newline="")
    found = problems(folder)
    assert (found == []) == good
    if good:
        environment = {**os.environ, "SECRETS_FOLDER": str(folder)}
        assert run(ROOT / "deploy/image/secret", name, env=environment).stdout == before
    else:
        assert found[0].startswith(f"{name}: ")


def connections(folder, change, name="connections.json"):
    path = folder / name
    known = json.loads(path.read_text())
    change(known)
    path.write_text(json.dumps(known))


TOKENS = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
USER = "5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy"


def signer(password=GOOD, login=TOKENS, **more):
    return {"conn_type": "staking_signer", "password": password, "login": login, **more}


def gateway(**extras):
    return {"conn_type": "staking_gateway", "host": "https://gateway.example", **extras}


def test_a_signer_that_the_triggerer_would_get_is_refused_unless_it_makes_access_tokens(folder):
    extras = {"bearer_signer_conn_id": "key"}
    connections(folder, lambda known: known.update(key=signer()))
    (found,) = problems(folder)
    assert found.startswith("connections.json, key: is a signer, and the triggerer reads this file. Move")
    for form in ({"extra_dejson": extras}, {"extra": extras}, {"extra": json.dumps(extras)}):
        connections(folder, lambda known, form=form: known.update(gateway=gateway(**form)))
        assert problems(folder) == []
    connections(folder, lambda known: known.update(key=signer()), "signers.json")
    assert problems(folder)[0] == "signers.json, key: is in connections.json too. Remove one of the two"


MAKER = {"gateway": gateway(extra_dejson={"bearer_signer_conn_id": "key"})}


@pytest.mark.parametrize(
    ("key", "other", "told"),
    [
        (
            signer(),
            signer(login=USER),
            "has the password of user in signers.json, so the triggerer could sign payouts. ",
        ),
        (signer(), signer(GOOD[::-1]), "has the login of user in signers.json, so the triggerer could sign payouts. "),
        (
            signer(login=""),
            signer(GOOD[::-1], USER),
            "does not name the account of its key. Write its address as login",
        ),
        (
            signer(host="https://signer.example"),
            signer(),
            "has the password of user in signers.json, so the triggerer could",
        ),
    ],
    ids=["same key", "same account", "account unknown", "same token of a remote signer"],
)
def test_no_signer_that_the_triggerer_gets_can_sign_a_payout(folder, key, other, told):
    connections(folder, lambda known: known.update(MAKER, key=key))
    connections(folder, lambda known: known.update(user=other), "signers.json")
    (found,) = problems(folder)
    assert found.startswith(f"connections.json, key: {told}")


@pytest.mark.parametrize(
    ("key", "others"),
    [
        (signer(), {"user": signer(GOOD[::-1], USER)}),
        (signer(host="https://signer.example"), {"user": signer(GOOD[::-1], TOKENS, host="https://signer.example")}),
        (None, {"user": signer()}),
    ],
    ids=["an account of its own", "a remote signer's token of its own", "a signer kept in the UI"],
)
def test_a_signer_of_its_own_makes_the_tokens_of_the_triggerer(folder, key, others):
    connections(folder, lambda known: known.update(MAKER, **({"key": key} if key else {})))
    connections(folder, lambda known: known.update(others), "signers.json")
    assert problems(folder) == []


def test_airflow_finds_the_connections_of_both_files_in_one(folder, tmp_path):
    connections(folder, lambda known: known.update(key={"conn_type": "staking_signer"}), "signers.json")
    program, files = ROOT / "deploy/image/connections.py", [folder / "connections.json", folder / "signers.json"]
    folder = tmp_path / "home"
    folder.mkdir()
    home = {**os.environ, "AIRFLOW_HOME": str(folder)}
    made = subprocess.run([sys.executable, "-I", program, *files], env=home, capture_output=True, text=True, check=True)
    path = Path(json.loads(made.stdout)["connections_file_path"])
    assert json.loads(path.read_text()).keys() == {"staking_ledger", "key"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in folder.iterdir()] == ["connections.json"]
    again = [sys.executable, "-I", program, files[0], files[0]]
    twice = subprocess.run(again, env=home, capture_output=True, text=True, check=False)
    assert "repeats a connection of another file" in twice.stderr


def test_the_keys_the_documentation_shows_are_refused(folder):
    shown = json.loads((ROOT / "tests/docs_snippets/connections.json").read_text())
    signers = {name: fields for name, fields in shown.items() if fields["conn_type"] == "staking_signer"}
    connections(folder, lambda known: known.update(signers), "signers.json")
    connections(folder, lambda known: known.update({name: shown[name] for name in shown.keys() - signers.keys()}))
    assert len(problems(folder)) == len(shown)
    assert signers


def test_the_check_ends_with_a_status_and_prints_no_secret(folder):
    command = [sys.executable, "-I", ROOT / "deploy/image/check_secrets.py", folder]
    assert run(*command).stdout == "The secrets will do.\n"
    (folder / "jwt_secret").write_text("swordfish")
    refused = run(*command, check=False)
    assert refused.returncode == 1
    assert "jwt_secret: has 9 characters" in refused.stderr
    assert "swordfish" not in refused.stderr + refused.stdout


PRINTED = {
    "metadata_url": "postgresql+psycopg2://airflow:{metadata_password}@postgres/airflow",
    "broker_url": "redis://:{redis_password}@redis:6379/0",
    "results_url": "redis://:{redis_password}@redis:6379/1",
    "flower_login": "admin:{flower_password}",
    "jwt_secret": "{jwt_secret}",
}


def test_a_setting_is_made_of_its_secret_and_without_it_is_an_error(folder):
    (folder / "jwt_secret").write_text(GOOD + "\n")
    values = {path.name: path.read_text().strip() for path in folder.iterdir()}
    command, environment = ROOT / "deploy/image/secret", {**os.environ, "SECRETS_FOLDER": str(folder)}
    for name, printed in PRINTED.items():
        assert run(command, name, env=environment).stdout == printed.format(**values)
    (folder / "redis_password").unlink()
    ended = run(command, "broker_url", env=environment, check=False)
    assert (ended.returncode != 0, ended.stdout) == (True, "")
