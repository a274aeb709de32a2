"""The rows of the benchmark, in the order they are run and shown."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks.results_file import COSTS, ERA, GROWTH

if TYPE_CHECKING:
    from benchmarks.results import Line, Scale


@dataclass(frozen=True)
class Row:
    """One row.

    :param title: as the table names it.
    :param work: what is done.
    :param home: `module:function` that measures it; each family is loaded only when it is its turn.
    :param section: of RESULTS.md.
    """

    title: str
    work: str
    home: str
    section: str = COSTS

    def measure(self, scale: Scale) -> list[Line]:
        module, function = self.home.split(":")
        found: list[Line] = getattr(import_module(f"benchmarks.{module}"), function)(scale)
        return found


ROWS = {
    "status-latency": Row(
        "status, latency-bound", "4,000 checks, 20 ms server latency, 64 in flight", "status:latency_bound"
    ),
    "status-cpu": Row("status, CPU-bound", "20,000 checks, no latency, server in another process", "status:cpu_bound"),
    "signing": Row("signing", "both proofs and a token", "signing:proofs"),
    "noticing": Row("noticing", "window close to payout accepted, 30 sped-up eras", "noticing:delays"),
    "catch-up": Row("catch-up", "84 unpaid eras, 0.5 s to confirm", "catch_up:unpaid_eras"),
    "loading": Row("loading", "parse of the two DAG files, after a warm start", "loading:dag_files"),
    "node": Row("node read", "active era and window from a node", "node:era_and_window"),
    "hostile": Row("hostile answer", "the longest answers of a node, decoded or refused", "hostile:answers", GROWTH),
    "ledger": Row("ledger", "payout transitions, SQLite and PostgreSQL", "ledger:transitions"),
    "growth": Row(
        "growth of settings and page", "settings, overview and export with many accounts", "growth:growth", GROWTH
    ),
    "growth-ledger": Row(
        "growth of the ledger", "reads, plans, alerts and size with a long history", "growth_ledger:growth", GROWTH
    ),
    "era": Row(
        "era",
        "5 eras on a live Airflow, with LocalExecutor and with CeleryExecutor; each run waits for the window, pays, and checks one account",
        "era:per_era",
        ERA,
    ),
}
"""By the names the command line knows them by."""
