"""`airflow staking simulator`: a simulated gateway and chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace


def simulator(arguments: Namespace) -> None:
    """`airflow staking simulator ...`: the same as `python -m staking_gateway_simulator ...`."""
    from staking_gateway_simulator.__main__ import main

    words = arguments.arguments
    status = main(words[1:] if words[:1] == ["--"] else words)
    if status:
        raise SystemExit(status)
