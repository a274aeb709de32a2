"""Secrets are random, and refused when they are missing, too short or the same twice, or when the triggerer could sign with them."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from composition import ROOT
from engine import run
from project import checkout

from deploy.image.check_secrets import problems

GOOD = "q7Zr0tXc2VbN5mLk8JhG1fDs4ApO6iUy"
TOKENS = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
USER = "5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy"


@pytest.fixture
def folder(tmp_path):
    """What deploy/compose/prepare makes in a checkout."""
    return checkout(tmp_path) / "secrets"


def secret(folder, name, *, check=True):
    """What a container's settings get of a secret."""
    return run(ROOT / "deploy/image/secret", name, env={**os.environ, "SECRETS_FOLDER": str(folder)}, check=check)


def connect(folder, name="connections.json", **connections):
    """Add connections to a file."""
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **connections}))


def signer(password=GOOD, login=TOKENS, **more):
    return {"conn_type": "stakingsigner", "password": password, "login": login, **more}


def test_new_secrets_are_accepted_different_every_time_and_closed_to_others(folder, tmp_path):
    assert problems(folder) == []
    other = checkout(tmp_path / "other") / "secrets"
    same = {path.name for path in folder.iterdir() if path.read_text() == (other / path.name).read_text()}
    assert same == {"signers.json"}, "it is empty"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.parent / ".env").stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o644}, "their containers' users read"


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"redis_password": GOOD[:31]}, "redis_password: has 31 characters, of 32 at least. Delete it and run deploy/"),
        ({"jwt_secret": GOOD + "\n", "api_secret_key": GOOD}, "jwt_secret and api_secret_key: hold the same value. "),
        ({"jwt_secret": GOOD + "\r\n"}, "jwt_secret: has a space or a second line"),
        ({"jwt_secret": None}, "jwt_secret: is missing. Run deploy/compose/prepare"),
        ({"ui_passwords.json": '{"admin": "short"}'}, "ui_passwords.json, admin: has 5 characters, of 12 at least"),
        ({"signers.json": "[]"}, "signers.json: is not an object of connections. "),
    ],
)
def test_an_unfit_secret_is_refused_with_the_remedy_and_not_quoted(folder, files, problem):
    for name, content in files.items():
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_text(content, newline="")
    (found,) = problems(folder)
    assert found.startswith(problem)
    check = run(sys.executable, "-I", ROOT / "deploy/image/check_secrets.py", folder, check=False)
    assert (check.returncode, check.stderr.splitlines()[1:]) == (1, [found])
    assert not [text for text in files.values() if text and len(text) > 2 and text in check.stdout + check.stderr]


def test_the_published_keys_of_the_documentation_are_refused(folder):
    shown = json.loads((ROOT / "tests/docs_snippets/connections.json").read_text())
    signers = {name: fields for name, fields in shown.items() if fields["conn_type"] == "stakingsigner"}
    connect(folder, "signers.json", **signers)
    connect(folder, **{name: fields for name, fields in shown.items() if name not in signers})
    assert len(problems(folder)) == len(shown)
    assert signers


@pytest.mark.parametrize(
    ("key", "user", "problem"),
    [
        (signer(), signer(login=USER), "has the password of user in signers.json, so the triggerer could sign"),
        (signer(), signer(GOOD[::-1]), "has the login of user in signers.json, so the triggerer could sign"),
        (signer(login=""), signer(GOOD[::-1], USER), "does not name the account of its key"),
        (signer(host="https://signer.example"), signer(), "has the password of user in signers.json"),
        (signer(), signer(GOOD[::-1], USER), None),
        (signer(host="https://a.example"), signer(GOOD[::-1], host="https://a.example"), None),
    ],
    ids=["same key", "same account", "account unknown", "same token of a remote signer", "own account", "own token"],
)
def test_no_signer_that_the_triggerer_gets_can_sign_a_payout(folder, key, user, problem):
    connect(folder, "signers.json", user=user)
    connect(folder, key=key)
    assert "connections.json, key: is a signer, and the triggerer reads this file. " in "\n".join(problems(folder))
    for form in ({"extra_dejson": {"bearer_signer_conn_id": "key"}}, {"extra": '{"bearer_signer_conn_id": "key"}'}):
        connect(folder, gateway={"conn_type": "stakinggateway", **form})
        found = problems(folder)
        assert len(found) == (problem is not None)
        assert problem is None or found[0].startswith(f"connections.json, key: {problem}")


def test_a_container_finds_the_connections_of_both_files_in_one_that_it_alone_reads(folder, tmp_path):
    connect(folder, "signers.json", key=signer())
    home = tmp_path / "home"
    home.mkdir()
    command = (sys.executable, "-I", ROOT / "deploy/image/connections.py")
    files = (folder / "connections.json", folder / "signers.json")
    made = run(*command, *files, env={**os.environ, "AIRFLOW_HOME": str(home)})
    path = Path(json.loads(made.stdout)["connections_file_path"])
    assert json.loads(path.read_text()).keys() == {"staking_ledger", "key"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_setting_is_made_of_its_secret_and_without_it_is_an_error(folder):
    values = {path.name: path.read_text() for path in folder.iterdir()}
    (folder / "redis_password").write_text(values["redis_password"] + "\n")
    new_and_old = f"{'n' * 43}=,{values['fernet_key']}"
    (folder / "fernet_key").write_text(new_and_old)
    assert problems(folder) == []
    assert secret(folder, "fernet_key").stdout == new_and_old
    assert secret(folder, "broker_url").stdout == f"redis://:{values['redis_password']}@redis:6379/0"
    assert secret(folder, "metadata_url").stdout.endswith(f":{values['metadata_password']}@postgres/airflow")
    assert secret(folder, "jwt_secret").stdout == values["jwt_secret"]
    (folder / "redis_password").unlink()
    ended = secret(folder, "broker_url", check=False)
    assert (ended.returncode != 0, ended.stdout) == (True, "")
