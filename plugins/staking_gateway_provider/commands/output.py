"""Output, questions and errors of the commands."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
import threading
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from typing import Any, TextIO

import structlog
from airflow.cli.simple_table import AirflowConsole, SimpleTable
from rich.table import Table
from rich.text import Text

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway_provider.reporting import explain, help_line

_STYLES = {
    **dict.fromkeys(("paid", "ok", "done"), "green"),
    **dict.fromkeys(("waiting", "in progress", "held", "not checked", "unknown", "warning", "later"), "yellow"),
    **dict.fromkeys(("unpaid", "rejected", "result unknown"), "red"),
    **dict.fromkeys(("expired", "stopped", "differs", "error"), "bold red"),
}
"""Colours of table cells on a terminal."""
_WIDE = 200
"""Columns without a terminal, as in Airflow's own commands."""
_SHORT = 20
"""Characters of a cell that a narrow terminal does not break, such as a state or a time."""
PATIENCE, REMINDER = 2.0, 10.0
"""Seconds of silence until a command says what it waits for, and until it says it again."""
_SERVER_VARIABLE = "_AIRFLOW_PROCESS_CONTEXT"

_result: ContextVar[TextIO | None] = ContextVar("staking_command_result", default=None)
"""The stream of the result while a command runs."""


class _Silence:
    """What the command does, and since when it has said nothing."""

    task = ""
    since = 0.0
    patience = PATIENCE

    def begin(self, patience: float) -> None:
        self.since, self.patience = time.monotonic(), patience


_silence = _Silence()


def working(task: str) -> None:
    """Name what the command does from now on. After two seconds of silence this is said on standard error."""
    _silence.task = task
    _silence.begin(PATIENCE)


@contextmanager
def _sign_of_life() -> Iterator[None]:
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            if _silence.task and time.monotonic() - _silence.since >= _silence.patience:
                sys.stderr.write(f"{_silence.task} ...\n")
                _silence.begin(REMINDER)

    working("Working")
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _stream() -> TextIO:
    return _result.get() or sys.stdout


def say(line: str) -> None:
    """Write a line of the result."""
    _silence.begin(REMINDER)
    _stream().write(f"{line}\n")


def tell(line: str) -> None:
    """Write a line to standard error."""
    _silence.begin(REMINDER)
    sys.stderr.write(f"{line}\n")


def agreed(question: str) -> bool:
    """Whether a person agrees. Without a terminal to ask in it is an error."""
    if not sys.stdin.isatty():
        raise InvalidInput("yes", "standard input is not a terminal, so nobody can be asked", "Add --yes")
    tell(f"{question} [y/N]")
    task = _silence.task
    working("")
    answer = sys.stdin.readline().strip().lower()
    working(task)
    return answer in ("y", "yes")


def for_people(output: str) -> bool:
    """Whether a person reads this form, so that headings and advice belong to it."""
    return output in ("table", "plain")


def listed(names: Sequence[str]) -> str:
    """The first ten names."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def show(output: str, data: Any, *people: str | list[dict[str, Any]]) -> None:
    """Write a result.

    :param output: `json` and `yaml` have `data`, with numbers and texts unchanged; `table` and `plain` have `people`.
    :param people: lines; and rows as a table, like those of Airflow's own commands.
    """
    _silence.begin(REMINDER)
    stream = _stream()
    console = AirflowConsole(file=stream, width=None if stream.isatty() else _WIDE)
    if output == "json":
        console.print_as_json(data)
    elif output == "yaml":
        console.print_as_yaml(data)
    for part in people if for_people(output) else ():
        if isinstance(part, str):
            say(part)
        elif not part:
            say("No data found")
        elif output == "table":
            console.print(_table(part))
        else:
            stream.writelines(f"{line}\n" for line in _plain(part))


def _table(rows: list[dict[str, Any]]) -> Table:
    table = SimpleTable(show_header=True)
    cells = [[_printable(value) for value in row.values()] for row in rows]
    for name, column in zip(rows[0], zip(*cells, strict=True), strict=True):
        table.add_column(name, no_wrap=max(map(len, column)) <= _SHORT)
    for row in cells:
        # Text, because rich would take a gateway's words for markup.
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
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


class WrongUse(SystemExit):
    """Status 2. Python prints the text of `SystemExit` only with status 1."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = 2
        tell(text)


def _is_wrong_use(error: StakingGatewayError, arguments: Namespace) -> bool:
    """Whether the command line is wrong: an error names one of its options."""
    return isinstance(error, InvalidInput) and error.field in vars(arguments)


def report_errors(command: Callable[[Namespace], None]) -> Callable[[Namespace], None]:
    """Turn the project's errors into one line without a traceback, and into status 2 when the command line is wrong, else 1."""

    @functools.wraps(command)
    def run(arguments: Namespace) -> None:
        verbose = getattr(arguments, "verbose", False)
        try:
            with _logs_beside(), nullcontext() if verbose else _quiet(), _stored_connections(), _sign_of_life():
                command(arguments)
        except StakingGatewayError as error:
            end = WrongUse if _is_wrong_use(error, arguments) else SystemExit
            problem = explain(error, getattr(arguments, "network", None))
            raise end(f"airflow staking: {problem.text}\n{help_line(problem.topic)}") from None
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
    handlers = [one for one in logging.getLogger().handlers if isinstance(one, logging.StreamHandler)]
    token = _result.set(sys.stdout)
    before = [(handler, handler.setStream(sys.stderr)) for handler in handlers if handler.stream is sys.stdout]
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        for handler, stream in before:
            handler.setStream(stream)
        _result.reset(token)
