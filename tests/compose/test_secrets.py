"""Secrets are made by chance, and refused when they are missing, weak, placeholders or the same twice."""

from __future__ import annotations

import json
import os
import re
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


def refused(files, told, **settings):
    """Files with other content, what is said of them, and settings of .env."""
    return pytest.param(files, told, settings, id=f"{told[:50]} {next(iter((settings or files).values()))}"[:80])


PASSWORD_WEAK = {
    "": "is empty. Delete it and run deploy/compose/prepare",
    GOOD[:31]: "has 31 characters, of 32 at least. ",
    "change-me-change-me-change-me-now": "reads like a placeholder. ",
    "Airflow-q7Zr0tXc2VbN5mLk8JhG1fDs4": "reads like a placeholder. ",
    "12121212121212121212121212121212": "has fewer than 8 different characters. ",
    GOOD[:30] + "/@": "holds a character other than letters, digits",
}
ROLELESS = ("admin", "admin:", "admin:q7Zr0tXc2VbN5m", "admin: admin", "admin:admin:team")
NAMELESS = {"admin:admin,": 2, ":viewer,admin:admin": 1}
NO_ADDRESSES = (
    "https://ops.example/airflow", "https://ops.example//", "https://ops.example/?x", "ops.example", "localhost:8080",
    "https://ops.example ", "https://",
)  # fmt: skip
KNOWN_KEYS = ("//Alice", "simulator-token", "issued-to-you", "the words of the mnemonic of this account")
REFUSED = [
    *(refused({"redis_password": value}, f"redis_password: {told}") for value, told in PASSWORD_WEAK.items()),
    refused({"jwt_secret": GOOD + "\n", "api_secret_key": GOOD}, "jwt_secret and api_secret_key: hold the same value. "),
    *(refused({"fernet_key": key}, "fernet_key: is not ") for key in ("", GOOD, "A" * 43 + "=", "not base64 at all; and so long")),
    *(refused({"ui_passwords.json": text}, "ui_passwords.json: is not an object such as") for text in ("[]", '{"admin": 12}')),
    refused({"ui_passwords.json": '{"kate": "q7Zr0tXc2VbN5m"}'}, "ui_passwords.json: has no password for admin, whom UI_USERS"),
    refused({"ui_passwords.json": '{"admin": "short"}'}, "ui_passwords.json, admin: has 5 characters, of 12 at least"),
    refused({"ui_passwords.json": '{"admin": "adminadminadmin"}'}, "ui_passwords.json, admin: reads like a placeholder"),
    refused({}, "ui_passwords.json: has no password for kate, whom UI_USERS names. Add it", UI_USERS="admin:admin,kate:viewer"),
    # The api-server ends with these, and is started again for ever.
    *(refused({}, "UI_USERS, admin: has none of the roles viewer, user, op, admin. Write", UI_USERS=users) for users in ROLELESS),
    *(refused({}, f"UI_USERS, number {at}: has no name. Write name:role", UI_USERS=users) for users, at in NAMELESS.items()),
    # The execution API is below that path then, and workers ask for it where there is none.
    *(refused({}, "AIRFLOW_URL: is no address without a path; below one, tasks would not", AIRFLOW_URL=at) for at in NO_ADDRESSES),
    refused({"connections.json": "{}}"}, "connections.json: is not an object of connections. See docs/deploy.md"),
    refused({"signers.json": "[]"}, "signers.json: is not an object of connections; without any, it is {}. See docs/deploy.md"),
    *(
        refused(
            {"signers.json": json.dumps({"staking_signer_user": {"conn_type": "staking_signer", "password": key}})},
            "signers.json, staking_signer_user, password: everybody knows it. Write the key or token that is yours",
        )
        for key in KNOWN_KEYS
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "told", "settings"), REFUSED)
def test_what_will_not_do_is_refused_with_the_remedy_and_is_not_quoted(folder, monkeypatch, files, told, settings):
    for name, content in files.items():
        (folder / name).write_text(content)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (found,) = problems(folder)
    assert found.startswith(told)
    assert not [text for text in (*files.values(), "q7Zr0tXc2VbN5m") if text and len(text) > 2 and text in found]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *(("UI_USERS", users) for users in ("admin:admin", "admin:ADMIN , kate:viewer", "admin:op,kate:user")),
        *(("AIRFLOW_URL", at) for at in ("http://localhost:8080", "https://airflow.example/", "HTTPS://[::1]:8443")),
    ],
)
def test_users_with_a_role_and_an_address_without_a_path_pass(folder, monkeypatch, setting, value):
    monkeypatch.setenv(setting, value)
    (folder / "ui_passwords.json").write_text(json.dumps({"admin": GOOD[:16], "kate": GOOD[16:]}))
    assert problems(folder) == []


def test_a_missing_one_is_refused_with_the_remedy(folder):
    for name in ("ledger_password", "jwt_secret"):
        (folder / name).unlink()
    (folder / "jwt_secret").mkdir()
    (folder / "api_secret_key").write_bytes(b"\xff\xfe")
    assert problems(folder) == [
        "ledger_password: is missing. Run deploy/compose/prepare, which makes what is missing",
        "jwt_secret: is a folder, which Docker makes where a file is missing. Remove it and run deploy/compose/prepare, "
        "which makes what is missing",
        "api_secret_key: is not text. Delete it and run deploy/compose/prepare",
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


@pytest.mark.parametrize("between", [",", ", ", ",,", "\n", " "])
def test_while_the_fernet_key_is_changed_there_are_two(folder, tmp_path, between):
    other = (checkout(tmp_path / "other") / "secrets" / "fernet_key").read_text()
    path = folder / "fernet_key"
    path.write_text(f"{other}{between}{path.read_text()}\n")
    if between == ",":
        assert problems(folder) == []
    else:
        (found,) = problems(folder)
        assert found.startswith("fernet_key")
        assert "with one comma between two and no space" in found
        assert other not in found


def connections(folder, change, name="connections.json"):
    path = folder / name
    known = json.loads(path.read_text())
    change(known)
    path.write_text(json.dumps(known))


def test_a_missing_connection_of_the_ledger_is_refused_with_what_to_add(folder):
    others = {"staking_gateway_mainnet": {"conn_type": "staking_gateway", "password": GOOD}}
    made = json.loads((folder / "connections.json").read_text())["staking_ledger"]
    (folder / "connections.json").write_text(json.dumps(others))
    (found,) = problems(folder)
    assert found.startswith("connections.json: has no staking_ledger, the connection of the payout ledger. Add ")
    assert "prepare" not in found, "it changes nothing that exists"
    added = json.loads(
        "{" + re.search(r"Add (.*), with what the file ledger_password holds for the dots$", found)[1] + "}"
    )
    added["staking_ledger"]["password"] = (folder / "ledger_password").read_text()
    assert added["staking_ledger"] == made
    (folder / "connections.json").write_text(json.dumps(others | added))
    assert problems(folder) == []


def test_the_ledgers_connection_must_have_the_ledgers_password(folder):
    connections(folder, lambda known: known["staking_ledger"].update(login="airflow", password="another"))
    assert problems(folder) == [
        "connections.json, staking_ledger, login: is not 'staking_ledger'. Write \"staking_ledger\"",
        "connections.json, staking_ledger, password: is not what the file ledger_password holds. Write that, without the newline",
    ]


def test_a_ledger_password_that_was_made_anew_is_to_be_written_into_the_connection(folder):
    (folder / "ledger_password").unlink()
    run("deploy/compose/prepare", cwd=folder.parent)
    (found,) = problems(folder)
    assert "Write that, without the newline" in found
    password = (folder / "ledger_password").read_text()
    connections(folder, lambda known: known["staking_ledger"].update(password=password))
    assert problems(folder) == []


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
    assert found.startswith(
        "connections.json, key: holds a signer's key or token, and the triggerer reads this file. Move"
    )
    for form in ({"extra_dejson": extras}, {"extra": extras}, {"extra": json.dumps(extras)}):
        connections(folder, lambda known, form=form: known.update(gateway=gateway(**form)))
        assert problems(folder) == []
    connections(folder, lambda known: known.update(key=signer()), "signers.json")
    assert problems(folder)[0] == "signers.json, key: is in connections.json too. Remove one of the two"


MAKER = {"gateway": gateway(extra_dejson={"bearer_signer_conn_id": "key"})}
REMEDY = "Use an issued token, or name a signer of an account that signs no payout. See docs/deploy.md"


@pytest.mark.parametrize(
    ("key", "others", "told"),
    [
        (
            None,
            {"key": signer()},
            f"signers.json, key: makes the access tokens of a gateway, and the triggerer does not read this file. {REMEDY}",
        ),
        (
            signer(),
            {"user": signer(login=USER)},
            f"connections.json, key: has the key or token of user in signers.json, so the triggerer could sign payouts. {REMEDY}",
        ),
        (
            signer(),
            {"user": signer(GOOD[::-1])},
            f"connections.json, key: has the account of user in signers.json, so the triggerer could sign payouts. {REMEDY}",
        ),
        (
            signer(login=""),
            {"user": signer(GOOD[::-1], USER)},
            "connections.json, key: does not name the account of its key. Write its address as login, so that another key is refused",
        ),
        (
            signer(host="https://signer.example"),
            {"user": signer(login=USER, host="https://signer.example")},
            f"connections.json, key: has the key or token of user in signers.json, so the triggerer could sign payouts. {REMEDY}",
        ),
    ],
    ids=["not for the triggerer", "same key", "same account", "account unknown", "same token of a remote signer"],
)
def test_no_signer_that_the_triggerer_gets_can_sign_a_payout(folder, key, others, told):
    connections(folder, lambda known: known.update(MAKER, **({"key": key} if key else {})))
    connections(folder, lambda known: known.update(others), "signers.json")
    assert problems(folder) == [told]


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
