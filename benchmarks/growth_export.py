"""An export in a process of its own: `python -m benchmarks.growth_export LEDGER PAYOUTS`.

It prints the number of rows, and the megabytes of memory that the export took, as JSON.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import sys
from contextlib import closing
from pathlib import Path
from typing import TextIO

from staking_gateway.ledger import Ledger

_WARM = 2_000
"""Payouts that are exported before memory is measured, so that loaded code does not count."""


def main(ledger_url: str, payouts: str) -> None:
    """Write the payouts of a network as CSV, read from the ledger meanwhile."""
    with closing(Ledger(ledger_url)) as ledger, Path(os.devnull).open("w") as stream:
        _write(ledger, range(_WARM), stream)
        before = _peak()
        rows = _write(ledger, range(int(payouts)), stream)
    sys.stdout.write("\n" + json.dumps({"rows": rows, "megabytes": _peak() - before}) + "\n")


def _write(ledger: Ledger, eras: range, stream: TextIO) -> int:
    writer, rows = csv.writer(stream), 0
    for payout in ledger.each_payout("net", eras):
        writer.writerow([payout.era, payout.part, payout.state.value, payout.tx_hash, payout.fee])
        rows += 1
    return rows


def _peak() -> float:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
