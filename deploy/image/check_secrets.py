"""Refuses secrets that are missing, too short or the same twice, and signers of payouts that the triggerer would get. Nothing starts before.

`python check_secrets.py [FOLDER]` reads one file per secret, and says of each what is wrong and what to do. It prints no secret.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

SHORTEST = {
    "postgres_password": 32,
    "metadata_password": 32,
    "ledger_password": 32,
    "redis_password": 32,
    "jwt_secret": 32,
    "api_secret_key": 32,
    "fernet_key": 44,
    "flower_password": 12,
}
"""The fewest characters of each secret."""
USERS, CONNECTIONS, SIGNERS = "ui_passwords.json", "connections.json", "signers.json"
"""Objects: passwords of the UI by user, connections, and the connections of signers, which the triggerer does not get."""
PUBLIC = re.compile(
    r"//|simulator-token$|issued-to-you$|the words of the mnemonic|token-of-the-signer$|bottom drive obey lake"
)
"""The beginnings of published keys and tokens: of development, of the simulator, of the documentation."""
AGAIN = "Delete it and run deploy/compose/prepare"


def problems(folder: Path) -> list[str]:
    """What is wrong with the secrets of a folder, one sentence each with its remedy; empty when nothing is."""
    found: list[str] = []
    texts = {name: _read(folder / name, found) for name in (*SHORTEST, USERS, CONNECTIONS, SIGNERS)}
    values = {name: (text, SHORTEST[name]) for name, text in texts.items() if text is not None and name in SHORTEST}
    users, connections, signers = (_object(name, texts[name], found) for name in (USERS, CONNECTIONS, SIGNERS))
    values |= {f"{USERS}, {user}": (str(password), SHORTEST["flower_password"]) for user, password in users.items()}
    for name, (value, shortest) in values.items():
        if len(value) < shortest:
            found.append(f"{name}: has {len(value)} characters, of {shortest} at least. {AGAIN}")
        elif re.search(r"\s", value):
            found.append(f"{name}: has a space or a second line, which not every reader reads alike. {AGAIN}")
    holders = defaultdict(list)
    for name, (value, _) in values.items():
        holders[value].append(name)
    found += [
        f"{' and '.join(names)}: hold the same value. {AGAIN}, all but one"
        for names in holders.values()
        if len(names) > 1
    ]
    return found + _public(CONNECTIONS, connections) + _public(SIGNERS, signers) + _signing(connections, signers)


def _read(path: Path, found: list[str]) -> str | None:
    """The text of a file without one newline at its end; None when it cannot be read, and `found` says why."""
    try:
        return path.read_bytes().decode().removesuffix("\n")
    except FileNotFoundError:
        found.append(f"{path.name}: is missing. Run deploy/compose/prepare, which makes what is missing")
    except (OSError, ValueError) as error:
        found.append(f"{path.name}: cannot be read ({type(error).__name__}). {AGAIN}")
    return None


def _object(name: str, text: str | None, found: list[str]) -> dict[str, Any]:
    """The object in a file; empty when it is none, and `found` says so."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        value = None
    if isinstance(value, dict) and (name == USERS or all(isinstance(fields, dict) for fields in value.values())):
        return value
    found.append(f"{name}: is not an object of {'passwords' if name == USERS else 'connections'}. See docs/deploy.md")
    return {}


def _public(name: str, connections: dict[str, Any]) -> list[str]:
    return [
        f"{name}, {conn_id}, password: is a published key or token. Write your own"
        for conn_id, fields in connections.items()
        if PUBLIC.match(str(fields.get("password", "")))
    ]


def _signing(connections: dict[str, Any], signers: dict[str, Any]) -> list[str]:
    """What lets the triggerer sign a payout: it gets `connections`, and of the signers only those that make access tokens."""
    makers = {_extras(fields).get("bearer_signer_conn_id") for fields in connections.values()}
    found = [
        f"{SIGNERS}, {conn_id}: is in {CONNECTIONS} too. Remove one of the two"
        for conn_id in signers.keys() & connections.keys()
    ]
    for conn_id, fields in connections.items():
        if fields.get("conn_type") not in ("stakingsigner", "staking_signer"):
            continue
        if conn_id not in makers:
            found.append(
                f"{CONNECTIONS}, {conn_id}: is a signer, and the triggerer reads this file. Move it to {SIGNERS}"
            )
        elif not fields.get("host") and not fields.get("login"):
            found.append(f"{CONNECTIONS}, {conn_id}: does not name the account of its key. Write its address as login")
        shared = ["password"] if fields.get("host") else ["password", "login"]
        found += [
            f"{CONNECTIONS}, {conn_id}: has the {name} of {other} in {SIGNERS}, so the triggerer could sign payouts. "
            "Use an issued token, or a signer of an account that signs no payout"
            for other, others in signers.items()
            for name in shared
            if fields.get(name) and fields[name] == others.get(name)
        ]
    return found


def _extras(fields: dict[str, Any]) -> dict[str, Any]:
    """The extras of a connection, in any of the forms that Airflow reads."""
    given = fields.get("extra_dejson") or fields.get("extra") or {}
    try:
        given = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1] if len(sys.argv) > 1 else "/run/secrets"))
    if wrong:
        sys.exit("\n".join(["Nothing is started. In the folder that SECRETS_FOLDER of .env names:", *wrong]))
    sys.stdout.write("The secrets will do.\n")
