"""The failure of a call, by its row of `Failed`."""

from typing import Any

import pytest

from staking_gateway.errors import Failed, GatewayError, call_failed
from staking_gateway.http.meanings import how_of_error


def fails(*rows: Failed, match: str | None = None) -> Any:
    """`pytest.raises` for a `GatewayError` with one of these rows."""
    return pytest.raises(GatewayError, match=match, check=lambda error: error.how in rows)


def refusal(text: str, *, method: str = "proxyPayoutstakers", code: int = -32600) -> GatewayError:
    """What a client makes of a gateway's refusal with these words."""
    return call_failed(how_of_error(code, "Invalid Request", text), text, method=method, code=code, gateway_error=text)
