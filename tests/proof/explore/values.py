"""What the model is made of: records, payloads, requests, the chain, processes and actions, each a value that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.terms import ConfirmBy
from tests.proof.explore.scenario import KEPT, LAG, NEVER_STALE

if TYPE_CHECKING:
    from staking_gateway.payout.evidence import Me
    from staking_gateway.payout.outcomes import Outcome
    from tests.proof.explore.scenario import Scenario

State: TypeAlias = "tuple[int, ...]"
"""Numbers of values: (chain, requests, in transit, bounds, records..., processes...)."""
Step: TypeAlias = "tuple[tuple[Any, ...], State]"
"""What happens, its kind first, and the state after it; `story.py` puts it into words."""
Nonces: TypeAlias = "tuple[tuple[int, int], ...]"
"""Value and age of the last change, by user or by payer."""

ALIVE = ("pending", "denied")
"""Requests that may execute; of a denied one the gateway says that it could not send it."""
FIRST_NONCE = 5
ACTIVE = 100
LEASE, SETTLE, GRACE, REPLANS = 1, 1, 1, 1
MOST_SENDS = REPLANS + 4
"""More in one call of `advance` are sends without end."""


class Record(NamedTuple):
    """A payout of the ledger: what `decide` reads of one. Its payload is in `proxy_signature`."""

    id: int
    network: int
    era: int
    part: int
    user_key: int
    payer_key: int
    state: PayoutState = PayoutState.PLANNED
    staking_nonce: int | None = None
    payment_nonce: int | None = None
    fee: int | None = None
    proxy_signature: Any = None
    request_id: int | None = None
    request_status: str | None = None
    unanswered: int = 0
    copies_out: bool = False
    refused: bool = False
    accepted_at: int | None = None
    signed_at: int | None = None
    disagree: str | None = None
    disagree_since: int | None = None
    over: str | None = None
    over_since: int | None = None
    hold: str | None = None
    fee_charged: bool | None = None
    asked: bool = True
    wasted: int = 0
    wasted_fees: int = 0
    lease_owner: str | None = None
    lease_until: int | None = None
    signed_by: str | None = None
    signed_try: int | None = None
    signatures: int = 0
    used_nonce: int | None = None
    reason: str | None = None
    updated_at: int = 0
    fee_payment_signature: Any = None

    def signatures_by(self, run: str, try_number: int) -> int:
        """As `Payout.signatures_by`."""
        return self.signatures if (self.signed_by, self.signed_try) == (run, try_number) else 0


class Payload(NamedTuple):
    """What a signature is over."""

    record: int
    staking: int
    payment: int
    fee: int


class Request(NamedTuple):
    """What the gateway accepted. `age` counts since it became final."""

    id: int
    payload: Payload
    status: str = "pending"
    age: int = NEVER_STALE


class Chain(NamedTuple):
    """The truth. Nonces are (value, age of the last change) by user and by payer; eras by number."""

    staking: tuple[tuple[int, int], ...]
    payment: tuple[tuple[int, int], ...]
    fee: int
    open: bool
    turned: int
    active: int
    left: tuple[int, ...]
    executed: tuple[int, ...]
    wasted: tuple[int, ...]
    charged: int


class Process(NamedTuple):
    """A try of a run. `action` is what it has decided to do, `age` how long ago; -1 when it looks next.

    :param target: the record it works on.
    :param stale: whether another process changed that record since.
    """

    target: int
    action: int = -1
    age: int = 0
    stale: bool = False
    frozen: bool = False
    sends: int = 0


class Terms:
    """`PayoutTerms` in clock steps."""

    confirm_by = ConfirmBy.AUTO
    wait_for_closed_window = True
    max_replans = REPLANS
    max_fees_for_nothing = 2
    history_depth = KEPT
    poll_interval = 1
    not_found_grace = GRACE
    nonces_agree_within = LAG
    settle_within = SETTLE
    lease = LEASE
    again = False
    max_fee_per_payout = None
    max_fee_per_run = None

    def __init__(self, network: int, scenario: Scenario) -> None:
        self.network = network
        self.parts = None if scenario.until_empty else 1
        self.max_fee_per_day = scenario.limit
        self.needs_limits = scenario.never == "no limits"


class Table(dict[Any, int]):
    """Values kept once, each named by a number."""

    def __init__(self) -> None:
        super().__init__()
        self.values_by_number: list[Any] = []

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self.values_by_number)
        self.values_by_number.append(value)
        return number


class Slot(NamedTuple):
    """Where a run's processes live, one at a time."""

    name: str
    era: int
    me: Me
    other: Me
    terms: Any
    records: tuple[int, ...]


class Act(NamedTuple):
    """An action as a process keeps it. `kind` is sign, send, move, wait, done or raise."""

    kind: str
    state: PayoutState | None = None
    changes: tuple[tuple[str, Any], ...] = ()
    then: str = ""
    outcome: Outcome | None = None
    nonces: tuple[int, int, int] | None = None
