"""A server in a thread of its own, for tests and notebooks."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Server(Protocol):
    """What runs in the thread."""

    async def start(self, host: str, port: int) -> int:
        """Listen; the port is returned."""

    async def stop(self) -> None:
        """Stop listening and give everything back."""


class RunningServer(ABC):
    """A server on 127.0.0.1 for as long as the context lasts.

    :param port: 0 takes a free one.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @abstractmethod
    def _make_server(self) -> Server:
        """A new server, not yet started."""

    def start(self) -> None:
        """Start serving; returns when calls are answered.

        :raises OSError: the port is taken.
        :raises StakingGatewayError: a file cannot be used.
        """
        server = self._make_server()
        listening: Future[int] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(server, listening)), name=type(self).__name__, daemon=True
        )
        self._thread.start()
        self.port = listening.result()

    def stop(self) -> None:
        """Stop serving; returns when the port and the files are free."""
        if self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    async def _serve(self, server: Server, listening: Future[int]) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            listening.set_result(await server.start("127.0.0.1", self.port))
            await self._stop.wait()
        except OSError as error:
            listening.set_exception(error)
        finally:
            await server.stop()
