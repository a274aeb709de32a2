"""The decoders, each as a target."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tests.contract.broken_server import BrokenServer
from tests.fuzz.targets import files, gateway, metadata, node, page, services, websocket

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fuzz.runner import Target


@contextmanager
def all_targets(folder: Path) -> Iterator[list[Target]]:
    """All targets; `folder` is for their files."""
    with ExitStack() as stack:

        def server() -> BrokenServer:
            running = BrokenServer()
            stack.callback(running.close)
            return running

        yield [
            *gateway.targets(server(), stack),
            node.target(server()),
            websocket.target(server()),
            metadata.target(),
            *files.targets(folder),
            *services.targets(server()),
            page.target(stack),
        ]
