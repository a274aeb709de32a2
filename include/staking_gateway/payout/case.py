"""One decision's input, and how its rules read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from staking_gateway.ledger.records import PayoutState, Read, Sighting
from staking_gateway.payout.evidence import Ask, Done, Fact, Move, Raise, Unreadable
from staking_gateway.payout.outcomes import Hold, Outcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy
from staking_gateway.types import ElectionWindow, RequestStatus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, timedelta

    from staking_gateway.ledger.records import Copy, Payout, Send
    from staking_gateway.payout.copies import Copies
    from staking_gateway.payout.evidence import Action, Evidence, Me, Reading
    from staking_gateway.payout.terms import PayoutTerms
    from staking_gateway.types import RequestState

FAILED = (RequestStatus.REJECTED, RequestStatus.PAYER_REFUSED)
Request: TypeAlias = "tuple[Copy, Send, RequestState]"


class NotRead(Exception):
    """A rule needs a fact that is not read yet, or unreadable."""

    def __init__(self, action: Action) -> None:
        self.action = action


@dataclass(frozen=True)
class Case:
    """The input of one decision."""

    part: Payout
    copies: Copies
    me: Me
    seen: Evidence
    now: datetime
    terms: PayoutTerms

    def reading(self, fact: Fact, about: Any = None) -> Reading:
        """A fact and when its read began."""
        found = self.seen.get(fact, about)
        if found is None:
            raise NotRead(Ask(fact, about))
        if isinstance(found.value, Unreadable):
            error = found.value.error
            gives_up = Done(Outcome.UNSUPPORTED, error.problem.facts) if found.value.permanent else Raise(error)
            raise NotRead(gives_up)
        return found

    def read(self, fact: Fact, about: Any = None) -> Any:
        """The value of a fact; None where the gateway does not have it."""
        return self.reading(fact, about).value

    def glance(self, fact: Fact, about: Any = None) -> Any:
        """The same for optional evidence: None also when it could not be read."""
        found = self.seen.get(fact, about)
        return None if found is not None and isinstance(found.value, Unreadable) else self.read(fact, about)

    def window_is_open(self) -> bool:
        return self.terms.wait_for_closed_window and self.glance(Fact.WINDOW) is ElectionWindow.OPEN

    def unreadable(self, fact: Fact, about: Any = None) -> bool:
        found = self.seen.get(fact, about)
        return found is not None and isinstance(found.value, Unreadable)

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

    def hold(self, hold: Hold, reason: str, then: Wait | Done) -> Action:
        """Hold the part, unless it is held so already. Another era's part is held for its fees only: then this part need not wait for it."""
        if self.part.hold == hold.value or not (self.me.own or hold is Hold.CHARGED):
            return then
        return Move(PayoutState.HELD, reason, changes={"hold": hold.value, "reason": reason}, then=then)

    @property
    def nonce(self) -> int | None:
        """The open staking nonce."""
        return self.copies.nonce

    @property
    def user(self) -> str:
        """The user of the open copies; all have one."""
        return next(copy.user_key for copy in self.copies.open)

    @property
    def nonce_read(self) -> datetime:
        """When the read of the open copies' staking nonce began; without nonces, now."""
        return self.now if self.nonce is None else self.reading(Fact.STAKING_NONCE, self.user).began

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

    def requests(self) -> Iterator[tuple[Copy, Send, RequestState | None]]:
        """The sends of the open copies, newest first, with the state of each's request."""
        return ((copy, send, self.request(send)) for copy, send in self.copies.sends)

    def as_read(self, copy: Copy, send: Send, state: RequestState) -> Read:
        """What to store of a request's state. When its read began is that of the first look at this state."""
        began = self.reading(Fact.REQUEST, send.request_id).began
        rejected = send.rejected_at or (began if state.status in FAILED else None)
        block = state.block_number, state.tx_hash
        return Read(copy.id, send.number, state.status.value, began, rejected, *block)
