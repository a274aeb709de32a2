"""What the checks share: what was found out by one is not asked again by the next."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway import GatewayClient
    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.config.models import Config, NetworkConfig
    from staking_gateway.errors import GatewayError
    from staking_gateway.ledger import Ledger
    from staking_gateway.payout.terms import PayoutTerms


def _now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass
class SetUp:
    """The installation.

    :param network: name of the only network to look at; None takes all that are enabled.
    :param ledger_conn_id: as of the command.
    :ivar config: the configuration, once it was read.
    :ivar ledger_url: where the ledger is, once that is known.
    :ivar ledger: the open ledger, if there is one.
    """

    network: str | None = None
    ledger_conn_id: str | None = None
    clock: Callable[[], datetime] = _now
    config: Config | None = None
    ledger_url: str | None = None
    ledger: Ledger | None = None
    stack: ExitStack = field(default_factory=ExitStack)

    def networks(self) -> dict[str, NetworkConfig]:
        """The networks to look at."""
        if self.config is None:
            return {}
        wanted = self.config.networks
        if self.network is not None:
            return {self.network: wanted[self.network]} if self.network in wanted else {}
        return {name: network for name, network in wanted.items() if network.enabled}


@dataclass
class Case:
    """One network of it.

    :ivar client: of its gateway, once the connection was read; likewise what follows.
    :ivar self_made: whether the access token is made here.
    :ivar node_conn_id: connection of the node, when a node tells the era.
    :ivar refusal: the answer of a gateway that does not take the token.
    :ivar active: the active era.
    :ivar fee: of one call, in the smallest unit.
    """

    setup: SetUp
    name: str
    config: NetworkConfig
    client: GatewayClient = field(init=False)
    self_made: bool = False
    ca_bundle: str | None = None
    payout_method: str = ""
    query_path: str = ""
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
        """What a catch-up would pay; None without a ledger.

        :raises GatewayError: the gateway did not answer.
        """
        from staking_gateway.catch_up.survey import survey

        if self.ledger is None:
            return None
        network = self.config
        return survey(
            self.terms(),
            self.client,
            self.ledger,
            kept=network.depths,
            calendar=network.calendar,
            since=network.first_era,
        )

    def terms(self) -> PayoutTerms:
        """The terms of this network's payouts; the chain's name is not asked for."""
        from staking_gateway.payout.terms import terms_of

        return terms_of(self.name, self.config)
