"""The published JavaScript client in its two versions."""

from __future__ import annotations

import pytest
from javascript import NEWEST, PAYING


@pytest.fixture(scope="session")
def paying():
    """The client that can pay."""
    PAYING.install()
    return PAYING


@pytest.fixture(scope="session", params=[PAYING, NEWEST], ids=lambda client: client.version)
def client(request):
    """Either version; a test that asks for it holds for both."""
    request.param.install()
    return request.param
