"""What holds for every test."""

from __future__ import annotations

import pytest

from staking_gateway.gateway import capabilities


@pytest.fixture(autouse=True)
def gateways_unheard_of() -> None:
    """No test knows what another one's server, at the same port, has answered."""
    capabilities._ANSWERED.clear()
