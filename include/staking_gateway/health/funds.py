"""The runway: how many eras the payer's funds last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from staking_gateway.catch_up.plan import eras_covered

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig


@dataclass(frozen=True)
class Runway:
    """For how many eras the payer's balance pays the fees, at the present fee.

    :param eras: None when balance or fee is unknown, or calls are free. Then the funds are not short.
    :param short: fewer eras than `alerts.runway_warning`, or than unpaid eras.
    :param critical: fewer eras than unpaid eras, or none.
    """

    eras: int | None
    short: bool
    critical: bool


def runway(network: NetworkConfig, *, balance: int | None, fee: int | None, unpaid: int = 0) -> Runway:
    """Judge the payer's funds.

    :param balance: the payer's free balance in the smallest unit; None: unknown. Likewise `fee`, of one call.
    :param unpaid: number of unpaid eras.
    """
    eras, least = eras_covered(balance, fee, network.payout.parts), max(unpaid, 1)
    if eras is None:
        return Runway(None, short=False, critical=False)
    return Runway(eras, short=eras < max(least, network.alerts.runway_warning), critical=eras < least)
