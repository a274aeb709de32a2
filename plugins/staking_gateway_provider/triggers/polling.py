"""What all triggers share: they only read, wait on through network errors, and end with an event of a known status."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Hashable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.watches import Place, joined

if TYPE_CHECKING:
    from typing_extensions import Self

    from staking_gateway import AsyncGatewayClient

_SHORTEST_PAUSE_SECONDS = 0.1
_LAST_ANSWER_SECONDS = 10.0
"""How much longer than its deadline a wait may take when the gateway is slow to answer."""


class EventStatus(str, Enum):
    """What a trigger's event says. The event crosses processes and versions, so it is checked when it arrives."""

    DONE = "done"
    TIMEOUT = "timeout"
    FAILED = "failed"


def read_event(event: Any) -> tuple[EventStatus, str]:
    """Status and message of a trigger's event.

    :raises ValueError: the event is missing or of an unknown kind; resuming on it could take silence for success.
    """
    status = event.get("status") if isinstance(event, dict) else None
    if status not in [known.value for known in EventStatus]:
        raise ValueError(
            f"The trigger ended with an event of no known status: {event!r}. Clear the task to run it again"
        )
    return EventStatus(status), str(event.get("message", ""))


class GatewayPollTrigger(BaseTrigger):
    """Has a gateway asked again and again until there is something to tell or the deadline has passed.

    Triggers of one event loop that ask the same thing over the same connection ask once for all, see `watches`; each judges the
    answers for itself, and keeps its own deadline. The first question comes after one interval: the worker has just asked, a gateway
    that refuses payouts may deny that its window is open, and a task that is resumed before its worker has ended counts as failed.

    :param gateway_conn_id: connection of the gateway; the trigger is given no secret.
    :param poll_interval: seconds between two questions; among triggers that share them the shortest counts.
    :param deadline: seconds since 1970 at which to give up; absolute, so that it survives a restart.
    """

    def __init__(self, *, gateway_conn_id: str, poll_interval: float, deadline: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.gateway_conn_id = gateway_conn_id
        self.poll_interval = poll_interval
        self.deadline = deadline

    def arguments(self) -> dict[str, Any]:
        """Arguments to make this trigger again elsewhere."""
        return {
            "gateway_conn_id": self.gateway_conn_id,
            "poll_interval": self.poll_interval,
            "deadline": self.deadline,
        }

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Import path and arguments."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.arguments()

    @property
    def interval(self) -> float:
        """Seconds between two questions."""
        return max(self.poll_interval, _SHORTEST_PAUSE_SECONDS)

    @property
    @abstractmethod
    def question(self) -> Hashable:
        """What is asked; triggers with equal questions to one gateway share the answers."""

    @abstractmethod
    async def ask(self, client: AsyncGatewayClient, company: Sequence[Self]) -> Any:
        """Ask once.

        :param company: the triggers with this question that are told the answer, this one among them.
        """

    @abstractmethod
    def judge(self, answer: Any) -> str | None:
        """Whether the wait is over.

        :returns: a message when it is, None to go on.
        """

    def pause(self, answer: Any, memory: Any, now: float) -> float:
        """Seconds this trigger can do without the next answer; `now` is seconds since 1970."""
        del answer, memory, now
        return self.interval

    def new_memory(self) -> Any:
        """Where to keep what answers teach, for `pause`; None for nothing."""
        return None

    def remember(self, memory: Any, answer: Any, *, asked_at: float, answered_at: float) -> None:
        """Learn from an answer; the times are seconds since 1970."""

    def complain(self, problem: str) -> None:
        """Log why there was no answer."""
        # A blip is no verdict: the wait goes on within the deadline.
        self.log.warning("Will ask again: %s", problem)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, then tell."""
        yield await self._wait()

    async def _wait(self) -> TriggerEvent:
        try:
            async with joined(self) as place:
                return await self._be_told(place)
        except StakingGatewayError as error:
            return _event(EventStatus.FAILED, str(error))

    async def _be_told(self, place: Place) -> TriggerEvent:
        await asyncio.wait({place.over}, timeout=max(0.0, self.deadline - time.time()))
        problem = ""
        if not place.over.done() and place.wants_last_word():
            await asyncio.wait({place.over}, timeout=_LAST_ANSWER_SECONDS)
            problem = "" if place.over.done() else "no answer in time"
        message = place.outcome() if place.over.done() else None
        if message is not None:
            return _event(EventStatus.DONE, message)
        problem = problem or place.problem
        last = f"; the last answer was: {problem}" if problem else ""
        return _event(EventStatus.TIMEOUT, f"the time to wait is up{last}")


def _event(status: EventStatus, message: str) -> TriggerEvent:
    return TriggerEvent({"status": status.value, "message": message})
