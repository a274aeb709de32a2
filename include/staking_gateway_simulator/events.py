"""What can happen to the chain. The state file is the list of these, in order; the state is what they add up to.

Accounts are 0x public keys, times whole microseconds since 1970 on the chain's clock, except ticks (see `ChainClock`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, get_args


@dataclass(frozen=True)
class Born:
    """The first event: what this chain is, once and for all."""

    anchor_era: int
    anchor: int
    era_length: int
    stakers: int
    first_payable: int


@dataclass(frozen=True)
class ClockSet:
    """The clock was started, put forward or switched; `shift` moves the ticks of pending requests to the new timeline."""

    manual: bool
    speed: float
    real: int
    chain: int
    shift: int = 0


@dataclass(frozen=True)
class PayoutCall:
    """A well-formed payout request."""

    relayer: str
    user: str
    payer: str
    era: int
    proxy_signature: str
    fee_payment_signature: str
    payment_nonce: int


@dataclass(frozen=True)
class Accepted(PayoutCall):
    """The gateway took a payout request and gave it an id; it is sent at tick `sent` and executed at tick `due`."""

    request_id: str
    at: int
    sent: int
    due: int


@dataclass(frozen=True)
class Executed:
    """A request was executed: nonces moved, the fee was charged, the next stakers of the era were paid."""

    request_id: str
    at: int
    block: int
    index: int
    part: int
    stakers_paid: int
    fee: int
    staking_nonce: int


@dataclass(frozen=True)
class Rejected:
    """A request failed on the chain and paid no staker.

    `fee`: the relayer fee that the payer was charged all the same; with it the payment nonce moved. None: no fee was charged.
    """

    request_id: str
    at: int
    block: int
    index: int
    reason: str
    fee: int | None = None


@dataclass(frozen=True)
class Dropped:
    """A request ended before it reached a block and changed nothing; `status` says how."""

    request_id: str
    at: int
    status: str
    reason: str


@dataclass(frozen=True)
class Doomed:
    """An accepted request will not be executed: when it is due it ends with this `status` instead."""

    request_id: str
    status: str
    reason: str


@dataclass(frozen=True)
class Delayed:
    """An accepted request is executed `by` ticks later than it was to be. For half of them, `told` is said to be its status."""

    request_id: str
    by: int
    told: str | None = None


@dataclass(frozen=True)
class QueueBlocked:
    """At tick `at`, a bad payload came to the head of the gateway's queue: nothing is sent for `by` ticks, then all in order."""

    at: int
    by: int


@dataclass(frozen=True)
class FeeSet:
    """The relayer fee changed."""

    amount: int


@dataclass(frozen=True)
class WindowForced:
    """The election window was forced `open` or `closed`, or given back to the calendar (`auto`)."""

    state: str


@dataclass(frozen=True)
class WindowOpened:
    """The election window opened out of its time, until a chain time or until the window is forced."""

    until: int


@dataclass(frozen=True)
class StakingSet:
    """An account was said to stake or not."""

    account: str
    staking: bool
    at: int


@dataclass(frozen=True)
class NonceUsed:
    """Somebody else used nonces of an account, of kind `staking` or `payment`."""

    account: str
    kind: str
    by: int


@dataclass(frozen=True)
class NextUnpaid:
    """The next `payouts` executions pay no staker, although nonces move, fees are charged and the gateway says Processed."""

    payouts: int


End = Executed | Rejected | Dropped
Event = (
    Born
    | ClockSet
    | Accepted
    | End
    | Doomed
    | Delayed
    | QueueBlocked
    | FeeSet
    | WindowForced
    | WindowOpened
    | StakingSet
    | NonceUsed
    | NextUnpaid
)

_KINDS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Event)}


def to_json(event: Event) -> str:
    """Write an event as one line."""
    return json.dumps({"event": type(event).__name__, **asdict(event)})


def from_json(text: str) -> Event:
    """Read what `to_json` wrote.

    :raises ValueError: something else.
    """
    try:
        fields = json.loads(text)
        event: Event = _KINDS[fields.pop("event")](**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an event: {error}") from None
    return event
