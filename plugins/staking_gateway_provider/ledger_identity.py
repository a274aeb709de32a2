"""One ledger or none. Services, shells and machines that do not share a ledger would each pay every era from one of their own.

The first paying process records the identity of its ledger in the name of an Airflow Variable. Each process that opens a ledger compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from airflow.sdk import Variable
from airflow.sdk.exceptions import AirflowRuntimeError
from sqlalchemy.exc import SQLAlchemyError

from staking_gateway.errors import LedgerError
from staking_gateway.ledger import Ledger, identity_of, ledger_name

_PREFIX = "staking_ledger"
_RECORD = re.compile(rf"{_PREFIX}\..+\.(?P<identity>[0-9a-f]{{32}})")
_EMBEDDED = "embedded"
"""In place of a connection, the file in AIRFLOW_HOME."""
_DESCRIPTION = "The ledger from which the Staking provider pays. Delete it only when another one replaces this ledger."


class LedgerMismatch(LedgerError):
    """It is not the ledger that pays: a service, shell or machine has another setting or another file, or the ledger was replaced."""


class LedgerPlace(NamedTuple):
    """Where a ledger is: its SQLAlchemy URL, and its connection; None: the file in AIRFLOW_HOME."""

    url: str
    conn_id: str | None = None


def open_checked(place: LedgerPlace, *, pays: bool) -> Ledger:
    """Open a ledger, after a comparison with the recorded identity.

    :param pays: whether this process may pay. It records the identity if there is no record.
    :raises LedgerMismatch: another ledger is recorded. A missing file is not created then.
    :raises LedgerError: the ledger cannot be opened, or Airflow's database cannot be read.
    """
    recorded = check_ledger(place)
    ledger = Ledger(place.url)
    if pays and not recorded:
        try:
            _record(place)
        except BaseException:
            ledger.close()
            raise
    return ledger


def check_ledger(place: LedgerPlace) -> bool:
    """Compare a ledger with the recorded identity. Whether there is a record. Raises as `open_checked`."""
    recorded = _recorded()
    if recorded:
        _compare(place, identity_of(place.url), recorded)
    return bool(recorded)


def _record(place: LedgerPlace) -> None:
    """Record a ledger, then compare: two processes may record their ledgers at the same time, and neither pays then."""
    identity = identity_of(place.url)
    name = f"{_PREFIX}.{place.conn_id or _EMBEDDED}.{identity}"
    shown = ledger_name(place.url)
    with _translated_errors():
        if _in_task():
            Variable.set(name, shown, _DESCRIPTION)
        else:
            from airflow.models.variable import Variable as Stored

            Stored.set(name, shown, _DESCRIPTION)
    _compare(place, identity, _recorded())


def _compare(place: LedgerPlace, identity: str | None, recorded: dict[str, str]) -> None:
    if set(recorded.values()) != {identity}:
        others = {name: value for name, value in recorded.items() if value != identity}
        own = "has no identity yet" if identity is None else f"has the identity {identity[:8]}"
        paying = " and ".join(f"{value[:8]} (Airflow's Variable {name})" for name, value in others.items())
        raise LedgerMismatch(
            f"The ledger at {ledger_name(place.url)} {own}, and the ledger that pays has {paying}",
            remedy="Let all services and shells use one ledger: name its connection as ledger_conn_id in staking.yaml. Machines share a ledger in "
            "PostgreSQL; containers of one machine may also share the folder of an SQLite file. If this ledger replaces the recorded one "
            f"on purpose: {'; '.join(f'airflow variables delete {name}' for name in others)}",
        )


def _recorded() -> dict[str, str]:
    """The Variables that record the ledger of the installation, with the identity: one, unless two processes began at the same time."""
    with _translated_errors():
        records = [record for name in _names(_PREFIX) if (record := _RECORD.fullmatch(name))]
    return {record[0]: record["identity"] for record in records}


def _names(prefix: str) -> Iterable[str]:
    """The names of Variables. Not their values: Airflow reports a value that it cannot read as one that is not there."""
    if _in_task():
        return list(Variable.keys(prefix))
    from airflow.models.variable import Variable as Stored
    from airflow.utils.session import create_session
    from sqlalchemy import select

    with create_session() as session:
        return session.scalars(select(Stored.key).where(Stored.key.startswith(prefix, autoescape=True))).all()


def _in_task() -> bool:
    """Whether this process has no access to Airflow's database, as Airflow itself decides it: in tasks and in the triggerer."""
    return hasattr(sys.modules.get("airflow.sdk.execution_time.task_runner"), "SUPERVISOR_COMMS")


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (AirflowRuntimeError, SQLAlchemyError, OSError) as error:
        raise LedgerError(
            f"Airflow's Variables, which record the ledger that pays, cannot be read or written ({type(error).__name__})",
            remedy="Check Airflow's database. A new one needs `airflow db migrate`, or for the demo `airflow staking init --demo`",
        ) from None
