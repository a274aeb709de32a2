"""The writing transactions of all ledgers, and processes that die between two of their steps."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.support.ledgers import heard

_WRITES = ("INSERT", "UPDATE", "DELETE")


class Killed(BaseException):
    """The process died here. No code catches it."""


@dataclass
class Transaction:
    """A transaction that was committed.

    :param values: of all its statements.
    """

    statements: int = 0
    values: int = 0


@contextmanager
def transactions():
    """The transactions that write meanwhile, in order."""
    found, open_one = [], Transaction()

    def execute(_connection, _cursor, text, parameters, _context, many):
        if text.startswith(_WRITES):
            open_one.statements += 1
            open_one.values += sum(len(one) if many and isinstance(one, (tuple, dict)) else 1 for one in parameters)

    def commit(_connection):
        nonlocal open_one
        if open_one.statements:
            found.append(open_one)
        open_one = Transaction()

    with heard("before_cursor_execute", execute), heard("commit", commit):
        yield found


@contextmanager
def death_at(step):
    """The process dies before a step: the statements that write and the commits of their transactions are counted from 0."""
    passed = []

    def die():
        passed.append(None)
        if len(passed) == step + 1:
            raise Killed

    def execute(_connection, _cursor, text, *_):
        if text.startswith(_WRITES):
            die()

    with heard("before_cursor_execute", execute), heard("commit", lambda _connection: die()), pytest.raises(Killed):
        yield
