"""What is explored: worlds, and the bounds and assumptions under which every state of them is visited."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

LAG = 1
"""Clock steps for which a read may lag behind the chain; `nonces_agree_within` in the model."""
NEVER_STALE = LAG + 1
KEPT = 2
"""`history_depth` in the model."""
OLDEST = 2
"""Times further back than this are equal to every rule of the model."""


@dataclass(frozen=True)
class Era:
    """An era to pay.

    :param user: number of its user; `payer` of its payer; `network` of the network that pays it.
    :param batches: calls that pay somebody; 0: something else has paid the era already.
    :param runs: how many runs pay it at the same time.
    """

    user: int = 0
    payer: int = 0
    network: int = 0
    batches: int = 1
    runs: int = 1


@dataclass(frozen=True)
class Bounds:
    """How often each thing may happen on one path. Stale reads, late answers of /poll and waiting are free.

    :param faults: in all, of the kinds below.
    :param preemptions: how often a process stands still between deciding and acting while something else happens.
    :param ticks: clock steps; None: any number.
    :param denied: of requests that are reported as SendingFailed and may execute; `jump`: of the ledger's clock, ahead; `back`: likewise.
    """

    faults: int = 2
    preemptions: int = 1
    ticks: int | None = None
    crash: int = 1
    lost: int = 2
    late: int = 1
    dropped: int = 1
    duplicated: int = 0
    fee: int = 1
    window: int = 0
    expiry: int = 0
    paid_elsewhere: int = 0
    foreign_payment: int = 0
    foreign_staking: int = 0
    denied: int = 0
    jump: int = 0
    back: int = 0


@dataclass(frozen=True)
class Scenario:
    """A world.

    :param until_empty: whether eras are paid until nothing is left; else one call is made for each.
    :param door: whether the gateway judges a payload before it accepts it.
    :param charge: whether a payload whose inner call fails on the chain costs its fee.
    :param lie: whether /poll calls such a payload Processed.
    :param poll: `states`, `unreadable`, or `none` where the gateway has no such method.
    :param forgets: whether /poll does not know a dropped request; else it stays Pending.
    :param silent: whether the chain leaves out what it would refuse; else it is Rejected.
    :param node: whether a node tells if an era is paid.
    :param limit: of the day's fees, in fees of 1; None: no limit.
    :param lag: how many clock steps a read may lag behind; more than LAG breaks an assumption.
    :param never: why nothing can be paid: `pays by itself`, `no method`, `no limits`, `called paid`; empty when it can.
    :param kept: eras the chain keeps; the terms say KEPT.
    :param bump: whether a payload whose inner call fails uses its staking nonce all the same.
    """

    name: str
    eras: tuple[Era, ...] = (Era(),)
    bounds: Bounds = field(default_factory=Bounds)
    until_empty: bool = False
    door: bool = True
    charge: bool = False
    lie: bool = False
    poll: str = "states"
    forgets: bool = True
    silent: bool = False
    node: bool = False
    limit: int | None = None
    lag: int = LAG
    kept: int = KEPT
    bump: bool = False
    never: str = ""

    def but(self, **changes: object) -> Scenario:
        """The same world with some things changed."""
        return replace(self, **changes)  # type: ignore[arg-type]
