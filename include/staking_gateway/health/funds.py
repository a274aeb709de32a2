"""How long the payer's funds last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.catch_up.plan import eras_covered

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig


@dataclass(frozen=True)
class Runway:
    """For how many eras the payer's balance pays the fees, at the present fee.

    :param eras: None when the balance or the fee is unknown, or calls are free. Then nothing is short.
    :param short: fewer than `alerts.runway_warning`, or than there are unpaid eras.
    :param critical: fewer than `alerts.runway_critical`, or than there are unpaid eras; or none at all.
    """

    eras: int | None
    short: bool
    critical: bool


def runway(network: NetworkConfig, *, balance: int | None, fee: int | None, unpaid: int = 0) -> Runway:
    """Judge the payer's funds.

    :param balance: what the payer can spend, in the smallest unit; None when it is unknown. Likewise `fee`, of one call.
    :param unpaid: how many eras wait to be paid.
    """
    eras, limits, least = eras_covered(balance, fee, network.payout.calls), network.alerts, max(unpaid, 1)
    if eras is None:
        return Runway(None, short=False, critical=False)
    return Runway(
        eras, short=eras < max(least, limits.runway_warning), critical=eras < max(least, limits.runway_critical)
    )
