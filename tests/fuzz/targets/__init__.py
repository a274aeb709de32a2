"""The decoders, each as a target."""

from contextlib import ExitStack, contextmanager

from tests.contract.broken_server import BrokenServer
from tests.fuzz.targets import files, gateway, node, page, services


@contextmanager
def all_targets(folder):
    """All targets; `folder` is for their files."""
    with ExitStack() as stack:

        def server():
            running = BrokenServer()
            stack.callback(running.close)
            return running

        yield [
            *gateway.targets(server(), stack),
            node.target(server()),
            *files.targets(folder),
            *services.targets(server()),
            page.target(stack),
        ]
