"""Waiting, deferred, until an era may be paid."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidEra
from staking_gateway_provider.triggers.polling import GatewayPollTrigger

if TYPE_CHECKING:
    from typing_extensions import Self

    from staking_gateway import AsyncGatewayClient
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.eras.forecast import EraForecast
    from staking_gateway.gateway.readiness import Look, Wanted


class ElectionWindowTrigger(GatewayPollTrigger):
    """Fires when the election window is closed and, if an era is given, the chain has left that era.

    It is patient while the change is far away and asks more often when it should come, see `staking_gateway.eras.forecast`. The
    calendar only decides when to ask; without one the trigger asks once per `poll_interval` until it has learnt the eras' length.

    :param era: the era to be paid, or None to wait for the window alone.
    :param window: whether the window matters at all; some chains have none.
    :param expected_at: when the era ends by the calendar, in seconds since 1970.
    :param era_length: seconds an era lasts by the calendar.
    """

    def __init__(
        self,
        *,
        gateway_conn_id: str,
        poll_interval: float,
        deadline: float,
        era: int | None = None,
        window: bool = True,
        expected_at: float | None = None,
        era_length: float | None = None,
    ) -> None:
        super().__init__(gateway_conn_id=gateway_conn_id, poll_interval=poll_interval, deadline=deadline)
        self.era = era
        self.window = window
        self.expected_at = expected_at
        self.era_length = era_length

    def arguments(self) -> dict[str, Any]:
        """Arguments to make this trigger again elsewhere."""
        return {
            **super().arguments(),
            "era": self.era,
            "window": self.window,
            "expected_at": self.expected_at,
            "era_length": self.era_length,
        }

    @cached_property
    def wanted(self) -> Wanted:
        """What it waits for."""
        from staking_gateway.gateway.readiness import Wanted

        return Wanted(self.era, self.window)

    @property
    def question(self) -> Hashable:
        """The active era and the window: one look for all."""
        return "era and window"

    async def ask(self, client: AsyncGatewayClient, company: Sequence[Self]) -> Look:
        """Ask for what at least one of the company needs to know."""
        from staking_gateway.gateway.readiness import alook

        return await alook(client, [trigger.wanted for trigger in company])

    def judge(self, answer: Look) -> str | None:
        """Whether this era may be paid."""
        from staking_gateway.gateway.readiness import judge

        readiness = judge(self.wanted, answer)
        return readiness.message if readiness.ready else None

    def pause(self, answer: Look, memory: EraForecast, now: float) -> float:
        """Until near the end of the era, or near the closing of the window."""
        from staking_gateway.eras.forecast import pause

        length = self.era_length
        if self.era is not None and self.wanted.still_runs(answer.active):
            expected = memory.end_of(self.era, expected_at=self.expected_at, era_length=length)
        else:
            expected = memory.next_closing(now, era_length=length)
        return pause(now, expected, self.interval, era_length=memory.era_length(length))

    def new_memory(self) -> EraForecast:
        """What is learnt of the gateway's chain."""
        from staking_gateway.eras.forecast import EraForecast

        return EraForecast()

    def remember(self, memory: EraForecast, answer: Look, *, asked_at: float, answered_at: float) -> None:
        """Learn when the era changed and the window closed."""
        memory.note(answer.active, answer.window, asked_at=asked_at, answered_at=answered_at)


def by_calendar(calendar: EraCalendar, era: int | None) -> dict[str, Any]:
    """What a calendar tells a trigger: its arguments `expected_at` and `era_length`."""
    expected_at = None
    if era is not None:
        try:
            expected_at = calendar.end(era).timestamp()
        except InvalidEra:
            # Beyond the year 9999; the calendar has nothing to say about it.
            expected_at = None
    return {"expected_at": expected_at, "era_length": calendar.anchors[-1].length.total_seconds()}
