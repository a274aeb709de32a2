"""Runs `airflow staking ...` in this process."""

import io
import json
from contextlib import nullcontext

import pytest
from airflow.cli import cli_parser


class Terminal(io.StringIO):
    """A screen, and a person who types."""

    def isatty(self):
        return True


def parse(*words):
    """The arguments of a command, as `airflow` reads them."""
    return cli_parser.get_parser().parse_args(["staking", *map(str, words)])


def airflow(*words):
    """Run a command as `airflow` does, in this process."""
    arguments = parse(*words)
    arguments.func(arguments)


def as_json(capsys, *words, fails=None):
    """What a command tells scripts.

    :param fails: the words with which it ends badly.
    """
    capsys.readouterr()
    with pytest.raises(SystemExit, match=fails) if fails is not None else nullcontext():
        airflow(*words, "--output", "json")
    return json.loads(capsys.readouterr().out)
