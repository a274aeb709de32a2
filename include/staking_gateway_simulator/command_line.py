"""What the command lines of the simulator and of its signer share."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, TextIO

from staking_gateway.errors import StakingGatewayError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the layout of the examples and names every default, unless the help text already does."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default is None or action.default is argparse.SUPPRESS or "default" in (action.help or ""):
            return action.help
        return super()._get_help_string(action)


def port_number(text: str) -> int:
    """Read a port; 0 takes a free one."""
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not a port: use a number from 0 to 65535")
    return port


async def serve_until_stopped(start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]]) -> None:
    """Start a server and stop it at SIGINT or SIGTERM, or when it cannot be started.

    :raises OSError: its address cannot be listened on.
    """
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    try:
        await start()
        await asked.wait()
    finally:
        await stop()


def address(host: str, port: int) -> str:
    """The URL of a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def cannot_listen(host: str, port: int, error: OSError) -> str:
    """What to say when an address cannot be listened on."""
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return f"Error: cannot listen on {host}:{port}: {reason}. Choose another --port"


def run(serve: Callable[[], Coroutine[Any, Any, None]], host: str, port: int) -> int:
    """Serve until a signal comes.

    :returns: the exit status: 0 after a clean stop, 2 when it could not start.
    """
    try:
        asyncio.run(serve())
    except StakingGatewayError as error:
        say(sys.stderr, f"Error: {error}")
        return 2
    except OSError as error:
        say(sys.stderr, cannot_listen(host, port, error))
        return 2
    return 0


def say(stream: TextIO, line: str) -> None:
    """Print a line at once."""
    stream.write(line + "\n")
    stream.flush()
