"""Runs many `airflow ...` commands in one process, because a process of their own takes seconds each.

`python -m tests.support.commands` reads a JSON list of command lines from standard input, and writes a JSON list of `[status, output]`.
"""

import contextlib
import io
import json
import sys

from airflow.cli import cli_parser


def run(arguments):
    """Exit status and standard output of one command."""
    output, status = io.StringIO(), 0
    with contextlib.redirect_stdout(output):
        try:
            parsed = cli_parser.get_parser().parse_args(arguments)
            parsed.func(parsed)
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return status, output.getvalue()


if __name__ == "__main__":
    json.dump([run(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
