"""Output and errors of the commands."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from typing import Any, TextIO

import structlog
from airflow.cli.simple_table import AirflowConsole, SimpleTable
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from staking_gateway.errors import ConnectionMissing, InvalidInput, NetworkUnknown, PlanChanged, StakingGatewayError
from staking_gateway_provider.help import help_line

STYLES = {
    "PAID": "green",
    "ALREADY_PAID": "green",
    "ok": "green",
    "done": "green",
    "waiting": "yellow",
    "stopped": "bold red",
    "note": "cyan",
    "UNPAID": "yellow",
    "PLANNED": "yellow",
    "SIGNED": "yellow",
    "SUBMITTED": "yellow",
    "HELD": "yellow",
    "HELD_WINDOW": "yellow",
    "HELD_FEE": "yellow",
    "not checked": "yellow",
    "unknown": "yellow",
    "warning": "yellow",
    "UNKNOWN": "red",
    "NOT_TRIED": "red",
    "UNSUPPORTED": "red",
    "PARTIAL": "red",
    "REJECTED": "red",
    "EXPIRED": "bold red",
    "differs": "bold red",
    "error": "bold red",
}
"""Colours of table cells on a terminal."""
_WIDE = 200
"""Columns without a terminal, as in Airflow's own commands."""
_SERVER_VARIABLE = "_AIRFLOW_PROCESS_CONTEXT"

_result: ContextVar[TextIO | None] = ContextVar("staking_command_result", default=None)
"""The stream of the result while a command runs."""


def _stream() -> TextIO:
    return _result.get() or sys.stdout


def say(line: str) -> None:
    _stream().write(f"{line}\n")


def tell(line: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{line}\n")


def for_people(output: str) -> bool:
    """Whether a person reads this form, so that headings and advice belong to it."""
    return output in ("table", "plain")


def listed(names: Sequence[str]) -> str:
    """The first ten names."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def show_one(data: dict[str, Any], output: str) -> None:
    """Write one object as json or yaml. In the other forms the command writes sentences."""
    if output == "json":
        new_console().print_as_json(data)
    elif output == "yaml":
        new_console().print_as_yaml(data)


def show(rows: list[dict[str, Any]], output: str) -> None:
    """Write rows as table, json, yaml or plain, like Airflow's own commands, without changing numbers and texts."""
    if output == "json":
        new_console().print_as_json(rows)
    elif output == "yaml":
        new_console().print_as_yaml(rows)
    elif not rows:
        say("No data found")
    elif output == "plain":
        for line in _plain(rows):
            say(line)
    else:
        new_console().print(_table(rows))


def new_console() -> Any:
    """A console that writes the result; 200 columns without a terminal."""
    stream = _stream()
    return AirflowConsole(file=stream, width=None if stream.isatty() else _WIDE)


def _table(rows: list[dict[str, Any]]) -> Table:
    table = SimpleTable(show_header=True)
    for name in rows[0]:
        table.add_column(name)
    for row in rows:
        # Text, because rich would take a gateway's words for markup.
        cells = [_printable(value) for value in row.values()]
        table.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in cells))
    return table


def _plain(rows: list[dict[str, Any]]) -> Iterator[str]:
    # tabulate would change amounts: it takes 1e5 for a float.
    lines = [list(rows[0]), *([_printable(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _printable(value: Any) -> str:
    """A value on one line, or a list with one line per value. Control characters are replaced: they could move the cursor."""
    if isinstance(value, list):
        return "\n".join(map(_printable, value))
    return "" if value is None else "".join(one if one.isprintable() else " " for one in str(value))


@contextmanager
def progress(task: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar, if standard error is a terminal. Call the result after each of the `total` steps."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    shared = _stream().isatty()
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=shared) as bar:
        # rich writes lines for the terminal above the bar.
        token = _result.set(sys.stdout) if shared else None
        try:
            step = bar.add_task(task, total=total)
            yield lambda: bar.advance(step)
        finally:
            if token is not None:
                _result.reset(token)


@contextmanager
def working(task: str) -> Iterator[None]:
    """A sign of life while a step of unknown length runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(f"{task} ..."):
        yield


class WrongUse(SystemExit):
    """Status 2. Python prints the text of `SystemExit` only with status 1."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = 2
        tell(text)


def _is_wrong_use(error: StakingGatewayError, arguments: Namespace) -> bool:
    """Whether the command line is wrong: an error names one of its options, or the network is unknown.

    A plan that has changed since its approval is no mistake of the command line.
    """
    if isinstance(error, (NetworkUnknown, PlanChanged)):
        return isinstance(error, NetworkUnknown)
    return isinstance(error, InvalidInput) and error.field in vars(arguments)


def report_errors(command: Callable[[Namespace], None]) -> Callable[[Namespace], None]:
    """Turn the project's errors into one line without a traceback, and into status 2 when the command line is wrong, else 1."""

    @functools.wraps(command)
    def run(arguments: Namespace) -> None:
        verbose = getattr(arguments, "verbose", False)
        try:
            with _logs_beside(), nullcontext() if verbose else _quiet(), _stored_connections():
                command(arguments)
        except StakingGatewayError as error:
            end = WrongUse if _is_wrong_use(error, arguments) else SystemExit
            more = ". `airflow staking doctor` checks all connections" if isinstance(error, ConnectionMissing) else ""
            raise end(f"airflow staking: {error}{more}\n{help_line(error.problem.topic)}") from None
        except KeyboardInterrupt:
            raise SystemExit("airflow staking: stopped; what is in the ledger is kept") from None
        except BrokenPipeError:
            # The reader, such as `head`, has closed the pipe. Python's last flush must not fail too.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(128 + signal.SIGPIPE) from None

    return run


@contextmanager
def _quiet() -> Iterator[None]:
    """Drop warnings, and logs of other libraries. Errors of other libraries stay."""
    handlers, processors = logging.getLogger().handlers[:], structlog.get_config()["processors"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for handler in handlers:
            handler.addFilter(_is_ours)
        processors.insert(0, _drop_of_others)  # Airflow's own loggers have no handler
        try:
            yield
        finally:
            processors.remove(_drop_of_others)
            for handler in handlers:
                handler.removeFilter(_is_ours)


def _is_ours(record: logging.LogRecord) -> bool:
    return _is_shown(record.name, record.levelno)


def _drop_of_others(logger: Any, method: str, event: Any) -> Any:
    level = logging.getLevelNamesMapping().get(method.upper(), logging.ERROR)
    if _is_shown(str(getattr(logger, "name", "")), level):
        return event
    raise structlog.DropEvent


def _is_shown(name: str, level: int) -> bool:
    return level >= logging.ERROR or name.partition(".")[0].startswith("staking_gateway")


@contextmanager
def _stored_connections() -> Iterator[None]:
    """Let Airflow also look up connections in the metadata database."""
    before = os.environ.get(_SERVER_VARIABLE)
    os.environ.setdefault(_SERVER_VARIABLE, "server")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SERVER_VARIABLE]


@contextmanager
def _logs_beside() -> Iterator[None]:
    """Move logs to standard error, so that standard output holds only the result."""
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
