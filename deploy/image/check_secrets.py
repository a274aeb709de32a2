"""Refuses secrets that are missing, weak, placeholders, or the same twice, users of the UI without a role, and an address of the UI
with a path; nothing starts before.

`python check_secrets.py [FOLDER]` reads one file per secret and says of each what is wrong and what to do. It prints no secret.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

MACHINE = {
    "postgres_password": "PostgreSQL's superuser",
    "metadata_password": "the PostgreSQL user of Airflow's metadata",
    "ledger_password": "the PostgreSQL user of the payout ledger",
    "redis_password": "Redis",
    "jwt_secret": "the tokens Airflow's components show each other",
    "api_secret_key": "the UI's sessions",
}
"""Secrets nobody types."""
FERNET_KEY = "fernet_key"
FLOWER = "flower_password"
USERS = "ui_passwords.json"
CONNECTIONS = "connections.json"
SIGNERS = "signers.json"
"""The connections of the signers of payouts, which the triggerer does not get."""
LEDGER = "staking_ledger"
ROLES = ("viewer", "user", "op", "admin")
"""Those of Airflow's simple auth manager; with another one, or none, the api-server does not work."""

SHORTEST_MACHINE, SHORTEST_HUMAN, FEWEST_DIFFERENT = 32, 12, 8
PLACEHOLDER = re.compile(
    r"change.?me|passwor[dt]|secret|example|default|admin|airflow|postgres|redis|staking|qwerty|letmein|placeholder|to.?do",
    re.I,
)
URL_SAFE = re.compile(r"[A-Za-z0-9_.~-]*")
ADDRESS = re.compile(r"https?://[^\s/?#]+/?", re.I)
FERNET = re.compile(r"[A-Za-z0-9_-]{43}=")
PUBLIC = re.compile(
    r"//|simulator-token$|issued-to-you$|the words of the mnemonic|token-of-the-signer$|bottom drive obey lake"
)
"""How keys and tokens begin that everybody knows: development keys, the simulator's token, those of the documentation."""
_ANOTHER = "Use an issued token, or name a signer of an account that signs no payout. See docs/deploy.md"
PREPARE = "Run deploy/compose/prepare, which makes what is missing"
AGAIN = "Delete it and run deploy/compose/prepare"
FERNET_REMEDY = (
    "Write keys as docs/deploy.md says, with one comma between two and no space; or, if no connection was ever made in the UI, "
    "delete it and run deploy/compose/prepare"
)


def problems(folder: Path) -> list[str]:
    """What is wrong with the secrets of a folder, a sentence each with its remedy; empty when all is well."""
    found: list[str] = []
    values: dict[str, str] = {}
    for name in [*MACHINE, FERNET_KEY, FLOWER, USERS, CONNECTIONS, SIGNERS]:
        values |= _read(folder / name, found)
    machine = {name: value for name, value in values.items() if name in MACHINE}
    for name, value in machine.items():
        found += _weak(name, value, SHORTEST_MACHINE, AGAIN)
    if FERNET_KEY in values:
        found += _no_fernet_key(values[FERNET_KEY])
    if FLOWER in values:
        found += _weak(FLOWER, values[FLOWER], SHORTEST_HUMAN, AGAIN)
    found += _address(os.environ.get("AIRFLOW_URL", "http://localhost:8080"))
    named = _named(os.environ.get("UI_USERS", "admin:admin"), found)
    people = _users(values[USERS], named, found) if USERS in values else {}
    if CONNECTIONS in values:
        found += _connections(values[CONNECTIONS], values.get("ledger_password"))
        found += _signers(values.get(SIGNERS, "{}"), values[CONNECTIONS])
    once = {**machine, **{name: values[name] for name in (FERNET_KEY, FLOWER) if name in values}, **people}
    return found + _twice(once)


def _read(path: Path, found: list[str]) -> dict[str, str]:
    """The value of a file by its name; nothing when it cannot be read, and `found` says why.

    One newline at the end is no part of a value, whatever reads it. Anything beyond that some would read and others not.
    """
    try:
        return {path.name: path.read_bytes().decode().removesuffix("\n")}
    except (OSError, ValueError) as error:
        found.append(f"{path.name}: {_unreadable(error)}")
        return {}


def _unreadable(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"is missing. {PREPARE}"
    if isinstance(error, IsADirectoryError):
        return f"is a folder, which Docker makes where a file is missing. Remove it and run {PREPARE[4:]}"
    if isinstance(error, PermissionError):
        return "cannot be read. Allow it with chmod 0644; the folder around it, at 0700, keeps others out"
    return "is not text. " + AGAIN


def _weak(name: str, value: str, shortest: int, remedy: str) -> list[str]:
    if not value:
        return [f"{name}: is empty. {remedy}"]
    if len(value) < shortest:
        return [f"{name}: has {len(value)} characters, of {shortest} at least. {remedy}"]
    if PLACEHOLDER.search(value):
        return [f"{name}: reads like a placeholder. {remedy}"]
    if len(set(value)) < FEWEST_DIFFERENT:
        return [f"{name}: has fewer than {FEWEST_DIFFERENT} different characters. {remedy}"]
    if not URL_SAFE.fullmatch(value):
        return [
            f"{name}: holds a character other than letters, digits and _ . ~ -, such as a carriage return or a second newline, "
            f"which a URL would not carry. {remedy}"
        ]
    return []


def _no_fernet_key(value: str) -> list[str]:
    """What is wrong with the key, or with one of several: while it is changed the new one and the old one are there."""
    for number, key in enumerate(value.split(","), 1):
        name = f"{FERNET_KEY}, number {number}" if "," in value else FERNET_KEY
        if not FERNET.fullmatch(key):
            return [f"{name}: is not 32 bytes in URL-safe base64. {FERNET_REMEDY}"]
        if len(set(base64.urlsafe_b64decode(key))) < FEWEST_DIFFERENT:
            return [f"{name}: is not random. {FERNET_REMEDY}"]
    return []


def _address(url: str) -> list[str]:
    """What is wrong with AIRFLOW_URL: Airflow serves all below its path, and workers look for the api-server where there is none."""
    if ADDRESS.fullmatch(url):
        return []
    return [
        "AIRFLOW_URL: is no address without a path; below one, tasks would not reach the api-server. "
        "Write scheme and host in .env, e.g. https://airflow.example, and have the proxy serve Airflow under a host name of its own"
    ]


def _named(setting: str, found: list[str]) -> list[str]:
    """The users UI_USERS names; adds to `found` what is wrong with them. What stands for a role may be a password: it is not quoted."""
    users = []
    for number, entry in enumerate(setting.split(","), 1):
        user, _, role = entry.strip().partition(":")
        if not user:
            found.append(f"UI_USERS, number {number}: has no name. Write name:role in .env, with one comma between two")
        elif role.lower() not in ROLES:
            found.append(
                f"UI_USERS, {user}: has none of the roles {', '.join(ROLES)}. Write {user}:viewer in .env, for example"
            )
        users += [user] if user else []
    return users


def _users(text: str, named: list[str], found: list[str]) -> dict[str, str]:
    """The passwords of the UI's users by where they are; adds to `found` what is wrong with them."""
    users = _object(text)
    if not users or not all(isinstance(password, str) for password in users.values()):
        found.append(f'{USERS}: is not an object such as {{"admin": "a password"}}. {AGAIN}')
        return {}
    found += [
        f"{USERS}: has no password for {user}, whom UI_USERS names. Add it" for user in named if user not in users
    ]
    for user, password in users.items():
        found += _weak(f"{USERS}, {user}", password, SHORTEST_HUMAN, "Write a better one")
    return {f"{USERS}, {user}": password for user, password in users.items()}


def _connections(text: str, ledger_password: str | None) -> list[str]:
    """What is wrong with the connections; those of the gateway and the signers may be elsewhere."""
    connections = _object(text)
    if connections is None or not all(isinstance(fields, dict) for fields in connections.values()):
        return [f"{CONNECTIONS}: is not an object of connections. See docs/deploy.md"]
    makers = _token_makers(connections)
    misplaced = [
        f"{CONNECTIONS}, {conn_id}: holds a signer's key or token, and the triggerer reads this file. Move the connection to {SIGNERS}"
        for conn_id, fields in connections.items()
        if fields.get("conn_type") == "staking_signer" and conn_id not in makers
    ]
    return [*_ledger(connections.get(LEDGER), ledger_password), *misplaced, *_public(CONNECTIONS, connections)]


def _signers(text: str, others: str) -> list[str]:
    """What is wrong with the connections of the signers."""
    signers = _object(text)
    if signers is None or not all(isinstance(fields, dict) for fields in signers.values()):
        return [f"{SIGNERS}: is not an object of connections; without any, it is {{}}. See docs/deploy.md"]
    known = {name: fields for name, fields in (_object(others) or {}).items() if isinstance(fields, dict)}
    twice = signers.keys() & known.keys()
    return [
        *(f"{SIGNERS}, {conn_id}: is in {CONNECTIONS} too. Remove one of the two" for conn_id in sorted(twice)),
        *_for_tokens_only(known, signers),
        *_public(SIGNERS, signers),
    ]


def _token_makers(connections: dict[str, dict[str, Any]]) -> set[str]:
    """The signers that make a gateway's access tokens."""
    named = {_extras(fields).get("bearer_signer_conn_id") for fields in connections.values()}
    return {name for name in named if isinstance(name, str) and name}


def _for_tokens_only(connections: dict[str, dict[str, Any]], signers: dict[str, dict[str, Any]]) -> list[str]:
    """What is wrong with the signers that the triggerer gets: none may be able to sign a payout."""
    found = []
    for conn_id in sorted(_token_makers(connections)):
        if conn_id in signers:
            found.append(
                f"{SIGNERS}, {conn_id}: makes the access tokens of a gateway, and the triggerer does not read this file. {_ANOTHER}"
            )
            continue
        maker = connections.get(conn_id)
        if maker is None:
            continue  # it is elsewhere
        if not maker.get("host") and not maker.get("login"):
            found.append(
                f"{CONNECTIONS}, {conn_id}: does not name the account of its key. Write its address as login, so that another key is refused"
            )
        found += [
            f"{CONNECTIONS}, {conn_id}: has the {what} of {other} in {SIGNERS}, so the triggerer could sign payouts. {_ANOTHER}"
            for other, fields in sorted(signers.items())
            for what, name, local in (("key or token", "password", False), ("account", "login", True))
            if maker.get(name) and maker.get(name) == fields.get(name) and not (local and maker.get("host"))
        ]
    return found


def _public(name: str, connections: dict[str, dict[str, Any]]) -> list[str]:
    return [
        f"{name}, {conn_id}, password: everybody knows it. Write the key or token that is yours"
        for conn_id, fields in connections.items()
        if PUBLIC.match(str(fields.get("password", "")))
    ]


def _extras(fields: dict[str, Any]) -> dict[str, Any]:
    """The extras of a connection, in any of the forms that Airflow reads."""
    given = fields.get("extra_dejson") or fields.get("extra") or {}
    return (_object(given) if isinstance(given, str) else given) or {}


def _ledger(fields: dict[str, Any] | None, password: str | None) -> list[str]:
    """What is wrong with the ledger's connection; its password is not looked at where ledger_password cannot be read."""
    expected = {"conn_type": "postgres", "host": "postgres", "login": LEDGER, "schema": LEDGER}
    if fields is None:
        whole = json.dumps({LEDGER: {**expected, "password": "...", "extra_dejson": {"sslmode": "disable"}}})[1:-1]
        return [
            f"{CONNECTIONS}: has no {LEDGER}, the connection of the payout ledger. "
            f"Add {whole}, with what the file ledger_password holds for the dots"
        ]
    found = [
        f"{CONNECTIONS}, {LEDGER}, {name}: is not {value!r}. Write {json.dumps(value)}"
        for name, value in expected.items()
        if fields.get(name) != value
    ]
    if password is not None and fields.get("password") != password:
        found.append(
            f"{CONNECTIONS}, {LEDGER}, password: is not what the file ledger_password holds. Write that, without the newline"
        )
    return found


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _twice(values: dict[str, str]) -> list[str]:
    holders = defaultdict(list)
    for name, value in values.items():
        if value:
            holders[value].append(name)
    return [
        f"{' and '.join(names)}: hold the same value. {AGAIN}, all but one"
        for names in holders.values()
        if len(names) > 1
    ]


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1] if len(sys.argv) > 1 else "/run/secrets"))
    if wrong:
        sys.exit(
            "\n".join(
                [
                    "Nothing is started, because of .env, or of the secrets in the folder that SECRETS_FOLDER names there:",
                    *wrong,
                ]
            )
        )
    sys.stdout.write("The secrets will do.\n")
