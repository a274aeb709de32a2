"""An export in a process of its own: `python -m benchmarks.growth_export LEDGER PAYOUTS`.

It prints the number of rows, and the megabytes of memory that the export took, as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staking_gateway.ledger import Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway_provider.exporting import WRITERS

if TYPE_CHECKING:
    from collections.abc import Iterator

_VIEW = "staking_payouts"
_WARM = 2_000
"""Payouts that are exported before memory is measured, so that loaded code does not count."""


def main(ledger_url: str, payouts: str) -> None:
    """Write the payouts of a network as CSV, read from the ledger meanwhile."""
    with closing(Ledger(ledger_url)) as ledger:
        _write(ledger, range(_WARM))
        before = _peak()
        rows = _write(ledger, range(int(payouts)))
    sys.stdout.write("\n" + json.dumps({"rows": rows, "megabytes": _peak() - before}) + "\n")


def _write(ledger: Ledger, eras: range) -> int:
    counted = 0

    def rows() -> Iterator[Any]:
        nonlocal counted
        for row in ledger.views.rows(_VIEW, "net", eras):
            counted += 1
            yield row

    WRITERS["csv"]()(Path(os.devnull), VIEWS[_VIEW].columns, rows())
    return counted


def _peak() -> float:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
