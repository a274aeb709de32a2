"""One ledger or none. Machines and containers that do not share an SQLite file would each pay every era from a file of their own.

The first paying process records the identity of its file in the name of an Airflow Variable. Each process that opens the ledger compares. A
PostgreSQL ledger is the same from everywhere, and needs no record.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airflow.sdk.exceptions import AirflowRuntimeError

from staking_gateway.errors import LedgerError, LedgerMismatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from staking_gateway.ledger import Ledger

_PREFIX = "staking_ledger"
_EMBEDDED = "embedded"
"""In place of a connection, the file in AIRFLOW_HOME."""
_DESCRIPTION = (
    "The SQLite file from which the Staking provider pays. Delete it only when another file replaces this ledger."
)


def open_checked(url: str, conn_id: str | None, *, pays: bool) -> Ledger:
    """Open a ledger, after a comparison with the recorded identity.

    :param conn_id: its connection; None: the file in AIRFLOW_HOME.
    :param pays: whether this process may pay. It records the identity if there is no record.
    :raises LedgerMismatch: another ledger is recorded. A missing file is not created then.
    :raises LedgerError: the ledger cannot be opened, or Airflow's database cannot be read.
    """
    from staking_gateway.ledger import Ledger

    recorded = check_ledger(url, conn_id)
    ledger = Ledger(url)
    if pays and not recorded and url.startswith("sqlite"):
        try:
            _record(url, conn_id)
        except BaseException:
            ledger.close()
            raise
    return ledger


def check_ledger(url: str, conn_id: str | None) -> bool:
    """Compare a ledger with the recorded identity. Whether there is a record; always false for PostgreSQL. Raises as `open_checked`."""
    from staking_gateway.ledger import identity_of

    recorded = _recorded(conn_id) if url.startswith("sqlite") else {}
    if recorded:
        _compare(url, identity_of(url), recorded)
    return bool(recorded)


def _record(url: str, conn_id: str | None) -> None:
    """Record a ledger, then compare: two processes may record their files at the same time, and neither pays then."""
    from staking_gateway.ledger import identity_of

    identity = identity_of(url)
    name = f"{_base(conn_id)}.{identity}"
    with _translated_errors():
        if _in_task():
            from airflow.sdk import Variable

            Variable.set(name, url, _DESCRIPTION)
        else:
            from airflow.models.variable import Variable as Stored

            Stored.set(name, url, _DESCRIPTION)
    _compare(url, identity, _recorded(conn_id))


def _compare(url: str, identity: str | None, recorded: dict[str, str]) -> None:
    if set(recorded.values()) != {identity}:
        from staking_gateway.ledger import schema_state

        others = {name: value for name, value in recorded.items() if value != identity}
        raise LedgerMismatch(schema_state(url).ledger, identity, others)


def _base(conn_id: str | None) -> str:
    return f"{_PREFIX}.{conn_id or _EMBEDDED}"


def _recorded(conn_id: str | None) -> dict[str, str]:
    """The Variables that record a ledger, with its identity: at most one, unless two processes began at the same time."""
    base = _base(conn_id)
    with _translated_errors():
        split = {name: name.rpartition(".") for name in _names(f"{base}.")}
    return {name: identity for name, (place, _, identity) in split.items() if place == base}


def _names(prefix: str) -> Iterable[str]:
    """The names of Variables. Not their values: Airflow reports a value that it cannot read as one that is not there."""
    if _in_task():
        from airflow.sdk import Variable

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
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (AirflowRuntimeError, SQLAlchemyError, OSError) as error:
        raise LedgerError(
            f"Airflow's Variables, which record the ledger that pays, cannot be read or written ({type(error).__name__}). "
            "Check Airflow's database; a new one needs `airflow db migrate`"
        ) from None
