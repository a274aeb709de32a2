"""Results that the checks share, so that a check does not repeat earlier requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from staking_gateway.catch_up.plan import CatchUpPlan
from staking_gateway.catch_up.survey import survey
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import GatewayError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Ledger
from staking_gateway.payout.terms import PayoutTerms, terms_of


@dataclass
class SetUp:
    """The installation; `network` None checks all enabled networks. Checks fill in `configured` and `ledger`."""

    network: str | None = None
    ledger_conn_id: str | None = None
    clock: Callable[[], datetime] = utc_now
    configured: dict[str, NetworkConfig] = field(default_factory=dict)
    ledger: Ledger | None = None
    stack: ExitStack = field(default_factory=ExitStack)

    def networks(self) -> dict[str, NetworkConfig]:
        """The networks to check: those without a mistake."""
        if self.network is not None:
            return dict(self.configured)
        return {name: network for name, network in self.configured.items() if network.enabled}


@dataclass
class Case:
    """One network. Checks fill in `client` and the following fields; `fee` is the fee of one call, in the smallest unit."""

    setup: SetUp
    name: str
    config: NetworkConfig
    client: Gateway = field(init=False)
    self_made: bool = False
    ca_bundle: str | None = None
    payout_method: str = ""
    node_conn_id: str | None = None
    refusal: GatewayError | None = None
    active: int = field(init=False)
    fee: int = field(init=False)

    @property
    def ledger(self) -> Ledger | None:
        """The open ledger, if there is one."""
        return self.setup.ledger

    @property
    def now(self) -> datetime:
        """The time, UTC."""
        return self.setup.clock()

    @cached_property
    def plan(self) -> CatchUpPlan | None:
        """The plan of a catch-up; None without a ledger."""
        if self.ledger is None:
            return None
        return survey(self.terms(), self.client, self.ledger, self.config)

    def terms(self) -> PayoutTerms:
        """The terms of this network's payouts, without the chain's name."""
        return terms_of(self.name, self.config)
