"""The secrets Airflow itself is set up with: who knows or guesses one of them reaches every connection, and with it every key."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.doctor.findings import Finding, error, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway_provider.doctor.case import SetUp

_FERNET_KEY, _API_SECRET, _JWT_SECRET = ("core", "fernet_key"), ("api", "secret_key"), ("api_auth", "jwt_secret")
_PUBLISHED = {
    "46BKJoQYlPPOexq0OhDZnIlNepKFf87WFwLbfzqDDho=",
    "81HqDtbqAywKSOumSha3BhWNOdQ26slT6K0YaZeZyPs=",
    "a25mQ1FHTUh3MnFRSk5KMEIyVVU2YmN0VGRyYTVXY08=",
}
"""Keys that stand in guides and example files all over the web."""
_PLACEHOLDER = re.compile(
    r"change.?(me|this|it)|passwor[dt]|secret|example|default|airflow|your|place.?holder|to.?do", re.I
)
_SHORTEST, _FEWEST_DIFFERENT = 24, 8
"""Airflow's own random ones have 24 characters."""
_EXAMPLE_PASSWORDS = {"airflow", "postgres", "password", "admin", "root", "mysql", "changeme"}
_MAKE_FERNET = (
    "python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())', put it in front of the old one "
    "with a comma, and run: airflow rotate-fernet-key"
)
_OUR_OWN = ("staking_gateway", "staking_signer", "substrate")


def check_secrets(setup: SetUp) -> Iterator[Finding]:
    """None of them is empty, published, a placeholder or short. No finding quotes one."""
    del setup
    found = [*_fernet_key(), *_shared_secrets(), *_database_password(), *_all_admins()]
    yield from found
    if not found:
        empty = (
            "" if _read(_FERNET_KEY)[0] else "; set core.fernet_key before you store a connection in Airflow's database"
        )
        yield ok(f"Airflow's own are no examples and no short ones{empty}")


def _read(option: tuple[str, str]) -> tuple[str, bool]:
    """The value of an option, and whether somebody has set it: Airflow makes up some of those that nobody has."""
    from airflow.configuration import conf

    section, key = option
    options: Any = conf.as_dict(display_source=True, display_sensitive=True).get(section, {})
    value, source = options.get(key, ("", "default"))
    return str(value or ""), source != "default"


def _fernet_key() -> Iterator[Finding]:
    value, is_set = _read(_FERNET_KEY)
    stored = _stored_unencrypted()
    if stored:
        yield error(
            f"core.fernet_key was empty when connection {', '.join(stored)} was stored: the key in it can be read in the "
            "database by anybody who can read that",
            "Set core.fernet_key, then store the connection again",
        )
    for key in value.split(",") if is_set else ():
        problem = _bad_fernet_key(key.strip())
        if problem:
            yield error(f"core.fernet_key {problem}", f"Make a new one: {_MAKE_FERNET}")


def _bad_fernet_key(key: str) -> str | None:
    if not key:
        return None
    if key in _PUBLISHED:
        return "is a published example: everybody can read the connections in Airflow's database"
    try:
        raw = base64.urlsafe_b64decode(key)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32:
        return "is not 32 bytes in URL-safe base64: Airflow cannot read its connections"
    return "is not random" if len(set(raw)) < _FEWEST_DIFFERENT else None


def _stored_unencrypted() -> list[str]:
    """Connections in the metadata database with a key or token in clear, in so far as it can be read from here."""
    import sqlalchemy as sa
    from airflow.models.connection import Connection
    from airflow.utils.session import create_session

    query = sa.select(Connection.conn_id).where(
        Connection.conn_type.in_(_OUR_OWN),
        Connection.is_encrypted.is_(False),
        Connection._password.is_not(None),  # noqa: SLF001
    )
    try:
        with create_session() as session:
            return sorted(session.scalars(query.where(Connection._password != "")))  # noqa: SLF001 - the column itself
    except sa.exc.SQLAlchemyError:
        return []  # `check_airflow` says that the database cannot be read


def _shared_secrets() -> Iterator[Finding]:
    harm = {
        _API_SECRET: "whoever guesses it can read task logs, and act as any user",
        _JWT_SECRET: "whoever guesses it can act as any user and any task, and be given every connection",
    }
    values = {}
    for option, what_then in harm.items():
        value, is_set = _read(option)
        name = ".".join(option)
        if not value or not is_set:
            continue  # made up by each process, or kept from this one
        values[name] = value
        if _is_weak(value):
            yield error(
                f"{name} is an example, a placeholder or too short: {what_then}",
                "Set it to random text, the same for all components, e.g. of: openssl rand -hex 32",
            )
    if len(values) == 2 and len(set(values.values())) == 1:
        yield warning(f"{' and '.join(values)} hold the same value", "Give each a random text of its own")


def _is_weak(value: str) -> bool:
    return (
        value in _PUBLISHED
        or len(value) < _SHORTEST
        or len(set(value)) < _FEWEST_DIFFERENT
        or bool(_PLACEHOLDER.search(value))
    )


def _database_password() -> Iterator[Finding]:
    import sqlalchemy as sa
    from airflow.configuration import conf

    try:
        url = sa.make_url(conf.get("database", "sql_alchemy_conn", fallback=""))
    except sa.exc.ArgumentError:
        return  # `check_airflow` says that the database cannot be read
    if url.get_backend_name() != "sqlite" and (url.password or "").lower() in {*_EXAMPLE_PASSWORDS, url.username}:
        yield warning(
            "the password of Airflow's database is the one of the examples, or its user's name",
            "Change it in the database and in database.sql_alchemy_conn",
        )


def _all_admins() -> Iterator[Finding]:
    from airflow.configuration import conf

    manager = conf.get("core", "auth_manager", fallback="")
    if manager.endswith("SimpleAuthManager") and conf.getboolean(
        "core", "simple_auth_manager_all_admins", fallback=False
    ):
        yield warning(
            "core.simple_auth_manager_all_admins is on: whoever reaches the API server is an admin, and needs no password",
            "Set it to False, and name users in core.simple_auth_manager_users",
        )
