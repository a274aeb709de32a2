"""The columns of the ledger's SQL views, from their description."""

from __future__ import annotations

from docs.tools.tables import table
from staking_gateway.ledger.views import VIEWS

_COLUMNS = ("Column", "PostgreSQL", "SQLite", "Unit", "Meaning", "NULL when")


def parts() -> dict[str, str]:
    """Name of a view to the table of its columns."""
    return {
        name: table(
            _COLUMNS,
            [
                (f"`{one.name}`", one.kind.postgresql, one.kind.sqlite, one.kind.unit, one.meaning, one.null or "never")
                for one in view.columns
            ],
        )
        for name, view in VIEWS.items()
    }
