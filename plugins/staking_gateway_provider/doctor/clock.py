"""The difference between the clocks of this machine and the gateway, by the `Date` of an HTTP answer (RFC 9110, section 6.6.1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from staking_gateway.http.session import NoAnswer, Session
from staking_gateway_provider.doctor.findings import Finding, error, ok, warning

CLOSE = 5.0
"""A difference in seconds that is normal: the header has whole seconds, and the answer takes time."""
TOO_FAR = 15.0
"""Seconds a self-made token may be from the future; further ahead, every gateway refuses it."""
_REMEDY = "Set this machine's clock, e.g. timedatectl set-ntp true; if it is right, tell the gateway's operator"


def read_offset(
    base_url: str, ca_bundle: str | None = None, *, read_clock: Callable[[], float] = time.time
) -> float | None:
    """Seconds by which this machine is ahead of the gateway; None without a `Date`. No token is sent."""
    with Session(base_url, 10, ca_bundle) as session:
        before = read_clock()
        try:
            answer = session.ask("GET", base_url, limit=0, timeout=(5, 10))
            told = parsedate_to_datetime(answer.headers["Date"]).timestamp()
        except (NoAnswer, KeyError, ValueError, TypeError):
            return None
        # The header has whole seconds, cut off.
        return (before + read_clock()) / 2 - (told + 0.5)


def judge(offset: float, *, self_made: bool) -> Finding:
    """The finding about an offset.

    :param offset: of `read_offset`.
    :param self_made: whether this machine makes the tokens.
    """
    size = abs(offset)
    if size <= CLOSE:
        return ok(f"agrees with the gateway's within {CLOSE:.0f} s")
    what = f"this machine's clock is {size:.0f} s {'ahead of' if offset > 0 else 'behind'} the gateway's"
    if self_made and size >= TOO_FAR:
        return error(f"{what}: it refuses self-made tokens", _REMEDY)
    return warning(what, _REMEDY)
