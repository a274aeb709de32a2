"""The three sides of a comparison: the ledger, and gateway and chain, which are asked until their first failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from staking_gateway.errors import ChainError, GatewayError
from staking_gateway.gateway.methods import if_supported
from staking_gateway.ledger import Reconciliation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from staking_gateway.chain import ChainReader
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.gateway.gateway import Gateway
    from staking_gateway.ledger import Actor, Ledger, Payout
    from staking_gateway.types import RequestStatus

T = TypeVar("T")
CORRECTED = "amount_corrected"
"""The finding of a difference that is over, because the ledger has taken the chain's value."""


class Result(NamedTuple):
    """The result of a comparison.

    :param agrees: None: it cannot be known.
    :param finding: a word of `Reconciliation.finding`.
    :param text: the result in a sentence.
    """

    agrees: bool | None
    finding: str
    text: str


def unknown(text: str) -> Result:
    """It cannot be known, and why."""
    return Result(None, "unknown", text)


def agreed(text: str) -> Result:
    """The sides agree."""
    return Result(True, "agrees", text)


@dataclass(frozen=True)
class Requests:
    """The gateway's states of the requests of one part.

    :param states: request id to its state; requests without an end are left out.
    :param complete: every send of the part has a request with an end.
    """

    states: dict[str, RequestStatus]
    complete: bool = True

    @property
    def processed(self) -> list[str]:
        return [one for one, status in self.states.items() if status.succeeded]

    @property
    def all_failed(self) -> bool:
        """Whether every send is known to have failed."""
        return bool(self.states) and self.complete and all(status.failed for status in self.states.values())

    def __str__(self) -> str:
        return ", ".join(f"request {one} is {status.value}" for one, status in self.states.items())


@dataclass
class Sides:
    """Ledger, gateway and chain of a network at one moment.

    A dead gateway or node costs one time-out: nothing more is asked after its first failure. A node far from the calendar is not asked.

    :param gateway: asked for states of requests; None: not asked.
    :param node: reads the chain; None: the chain is unknown.
    :ivar active_era: by the node; None before its first answer.
    :ivar node_problem: why the node is not asked any more; likewise `gateway_problem`.
    :ivar failure: the failure of the node, if any.
    """

    name: str
    network: NetworkConfig
    ledger: Ledger
    gateway: Gateway | None
    node: ChainReader | None
    actor: Actor
    now: datetime
    active_era: int | None = field(default=None, init=False)
    node_problem: str = field(default="", init=False)
    gateway_problem: str = field(default="", init=False)
    failure: ChainError | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.node is None:
            self.node_problem = "no node of the chain is configured"

    def ask(self, read: Callable[[ChainReader], T]) -> T | None:
        """The chain's answer; None after a failure."""
        if self.node is None or self.node_problem:
            return None
        try:
            if self.active_era is None:
                self.active_era = self._era_near_calendar(self.node)
            return read(self.node)
        except ChainError as error:
            self.node_problem, self.failure = error.problem.facts, error
            return None

    def _era_near_calendar(self, node: ChainReader) -> int:
        active, expected = node.state().active_era, self.network.calendar.era_or_none(self.now)
        if expected is not None and abs(active - expected) > self.network.calendar_settings.max_drift:
            problem = (
                f"era {active} is active by the node, era {expected} by the calendar, so the node is not asked: it may belong to "
                "another chain, or be out of date"
            )
            raise ChainError(problem, node=node.endpoint.name, method="active era")
        return active

    def requests(self, part: Payout) -> Requests:
        """The gateway's states of all requests of a part."""
        sent = [send.request_id for copy in part.copies for send in copy.sends]
        told = {request: self._status(request) for request in dict.fromkeys(sent) if request}
        ended = {one: status for one, status in told.items() if status and (status.succeeded or status.failed)}
        return Requests(ended, all(request in ended for request in sent))

    def _status(self, request: str) -> RequestStatus | None:
        gateway = self.gateway
        if gateway is None or self.gateway_problem:
            return None
        try:
            state = if_supported(lambda: gateway.request_state(request))
        except GatewayError as error:
            self.gateway_problem = error.problem.facts
            return None
        if state is None:
            self.gateway_problem = "the gateway reports no states of requests"
            return None
        return state.status

    def row(
        self,
        era: int,
        subject: str,
        result: Result,
        *,
        ledger: str | None = None,
        gateway: str | None = None,
        chain: str | None = None,
    ) -> Reconciliation:
        """A result as a row of the ledger, with the words of each side; None: it says nothing."""
        return Reconciliation(
            network=self.name,
            era=era,
            subject=subject,  # type: ignore[arg-type]
            agrees=result.agrees,
            finding=result.finding,  # type: ignore[arg-type]
            ledger_says=ledger,
            gateway_says=gateway,
            chain_says=chain,
            text=f"era {era}: {result.text}",
            checked_at=self.now,
            run=str(self.actor),
        )

    def store(self, rows: Sequence[Reconciliation]) -> list[Reconciliation]:
        """Store results. An unknown one replaces only a corrected difference: the chain keeps facts for some time only.

        :returns: the results; a known difference in place of an unknown result.
        """
        if not rows:
            return []
        eras = range(min(row.era for row in rows), max(row.era for row in rows) + 1)
        known = {
            (row.era, row.subject): row
            for row in self.ledger.facts.reconciliations(self.name, eras)
            if row.agrees is not None and row.finding != CORRECTED
        }
        self.ledger.facts.note_reconciliation(
            [row for row in rows if row.agrees is not None or (row.era, row.subject) not in known]
        )
        found = []
        for row in rows:
            before = known.get((row.era, row.subject))
            differed = row.agrees is None and before is not None and before.agrees is False
            found.append(before if differed and before is not None else row)
        return found
