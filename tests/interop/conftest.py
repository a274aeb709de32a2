"""The published JavaScript client in its two versions."""

import pytest
from javascript import NEWEST, PAYING

from tests.support.npm import install


@pytest.fixture(scope="session")
def paying():
    """The client that can pay."""
    install()
    return PAYING


@pytest.fixture(scope="session", params=[PAYING, NEWEST], ids=lambda client: client.version)
def client(request):
    """Either version; a test that asks for it holds for both."""
    install()
    return request.param
