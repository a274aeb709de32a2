"""How every command of ours writes and fails."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable


def say(line: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{line}\n")


def show(rows: list[dict[str, Any]], output: str) -> None:
    """Write rows as Airflow's own commands do, but with numbers as numbers.

    :param output: table, json, yaml or plain.
    """
    from airflow.cli.simple_table import AirflowConsole

    console = AirflowConsole()
    write: dict[str, Callable[[Any], None]] = {
        "json": console.print_as_json,
        "yaml": console.print_as_yaml,
        "plain": console.print_as_plain_table,
        "table": console.print_as_table,
    }
    write[output](rows)


def report_errors(command: Callable[[Namespace], None]) -> Callable[[Namespace], None]:
    """Our errors end in one line and status 1, without a traceback."""

    @functools.wraps(command)
    def run(arguments: Namespace) -> None:
        from staking_gateway.errors import StakingGatewayError

        try:
            command(arguments)
        except StakingGatewayError as error:
            raise SystemExit(f"airflow staking: {error}") from None

    return run
