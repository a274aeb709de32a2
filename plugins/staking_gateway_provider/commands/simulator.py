"""`airflow staking simulator`: a simulated gateway and chain."""

from __future__ import annotations

from argparse import Namespace

from staking_gateway_simulator.__main__ import main


def simulator(arguments: Namespace) -> None:
    """`airflow staking simulator ...`: the same as `python -m staking_gateway_simulator ...`."""
    words = arguments.arguments
    status = main(words[1:] if words[:1] == ["--"] else words)
    if status:
        raise SystemExit(status)
