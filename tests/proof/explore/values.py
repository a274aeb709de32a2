"""What the model is made of beside the ledger's records: the chain, requests, processes and actions, each a value that can be compared."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from staking_gateway.ledger.records import Payout, PayoutState

State: TypeAlias = "tuple[int, ...]"
"""Numbers of values: (chain, requests, bounds, book, parts..., processes...)."""
Step: TypeAlias = "tuple[tuple[Any, ...], State]"
"""What happens, its kind first, and the state after it; `story.py` puts it into words."""
Nonce: TypeAlias = "tuple[int, tuple[tuple[int, int], ...]]"
"""The value, and earlier values that a late read may show, each with the age of its end."""

CHAIN, REQUESTS, BOUNDS, BOOK, FIRST_PART = range(5)
"""Places in a state."""
ALIVE = ("pending", "denied", "early", "hasty")
"""Requests that may execute; /poll reads SendingFailed of a denied one, Rejected of an early one, and for a while Processed of a hasty one."""
FIRST_NONCE = 5
ACTIVE = 100
REPLANS = 1
MOST_SENDS = 6
"""More in one call of `advance` are sends without end."""


class Payload(NamedTuple):
    """What a signature is over; `user` and `payer` are places in the chain's nonces."""

    part: int
    user: int
    payer: int
    staking: int
    payment: int
    fee: int


class Request(NamedTuple):
    """What the gateway accepted.

    :param id: None: nobody knows it.
    :param before: what a late read still tells; `age` is how long ago that ended.
    """

    id: str | None
    payload: Payload
    status: str = "pending"
    block: int | None = None
    before: str = ""
    age: int = 0


class Block(NamedTuple):
    """An execution that a fork may take back."""

    payload: Payload
    request: str | None
    age: int = 0


class Chain(NamedTuple):
    """The truth; eras by number.

    :param left: calls that would pay somebody; `executed`: own calls that did; `wasted`: fees for nothing.
    :param paid: how long ago the era was first paid; -1: it is not.
    """

    staking: tuple[Nonce, ...]
    payment: tuple[Nonce, ...]
    fee: int
    open: bool
    turned: int
    active: int
    left: tuple[int, ...]
    executed: tuple[int, ...]
    wasted: tuple[int, ...]
    paid: tuple[int, ...]
    charged: int = 0
    height: int = 0
    blocks: tuple[Block, ...] = ()


class Book(NamedTuple):
    """What the ledger holds beside its parts.

    :param marked: when it was restored; `copies`: the highest id of a copy then.
    :param floors: by user, the staking nonce that was read first after it.
    :param backup: numbers of the parts, as they were copied.
    :param settings: which of the operator's settings hold.
    """

    marked: int | None = None
    copies: int = 0
    floors: tuple[int | None, ...] = ()
    backup: tuple[int, ...] | None = None
    settings: int = 0


class Frame(NamedTuple):
    """The work on one part: its place, the number of the record that was read, and the sends of the call."""

    place: int
    record: int
    sends: int = 0


class Process(NamedTuple):
    """A try of a run.

    :param stage: `idle` between two calls; `look`, `read` (waits for a fact), `act` (has decided), `send`, `heard` (has an answer).
    :param frames: what it works on: its own part, or a part before others that wait for it.
    :param driven: places of other parts that the call drove on.
    :param now: number of the action, of the evidence, or of the answer.
    :param age: how long ago it decided, or asked.
    :param paid: whether standing still here is paid for.
    """

    stage: str = "idle"
    frames: tuple[Frame, ...] = ()
    driven: tuple[int, ...] = ()
    now: int = -1
    age: int = 0
    paid: bool = False
    settings: int = 0


IDLE = Process()


class Heard(NamedTuple):
    """The answer to a send: which copy and send, and what came."""

    copy: int
    number: int
    kind: Any
    request: str | None = None


class Table(dict[Any, int]):
    """Values kept once, each named by a number."""

    def __init__(self) -> None:
        super().__init__()
        self.values_by_number: list[Any] = []

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self.values_by_number)
        self.values_by_number.append(value)
        return number


def record(place: int, network: str, chain: str, era: int, part: int, *, keys: tuple[str, str, str]) -> Payout:
    """A part that was planned. All times of the model are ages below 0; the present is 0."""
    now: Any = 0
    return Payout(
        place, network, chain, era, part, PayoutState.PLANNED, 0, *keys, None, None, None, None, None, None, now, now
    )
