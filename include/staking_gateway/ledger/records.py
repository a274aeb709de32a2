"""Records of the ledger, as frozen values. Their fields describe tables and views too: see `describe`."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Annotated, Literal, TypeAlias

import sqlalchemy as sa

from staking_gateway.ledger.describe import Amount, Era, Key, Listed, Name, Number, Proof, Short, Word
from staking_gateway.problem import Problem
from staking_gateway.text import amount
from staking_gateway.types import ConfirmBy, RequestStatus, StakingStatus

Network: TypeAlias = Annotated[Name, "Name of the network in `staking.yaml`"]
OneEra: TypeAlias = Annotated[Era, "Number of the era"]
AccountKey: TypeAlias = Annotated[Key, "Public key of the account, 0x and hex digits"]
Address: TypeAlias = Annotated[Key, "Address of the account"]
Source: TypeAlias = Annotated[
    Literal["storage", "events"], sa.String(16), "Where the reward was read: `storage` or `events` of the chain"
]
Subject: TypeAlias = Annotated[
    Literal["execution", "fee", "amount", "status", "nonces"],
    sa.String(16),
    "What was compared: `execution`, `fee`, `amount`, `status` or `nonces`",
]
Finding: TypeAlias = Annotated[
    Literal["agrees", "unpaid_green", "paid_elsewhere", "paid_twice", "fee_differs", "amount_differs",
            "status_differs", "unknown"],
    "`agrees`, `unpaid_green` (the ledger counts the era as paid, the chain does not), `paid_elsewhere`, `paid_twice`, "
    "`fee_differs`, `amount_differs`, `status_differs` or `unknown`",
]  # fmt: skip
_STATES = (
    "`PLANNED`, `SIGNED`, `SUBMITTED`, `UNKNOWN` (sent; result unknown), `HELD`, `REJECTED`, `CONFIRMED` (executed) or `EMPTY` "
    "(nothing was left to pay)"
)
Slot: TypeAlias = tuple[str | None, int | None]
"""0x key of a user, and a staking nonce of theirs: of its copies a chain executes one. The nonce is None where it is not told."""
FeeKey: TypeAlias = tuple[str, str, int]
"""Lane, 0x key of the payer, and payment nonce: what a fee is charged by, once."""


class PayoutState(str, Enum):
    """State of one part of an era's payout."""

    PLANNED = "PLANNED"
    SIGNED = "SIGNED"
    SUBMITTED = "SUBMITTED"
    UNKNOWN = "UNKNOWN"
    HELD = "HELD"
    REJECTED = "REJECTED"
    CONFIRMED = "CONFIRMED"
    EMPTY = "EMPTY"

    @property
    def settled(self) -> bool:
        """Whether the part is done: executed, or nothing was left to pay."""
        return self in (PayoutState.CONFIRMED, PayoutState.EMPTY)


@dataclass(frozen=True)
class Actor:
    """The author of a change: the run of a DAG, e.g. `staking_payout_devnet/scheduled__era-1392`, a command or a script; and the try."""

    run: str
    try_number: int = 1

    def __str__(self) -> str:
        return f"{self.run}#{self.try_number}"


@dataclass(frozen=True)
class Send:
    """One send of a copy, counted and committed before its first byte leaves; `number` is from 1, within its part.

    `answer` is a value of `SendAnswer`, None while none is stored; `status` one of `RequestStatus`. `read_at` is when the read of the status
    began, `rejected_at` when the first one began that called the request failed.
    """

    number: int
    began: datetime
    run: str
    try_number: int
    answer: Short | None = None
    answered_at: datetime | None = None
    text: str | None = None
    request_id: Annotated[str | None, sa.String(36), "Identity of the request at the gateway"] = None
    status: Annotated[Word | None, "Newest state of the request"] = None
    read_at: datetime | None = None
    rejected_at: datetime | None = None
    block_number: Annotated[Number | None, "Block of the transaction"] = None
    tx_hash: Annotated[Key | None, "Hash of the transaction"] = None


@dataclass(frozen=True)
class Copy:
    """A signed payload of the lane `chain`, which is never changed. `fee` is in the smallest unit; None: unknown, as of some ready-made proofs."""

    id: int
    chain: Name
    user_key: Key
    payer_key: Key
    relayer_key: Key
    staking_nonce: Annotated[Number | None, "Staking nonce of the user in the last payload"]
    payment_nonce: Annotated[Number, "Payment nonce of the payer in the last payload"]
    fee: Amount | None
    proxy_signature: Proof = field(repr=False)
    fee_payment_signature: Proof = field(repr=False)
    signed_at: Annotated[datetime, "When the last payload was signed"]
    run: str
    try_number: int
    sends: tuple[Send, ...] = ()

    @property
    def key(self) -> FeeKey:
        return self.chain, self.payer_key, self.payment_nonce

    @property
    def slot(self) -> Slot:
        return self.user_key, self.staking_nonce

    def __str__(self) -> str:
        fee = "an unknown fee" if self.fee is None else f"fee {amount(self.fee, None)}"
        return f"{fee}, staking nonce {self.staking_nonce}, payment nonce {self.payment_nonce}"


class Sight(str, Enum):
    """What was seen about a part.

    PASSED: the user's staking nonce is above `nonce`. STOOD: a later look did not show this.
    MINE, NOT_MINE: judged: a copy with this staking nonce was executed, or something else used it. WAIVED: a person lets the part be signed
    anew; it proves nothing to other parts. CHARGED: the payer's payment nonce is above `nonce`.
    PAID: a node called the era paid. EXPIRED: the era is older than the history. DENIED: a later look showed neither.
    FLOOR: the staking nonce that was read first after the ledger was restored; no nonce up to it confirms by itself.
    """

    PASSED = "passed"
    STOOD = "stood"
    MINE = "mine"
    NOT_MINE = "not_mine"
    WAIVED = "waived"
    CHARGED = "charged"
    PAID = "paid"
    EXPIRED = "expired"
    DENIED = "denied"
    FLOOR = "floor"

    @property
    def judges(self) -> bool:
        """Whether it closes a staking nonce of its part."""
        return self in (Sight.MINE, Sight.NOT_MINE, Sight.WAIVED)


@dataclass(frozen=True)
class Sighting:
    """Something seen. It is never changed.

    `began` is when what was read was known, at the latest; of a look that shows no change, when its read began. `nonce` is the staking nonce
    of `user_key`, of CHARGED the payment nonce of `payer_key`; None for words about the era.
    """

    kind: Sight
    began: datetime
    nonce: Number | None = None
    payer_key: Key | None = None
    user_key: Key | None = None

    @property
    def slot(self) -> Slot:
        return self.user_key, self.nonce


@dataclass(frozen=True)
class Mark:
    """What holds for the whole ledger from then on; `copies` is the highest id of a copy then, or 0. `restored`: it may lack what was signed and sent
    before. `stopped`: nothing is signed or sent until it is `released`.
    """

    at: datetime
    why: str
    run: str
    copies: int
    kind: Short = "restored"


@dataclass(frozen=True)
class Payout:
    """One part of an era's payout, with every payload ever signed for it and what was seen about it, oldest first. Keys are 0x hex.

    The keys are those of when it was planned or last signed. `hold` is a value of `payout.outcomes.Hold`, `confirmed_by` one of `ConfirmBy`
    or `node`, `executed` the id of the executed copy of a CONFIRMED part.
    """

    id: int
    network: Network
    chain: Annotated[Name, "Name of the chain that the nonces belong to"]
    era: OneEra
    part: Annotated[int, "Number of the call of the era, from 0"]
    state: Annotated[PayoutState, _STATES]
    version: int
    user_key: Annotated[Key, "Public key of the user, 0x and hex digits"]
    payer_key: Annotated[Key, "Public key of the payer"]
    relayer_key: Annotated[Key, "Public key of the relayer"]
    hold: Annotated[
        Word | None, "Why it is held: `window`, `fee`, `limit`, `charged`, `contradiction` or `unsupported`"
    ]
    reason: Annotated[str | None, "Why the part is not settled"]
    confirmed_by: Annotated[Word | None, "Evidence of the execution"]
    confirmed_at: Annotated[datetime | None, "When the execution was confirmed"]
    executed: int | None
    settled_by: Annotated[str | None, "Run and try that settled the part"]
    created_at: Annotated[datetime, "When the row was made"]
    updated_at: Annotated[datetime, "Last change of the row"]
    copies: tuple[Copy, ...] = ()
    sightings: tuple[Sighting, ...] = ()

    @property
    def last(self) -> Copy | None:
        """The executed copy, or else the newest."""
        newest = self.copies[-1] if self.copies else None
        return next((copy for copy in self.copies if copy.id == self.executed), newest)

    @property
    def accepted(self) -> Send | None:
        """The newest accepted send of `last`; if some of them read Processed, the one that did so last."""
        sends = [send for send in self.last.sends if send.request_id is not None] if self.last else []
        processed = [one for one in sends if one.status == RequestStatus.PROCESSED.value and one.read_at is not None]
        return max(processed, key=lambda send: (send.read_at, send.number), default=([None, *sends])[-1])

    @property
    def transaction(self) -> Send | None:
        """`accepted`. Of a settled part only if its word settled it: else it is another request that paid the era."""
        sent, by_word = self.accepted, (ConfirmBy.REQUEST_STATE.value, ConfirmBy.NONE.value)
        if sent is None or not self.state.settled:
            return sent
        return sent if sent.status == RequestStatus.PROCESSED.value and self.confirmed_by in by_word else None

    @property
    def fee(self) -> int | None:
        """What `last` costs at most: the highest fee that was signed with its payment nonce."""
        key = self.last and self.last.key
        return max((copy.fee for copy in self.copies if copy.key == key and copy.fee is not None), default=None)

    @property
    def request_id(self) -> str | None:
        return self.accepted.request_id if self.accepted else None

    @property
    def tx_hash(self) -> str | None:
        return self.transaction.tx_hash if self.transaction else None

    @property
    def block_number(self) -> int | None:
        return self.transaction.block_number if self.transaction else None

    def __repr__(self) -> str:
        return f"Payout({self.network} era {self.era} part {self.part}: {self.state.value} v{self.version})"


@dataclass(frozen=True)
class PayoutEvent:
    """One transition of a part."""

    at: datetime
    to_state: PayoutState
    version: int
    cause: str
    run: str
    try_number: int


@dataclass(frozen=True, kw_only=True)
class OfEra:
    """The beginning of a row about an era."""

    network: Network
    era: OneEra


@dataclass(frozen=True, kw_only=True)
class AccountStatus(OfEra):
    """Staking status of one account in one era."""

    account_key: AccountKey
    address: Address
    status: Annotated[StakingStatus, "`isStaking` or `isNotStaking`"]
    checked_at: Annotated[datetime, "When the gateway was asked"]


@dataclass(frozen=True, kw_only=True)
class EraFacts(OfEra):
    """Facts about an era beside its payouts; None is unknown."""

    chain: Annotated[Name | None, "Name of the chain"] = None
    ended_at: Annotated[datetime | None, "End of the era by the calendar of the network"] = None
    reward: Annotated[Amount | None, "Total reward of the era by the chain"] = None
    reward_source: Source | None = None
    reward_block: Annotated[Number | None, "Block whose state was read"] = None
    symbol: Annotated[str | None, "Symbol of the token"] = None
    decimals: Annotated[int | None, "Decimal places of the token"] = None
    noted_at: datetime


@dataclass(frozen=True, kw_only=True)
class AccountReward(OfEra):
    """The reward of one account in one era."""

    account_key: AccountKey
    address: Address
    amount: Annotated[Amount, "Reward of the account, or of all accounts of the era"]
    source: Source
    block_number: Annotated[Number | None, "Block of the event, or whose state was read"] = None
    noted_at: Annotated[datetime, "When the row was stored"]


@dataclass(frozen=True, kw_only=True)
class Reconciliation(OfEra):
    """Whether ledger, gateway and chain agree about one subject of an era: the newest comparison."""

    subject: Subject
    agrees: Annotated[bool | None, "Whether ledger, gateway and chain agree"]
    finding: Finding
    ledger_says: Annotated[str | None, "Value in the ledger"] = None
    gateway_says: Annotated[str | None, "Value from the gateway"] = None
    chain_says: Annotated[str | None, "Value from the chain"] = None
    text: Annotated[str, "The result in a sentence"]
    checked_at: Annotated[datetime, "When the values were compared"]
    run: Annotated[str, "DAG and run, or the command, that stored the row"]


@dataclass(frozen=True, kw_only=True)
class Notice(OfEra):
    """A notice about an era, once per kind, e.g. `watched_from`."""

    kind: Word
    text: str
    at: datetime


@dataclass(frozen=True)
class TaskFailure:
    """Why the newest try of an era's run, or of a catch-up (era None), has failed."""

    era: int | None
    problem: Problem
    at: datetime
    run: str


@dataclass(frozen=True)
class Alert:
    """An alert: the problem of one subject, as its last message reports it.

    :param topic: its key in the network: era, account, funds, calendar, books or a cause. `kind` is a key of `alerts.KINDS`.
    :param rank: a higher one than that of the last message sends another message.
    :param state: `open`, `over`, or `final`: nothing can be done any more, so it gets no further message. `absent`, which is not stored: over once
        the absence of its problem, since `absent_since`, has lasted.
    """

    network: Name
    topic: Annotated[str, sa.String(128)]
    kind: Word
    rank: int
    severity: Short
    subject: str
    era: Era | None
    cause: str
    next_step: str
    runbook: Word
    raised_at: datetime
    state: Short = "open"
    absent_since: datetime | None = None


@dataclass(frozen=True)
class AlertMessage:
    """A message about alerts of one kind, that were `raised` or `cleared`: `conditions` are the first of `total`, as dicts; `received` names the
    receivers that have the message. A repeated message keeps its id.
    """

    id: Word
    network: Name
    phase: Short
    kind: Word
    severity: Short
    conditions: Listed
    made_at: datetime
    received: Listed
    total: int
    claimed_until: datetime | None = None
    sent_at: datetime | None = None
