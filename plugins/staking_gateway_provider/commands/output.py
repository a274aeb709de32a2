"""How every command of ours writes and fails."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping

    from rich.table import Table

STYLES = {
    "PAID": "green",
    "ALREADY_PAID": "green",
    "ok": "green",
    "note": "cyan",
    "UNPAID": "yellow",
    "PLANNED": "yellow",
    "SIGNED": "yellow",
    "SUBMITTED": "yellow",
    "HELD": "yellow",
    "HELD_WINDOW": "yellow",
    "HELD_FEE": "yellow",
    "not checked": "yellow",
    "warning": "yellow",
    "UNKNOWN": "red",
    "NOT_TRIED": "red",
    "UNSUPPORTED": "red",
    "PARTIAL": "red",
    "REJECTED": "red",
    "EXPIRED": "bold red",
    "error": "bold red",
}
"""Words that are coloured where they are a cell of a table on a terminal."""
_WIDE = 200
"""Columns where there is no terminal; Airflow's own commands use as many."""
_SERVER_VARIABLE = "_AIRFLOW_PROCESS_CONTEXT"


_result: ContextVar[TextIO | None] = ContextVar("staking_command_result", default=None)
"""Where the result goes, while a command runs."""


def _stream() -> TextIO:
    return _result.get() or sys.stdout


def say(line: str) -> None:
    """Write a line."""
    _stream().write(f"{line}\n")


def tell(line: str) -> None:
    """Write a line beside the result, which scripts read."""
    sys.stderr.write(f"{line}\n")


def show(rows: list[dict[str, Any]], output: str, styles: Mapping[str, str] = STYLES) -> None:
    """Write rows as Airflow's own commands do, but with numbers as numbers, and texts as they are.

    :param output: table, json, yaml or plain.
    :param styles: cell of a table to its colour.
    """
    if output == "json":
        _console().print_as_json(rows)
    elif output == "yaml":
        _console().print_as_yaml(rows)
    elif not rows:
        say("No data found")
    elif output == "plain":
        for line in _plain(rows):
            say(line)
    else:
        _console().print(_table(rows, styles))


def _console() -> Any:
    from airflow.cli.simple_table import AirflowConsole

    stream = _stream()
    return AirflowConsole(file=stream, width=None if stream.isatty() else _WIDE)


def _table(rows: list[dict[str, Any]], styles: Mapping[str, str]) -> Table:
    from airflow.cli.simple_table import SimpleTable
    from rich.text import Text

    table = SimpleTable(show_header=True)
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        # Not plain strings: words of a gateway may hold what rich takes for markup.
        cells = [_printable(value) for value in row.values()]
        table.add_row(*(Text(cell, style=styles.get(cell, "")) for cell in cells))
    return table


def _plain(rows: list[dict[str, Any]]) -> Iterator[str]:
    # Not tabulate, which takes an amount for a number, and 1e5 for a float.
    lines = [list(rows[0]), *([_printable(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _printable(value: Any) -> str:
    """A value on one line, a list on one line each, without the control characters by which foreign words could move a terminal's cursor."""
    if isinstance(value, list):
        return "\n".join(map(_printable, value))
    return "" if value is None else "".join(one if one.isprintable() else " " for one in str(value))


@contextmanager
def progress(task: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal, if standard error is one.

    :param task: what is being done.
    :returns: what to call after each of the `total` steps.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    shared = _stream().isatty()
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=shared) as bar:
        # Lines for the terminal are written above the bar; those for a file go there.
        token = _result.set(sys.stdout) if shared else None
        try:
            step = bar.add_task(task, total=total)
            yield lambda: bar.advance(step)
        finally:
            if token is not None:
                _result.reset(token)


def report_errors(command: Callable[[Namespace], None]) -> Callable[[Namespace], None]:
    """Mistakes of the user and our errors end in one line and status 1, without a traceback."""

    @functools.wraps(command)
    def run(arguments: Namespace) -> None:
        from airflow.sdk.exceptions import AirflowNotFoundException

        from staking_gateway.errors import StakingGatewayError
        from staking_gateway_provider.connection_lookup import problem_of

        try:
            with _logs_beside(), _stored_connections():
                command(arguments)
        except StakingGatewayError as error:
            raise SystemExit(f"airflow staking: {error}") from None
        except AirflowNotFoundException as error:
            raise SystemExit(
                f"airflow staking: {problem_of(error)}. Create the connection, or correct its name in staking.yaml; "
                "`airflow staking doctor` checks them all"
            ) from None
        except KeyboardInterrupt:
            raise SystemExit("airflow staking: stopped; what is in the ledger is kept") from None
        except BrokenPipeError:
            # Whoever read what was shown has read enough, `head` say. What is still to be written has nowhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(128 + signal.SIGPIPE) from None

    return run


@contextmanager
def _stored_connections() -> Iterator[None]:
    """Connections are also looked up in the metadata database, as `airflow connections get` does it."""
    before = os.environ.get(_SERVER_VARIABLE)
    os.environ.setdefault(_SERVER_VARIABLE, "server")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SERVER_VARIABLE]


@contextmanager
def _logs_beside() -> Iterator[None]:
    """What Airflow and others log goes to standard error: a script reads nothing but the result from standard output."""
    streams = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stdout
    ]
    token = _result.set(sys.stdout)
    before = [(handler, handler.setStream(sys.stderr)) for handler in streams]
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        for handler, stream in before:
            handler.setStream(stream)
        _result.reset(token)
