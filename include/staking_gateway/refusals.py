"""What the words of a refused payout mean. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from staking_gateway.errors import RpcError

if TYPE_CHECKING:
    from staking_gateway.errors import GatewayError

_NOTHING_LEFT = re.compile(
    r"already (been )?(paid|claimed)|alreadyclaimed|nothing (is )?left|no (unpaid )?stakers (are )?(left|to pay)",
    re.IGNORECASE,
)
_OF_ANOTHER_THING = re.compile(r"nonce|fee|authori[sz]|signature|payer|balance|funds|could not", re.IGNORECASE)
"""What is said of these is not said of the era: a fee that was paid already, say."""


def says_nothing_left(error: GatewayError) -> bool:
    """Whether a gateway refuses a payout because its era is paid already, or has nobody to be paid.

    No document gives the words. What is said of a fee, a nonce or an account is not said of the era.
    """
    if not isinstance(error, RpcError):
        return False
    text = error.gateway_error or error.message
    return bool(_NOTHING_LEFT.search(text)) and not _OF_ANOTHER_THING.search(text)
