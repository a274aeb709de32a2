"""The grid as CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from staking_gateway.health.account_rows import STATUS_WORDS
from staking_gateway.health.eras import State
from staking_gateway_provider.csv_rows import write_rows

COLUMNS = (
    "network", "era", "era_ended_at", "row", "label", "state", "expected", "reason", "fee", "lag_seconds", "transaction",
    "dag_id", "run_id",
)  # fmt: skip


def csv_chunks(told: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The overview as CSV, in some pieces: a line for each era's payout, then one for each account and era it was checked in.

    :param told: `Overview.data`.
    :param rows: of the accounts; read one by one.
    """
    network, cells = told["network"], told["grid"]["cells"]
    payouts = []
    for cell in cells:
        facts = [cell.get(name, "") for name in ("reason", "fee", "lag", "tx_hash", "dag_id", "run_id")]
        state = State(cell["state"]).word
        payouts.append((network, cell["era"], cell["ended_at"], "payout", "", state, "", *facts))
    yield _lines([COLUMNS, *payouts])
    for row in rows:
        name, rest = (row["account"], row["label"]), (row["expect"], *[""] * 6)
        yield _lines(
            (network, cell["era"], cell["ended_at"], *name, STATUS_WORDS[letter], *rest)
            for cell, letter in zip(cells, row["letters"], strict=True)
            if letter in STATUS_WORDS
        )


def _lines(rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    write_rows(text, rows)
    return text.getvalue()
