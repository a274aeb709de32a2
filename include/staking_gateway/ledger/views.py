"""The SQL views, reading them, and a report on them. `views.sql` has their rows. Their columns are a promise; new ones come at the end."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import sqlalchemy as sa

from staking_gateway.ledger import tables
from staking_gateway.ledger.database import LedgerPart
from staking_gateway.ledger.describe import Column, Kind, amount, columns_of, metadata
from staking_gateway.text import Token
from staking_gateway.types import StakingStatus

_SQL = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")


VIEWS: dict[str, tuple[Column, ...]] = {
    "staking_eras": (
        *columns_of(tables.era_facts, "network", "era", "chain", "ended_at"),
        Column("state", Kind.TEXT, "See [the states of an era](#states-of-an-era)"),
        Column("parts", Kind.INTEGER, "Number of rows of the era in `staking_payouts`"),
        Column("confirmed_parts", Kind.INTEGER, "Number of these whose payout was executed"),
        *amount(
            "fee",
            "Sum of the charged fees, also of those without a payout. NULL: the era has no row in `staking_payouts`, a payload may "
            "still execute, or a charged fee is unknown",
        ),
        *columns_of(tables.era_facts, "reward", "reward_source", "reward_block", "symbol", "decimals"),
        Column("first_signed_at", Kind.TIME, "When the first payload of the era was signed"),
        Column("confirmed_at", Kind.TIME, "When the last executed part was confirmed"),
        Column(
            "lag_seconds",
            Kind.SECONDS,
            "From `ended_at` to `confirmed_at`. NULL: the state is not `PAID`, one of the times is NULL, or `confirmed_at` comes before "
            "`ended_at`",
        ),
    ),
    "staking_payouts": (
        *columns_of(tables.payouts, "network", "chain", "era", "part", "state", "user_key", "payer_key", "relayer_key"),
        *columns_of(tables.payout_copies, "staking_nonce", "payment_nonce"),
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
        *columns_of(tables.payout_sends, "request_id", "tx_hash", "block_number"),
        *columns_of(tables.payouts, "confirmed_by", "reason"),
        Column("plans", Kind.INTEGER, "Number of signed payloads"),
        Column("unanswered", Kind.INTEGER, "Sends of the last payload with an unknown result"),
        *columns_of(tables.payouts, "created_at", "updated_at"),
        *columns_of(tables.payout_copies, "signed_at"),
        Column("accepted_at", Kind.TIME, "When the gateway accepted the last payload"),
        *columns_of(tables.payouts, "confirmed_at", "settled_by", "hold"),
        Column("request_status", Kind.TEXT, "Newest state of the request"),
        Column("wasted", Kind.INTEGER, "Number of fees that were charged for the part without a payout"),
        Column("signed_by", Kind.TEXT, "Run that signed the last payload"),
        Column("signed_try", Kind.INTEGER, "Try of that run"),
    ),
    "staking_fees": (
        *columns_of(tables.payouts, "network", "era", "part"),
        Column("payment_nonce", Kind.NUMBER, "Payment nonce of the payer that the fee was charged with"),
        *amount("fee", "Charged fee. NULL: charged, but the amount is unknown"),
        Column("purpose", Kind.TEXT, "`payout`: of an executed payout. `wasted`: charged without a payout"),
        Column("signed_at", Kind.TIME, "When the payload was signed"),
        Column("signed_by", Kind.TEXT, "Run that signed the payload"),
    ),
    "staking_rewards": columns_of(tables.account_rewards),
    "staking_statuses": columns_of(tables.account_statuses),
    "staking_reconciliation": columns_of(tables.reconciliations),
}
"""The columns of each view. None has signatures."""
_ORDER = ("part", "signed_at", "payment_nonce", "account_key", "subject")
"""Columns by which the rows of an era are sorted, so that a file has the same bytes each time."""


def view_statements(dialect: str) -> Iterator[str]:
    """The statements that create the views on `sqlite` or `postgresql`. `v` is the alias of a view's rows."""
    parts = dict[str, str]()
    for part, text in re.findall(r"^--- (.+)\n((?:(?!---).*\n)+)", _SQL, re.MULTILINE):
        name, _, only = part.partition(" ")
        if only in ("", dialect):
            parts[name] = re.sub(r"^-- .*\n", "", text, flags=re.MULTILINE).format(**parts)
    for name, view in VIEWS.items():
        columns = ", ".join(f"{column.expression(dialect)} AS {column.name}" for column in view)
        yield f"CREATE VIEW {name} AS SELECT {columns} FROM ({parts[name]}) AS v"  # noqa: S608 - only constants


STATES = ("PAID", "ALREADY_PAID", "IN_FLIGHT", "HELD", "UNPAID", "EXPIRED", "UNKNOWN")
"""The states of `staking_eras`. Without a row there, an era is UNPAID or EXPIRED, and UNKNOWN before the installation."""
_AMOUNTS = ("fee", "wasted", "reward")


class Total(NamedTuple):
    """The sum of the known amounts of eras, in the smallest unit (None: none is known), and the number of eras whose amount is unknown."""

    known: int | None
    unknown_eras: int


@dataclass
class ReportedEra:
    """One era; None is unknown. `fee` is the sum of all charged fees in the smallest unit, with those that paid nothing, `wasted`."""

    era: int
    state: str = "UNKNOWN"
    fee: int | None = None
    wasted: int | None = None
    reward: int | None = None
    lag_seconds: float | None = None
    staking: int | None = None
    not_staking: int | None = None


@dataclass(frozen=True, kw_only=True)
class RangeReport:
    """All eras of a range, oldest first: what the views say, with sums. Unknown stays unknown.

    :param token: None: unknown, or the range has several.
    :param compared: number of eras that were compared with gateway or chain; `differences` are the rows that differ.
    """

    token: Token | None
    eras: list[ReportedEra]
    compared: int
    differences: list[sa.Row[Any]]

    @property
    def states(self) -> dict[str, int]:
        found = Counter(era.state for era in self.eras)
        return {state: found[state] for state in STATES}

    def total(self, name: str) -> Total:
        """The sum of `fee`, `wasted` or `reward`."""
        amounts = [getattr(era, name) for era in self.eras]
        known = [one for one in amounts if one is not None]
        return Total(sum(known) if known else None, len(amounts) - len(known))

    @property
    def lags(self) -> dict[int, float]:
        return {era.era: era.lag_seconds for era in self.eras if era.lag_seconds is not None}

    @property
    def median_lag(self) -> float | None:
        return median(self.lags.values()) if self.lags else None

    @property
    def checked(self) -> ReportedEra | None:
        """The newest era with statuses of accounts."""
        return next((era for era in reversed(self.eras) if era.staking is not None), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: amounts as decimal text in the smallest unit, None for unknown."""
        return {
            "first": self.eras[0].era if self.eras else None,
            "last": self.eras[-1].era if self.eras else None,
            "symbol": self.token and self.token.symbol,
            "decimals": self.token and self.token.decimals,
            "states": self.states,
            **{name: _plain(self.total(name)._asdict()) for name in _AMOUNTS},
            "median_lag_seconds": self.median_lag,
            "compared_eras": self.compared,
            "differences": [{"era": one.era, "subject": one.subject, "text": one.text} for one in self.differences],
            "eras": [_plain(asdict(era)) for era in self.eras],
        }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    amounts = ("known", *_AMOUNTS)
    return {name: str(value) if name in amounts and value is not None else value for name, value in values.items()}


class ViewRows(LedgerPart):
    """Rows of the SQL views, at `Ledger.views`, equal on SQLite and PostgreSQL."""

    def eras(self, network: str) -> range:
        """From the oldest to the newest era of which the ledger stores anything."""
        of_eras = "payouts", "account_statuses", "era_facts", "era_notices", "account_rewards", "reconciliations"
        ends = [
            sa.select(end(table.c.era)).where(table.c.network == network).scalar_subquery()
            for table in (metadata.tables[name] for name in of_eras)
            for end in (sa.func.min, sa.func.max)
        ]
        found = [era for era in self._database.rows(sa.select(*ends), tuple)[0] if era is not None]
        return range(min(found), max(found) + 1) if found else range(0)

    def token(self, network: str) -> Token | None:
        """The token of the newest era that has one, if any."""
        facts = tables.era_facts.c
        known = facts.network == network, facts.decimals.is_not(None)
        query = sa.select(facts.symbol, facts.decimals).where(*known).order_by(facts.era.desc()).limit(1)
        return next(iter(self._database.records(query, Token)), None)

    def rows(self, view: str, network: str, eras: range) -> list[sa.Row[Any]]:
        """The rows of a range of eras, in order."""
        table = sa.table(view, *(sa.column(column.name, column.kind.read) for column in VIEWS[view]))
        where = table.c.network == network, table.c.era >= eras.start, table.c.era < eras.stop
        order = table.c.era, *(sa.nulls_last(table.c[name]) for name in _ORDER if name in table.c)
        return self._database.rows(sa.select(table).where(*where).order_by(*order), lambda row: row)

    def report(
        self,
        network: str,
        known: range,
        *,
        token: Token | None = None,
        since: int | None = None,
        in_hand: Mapping[int, bool] | None = None,
    ) -> RangeReport:
        """The report on eras that have ended.

        :param token: the token of `staking.yaml`; without it that of the range counts, or else the newest of the ledger.
        :param since: the oldest era that this installation should have paid, if known.
        :param in_hand: whether the payment of an era that can be paid is in progress, or its run begins soon.
        """
        seen, in_hand = tables.active_eras.c, in_hand or {}
        expired_before = sa.select(seen.active - seen.history_depth).where(seen.network == network)
        lost = self._database.value(expired_before) or 0
        rows = {row.era: row for row in self.rows("staking_eras", network, known)}
        eras = {era: ReportedEra(era) for era in known}
        for row in rows.values():
            eras[row.era] = ReportedEra(row.era, row.state, row.fee, reward=row.reward, lag_seconds=row.lag_seconds)
        for number, era in eras.items():
            if era.state == "UNKNOWN" and since is not None and number >= since:
                era.state = "EXPIRED" if number < lost else "UNPAID"
            if era.state in ("UNPAID", "IN_FLIGHT") and number in in_hand:
                era.state = "IN_FLIGHT" if in_hand[number] else "UNPAID"
            if era.state != "UNKNOWN" and (number not in rows or not rows[number].parts):
                era.fee = 0
            if era.fee is not None:
                era.wasted = 0
        for fee in self.rows("staking_fees", network, known):
            if fee.purpose == "wasted":
                eras[fee.era].wasted = (eras[fee.era].wasted or 0) + (fee.fee or 0)
        of = tables.account_statuses.c
        staking = sa.func.count().filter(of.status == StakingStatus.IS_STAKING)
        checked = sa.select(of.era, staking, sa.func.count()).group_by(of.era)
        in_range = of.network == network, of.era >= known.start, of.era < known.stop
        for number, stake, accounts in self._database.rows(checked.where(*in_range), tuple):
            eras[number].staking, eras[number].not_staking = stake, accounts - stake
        units = {Token(row.symbol, row.decimals) for row in rows.values() if None not in (row.symbol, row.decimals)}
        compared = [row for row in self.rows("staking_reconciliation", network, known) if row.agrees is not None]
        return RangeReport(
            token=None if len(units) > 1 else token or next(iter(units), None) or self.token(network),
            eras=list(eras.values()),
            compared=len({row.era for row in compared}),
            differences=[row for row in compared if not row.agrees],
        )
