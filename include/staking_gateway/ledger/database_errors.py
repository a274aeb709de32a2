"""Translation of database errors: which ledger, what happened, what to do next.

An error never quotes a statement or its values, because these hold signatures. It names the ledger by its URL without password and options.
"""

from __future__ import annotations

import re

import sqlalchemy as sa

from staking_gateway.errors import InvalidInput, LedgerConflict, LedgerError, StakingGatewayError

_LOST_RACES = ("40001", "40P01")
"""SQLSTATE of a serialization failure and of a deadlock: another process was faster, and nothing was written."""
_LONG_HEX = re.compile(r"0x[0-9a-fA-F]{65,}")

_NEXT_CALL = "the change was not made, and the next call repeats it"
_SQLITE_REMEDIES = {
    "unable to open": "Its folder must exist, and this user must be able to read and write folder and file",
    "readonly": "Give this user the right to write the file, those beside it that end in -wal and -shm, and its folder",
    "is full": f"Free space for it; {_NEXT_CALL}",
    "disk I/O": "Check the disk and its quota; the next call reads the stored records",
    "locked": "Another process holds it; wait for that process or end it, and try again",
    "not a database": "The file is not an SQLite database; name another one. Nothing was changed",
    "malformed": "The file is damaged; restore it from a backup",
}
"""Part of SQLite's message to the remedy."""
_POSTGRESQL_REMEDIES = {
    "25006": "This server only reads; name the primary one",
    "28": "Correct the login or the password of its connection",
    "3D": "Create the database, or correct its name in the connection",
    "3F": "Grant its login the right to use its schema and to create tables there",
    "42501": "Grant its login the right to use its schema and tables; for an upgrade also the right to create tables there",
    "53100": f"Free space on the server; {_NEXT_CALL}",
    "53": "The server has reached one of its limits; raise the limit, or try again",
    "55P03": "Another session holds it; wait for that session or end it, and try again",
    "57": "Check that the server runs; the next call reconnects and reads the stored records",
}
"""Beginning of an SQLSTATE (PostgreSQL manual, appendix A) to the remedy."""
_NOT_GRANTED = "42501"
_NO_CONNECTION_REMEDIES = {
    "permission denied for database": "Grant its login the right to connect: GRANT CONNECT ON DATABASE <database> TO <login>",
    "no pg_hba.conf entry": "Allow its login from this machine in the server's pg_hba.conf, or check sslmode of its connection",
    "does not support SSL": "Check sslmode of its connection, and that the server offers TLS",
    "certificate": "Check sslrootcert, sslcert and sslkey of its connection, and the name in the server's certificate",
}
"""Part of libpq's message without a connection to the remedy; the last match counts."""
_UNREACHABLE = (
    "Check that the server runs, and host, port, database, login and password of its connection; "
    "the next call reconnects and reads the stored records"
)
_UNFIT = (
    "A value does not fit the ledger's tables, or another program changed them; fix the tables, or restore a backup"
)


class NotGranted(LedgerError):
    """The login lacks a right; the owner of the tables or of the schema can grant it."""


def ledger_name(url: sa.URL) -> str:
    """The URL without password and options, which may hold a password too."""
    return url.set(query={}).render_as_string(hide_password=True)


def translate_error(error: Exception, url: sa.URL) -> StakingGatewayError:
    """The exception to raise instead of an error of the database, its driver or SQLAlchemy."""
    where = f"The ledger at {ledger_name(url)}"
    if isinstance(error, sa.exc.DBAPIError) and error.orig is not None:
        return _translate_database_error(error.orig, url)
    if isinstance(error, sa.exc.StatementError) and isinstance(error.orig, InvalidInput):
        return error.orig
    if isinstance(error, sa.exc.TimeoutError):
        return LedgerError(
            f"{where} has too many connections in this process", remedy="Use fewer threads, or try again"
        )
    return LedgerError(f"{where} cannot store or read a value ({type(error).__name__})", remedy=_UNFIT)


def _translate_database_error(origin: BaseException, url: sa.URL) -> LedgerError:
    where, message, state = f"The ledger at {ledger_name(url)}", _message(origin), _sqlstate(origin)
    if state in _LOST_RACES:
        return LedgerConflict(
            f"{where} was changed by another process at the same time: {message}", remedy="Read it again"
        )
    if url.get_backend_name() == "sqlite":
        remedies = [remedy for words, remedy in _SQLITE_REMEDIES.items() if words in message]
    elif state is None:  # libpq gives no SQLSTATE without a connection
        remedies = [remedy for words, remedy in _NO_CONNECTION_REMEDIES.items() if words in message][::-1] or [
            _UNREACHABLE
        ]
    else:
        remedies = [remedy for beginning, remedy in _POSTGRESQL_REMEDIES.items() if state.startswith(beginning)]
    kind = NotGranted if state == _NOT_GRANTED else LedgerError
    return kind(f"{where} failed: {message}", remedy=[*remedies, _UNFIT][0])


def _sqlstate(origin: BaseException) -> str | None:
    """The SQLSTATE of psycopg2 or psycopg."""
    state: str | None = getattr(origin, "pgcode", None) or getattr(origin, "sqlstate", None)
    return state


def _message(origin: BaseException) -> str:
    """The first line. PostgreSQL quotes values and statements only in later lines."""
    primary = getattr(getattr(origin, "diag", None), "message_primary", None)
    line = (primary or str(origin) or type(origin).__name__).strip().splitlines()[0]
    return _LONG_HEX.sub("0x...", line)[:300]
