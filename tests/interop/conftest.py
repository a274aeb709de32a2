"""The published JavaScript client in its two versions."""

import pytest
from javascript import NEWEST, PAYING

from tests.support.npm import install


@pytest.fixture(scope="session")
def paying():
    """The client that can pay."""
    install(PAYING.folder)
    return PAYING


@pytest.fixture(scope="session", params=[PAYING, NEWEST], ids=lambda client: client.version)
def client(request):
    """Either version; a test that asks for it holds for both."""
    install(request.param.folder)
    return request.param
