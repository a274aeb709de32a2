"""Processes that die between two steps of the transactions that they write."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from tests.support.ledgers import heard

_WRITES = ("INSERT", "UPDATE", "DELETE")


class Killed(BaseException):
    """The process died here. No code catches it."""


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
