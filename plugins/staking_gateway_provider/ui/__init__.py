"""The Staking page. Every component of Airflow loads this module; only the API server imports the rest of the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from staking_gateway.problem import Topic

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

URL_PREFIX = "/staking"
"""Where the API server mounts the page."""
PAYOUT_DAG, CATCH_UP_DAG = "staking_payout_", "staking_catch_up_"
"""Ids of a network's DAGs, before its name."""
WATCH_DAG = "staking_watch"
PROGRAMS = {"scheduler": Topic.SCHEDULER_DEAD, "triggerer": Topic.TRIGGERER_DEAD}
"""Airflow's programs without which nothing is paid, and their sections of the runbook."""


class StakingPage:
    """An ASGI application, built at the first request."""

    def __init__(self) -> None:
        self._app: Callable[[Message, Receive, Send], Awaitable[None]] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._app is None:
            from staking_gateway_provider.ui.app import build_app

            self._app = build_app()
        await self._app(scope, receive, send)
