"""What holds for every test."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import settings

settings.register_profile("seeded", settings.default, derandomize=False)
settings.load_profile("seeded")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """The seed of the run decides every property: `SEED` of the environment, or one of the clock."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = os.environ.get("SEED") or str(int(time.time()) % 1_000_000_000)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"properties: SEED={terminalreporter.config.option.hypothesis_seed}")
