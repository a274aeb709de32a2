"""What holds for every test."""

import os
import random
import time

import pytest
from hypothesis import settings

settings.register_profile("seeded", settings.default, derandomize=False, deadline=None)
settings.load_profile("seeded")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """The seed of the run decides every property: `SEED` of the environment, or one of the clock."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = os.environ.get("SEED") or str(int(time.time()) % 1_000_000_000)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test draws without a generator of its own, as the waits between attempts, is the seed's too."""
    random.seed(f"{item.config.option.hypothesis_seed} {item.nodeid}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"drawn with SEED={terminalreporter.config.option.hypothesis_seed}")
