"""The SQL views for other programs, and reading them. `docs/data.md` shows the columns.

Names and types of columns are a promise; new columns come at the end.

A condition on network and era must reach the indexes. So `staking_eras` has scalar subqueries instead of joins with groups, and no UNION, into
which SQLite passes no condition.
"""
# ruff: noqa: S608 - only constants are put together

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger.describe import Column, Kind, amount, columns_of
from staking_gateway.ledger.tables import (
    SEEN_PAID,
    account_rewards,
    account_statuses,
    era_facts,
    era_notices,
    payout_copies,
    payout_sends,
    payouts,
    reconciliations,
)
from staking_gateway.text import Token

if TYPE_CHECKING:
    from staking_gateway.ledger.database import Database
    from staking_gateway.types import StakingStatus

_OF_ERA = columns_of(era_facts, "network", "era")

ERAS = (
    *_OF_ERA,
    *columns_of(era_facts, "chain", "ended_at"),
    Column("state", Kind.TEXT, "See [the states of an era](#states-of-an-era)"),
    Column("parts", Kind.INTEGER, "Number of rows of the era in `staking_payouts`"),
    Column("confirmed_parts", Kind.INTEGER, "Number of these whose payout was executed"),
    *amount(
        "fee",
        "Sum of the charged fees, also of those without a payout. NULL: the era has no row in `staking_payouts`, a payload may "
        "still execute, or a charged fee is unknown",
    ),
    *columns_of(era_facts, "reward", "reward_source", "reward_block", "symbol", "decimals"),
    Column("first_signed_at", Kind.TIME, "When the first payload of the era was signed"),
    Column("confirmed_at", Kind.TIME, "When the last executed part was confirmed"),
    Column(
        "lag_seconds",
        Kind.SECONDS,
        "From `ended_at` to `confirmed_at`. NULL: the state is not `PAID`, one of the times is NULL, or `confirmed_at` comes before "
        "`ended_at`",
    ),
)
PAYOUTS = (
    *columns_of(payouts, "network", "chain", "era", "part", "state", "user_key", "payer_key", "relayer_key"),
    *columns_of(payout_copies, "staking_nonce", "payment_nonce"),
    *amount(
        "signed_fee",
        "Highest fee that was signed with the payment nonce of the last payload, charged or not. NULL: no payload was signed, "
        "or the fee is unknown",
    ),
    *amount(
        "fee",
        "Fee of the executed payload. NULL: the part was not executed, or the fee is unknown",
        "CASE WHEN confirmed_at IS NOT NULL THEN signed_fee END",
    ),
    *columns_of(payout_sends, "request_id", "tx_hash", "block_number"),
    *columns_of(payouts, "confirmed_by", "reason"),
    Column("plans", Kind.INTEGER, "Number of signed payloads"),
    Column("unanswered", Kind.INTEGER, "Sends of the last payload with an unknown result"),
    *columns_of(payouts, "created_at", "updated_at"),
    *columns_of(payout_copies, "signed_at"),
    Column("accepted_at", Kind.TIME, "When the gateway accepted the last payload"),
    *columns_of(payouts, "confirmed_at", "settled_by", "hold"),
    Column("request_status", Kind.TEXT, "Newest state of the request"),
    Column("wasted", Kind.INTEGER, "Number of fees that were charged for the part without a payout"),
    Column("signed_by", Kind.TEXT, "Run that signed the last payload"),
    Column("signed_try", Kind.INTEGER, "Try of that run"),
)
FEES = (
    *columns_of(payouts, "network", "era", "part"),
    Column("payment_nonce", Kind.NUMBER, "Payment nonce of the payer that the fee was charged with"),
    *amount("fee", "Charged fee. NULL: charged, but the amount is unknown"),
    Column("purpose", Kind.TEXT, "`payout`: of an executed payout. `wasted`: charged without a payout"),
    Column("signed_at", Kind.TIME, "When the payload was signed"),
    Column("signed_by", Kind.TEXT, "Run that signed the payload"),
)
REWARDS = (
    *_OF_ERA,
    *columns_of(account_rewards, "account_key", "address", "amount", "source", "block_number", "noted_at"),
)
STATUSES = columns_of(account_statuses, "network", "era", "account_key", "address", "status", "checked_at")
RECONCILIATION = columns_of(
    reconciliations,
    *("network", "era", "subject", "agrees", "finding", "ledger_says", "gateway_says", "chain_says", "text"),
    *("checked_at", "run"),
)


@dataclass(frozen=True)
class View:
    """A view.

    :param source: table or subquery; its alias is `v`. A format with fields of `_DIALECTS`.
    :param order: of the rows of an era, so that a file has the same bytes each time.
    """

    columns: tuple[Column, ...]
    source: str
    order: tuple[str, ...] = ()

    def sql(self, dialect: str) -> str:
        """Its SELECT on `sqlite` or `postgresql`."""
        columns = ", ".join(f"{column.expression(dialect)} AS {column.name}" for column in self.columns)
        return f"SELECT {columns} FROM {self.source.format(**_DIALECTS[dialect])} AS v"


_HERE = "p.network = k.network AND p.era = k.era"
_NOTED = "FROM era_notices AS n WHERE n.network = k.network AND n.era = k.era AND"
_EXPIRED = """FROM active_eras AS a WHERE a.network = k.network AND k.era < a.active - a.history_depth"""
"""By the newest active era that was read from the chain, and the history depth of that time."""
_RESPONSIBLE = """FROM era_notices AS n WHERE n.network = k.network AND n.era <= k.era AND n.kind = 'watched_from'"""
"""The era should be paid by this installation."""
_DUE = "substr(kind, 1, 7) = 'expiry_'"
"""Notices that an unpaid era expires soon."""
_SAME_KEY = "{0}.chain = {1}.chain AND {0}.payer_key = {1}.payer_key AND {0}.payment_nonce = {1}.payment_nonce"


def _highest_fee(of: str) -> str:
    """The highest fee of some copies `h`. Fees are decimal text: more digits make the higher number."""
    return f"(SELECT h.fee FROM payout_copies AS h WHERE {of} AND h.fee IS NOT NULL ORDER BY length(h.fee) DESC, h.fee DESC LIMIT 1)"


_EXECUTED = f"""(SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
    {_highest_fee(f"h.payout_id = p.id AND {_SAME_KEY.format('h', 'c')}")} AS fee
  FROM payouts AS p LEFT JOIN payout_copies AS c ON c.id = p.executed WHERE p.state = 'CONFIRMED')"""
_WASTED = f"""(SELECT p.network, p.era, p.part, c.payment_nonce, c.signed_at, c.run,
    {_highest_fee(_SAME_KEY.format("h", "c"))} AS fee
  FROM payouts AS p JOIN payout_copies AS c ON c.payout_id = p.id
  WHERE NOT EXISTS (SELECT 1 FROM payout_copies AS o WHERE {_SAME_KEY.format("o", "c")} AND o.id < c.id)
    AND EXISTS (SELECT 1 FROM payout_copies AS o JOIN payout_sightings AS s ON s.payout_id = o.payout_id AND s.kind = 'charged'
      AND s.payer_key = o.payer_key AND s.nonce = o.payment_nonce WHERE {_SAME_KEY.format("o", "c")})
    AND NOT EXISTS (SELECT 1 FROM payout_copies AS o JOIN payouts AS q ON q.id = o.payout_id AND q.executed = o.id
      AND q.state = 'CONFIRMED' WHERE {_SAME_KEY.format("o", "c")}))"""
"""A payment nonce is charged once. It is no waste when a copy with it was executed; else it belongs to the part that signed it first."""
_CHARGED = f"""SELECT p.fee FROM {_EXECUTED} AS p WHERE {_HERE}
    UNION ALL SELECT p.fee FROM {_WASTED} AS p WHERE {_HERE}"""
_SENDS = "FROM payout_sends AS x WHERE x.copy_id = c.id AND"
_TOLD = (
    "p.state NOT IN ('CONFIRMED', 'EMPTY') OR (s.status = 'Processed' AND p.confirmed_by IN ('request_state', 'none'))"
)
"""Its transaction is that of its request, see `Payout.transaction`."""
_PAYOUTS = f"""(SELECT p.*, c.staking_nonce, c.payment_nonce, c.signed_at, c.run AS signed_by, c.try_number AS signed_try,
    {_highest_fee(f"h.payout_id = p.id AND {_SAME_KEY.format('h', 'c')}")} AS signed_fee,
    s.request_id, CASE WHEN {_TOLD} THEN s.tx_hash END AS tx_hash, CASE WHEN {_TOLD} THEN s.block_number END AS block_number, s.answered_at AS accepted_at, s.status AS request_status,
    (SELECT count(*) FROM payout_copies AS x WHERE x.payout_id = p.id) AS plans,
    (SELECT count(*) {_SENDS} (x.answer IS NULL OR x.answer = 'lost')) AS unanswered,
    (SELECT count(DISTINCT x.chain || x.payer_key || x.payment_nonce) FROM payout_copies AS x JOIN payout_sightings AS y
      ON y.payout_id = x.payout_id AND y.kind = 'charged' AND y.payer_key = x.payer_key AND y.nonce = x.payment_nonce
      WHERE x.payout_id = p.id AND NOT (p.executed IS NOT NULL AND {_SAME_KEY.format("x", "c")})) AS wasted
  FROM payouts AS p
  LEFT JOIN payout_copies AS c ON c.id = coalesce(p.executed, (SELECT max(x.id) FROM payout_copies AS x WHERE x.payout_id = p.id))
  LEFT JOIN payout_sends AS s ON s.copy_id = c.id AND s.number = (SELECT x.number {_SENDS} x.request_id IS NOT NULL
    ORDER BY CASE x.status WHEN 'Processed' THEN 1 ELSE 0 END DESC, CASE x.status WHEN 'Processed' THEN x.read_at END DESC, x.number DESC
    LIMIT 1))"""
"""The last copy is the executed one, or else the newest; its request is the one that read Processed last, or else the newest."""

_IN_FLIGHT = "p.state IN ('SIGNED', 'SUBMITTED', 'UNKNOWN')"
_PARTS = f"SELECT count(*) FROM payouts AS p WHERE {_HERE}"
_ERAS = f"""(SELECT e.*,
    CASE WHEN parts > 0 AND (empty > 0 OR confirmed_parts = parts) THEN CASE WHEN confirmed_parts > 0 THEN 'PAID' ELSE 'ALREADY_PAID' END
      WHEN in_flight > 0 THEN 'IN_FLIGHT' WHEN seen_paid > 0 THEN 'ALREADY_PAID' WHEN expired > 0 AND (parts > 0 OR due > 0 OR responsible > 0)
        THEN 'EXPIRED' WHEN held > 0 THEN 'HELD'
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
    (SELECT count(*) FROM ({_CHARGED}) AS x WHERE x.fee IS NULL) AS fees_unknown,
    (SELECT count(*) {_EXPIRED}) AS expired,
    (SELECT count(*) {_RESPONSIBLE}) AS responsible,
    (SELECT count(*) {_NOTED} {_DUE}) AS due,
    (SELECT count(*) FROM reconciliations AS r WHERE r.network = k.network AND r.era = k.era AND {SEEN_PAID.text}) AS seen_paid,
    (SELECT min(c.signed_at) FROM payouts AS p JOIN payout_copies AS c ON c.payout_id = p.id WHERE {_HERE}) AS first_signed_at,
    (SELECT max(p.confirmed_at) FROM payouts AS p WHERE {_HERE} AND p.state = 'CONFIRMED') AS confirmed_at,
    ({{sum}}) AS charged
  FROM (SELECT DISTINCT network, era FROM (SELECT network, era FROM payouts UNION ALL SELECT network, era FROM era_facts
    UNION ALL SELECT network, era FROM reconciliations AS r WHERE {SEEN_PAID.text}
    UNION ALL SELECT network, era FROM era_notices WHERE {_DUE}) AS a) AS k
  LEFT JOIN era_facts AS f ON f.network = k.network AND f.era = k.era) AS e)"""

_FEES = f"""(SELECT network, era, part, payment_nonce, fee, 'payout' AS purpose, signed_at, run AS signed_by FROM {_EXECUTED} AS p
  UNION ALL SELECT network, era, part, payment_nonce, fee, 'wasted', signed_at, run FROM {_WASTED} AS p)"""

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
    "staking_payouts": View(PAYOUTS, _PAYOUTS, ("part",)),
    "staking_fees": View(FEES, _FEES, ("part", "signed_at", "payment_nonce")),
    "staking_rewards": View(REWARDS, _REWARDS, ("account_key",)),
    "staking_statuses": View(STATUSES, "account_statuses", ("account_key",)),
    "staking_reconciliation": View(RECONCILIATION, "reconciliations", ("subject",)),
}
"""The views by their names. None has signatures."""


_WITH_ERAS = (payouts, account_statuses, era_facts, era_notices, account_rewards, reconciliations)


class ViewRows:
    """Rows of the SQL views, at `Ledger.views`, equal on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def eras(self, network: str) -> range:
        """From the oldest to the newest era of which the ledger stores anything."""
        ends = [
            sa.select(end(table.c.era)).where(table.c.network == network).scalar_subquery()
            for table in _WITH_ERAS
            for end in (sa.func.min, sa.func.max)
        ]
        found = [era for era in self._database.rows(sa.select(*ends), tuple)[0] if era is not None]
        return range(min(found), max(found) + 1) if found else range(0)

    def token(self, network: str) -> Token | None:
        """The token of the newest era that has one; None: unknown."""
        facts = era_facts.c
        known = facts.network == network, facts.decimals.is_not(None)
        query = sa.select(facts.symbol, facts.decimals).where(*known).order_by(facts.era.desc()).limit(1)
        found = self._database.rows(query, lambda row: Token(row.symbol, row.decimals))
        return found[0] if found else None

    def rows(self, view: str, network: str, eras: range) -> list[sa.Row[Any]]:
        """The rows of a range of eras, in order. The columns are those of `VIEWS`."""
        table = sa.table(view, *(sa.column(column.name, column.kind.read) for column in VIEWS[view].columns))
        where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
        order = table.c.era, *(sa.nulls_last(table.c[name]) for name in VIEWS[view].order)
        return self._database.rows(sa.select(table).where(*where).order_by(*order), lambda row: row)

    def accounts(self, network: str, eras: range) -> dict[int, Counter[StakingStatus]]:
        """How many accounts had which status in an era. Eras without any are left out."""
        column = account_statuses.c
        query = sa.select(column.era, column.status, sa.func.count()).group_by(column.era, column.status)
        where = column.network == network, column.era >= eras.start, column.era < eras.stop
        found: dict[int, Counter[StakingStatus]] = {}
        for era, status, accounts in self._database.rows(query.where(*where), tuple):
            found.setdefault(era, Counter())[status] = accounts
        return found
