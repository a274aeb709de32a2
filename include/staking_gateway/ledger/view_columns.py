"""The columns of the SQL views: type, SQL and description. `docs/data.md` shows them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """Type of a column on PostgreSQL and on SQLite, and its unit."""

    TEXT = ("text", "text", "")
    INTEGER = ("bigint", "integer", "")
    BOOLEAN = ("boolean", "integer", "")
    TIME = ("timestamp with time zone", "text", "UTC")
    NUMBER = ("numeric(39,0)", "text", "")
    AMOUNT = ("numeric(39,0)", "text", "smallest unit")
    SCALED = ("numeric", "real", "token")
    SECONDS = ("double precision", "real", "seconds")

    def __init__(self, postgresql: str, sqlite: str, unit: str) -> None:
        self.postgresql, self.sqlite, self.unit = postgresql, sqlite, unit


@dataclass(frozen=True)
class Column:
    """A column of a view.

    :param null: when it is NULL; empty: never.
    :param sql: its expression; by default the column of the same name.
    """

    name: str
    kind: Kind
    meaning: str
    null: str = ""
    sql: str = ""

    def expression(self, dialect: str) -> str:
        """Its SQL. SQLite casts only a scaled amount: it finds no index for a cast column."""
        sql = self.sql or self.name
        if dialect == "postgresql":
            return f"CAST({sql} AS {self.kind.postgresql})"
        return f"CAST({sql} AS {self.kind.sqlite})" if self.kind is Kind.SCALED else sql


_DECIMALS = "(SELECT f.decimals FROM era_facts AS f WHERE f.network = v.network AND f.era = v.era)"


def _amount(name: str, meaning: str, null: str = "", sql: str = "") -> tuple[Column, Column]:
    """An amount, and the same in the unit of the token. Both databases read a text such as `12e-3` as exactly as they can."""
    scaled = f"`{name}` in the unit of the token: `{name}` / 10^`decimals`"
    unknown = "the decimals of the token are unknown"
    return (
        Column(name, Kind.AMOUNT, meaning, null, sql),
        Column(
            f"{name}_scaled",
            Kind.SCALED,
            scaled,
            f"`{name}` is NULL, or {unknown}" if null else unknown,
            f"CAST({sql or name} AS TEXT) || 'e-' || {_DECIMALS}",
        ),
    )


_NETWORK = Column("network", Kind.TEXT, "Name of the network in `staking.yaml`", sql="v.network")
_ERA = Column("era", Kind.INTEGER, "Number of the era", sql="v.era")
_PART = Column("part", Kind.INTEGER, "Number of the call of the era, from 0")
_ACCOUNT = Column("account_key", Kind.TEXT, "Public key of the account, 0x and hex digits")
_ADDRESS = Column("address", Kind.TEXT, "Address of the account")
_RUN = Column("run", Kind.TEXT, "DAG and run, or the command, that stored the row")
_NOT_SIGNED = "no payload was signed"
_UNKNOWN = "unknown"

ERAS = (
    _NETWORK,
    _ERA,
    Column("chain", Kind.TEXT, "Name of the chain", _UNKNOWN),
    Column("ended_at", Kind.TIME, "End of the era by the calendar of the network", _UNKNOWN),
    Column("state", Kind.TEXT, "See [the states of an era](#states-of-an-era)"),
    Column("parts", Kind.INTEGER, "Number of rows of the era in `staking_payouts`"),
    Column("confirmed_parts", Kind.INTEGER, "Number of these whose payout was executed"),
    *_amount(
        "fee",
        "Sum of the charged fees, also of those without a payout",
        "the era has no row in `staking_payouts`, a payload may still execute, or a charged fee is unknown",
    ),
    *_amount("reward", "Total reward of the era by the chain", _UNKNOWN),
    Column(
        "reward_source", Kind.TEXT, "Where the reward was read: `storage` or `events` of the chain", "`reward` is NULL"
    ),
    Column("reward_block", Kind.NUMBER, "Block whose state was read", _UNKNOWN),
    Column("symbol", Kind.TEXT, "Symbol of the token", _UNKNOWN),
    Column("decimals", Kind.INTEGER, "Decimal places of the token", _UNKNOWN),
    Column("first_signed_at", Kind.TIME, "When the first payload of the era was signed", _NOT_SIGNED),
    Column("confirmed_at", Kind.TIME, "When the last executed part was confirmed", "no part was executed"),
    Column(
        "lag_seconds",
        Kind.SECONDS,
        "From `ended_at` to `confirmed_at`",
        "the state is not `PAID`, one of the times is NULL, or `confirmed_at` comes before `ended_at`",
    ),
)

PAYOUTS = (
    _NETWORK,
    Column("chain", Kind.TEXT, "Name of the chain that the nonces belong to"),
    _ERA,
    _PART,
    Column(
        "state",
        Kind.TEXT,
        "`PLANNED`, `SIGNED`, `SUBMITTED`, `UNKNOWN` (sent; result unknown), `HELD`, `REJECTED`, `CONFIRMED` (executed) or `EMPTY` "
        "(nothing was left to pay)",
    ),
    Column("user_key", Kind.TEXT, "Public key of the user, 0x and hex digits"),
    Column("payer_key", Kind.TEXT, "Public key of the payer"),
    Column("relayer_key", Kind.TEXT, "Public key of the relayer"),
    Column("staking_nonce", Kind.NUMBER, "Staking nonce of the user in the last payload", _NOT_SIGNED),
    Column("payment_nonce", Kind.NUMBER, "Payment nonce of the payer in the last payload", _NOT_SIGNED),
    *_amount(
        "signed_fee",
        "Highest fee that was signed with the payment nonce of the last payload, charged or not",
        f"{_NOT_SIGNED}, or the fee is unknown",
    ),
    *_amount(
        "fee",
        "Fee of the executed payload",
        "the part was not executed, or the fee is unknown",
        "CASE WHEN confirmed_at IS NOT NULL THEN signed_fee END",
    ),
    Column(
        "request_id", Kind.TEXT, "Identity of the request at the gateway", "the gateway has not accepted the payload"
    ),
    Column("tx_hash", Kind.TEXT, "Hash of the transaction", "unknown, or not executed"),
    Column("block_number", Kind.NUMBER, "Block of the transaction", "unknown, or not executed"),
    Column("confirmed_by", Kind.TEXT, "Evidence of the execution", "not executed"),
    Column("reason", Kind.TEXT, "Why the part is not settled", "there is no reason"),
    Column("plans", Kind.INTEGER, "Number of signed payloads"),
    Column("unanswered", Kind.INTEGER, "Sends of the last payload with an unknown result"),
    Column("created_at", Kind.TIME, "When the row was made"),
    Column("updated_at", Kind.TIME, "Last change of the row"),
    Column("signed_at", Kind.TIME, "When the last payload was signed", _NOT_SIGNED),
    Column("accepted_at", Kind.TIME, "When the gateway accepted the last payload", "not accepted"),
    Column("confirmed_at", Kind.TIME, "When the execution was confirmed", "not executed"),
    Column("settled_by", Kind.TEXT, "Run and try that settled the part", "not settled"),
    Column(
        "hold",
        Kind.TEXT,
        "Why the part is held: `window`, `fee`, `limit`, `charged`, `contradiction` or `unsupported`",
        "not held",
    ),
    Column(
        "request_status", Kind.TEXT, "Newest state of the request", "there is no request, or its state was not read"
    ),
    Column("wasted", Kind.INTEGER, "Number of fees that were charged for the part without a payout"),
    Column("signed_by", Kind.TEXT, "Run that signed the last payload", _NOT_SIGNED),
    Column("signed_try", Kind.INTEGER, "Try of that run", _NOT_SIGNED),
)

FEES = (
    _NETWORK,
    _ERA,
    _PART,
    Column("payment_nonce", Kind.NUMBER, "Payment nonce of the payer that the fee was charged with", _UNKNOWN),
    *_amount("fee", "Charged fee", "charged, but the amount is unknown"),
    Column("purpose", Kind.TEXT, "`payout`: of an executed payout. `wasted`: charged without a payout"),
    Column("signed_at", Kind.TIME, "When the payload was signed", _UNKNOWN),
    Column("signed_by", Kind.TEXT, "Run that signed the payload", _UNKNOWN),
)

REWARDS = (
    _NETWORK,
    _ERA,
    Column("account_key", Kind.TEXT, _ACCOUNT.meaning, "the row is the total of the era"),
    Column("address", Kind.TEXT, _ADDRESS.meaning, "the row is the total of the era"),
    *_amount("amount", "Reward of the account, or of all accounts of the era"),
    Column("source", Kind.TEXT, "Where the reward was read: `storage` or `events` of the chain", _UNKNOWN),
    Column("block_number", Kind.NUMBER, "Block of the event, or whose state was read", _UNKNOWN),
    Column("noted_at", Kind.TIME, "When the row was stored"),
)

STATUSES = (
    _NETWORK,
    _ERA,
    _ACCOUNT,
    _ADDRESS,
    Column("status", Kind.TEXT, "`isStaking` or `isNotStaking`"),
    Column("checked_at", Kind.TIME, "When the gateway was asked"),
)

RECONCILIATION = (
    _NETWORK,
    _ERA,
    Column("subject", Kind.TEXT, "What was compared: `execution`, `fee`, `amount`, `status` or `nonces`"),
    Column("agrees", Kind.BOOLEAN, "Whether ledger, gateway and chain agree", "it cannot be known"),
    Column(
        "finding",
        Kind.TEXT,
        "`agrees`, `unpaid_green` (the ledger counts the era as paid, the chain does not), `paid_elsewhere`, `paid_twice`, "
        "`fee_differs`, `amount_differs`, `amount_corrected` (the ledger has the chain's amount now), `status_differs` or `unknown`",
    ),
    Column("ledger_says", Kind.TEXT, "Value in the ledger", _UNKNOWN),
    Column("gateway_says", Kind.TEXT, "Value from the gateway", _UNKNOWN),
    Column("chain_says", Kind.TEXT, "Value from the chain", _UNKNOWN),
    Column("text", Kind.TEXT, "The result in a sentence"),
    Column("checked_at", Kind.TIME, "When the values were compared"),
    _RUN,
)
