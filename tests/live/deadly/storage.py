"""A ledger in PostgreSQL whose server fails now and then: STORAGE_FAULTS is the probability at each write and each commit.

The server itself raises the errors, and a lost connection is a closed socket. Each fault adds a line to STORAGE_FAULTS_LOG.
"""

import os
import random
import socket

import psycopg2
import psycopg2.extensions
import sqlalchemy as sa

_CHANCE = float(os.environ["STORAGE_FAULTS"])
_SQLSTATES = {"disk full": "53100", "locked": "55P03", "serialisation": "40001", "deadline": "57014"}
_FAULTS = (*_SQLSTATES, "lost")
_WRITES = ("INSERT", "UPDATE", "DELETE")


class _Failing(psycopg2.extensions.connection):
    """A connection that is lost, or whose server fails, before or after its commit."""

    def commit(self):
        writes = self.info.transaction_status == psycopg2.extensions.TRANSACTION_STATUS_INTRANS
        if writes:
            _fail(self, "at the commit")
        super().commit()
        if writes and random.random() < _CHANCE:
            _tell("committed, and the connection lost before the answer")
            _lose(self)


def _fail(connection, where):
    if random.random() >= _CHANCE:
        return
    fault = random.choice(_FAULTS)
    _tell(f"{fault} {where}")
    if fault == "lost":
        _lose(connection)
    raised = f"RAISE EXCEPTION 'the server was told to fail: {fault}' USING ERRCODE = '{_SQLSTATES[fault]}'"
    connection.cursor().execute(f"DO $$ BEGIN {raised}; END $$")


def _lose(connection):
    with socket.socket(fileno=os.dup(connection.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)
    connection.cursor().execute("SELECT 1")


def _tell(what):
    with open(os.environ["STORAGE_FAULTS_LOG"], "a") as log:  # noqa: PTH123 - appended in one write
        log.write(f"{what}\n")


def arm(module):
    """Let the engines of ledgers make such connections, and fail before their writes."""
    make = module.Database.__init__

    def failing(database, *known):
        make(database, *known)
        sa.event.listen(database._engine, "do_connect", lambda *call: call[-1].update(connection_factory=_Failing))
        sa.event.listen(database._engine, "before_cursor_execute", before_a_write)

    def before_a_write(connection, cursor, statement, *_):
        if statement.lstrip().startswith(_WRITES):
            _fail(cursor.connection, "before a write")

    module.Database.__init__ = failing
