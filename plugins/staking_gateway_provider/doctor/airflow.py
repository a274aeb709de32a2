"""Checks of Airflow itself: its secrets, by which every connection can be read, its DAGs and its processes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from airflow.configuration import conf
from airflow.models.connection import Connection
from airflow.models.dag import DagModel
from airflow.models.errors import ParseImportError
from airflow.utils.session import create_session
from sqlalchemy.orm import Session

from staking_gateway.config.models import NetworkConfig
from staking_gateway.topics import Topic
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.findings import Finding, error, note, ok, warning
from staking_gateway_provider.doctor.fixes import unpause
from staking_gateway_provider.programs import Program, dead_programs

_FERNET_KEY, _API_SECRET, _JWT_SECRET = ("core", "fernet_key"), ("api", "secret_key"), ("api_auth", "jwt_secret")
_PUBLISHED = {
    "46BKJoQYlPPOexq0OhDZnIlNepKFf87WFwLbfzqDDho=",
    "81HqDtbqAywKSOumSha3BhWNOdQ26slT6K0YaZeZyPs=",
    "a25mQ1FHTUh3MnFRSk5KMEIyVVU2YmN0VGRyYTVXY08=",
}
"""Keys of public guides and example files."""
_PLACEHOLDER = re.compile(
    r"change.?(me|this|it)|passwor[dt]|secret|example|default|airflow|your|place.?holder|to.?do", re.I
)
_SHORTEST, _FEWEST_DIFFERENT = 24, 8
"""Airflow's own random secrets have 24 characters."""
_EXAMPLE_PASSWORDS = {"airflow", "postgres", "password", "admin", "root", "mysql", "changeme"}
_MAKE_FERNET = (
    "python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())', put it in front of the old one "
    "with a comma, and run: airflow rotate-fernet-key"
)
_CONN_TYPES = ("staking_gateway", "staking_signer", "substrate")

_SHOWS_MISTAKES = "staking_configuration.py"
"""The file that repeats the mistakes of `staking.yaml` as an import error. The check of the configuration reports them."""
_OR_CLOCK = "if it runs, its machine's clock is behind this one's: set both"


def check_secrets(setup: SetUp) -> Iterator[Finding]:
    """No secret is empty, published, a placeholder or short. No finding quotes a secret."""
    del setup
    found = [*_fernet_key(), *_shared_secrets(), *_database_password(), *_all_admins()]
    yield from found
    if not found:
        empty = (
            "" if _read(_FERNET_KEY)[0] else "; set core.fernet_key before you store a connection in Airflow's database"
        )
        yield ok(f"Airflow's secrets are neither examples nor too short{empty}")


def _read(option: tuple[str, str]) -> tuple[str, bool]:
    """The value of an option, and whether it is set: Airflow generates some values."""
    section, key = option
    options: Any = conf.as_dict(display_source=True, display_sensitive=True).get(section, {})
    value, source = options.get(key, ("", "default"))
    return str(value or ""), source != "default"


def _fernet_key() -> Iterator[Finding]:
    value, is_set = _read(_FERNET_KEY)
    stored = _stored_unencrypted()
    if stored:
        yield error(
            f"core.fernet_key was empty when connection {', '.join(stored)} was stored: everybody who can read the database "
            "can read the key in the connection",
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
    """Connections in the metadata database with an unencrypted key or token."""
    query = sa.select(Connection.conn_id).where(
        Connection.conn_type.in_(_CONN_TYPES),
        Connection.is_encrypted.is_(False),
        Connection._password.is_not(None),  # noqa: SLF001
    )
    try:
        with create_session() as session:
            return sorted(session.scalars(query.where(Connection._password != "")))  # noqa: SLF001 - the column itself
    except sa.exc.SQLAlchemyError:
        return []  # `check_airflow` reports that the database cannot be read


def _shared_secrets() -> Iterator[Finding]:
    consequences = {
        _API_SECRET: "everybody who guesses it can read task logs, and act as any user",
        _JWT_SECRET: "everybody who guesses it can act as any user and any task, and read every connection",
    }
    values = {}
    for option, consequence in consequences.items():
        value, is_set = _read(option)
        name = ".".join(option)
        if not value or not is_set:
            continue  # generated by each process, or hidden from this one
        values[name] = value
        if _is_weak(value):
            yield error(
                f"{name} is an example, a placeholder or too short: {consequence}",
                "Set it to random text, the same for all components, e.g. from: openssl rand -hex 32",
            )
    if len(values) == 2 and len(set(values.values())) == 1:
        yield warning(f"{' and '.join(values)} hold the same value", "Set each to a random text of its own")


def _is_weak(value: str) -> bool:
    return (
        value in _PUBLISHED
        or len(value) < _SHORTEST
        or len(set(value)) < _FEWEST_DIFFERENT
        or bool(_PLACEHOLDER.search(value))
    )


def _database_password() -> Iterator[Finding]:
    try:
        url = sa.make_url(conf.get("database", "sql_alchemy_conn", fallback=""))
    except sa.exc.ArgumentError:
        return  # `check_airflow` reports that the database cannot be read
    if url.get_backend_name() != "sqlite" and (url.password or "").lower() in {*_EXAMPLE_PASSWORDS, url.username}:
        yield warning(
            "the password of Airflow's database is an example, or its user's name",
            "Change it in the database and in database.sql_alchemy_conn",
        )


def _all_admins() -> Iterator[Finding]:
    manager = conf.get("core", "auth_manager", fallback="")
    if manager.endswith("SimpleAuthManager") and conf.getboolean(
        "core", "simple_auth_manager_all_admins", fallback=False
    ):
        yield warning(
            "core.simple_auth_manager_all_admins is on: every visitor is an admin",
            "Set it to False, and name users in core.simple_auth_manager_users",
        )


def check_airflow(setup: SetUp) -> Iterator[Finding]:
    """Airflow knows the DAGs, none is paused, and scheduler and triggerer are alive."""
    try:
        with create_session() as session:
            found = [
                *_check_dags(session, setup.networks()),
                *_check_jobs(session),
            ]
    except sa.exc.SQLAlchemyError as problem:
        yield note(
            f"not checked: DAGs, scheduler and triggerer; the metadata database cannot be read ({type(problem).__name__})",
            "Run this where Airflow's scheduler runs, or run: airflow db migrate",
        )
        return
    yield from found


def _check_dags(session: Session, networks: Mapping[str, NetworkConfig]) -> Iterator[Finding]:
    known = {
        dag_id: paused
        for dag_id, paused, stale in session.execute(sa.select(DagModel.dag_id, DagModel.is_paused, DagModel.is_stale))
        if not stale
    }
    broken = [
        (file, (text or "").strip().splitlines()[-1:])
        for file, text in session.execute(sa.select(ParseImportError.filename, ParseImportError.stacktrace))
        if "staking" in (file or "") and Path(file or "").name != _SHOWS_MISTAKES
    ]
    for file, last in broken:
        yield error(
            f"Airflow cannot import {file}: {' '.join(last)[:200]}",
            "Fix that error, see airflow dags list-import-errors",
        )
    for name, network in networks.items():
        yield from _judge_dags(name, known, catches_up=network.catch_up.scheduled)


def _judge_dags(name: str, known: Mapping[str, bool], *, catches_up: bool) -> Iterator[Finding]:
    dags = {f"staking_payout_{name}": True, f"staking_catch_up_{name}": catches_up}
    # One DAG that is scheduled and not paused pays, too.
    pays = any(scheduled and not known.get(dag_id, True) for dag_id, scheduled in dags.items())
    judge = warning if pays else error
    running = []
    for dag_id in dags:
        if dag_id not in known:
            yield judge(f"Airflow does not know the DAG {dag_id}", "Put the files of dags/ into the DAGs folder")
        elif known[dag_id]:
            yield judge(
                f"the DAG {dag_id} is paused",
                f"Run: airflow dags unpause {dag_id}",
                topic=Topic.PAUSED,
                fix=unpause(dag_id),
            )
        else:
            running.append(dag_id)
    if running:
        yield ok(f"active: {', '.join(running)}")


def _check_jobs(session: Session) -> Iterator[Finding]:
    dead = dict(dead_programs(session))
    for program, last in dead.items():
        since = f" since {last:%Y-%m-%d %H:%M:%S} UTC" if last else ""
        yield error(f"{program.topic.heading}{since}", f"{program.topic.remedy}; {_OR_CLOCK}", topic=program.topic)
    if alive := [program.name.lower() for program in Program if program not in dead]:
        yield ok(f"alive: {', '.join(alive)}")
