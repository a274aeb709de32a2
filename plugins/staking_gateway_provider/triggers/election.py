"""Deferred waits until an era may be paid."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidEra
from staking_gateway_provider.triggers.polling import GatewayPollTrigger

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.eras.forecast import EraForecast
    from staking_gateway.gateway.readiness import Readiness


class ElectionWindowTrigger(GatewayPollTrigger):
    """Fires when the election window is closed and, if an era is given, that era has ended.

    Requests are rare while the expected change is far away, see `staking_gateway.eras.forecast`. Without a calendar the trigger polls
    once per `poll_interval` until it knows the eras' length.

    :param era: the era to be paid, or None to wait for the window alone.
    :param window: whether to wait for the window; some chains have none.
    :param expected_at: the era's end by the calendar, in seconds since 1970.
    :param era_length: seconds of an era by the calendar.
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
        self._readiness: Readiness | None = None

    def arguments(self) -> dict[str, Any]:
        return {
            **super().arguments(),
            "era": self.era,
            "window": self.window,
            "expected_at": self.expected_at,
            "era_length": self.era_length,
        }

    async def ask(self, client: AsyncGatewayClient) -> str | None:
        """Read whether the era may be paid."""
        from staking_gateway.gateway.readiness import areadiness

        asked_at = time.time()
        self._readiness = answer = await areadiness(client, era=self.era, window=self.window)
        _forecast(self.gateway_conn_id).note(answer.active, answer.window, asked_at=asked_at, answered_at=time.time())
        return answer.message if answer.ready else None

    def pause(self, now: float) -> float:
        """Seconds until shortly before the expected end of the era or of the window."""
        from staking_gateway.eras.forecast import pause

        forecast, length = _forecast(self.gateway_conn_id), self.era_length
        if self.era is not None and self._readiness is not None and self._readiness.is_active:
            expected = forecast.end_of(self.era, expected_at=self.expected_at, era_length=length)
        else:
            expected = forecast.next_closing(now, era_length=length)
        return pause(now, expected, self.interval, era_length=forecast.era_length(length))


_forecasts: dict[str, EraForecast] = {}


def _forecast(gateway_conn_id: str) -> EraForecast:
    """The forecast that all waits of this process share for a gateway."""
    from staking_gateway.eras.forecast import EraForecast

    if gateway_conn_id not in _forecasts:
        _forecasts[gateway_conn_id] = EraForecast()
    return _forecasts[gateway_conn_id]


def by_calendar(calendar: EraCalendar, era: int | None) -> dict[str, Any]:
    """The arguments `expected_at` and `era_length` of the trigger, by the calendar."""
    try:
        expected_at = None if era is None else calendar.end(era).timestamp()
    except InvalidEra:
        expected_at = None  # beyond the year 9999
    return {"expected_at": expected_at, "era_length": calendar.anchors[-1].length.total_seconds()}
