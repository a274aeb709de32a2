"""`airflow staking simulator`: a gateway and a chain of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace


def simulator(arguments: Namespace) -> None:
    """`airflow staking simulator ...`: as `python -m staking_gateway_simulator ...`, until it is stopped."""
    from staking_gateway_simulator.__main__ import main

    words = arguments.arguments
    status = main(words[1:] if words[:1] == ["--"] else words)
    if status:
        raise SystemExit(status)
