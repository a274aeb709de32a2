"""How simulator and signer are served: from the command line until a signal comes, or in a thread of their own."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Literal, Self, TextIO, get_args, get_origin

from aiohttp import web

from staking_gateway.errors import StakingGatewayError
from staking_gateway.http.endpoint import is_loopback


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the layout of the examples and names every default, unless the help text already does."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default is None or action.default is argparse.SUPPRESS or "default" in (action.help or ""):
            return action.help
        return super()._get_help_string(action)


def add_address(group: argparse._ArgumentGroup, port: int) -> None:
    """Add the options of the address, with the port that is usual."""
    group.add_argument("--host", default="127.0.0.1", help="address to listen on")
    group.add_argument("--port", type=_port, default=port, help="port to listen on; 0 takes a free one")


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port: use a number from 0 to 65535")
    return port


def add_options(group: argparse._ArgumentGroup, kind: Any, spelt: Mapping[str, str]) -> None:
    """Add an option for each field of a pydantic dataclass. What is not given stays out of the parsed options.

    :param kind: the dataclass; a flag that is on is turned off with `--no-`.
    :param spelt: options that are not spelt like their fields; an empty spelling leaves a field out.
    """
    for name, field in kind.__pydantic_fields__.items():
        option, value = spelt.get(name, name).replace("_", "-"), field.default
        if not option:
            continue
        described: dict[str, Any] = {"dest": name, "help": field.description, "default": argparse.SUPPRESS}
        if isinstance(value, bool):
            group.add_argument(
                f"--no-{option}" if value else f"--{option}",
                action="store_false" if value else "store_true",
                **described,
            )
            continue
        if get_origin(field.annotation) is Literal:
            described["choices"] = get_args(field.annotation)
        elif get_origin(field.annotation) in (tuple, frozenset):
            described["action"] = "append"
        if not field.is_required() and value is not None and "default" not in field.description and value != ():
            described["help"] += f" (default: {value})"
        if "choices" not in described:
            described["metavar"] = "VALUE"
        group.add_argument(f"--{option}", required=field.is_required(), **described)


def given_options(options: argparse.Namespace, kind: Any) -> dict[str, Any]:
    """What was given of the options of a pydantic dataclass."""
    return {name: value for name, value in vars(options).items() if name in kind.__pydantic_fields__}


def run(make: Callable[[], tuple[Server, str]], host: str, port: int, *, name: str, exposed: str) -> int:
    """Serve until SIGINT or SIGTERM.

    :param make: makes the server, and what is told of it when it is ready.
    :param name: what is ready.
    :param exposed: the warning when others than this machine can reach it.
    :returns: the exit status: 0 after a clean stop, 2 when it could not start.
    """
    try:
        asyncio.run(_serve(make, host, port, name, exposed))
    except StakingGatewayError as error:
        _say(sys.stderr, f"Error: {error}")
        return 2
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        _say(sys.stderr, f"Error: cannot listen on {host}:{port}: {reason}. Choose another --port")
        return 2
    return 0


def _say(stream: TextIO, line: str) -> None:
    """Print a line at once."""
    stream.write(line + "\n")
    stream.flush()


async def _serve(make: Callable[[], tuple[Server, str]], host: str, port: int, name: str, exposed: str) -> None:
    server, told = make()
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    try:
        port = await server.start(host, port)
        if not is_loopback(host):
            _say(sys.stderr, f"Warning: listening on {host}{exposed}")
        _say(sys.stdout, f"{name} ready at http://{f'[{host}]' if ':' in host else host}:{port} {told}")
        await asked.wait()
    finally:
        await server.stop()


class Server:
    """Serves an application until it is stopped. Everything runs on the event loop on which it was started."""

    def __init__(self, app: web.Application, **options: Any) -> None:
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0, **options)
        self._host, self._port = "", 0
        self._site: web.TCPSite

    async def start(self, host: str, port: int) -> int:
        """Listen.

        :param port: 0 takes a free one.
        :returns: the port.
        :raises OSError: the address cannot be listened on.
        """
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, host, port)
        await self._site.start()
        self._host, self._port = host, int(self._runner.addresses[0][1])
        return self._port

    async def stop(self) -> None:
        """Stop listening and give everything back."""
        await self._runner.cleanup()


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
