"""What is explored: worlds, their freedoms, and what a state is made of beside the ledger's records: each a value that can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

LAG, FINAL, SLOWEST = 1, 1, 2
"""Clock steps for which a read may lag behind the chain, and in which a fork may take a block back."""
KEPT = 2
"""`history_depth` in the model."""
BRISK = (1, 1, 2)
"""Grace, lease and settle in clock steps: the least that tells the rules apart."""
ORDERLY = (2, 3, 4)
"""The same in their real order: lag < grace < lease < settle."""


class Given(NamedTuple):
    """Ready-made proofs. `known` is false where their staking nonce and fee were not supplied."""

    staking: int = 5
    payment: int = 5
    fee: int = 1
    known: bool = True


class Settings(NamedTuple):
    """What an operator may change while a copy is out; users, payers and relayers are numbers. `given` are ready-made proofs."""

    user: int = 0
    payer: int = 0
    relayer: int = 0
    limit: int | None = None
    given: Given | None = None


@dataclass(frozen=True)
class Era:
    """An era to pay.

    :param settings: of its runs, in the order in which the operator changes them.
    :param lane: number of its chain; `network` of the network that pays it.
    :param batches: calls that pay somebody; 0: something else has paid the era already.
    :param runs: how many runs pay it at the same time.
    :param alias: whether the ledger knows its chain by another name.
    """

    settings: tuple[Settings, ...] = (Settings(),)
    lane: int = 0
    network: int = 0
    batches: int = 2
    runs: int = 1
    alias: bool = False


class Bounds(NamedTuple):
    """How often each thing may happen on one path. Stale reads and waiting are free.

    :param faults: in all, of the kinds below.
    :param sends: in all, by the ledger; no process sends more.
    :param stalls: how often a process stands still between two steps of one call, while something else happens.
    :param slow: how often a process reads its facts one by one, for at most SLOWEST steps, while something else happens.
    :param kept: refusals of payloads that are kept. `failed`: writes that are not done; `unheard`: writes whose answer is lost.
    :param denied: requests that read SendingFailed and may execute; `early`: likewise Rejected; `hasty`: read
        Processed for a while, before they are judged. `reused`: request ids that come twice.
    :param jump: of the ledger's clock, ahead; `back`: likewise. `again`: runs of a person who decided.
    """

    faults: int = 0
    sends: int = 3
    stalls: int = 0
    slow: int = 0
    crash: int = 0
    lost: int = 0
    duplicated: int = 0
    kept: int = 0
    failed: int = 0
    unheard: int = 0
    dropped: int = 0
    denied: int = 0
    early: int = 0
    hasty: int = 0
    reused: int = 0
    fee: int = 0
    window: int = 0
    expiry: int = 0
    paid_elsewhere: int = 0
    foreign_payment: int = 0
    foreign_staking: int = 0
    fork: int = 0
    restore: int = 0
    settings: int = 0
    unreadable: int = 0
    again: int = 0
    jump: int = 0
    back: int = 0


def freely(sends: int = 3, **kinds: int) -> Bounds:
    """Each of the given kinds so often, and any of them together."""
    return Bounds(faults=sum(kinds.values()), sends=sends, **kinds)


@dataclass(frozen=True)
class Scenario:
    """A world.

    :param parts: calls for each era; None: until nothing is left.
    :param times: grace, lease and settle in clock steps.
    :param lag: of reads; more than LAG breaks an assumption. `fresh`: whether none lags all the same. `kept`: eras the chain keeps, likewise.
    :param wasted: the most fees for nothing.
    :param door: whether the gateway judges a payload before it accepts it; `word`: whether it says that an era is paid.
    :param charge: whether a payload whose inner call fails on the chain costs its fee; `bump`: whether it uses its staking nonce.
    :param lie: whether /poll calls such a payload Processed.
    :param states: whether /poll tells the states of requests, and with `blocks` their blocks; `nonces`: whether the gateway reports nonces.
    :param forgets: whether /poll does not know a dropped request; else it stays Pending.
    :param silent: whether the chain leaves out what it would refuse; else it is Rejected.
    :param node: whether a node tells if an era is paid.
    :param redone: whether an execution that a fork took back may be done again; else the chain drops it.
    :param marked: whether a restore of the ledger is marked; `confirm`: whether runs wait for the confirmation.
    :param lives: whether a process lives on after an error.
    :param never: why nothing can be paid: `pays by itself`, `no method`, `no limits`, `called paid`, `not ended`; or empty.
    """

    name: str
    eras: tuple[Era, ...] = (Era(),)
    bounds: Bounds = Bounds()  # noqa: RUF009 - it is a tuple
    parts: int | None = 1
    times: tuple[int, int, int] = BRISK
    lag: int = LAG
    fresh: bool = False
    kept: int = KEPT
    wasted: int = 2
    door: bool = True
    word: bool = True
    charge: bool = False
    bump: bool = False
    lie: bool = False
    states: bool = True
    nonces: bool = True
    blocks: bool = True
    forgets: bool = True
    silent: bool = False
    node: bool = False
    redone: bool = False
    marked: bool = True
    confirm: bool = True
    lives: bool = True
    never: str = ""

    def but(self, **changes: Any) -> Scenario:
        return replace(self, **changes)


Nonces: TypeAlias = "tuple[tuple[int, tuple[tuple[int, int], ...]], ...]"


class Payload(NamedTuple):
    """What a signature is over; `user` and `payer` are places in the chain's nonces."""

    part: int
    user: int
    payer: int
    staking: int
    payment: int
    fee: int


class Request(NamedTuple):
    """What the gateway accepted. `before` is what a late read still tells, which ended `age` ago; with `id` None, nobody knows it."""

    id: str | None
    payload: Payload
    status: str = "pending"
    block: int | None = None
    before: str = ""
    age: int = 0


class Block(NamedTuple):
    """A payout that a fork may take back: of so many calls of an era. Without `payload`, something else made it."""

    era: int
    calls: int = 1
    payload: Payload | None = None
    request: str | None = None
    age: int = 0


class Chain(NamedTuple):
    """The truth; eras by number. A nonce is its value, and earlier values that a late read may show, each with the age of its end.

    :param left: calls that would pay somebody; `executed`: own calls that did; `wasted`: fees for nothing.
    :param paid: how long ago the era was first paid; -1: it is not.
    """

    staking: Nonces
    payment: Nonces
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
