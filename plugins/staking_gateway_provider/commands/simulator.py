"""`airflow staking simulator`: a simulated gateway and chain."""

from __future__ import annotations

from argparse import Namespace

from staking_gateway_simulator import __main__ as simulator_program


def simulator(arguments: Namespace) -> None:
    """`airflow staking simulator ...`: the same as `python -m staking_gateway_simulator ...`."""
    words = arguments.arguments
    status = simulator_program.main(words[1:] if words[:1] == ["--"] else words)
    if status:
        raise SystemExit(status)
