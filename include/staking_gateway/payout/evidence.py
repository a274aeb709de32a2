"""The input and the output of `decide`: the evidence, each fact read at most once per decision, the actions, and how the rules read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Self, TypeAlias

from staking_gateway.errors import Failed, GatewayError, SendAnswer
from staking_gateway.ledger.records import Copy, Payout, PayoutState, Send, Sight, Sighting, Slot
from staking_gateway.payout.copies import Copies
from staking_gateway.payout.outcomes import Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms
from staking_gateway.signing import Proofs
from staking_gateway.types import ElectionWindow, RequestState, RequestStatus

FAILED = (RequestStatus.REJECTED, RequestStatus.PAYER_REFUSED)
Request: TypeAlias = tuple[Copy, Send, RequestState]


class Fact(str, Enum):
    """A fact to read, and what it is about.

    Of the gateway: PAYS_BY_ITSELF, ACTIVE_ERA, WINDOW, FEE; ERA_PAID (a node's word); STAKING_NONCE of a user's 0x key, PAYMENT_NONCE of a
    payer's; REQUEST of a request id, None where several sends have it. Of the ledger: COPIES, the id of the newest copy; LANE of a user's staking
    nonce; KEY_USED, whether another part was executed with a payer's payment nonce; KEY_SHARED, whether another part signed it; BUSY, a part that
    may use it; SPENT, the fees beside its own; FLOOR, the staking nonce read first after a restore.
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

    highest: int | None
    lowest: int | None
    rivals: tuple[Payout, ...]
    before_signed: bool
    next_signed: bool
    since: datetime | None
    unknown: bool


@dataclass(frozen=True)
class SendResult:
    """The result of one send: the answer, its text without signatures, and the exception unless the gateway accepted the payload."""

    kind: SendAnswer
    text: str = ""
    request_id: str | None = None
    error: Any = None


@dataclass(frozen=True)
class Reading:
    """A value, None (not offered) or the error of the read, and when the read began."""

    value: Any
    began: datetime


@dataclass
class Evidence:
    """What was read since the part was, by fact and by what it is about. How often this call has sent copies of the part, and the ids of the other
    parts that it has `driven` on, survive `anew`.
    """

    readings: dict[tuple[Fact, Any], Reading] = field(default_factory=dict)
    sends: int = 0
    driven: set[int] = field(default_factory=set)

    def anew(self) -> Self:
        """Empty evidence, for a part that has changed."""
        return type(self)(sends=self.sends, driven=self.driven)


@dataclass(frozen=True)
class Me:
    """The process that asks for a decision.

    :param user_key: 0x public key it can sign for as the user; `payer_key` as the payer; `relayer_key` of the relayer it names.
    :param given: ready-made proofs, when it does not make its own; `spent`: another part of the era has them.
    :param own: whether the part belongs to the era it was asked to pay.
    """

    run: str
    try_number: int
    user_key: str
    payer_key: str
    relayer_key: str
    given: Proofs | None = None
    own: bool = True
    spent: bool = False

    def given_is_of(self, part: Payout) -> bool:
        """Whether the ready-made proofs are those of a copy of the part, or spent."""
        signed = {(copy.proxy_signature, copy.fee_payment_signature) for copy in part.copies}
        given = self.given
        return given is not None and (self.spent or (given.proxy_signature, given.fee_payment_signature) in signed)


@dataclass(frozen=True)
class Ask:
    """Read a fact and decide again."""

    fact: Fact
    about: Any = None


@dataclass(frozen=True)
class Sign:
    """Sign the part, store the copy with its first send, and send it. `staking` is None where the gateway reports no staking nonce, and so is an
    unknown `fee`; `known` is the newest copy when lane and fees were read.
    """

    staking: int | None
    payment: int
    fee: int | None
    known: int


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

    error: Exception


@dataclass(frozen=True)
class Move:
    """Store what was seen or judged, unless another process has changed the part since.

    :param cause: for people; no rule reads it.
    :param sightings: to store; `reads` are sends with the state of their request, each with the id of its copy.
    :param changes: further columns of the part.
    :param then: the action after the write; None decides again.
    """

    state: PayoutState
    cause: str
    sightings: tuple[Sighting, ...] = ()
    reads: tuple[tuple[int, Send], ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    then: Wait | Done | Raise | None = None


Action: TypeAlias = Ask | Sign | Repeat | Settle | Move | Wait | Done | Raise


class NotRead(Exception):
    """A rule needs a fact that is not read yet, or unreadable."""

    def __init__(self, action: Action) -> None:
        self.action = action


@dataclass(frozen=True)
class Case:
    """The input of one decision, as the rules read it."""

    part: Payout
    copies: Copies
    me: Me
    seen: Evidence
    now: datetime
    terms: PayoutTerms

    def reading(self, fact: Fact, about: Any = None) -> Reading:
        """A fact and when its read began."""
        found = self.seen.readings.get((fact, about))
        if found is None:
            raise NotRead(Ask(fact, about))
        error = found.value
        if not isinstance(error, Exception):
            return found
        if isinstance(error, GatewayError) and error.how is Failed.OTHER_SPELLING:  # only other settings help
            raise NotRead(Done(Outcome.UNSUPPORTED, error.problem.facts))
        raise NotRead(Raise(error))

    def read(self, fact: Fact, about: Any = None) -> Any:
        """The value of a fact; None where the gateway does not have it."""
        return self.reading(fact, about).value

    def glance(self, fact: Fact, about: Any = None) -> Any:
        """The same for optional evidence: None also when it could not be read."""
        return None if self.unreadable(fact, about) else self.read(fact, about)

    @property
    def window_is_open(self) -> bool:
        """Whether the election window is open, and is waited for: nothing is sent, also no dead bytes to ask."""
        return self.terms.wait_for_closed_window and self.glance(Fact.WINDOW) is ElectionWindow.OPEN

    def unreadable(self, fact: Fact, about: Any = None) -> bool:
        found = self.seen.readings.get((fact, about))
        return found is not None and isinstance(found.value, Exception)

    def within(self, limit: timedelta, since: datetime | None) -> bool:
        """Whether `since` is a time, less than `limit` ago. A time in the future was written before the clock went back: it is not."""
        return since is not None and since <= self.now < since + limit

    def wait(self, reason: WaitFor, message: str, abandoned: Outcome = Outcome.UNKNOWN) -> Wait:
        """Ask again after the poll interval, or when the request that this is about has ended."""
        accepted = self.copies.accepted
        pending = reason is WaitFor.CONFIRMATION and accepted is not None and accepted[1].status is None
        request = accepted[1].request_id if accepted is not None and pending else None
        return Wait(reason, f"era {self.part.era}: {message}", self.terms.poll_interval, abandoned, request)

    def finality(self, message: str, since: datetime) -> Wait:
        """Ask again when reads may confirm what was seen first at `since`."""
        wait = self.wait(WaitFor.FINALITY, message)
        left = since + self.terms.final_after - self.now
        return replace(wait, retry_in=max(left, wait.retry_in))

    def stay(self, cause: str, *sightings: Sighting, then: Wait | Done | None = None, **changes: Any) -> Move:
        """Store something about the part, and leave its state."""
        return Move(self.part.state, cause, sightings, changes=changes, then=then)

    def look(self, kind: Sight, began: datetime) -> Sighting:
        """What was seen of the open staking nonce."""
        return Sighting(kind, began, self.nonce, user_key=self.user)

    def hold(self, hold: Hold, reason: str, then: Wait | Done) -> Action:
        """Hold the part, unless it is held so already. A part that is in doubt keeps its state.

        Another era's part is held for its fees only: then this part need not wait for it.
        """
        if self.part.hold == hold.value or not (self.me.own or hold in (Hold.CHARGED, Hold.FEE, Hold.LIMIT)):
            return then
        state = self.part.state if self.copies.open and hold is Hold.CONTRADICTION else PayoutState.HELD
        return Move(state, reason, changes={"hold": hold.value, "reason": reason}, then=then)

    @property
    def slot(self) -> Slot:
        """The open staking nonce and its user."""
        return next(copy.slot for copy in self.copies.open)

    @property
    def nonce(self) -> int | None:
        return self.slot[1]

    @property
    def staking(self) -> int | None:
        """The staking nonce that is read of the open copies' user; None where it is not told, or theirs is not known."""
        return None if self.nonce is None else self.read(Fact.STAKING_NONCE, self.user)

    @property
    def user(self) -> str:
        return next(copy.user_key for copy in self.copies.open)

    @property
    def nonce_read(self) -> datetime:
        """When the read of the open copies' staking nonce began; without nonces, now."""
        return self.now if self.nonce is None else self.reading(Fact.STAKING_NONCE, self.user).began

    def payment_passed(self, copy: Copy) -> bool:
        payment = self.glance(Fact.PAYMENT_NONCE, copy.payer_key)
        return payment is not None and payment > copy.payment_nonce

    @property
    def again(self) -> bool:
        """Whether a person asked this try to sign in spite of a hold. It signs once."""
        me = self.me
        return self.terms.again and me.own and not self.copies.signatures_by(me.run, me.try_number)

    def request(self, send: Send) -> RequestState | None:
        """The state of a send's request, where it can be read."""
        if send.request_id is None or self.terms.confirm_by is ConfirmBy.NONCE:
            return None
        state: RequestState | None = self.glance(Fact.REQUEST, send.request_id)
        return None if state is not None and state.status is RequestStatus.UNREADABLE else state

    def requests(self, copies: Copies) -> Iterator[tuple[Copy, Send, RequestState | None]]:
        """The sends that may have executed an open copy, newest first, with the state of each's request."""
        return ((copy, send, self.request(send)) for copy, send in copies.witnesses)

    def processed(self, copies: Copies) -> Request | None:
        """The newest of them whose request reads Processed."""
        return next(
            ((copy, send, told) for copy, send, told in self.requests(copies) if told and told.status.succeeded), None
        )

    def first_reads(self, own: Request | None) -> tuple[tuple[int, Send], ...]:
        """What to store of requests at a first look: of the one that reads Processed, and of those that no longer do."""
        void = [
            (copy, send, told)
            for copy, send in self.copies.witnesses
            if send.status == RequestStatus.PROCESSED.value
            and (told := self.request(send)) is not None
            and not told.status.succeeded
        ]
        return tuple(read for one in (own, *void) for read in self.reads(one))

    def reads(self, request: Request | None) -> tuple[tuple[int, Send], ...]:
        """What to store of a request's state."""
        if request is None:
            return ()
        copy, send, state = request
        began = self.reading(Fact.REQUEST, send.request_id).began
        rejected = began if state.status in FAILED else None
        told = replace(send, status=state.status.value, block_number=state.block_number, tx_hash=state.tx_hash)
        return ((copy.id, replace(told, read_at=began, rejected_at=rejected)),)
