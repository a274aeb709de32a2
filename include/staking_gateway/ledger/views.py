"""The SQL views for other programs. `docs/data.md` describes them.

A migration creates them. Names and types of columns are a promise; new columns come at the end.

A condition on network and era must reach the indexes. So `staking_eras` has scalar subqueries instead of joins with groups, and no UNION, into
which SQLite passes no condition.
"""
# ruff: noqa: S608 - only constants are put together

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.ledger.tables import SEEN_PAID
from staking_gateway.ledger.view_columns import ERAS, FEES, PAYOUTS, RECONCILIATION, REWARDS, STATUSES

if TYPE_CHECKING:
    import sqlalchemy as sa

    from staking_gateway.ledger.view_columns import Column


@dataclass(frozen=True)
class View:
    """A view.

    :param source: table or subquery; its alias is `v`. A format with fields of `_DIALECTS`.
    """

    columns: tuple[Column, ...]
    source: str

    def sql(self, dialect: str) -> str:
        """Its SELECT on `sqlite` or `postgresql`."""
        columns = ", ".join(f"{column.expression(dialect)} AS {column.name}" for column in self.columns)
        return f"SELECT {columns} FROM {self.source.format(**_DIALECTS[dialect])} AS v"


_HERE = "p.network = k.network AND p.era = k.era"
_NOTED = "FROM era_notices AS n WHERE n.network = k.network AND n.era = k.era AND"
_LOST = "kind IN ('expired', 'lost')"
_DUE = "substr(kind, 1, 7) = 'expiry_'"
"""Notices that an unpaid era expires soon."""
_WASTED = """payouts AS p JOIN wasted_fees AS w ON w.payout_id = p.id AND NOT EXISTS (
    SELECT 1 FROM payouts AS c WHERE c.chain = p.chain AND c.payer_key = p.payer_key AND c.state = 'CONFIRMED'
    AND length(c.payment_nonce) = length(w.payment_nonce) AND c.payment_nonce = w.payment_nonce)"""
"""A payment nonce is charged once: the executed payout with the nonce has the fee that was perhaps charged for another payload."""
_CHARGED = f"""SELECT p.fee FROM payouts AS p WHERE {_HERE} AND p.state = 'CONFIRMED'
    UNION ALL SELECT w.fee FROM {_WASTED} WHERE {_HERE}"""


_IN_FLIGHT = "p.state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')"
_PARTS = f"SELECT count(*) FROM payouts AS p WHERE {_HERE}"
_ERAS = f"""(SELECT e.*,
    CASE WHEN parts > 0 AND (empty > 0 OR confirmed_parts = parts) THEN CASE WHEN confirmed_parts > 0 THEN 'PAID' ELSE 'ALREADY_PAID' END
      WHEN in_flight > 0 THEN 'IN_FLIGHT' WHEN seen_paid > 0 THEN 'ALREADY_PAID' WHEN expired > 0 THEN 'EXPIRED' WHEN held > 0 THEN 'HELD'
      WHEN parts > 0 OR due > 0 THEN 'UNPAID' ELSE 'UNKNOWN' END AS state,
    CASE WHEN parts > 0 AND in_flight = 0 AND fees_unknown = 0 THEN charged END AS fee,
    CASE WHEN confirmed_at >= ended_at AND (empty > 0 OR confirmed_parts = parts) THEN {{lag}} END AS lag_seconds
  FROM (SELECT k.network, k.era, f.ended_at, f.reward, f.reward_source, f.reward_block, f.symbol, f.decimals,
    coalesce((SELECT p.chain FROM payouts AS p WHERE {_HERE} ORDER BY p.part DESC LIMIT 1), f.chain) AS chain,
    ({_PARTS}) AS parts,
    ({_PARTS} AND p.state = 'CONFIRMED') AS confirmed_parts,
    ({_PARTS} AND p.state = 'EMPTY') AS empty,
    ({_PARTS} AND p.state = 'HELD') AS held,
    ({_PARTS} AND {_IN_FLIGHT}) AS in_flight,
    ({_PARTS} AND (p.state = 'CONFIRMED' AND p.fee IS NULL
      OR p.wasted > (SELECT count(*) FROM wasted_fees AS w WHERE w.payout_id = p.id))) AS fees_unknown,
    (SELECT count(*) {_NOTED} {_LOST}) AS expired,
    (SELECT count(*) {_NOTED} {_DUE}) AS due,
    (SELECT count(*) FROM reconciliations AS r WHERE r.network = k.network AND r.era = k.era AND {SEEN_PAID.text}) AS seen_paid,
    (SELECT min(s.at) FROM payouts AS p JOIN payout_events AS s ON s.payout_id = p.id
      WHERE {_HERE} AND s.to_state = 'SIGNED') AS first_signed_at,
    (SELECT max(p.confirmed_at) FROM payouts AS p WHERE {_HERE} AND p.state = 'CONFIRMED') AS confirmed_at,
    ({{sum}}) AS charged
  FROM (SELECT DISTINCT network, era FROM (SELECT network, era FROM payouts UNION ALL SELECT network, era FROM era_facts
    UNION ALL SELECT network, era FROM reconciliations AS r WHERE {SEEN_PAID.text}
    UNION ALL SELECT network, era FROM era_notices WHERE {_LOST} OR {_DUE}) AS a) AS k
  LEFT JOIN era_facts AS f ON f.network = k.network AND f.era = k.era) AS e)"""

_FEES = f"""(SELECT network, era, part, payment_nonce, fee, 'payout' AS purpose, signed_at, signed_by FROM payouts
    WHERE state = 'CONFIRMED'
  UNION ALL SELECT p.network, p.era, p.part, w.payment_nonce, w.fee, 'wasted', w.signed_at, w.signed_by FROM {_WASTED})"""

_REWARDS = """(SELECT network, era, account_key, address, amount, source, block_number, noted_at FROM account_rewards
  UNION ALL SELECT network, era, NULL, NULL, reward, reward_source, reward_block, noted_at FROM era_facts WHERE reward IS NOT NULL)"""

_E13 = 10**13
_SQLITE_SUM = f"""SELECT coalesce(nullif(ltrim(printf('%d%013d%013d', a + (b + c / {_E13}) / {_E13}, (b + c / {_E13}) % {_E13}, c % {_E13}),
    '0'), ''), '0') FROM (SELECT sum(CAST(substr(digits, 1, 13) AS INTEGER)) AS a, sum(CAST(substr(digits, 14, 13) AS INTEGER)) AS b,
    sum(CAST(substr(digits, 27) AS INTEGER)) AS c
    FROM (SELECT substr('{"0" * 39}' || fee, -39) AS digits FROM ({_CHARGED}) AS x) AS y) AS z"""
"""The exact sum of decimal texts: SQLite has integers of 63 bits, so it adds three groups of 13 digits, and carries."""

_DIALECTS = {
    "sqlite": {
        "sum": _SQLITE_SUM,
        "lag": "round((julianday(confirmed_at) - julianday(ended_at)) * 86400, 3)",
    },
    "postgresql": {
        "sum": f"SELECT coalesce(sum(CAST(x.fee AS numeric)), 0) FROM ({_CHARGED}) AS x",
        "lag": "round(CAST(extract(epoch FROM confirmed_at - ended_at) AS numeric), 3)",
    },
}

VIEWS = {
    "staking_eras": View(ERAS, _ERAS),
    "staking_payouts": View(PAYOUTS, "payouts"),
    "staking_fees": View(FEES, _FEES),
    "staking_rewards": View(REWARDS, _REWARDS),
    "staking_statuses": View(STATUSES, "account_statuses"),
    "staking_reconciliation": View(RECONCILIATION, "reconciliations"),
}
"""The views by their names. None has signatures or leases."""


def create_views(connection: sa.Connection) -> None:
    """Create the views."""
    for name, view in VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {view.sql(connection.dialect.name)}")
