"""What the operators share: the network they work on, and the default retry policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator

from staking_gateway_provider.networks import network_config, run_era
from staking_gateway_provider.retry import RETRY_POLICY

if TYPE_CHECKING:
    from staking_gateway.settings import NetworkConfig

DEFAULT_GATEWAY_CONN_ID = "staking_gateway_default"


class StakingOperator(BaseOperator):
    """Base of the operators that work on one network.

    :param network: name of a network in `staking.yaml`; without it everything is given as arguments.
    :param gateway_conn_id: connection of the gateway; taken from the network's settings when left out.
    """

    def __init__(self, *, network: str | None = None, gateway_conn_id: str | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("retry_policy", RETRY_POLICY)
        super().__init__(**kwargs)
        self.network = network
        self.gateway_conn_id = gateway_conn_id

    def config(self) -> NetworkConfig | None:
        """Settings of the network, or None when there is no network to look up."""
        return network_config(self.network) if self.network else None

    def conn_id(self, config: NetworkConfig | None) -> str:
        """The gateway's connection."""
        return self.gateway_conn_id or (config.gateway_conn_id if config else DEFAULT_GATEWAY_CONN_ID)

    def era_of(self, context: Any, era: int | str | None) -> int | None:
        """The era of an argument, or else of the run; a template that rendered to nothing counts as left out.

        :raises InvalidEra: it is not an era number.
        """
        from staking_gateway.types import parse_era

        if era is None or era in ("", "None"):
            return run_era(context)
        return parse_era(era)
