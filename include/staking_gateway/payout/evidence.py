"""The input and the output of `decide`: the evidence, each fact read at most once per decision, and the actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from staking_gateway.errors import SendAnswer, StakingGatewayError
    from staking_gateway.ledger.records import Copy, Payout, PayoutState, Read, Sighting
    from staking_gateway.payout.outcomes import Outcome, Wait
    from staking_gateway.signing import Proofs


class Fact(str, Enum):
    """A fact to read, and what it is about.

    Of the gateway: PAYS_BY_ITSELF, ACTIVE_ERA, WINDOW, FEE; ERA_PAID (a node's word); STAKING_NONCE of a user's 0x key, PAYMENT_NONCE of a
    payer's; REQUEST of a request id, None where the id is that of several sends. Of the ledger: COPIES, the id of the newest copy; LANE of a staking nonce; KEY_USED, whether
    another part was executed with a payer's payment nonce; KEY_SHARED, whether another part signed it; BUSY, a part of the payer that
    may use a payment nonce; SPENT, the fees beside those of a payment nonce; FLOOR, the staking nonce read first after a restore.
    """

    PAYS_BY_ITSELF = "pays by itself"
    ACTIVE_ERA = "active era"
    WINDOW = "window"
    FEE = "fee"
    STAKING_NONCE = "staking nonce"
    PAYMENT_NONCE = "payment nonce"
    REQUEST = "request"
    ERA_PAID = "era paid"
    COPIES = "copies"
    LANE = "lane"
    KEY_USED = "key used"
    KEY_SHARED = "key shared"
    BUSY = "busy"
    SPENT = "spent"
    FLOOR = "floor"


@dataclass(frozen=True)
class Lane:
    """A user's staking nonces on a chain, by the ledger.

    :param highest: the highest staking nonce that was signed for the user; None: none was. `lowest` is the lowest one.
    :param since: when the highest one was signed first.
    :param rivals: other parts with a copy of the nonce that was asked about.
    :param unknown: whether another part has a copy that may use any nonce, see `Ledger.unknown_nonce`.
    :param before_signed: whether the ledger signed the staking nonce before it; `next_signed` the one after it.
    """

    highest: int | None = None
    lowest: int | None = None
    rivals: tuple[Payout, ...] = ()
    before_signed: bool = False
    next_signed: bool = False
    since: datetime | None = None
    unknown: bool = False


@dataclass(frozen=True)
class Unreadable:
    """A read that failed.

    :param permanent: whether only a change of the settings helps.
    """

    error: StakingGatewayError
    permanent: bool = False


@dataclass(frozen=True)
class SendResult:
    """The result of one send of a payload.

    :param text: for the history, without signatures.
    :param error: None when the gateway accepted the payload.
    """

    kind: SendAnswer
    text: str = ""
    request_id: str | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class Reading:
    """A value, None (not offered) or `Unreadable`, and when its read began."""

    value: Any
    began: datetime


@dataclass
class Evidence:
    """What was read since the part was.

    :param readings: by fact, and by what it is about.
    :param sends: how often this call has sent copies of the part; `driven` are the ids of other parts that it drove on. Both survive `anew`.
    """

    readings: dict[tuple[Fact, Any], Reading] = field(default_factory=dict)
    sends: int = 0
    driven: set[int] = field(default_factory=set)

    def get(self, fact: Fact, about: Any = None) -> Reading | None:
        return self.readings.get((fact, about))

    def anew(self) -> Evidence:
        """Empty evidence, for a part that has changed."""
        return Evidence(sends=self.sends, driven=self.driven)


@dataclass(frozen=True)
class Me:
    """The process that asks for a decision.

    :param run: name of its run; `try_number` which try of the task.
    :param user_key: 0x public key it can sign for as the user; `payer_key` as the payer; `relayer_key` of the relayer it names.
    :param given: ready-made proofs, when it does not make its own.
    :param own: whether the part belongs to the era it was asked to pay.
    """

    run: str
    try_number: int
    user_key: str
    payer_key: str
    relayer_key: str
    given: Proofs | None = None
    own: bool = True

    def given_is_of(self, part: Payout) -> bool:
        """Whether the ready-made proofs are those of a copy of the part."""
        signed = {(copy.proxy_signature, copy.fee_payment_signature) for copy in part.copies}
        return self.given is not None and (self.given.proxy_signature, self.given.fee_payment_signature) in signed


# --- actions ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ask:
    """Read a fact and decide again."""

    fact: Fact
    about: Any = None


@dataclass(frozen=True)
class Sign:
    """Sign the part, store the copy with its first send, and send it.

    :param staking: None where the gateway reports no staking nonce.
    :param fee: None: unknown.
    :param known: the newest copy when lane and fees were read.
    """

    staking: int | None
    payment: int
    fee: int | None
    known: int = 0


@dataclass(frozen=True)
class Repeat:
    """Count one more send of a copy, and send it, byte for byte."""

    copy: Copy


@dataclass(frozen=True)
class Settle:
    """Drive another part on first, then decide again."""

    rival: Payout


@dataclass(frozen=True)
class Done:
    """The era has an outcome for now."""

    outcome: Outcome
    reason: str


@dataclass(frozen=True)
class Raise:
    """Raise an error. Nothing is lost, and the next call continues."""

    error: Exception | None


@dataclass(frozen=True)
class Move:
    """Store what was seen or judged, unless another process has changed the part since.

    :param cause: for people; no rule reads it.
    :param sightings: to store; `reads` are the states of requests.
    :param changes: further columns of the part.
    :param then: the action after the write; None decides again.
    """

    state: PayoutState
    cause: str
    sightings: tuple[Sighting, ...] = ()
    reads: tuple[Read, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    then: Wait | Done | Raise | None = None


Action: TypeAlias = "Ask | Sign | Repeat | Settle | Move | Wait | Done | Raise"
