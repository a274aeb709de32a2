"""Looking for secrets in everything a stack writes."""

import base64
import json
import sqlite3
from contextlib import closing
from urllib.parse import quote, quote_plus

from cryptography.fernet import Fernet, InvalidToken

LEDGER = "staking_ledger.db"
SIMULATOR = "simulator.db"
"""The other side: a chain keeps the signatures it was shown."""


def files(home):
    """Every file of a stack but the simulator's."""
    return [path for path in home.rglob("*") if path.is_file() and not path.name.startswith(SIMULATOR)]


def content(path):
    """A file's bytes; nothing when it has gone meanwhile, as SQLite's -shm and -wal do with the last reader."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def found_in_files(home, needle, but=()):
    """Files that hold some bytes; `but` are beginnings of names that may."""
    return [
        path.relative_to(home)
        for path in files(home)
        if not path.name.startswith(tuple(but)) and needle in content(path)
    ]


def found_in_database(home, needle):
    """Columns of Airflow's database that hold some bytes, encrypted columns opened."""
    return sorted({where for where, value in database_values(home) if needle in value})


def triggers_hold(home, needle):
    """Columns of the rows of triggers, and of tasks that wait for them, that hold some bytes."""
    return [where for where in found_in_database(home, needle) if where.startswith(("trigger.", "task_instance"))]


def spellings(secret):
    """A secret as it may have been written down: as it is, in hex, in an address, in JSON, and in base64 at any place of a text."""
    raw = secret.encode()
    found = {
        raw,
        raw.hex().encode(),
        quote(secret).encode(),
        quote(secret, safe="").encode(),
        quote_plus(secret).encode(),
    }
    found |= {json.dumps(secret)[1:-1].encode(), repr(secret)[1:-1].encode()}
    for before in range(3):  # what stands before it decides how the same bytes are spelt; the ends hold foreign bits
        coded = base64.b64encode(b"\0" * before + raw)
        found.add(coded[(4 * before + 2) // 3 + (before > 0) : len(coded) - 4])
    return sorted(found)


def database_values(home):
    """Every value of every table of Airflow's database, as bytes, with its table and column."""
    fernet = Fernet(json.loads((home / "secrets.json").read_text())["fernet_key"])
    with closing(sqlite3.connect(f"file:{home / 'airflow.db'}?mode=ro", uri=True)) as database:
        database.text_factory = bytes
        tables = [name.decode() for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            for row in rows:
                for column, value in zip(columns, row, strict=True):
                    if isinstance(value, bytes):
                        yield f"{table}.{column}", value
                        yield f"{table}.{column}", decrypted(fernet, value)


def decrypted(fernet, value):
    """What was encrypted, or nothing."""
    try:
        return fernet.decrypt(value)
    except InvalidToken:
        return b""


def ledger_signatures(home):
    """The signatures the ledger keeps, without 0x."""
    with closing(sqlite3.connect(f"file:{home / LEDGER}?mode=ro", uri=True)) as ledger:
        rows = ledger.execute("SELECT proxy_signature, fee_payment_signature FROM payouts").fetchall()
    return [signature.removeprefix("0x").encode() for row in rows for signature in row if signature]
