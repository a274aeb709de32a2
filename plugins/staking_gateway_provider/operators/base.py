"""The base of the operators: their network, ledger and retry policy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, RetryPolicy

from staking_gateway.errors import InvalidInput
from staking_gateway.text import shown
from staking_gateway_provider.failure_log import report_failure_of
from staking_gateway_provider.links import LINKS, stored_links
from staking_gateway_provider.networks import (
    find_network,
    gateway_of,
    is_left_out,
    network_config,
    open_ledger,
    open_network,
)
from staking_gateway_provider.retry import RETRY_POLICY

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from staking_gateway import GatewayClient
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger


class StakingOperator(BaseOperator):
    """Base of the operators that work on one network.

    :param network: name of a network in `staking.yaml`.
    :param gateway_conn_id: connection of the gateway; from the network's settings when left out.
    :param ledger_conn_id: connection of the ledger; use the same one in all tasks.
    :param retry_policy: the failures after which the task is retried. None is the default.
    """

    operator_extra_links: Any = LINKS

    def __init__(
        self,
        *,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        ledger_conn_id: str | None = None,
        retry_policy: RetryPolicy | None = RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        # Airflow before 3.3.2 passes None for mapped tasks.
        super().__init__(retry_policy=retry_policy or RETRY_POLICY, **kwargs)
        self.network = network
        self.gateway_conn_id = gateway_conn_id
        self.ledger_conn_id = ledger_conn_id

    def pre_execute(self, context: Any) -> None:
        """Let a failure of this task end in its log with the remedy, and let a success store no link that the page computes."""
        report_failure_of(self, context)
        self.operator_extra_links = stored_links(type(self).operator_extra_links, context)

    def config(self, *, required: bool = True) -> NetworkConfig | None:
        """Settings of the network; None without a network or, if not `required`, for a network that the configuration does not name."""
        if is_left_out(self.network):
            return None
        if not isinstance(self.network, str):
            raise InvalidInput(
                "network", f"expected a text, got {type(self.network).__name__}", "Write a network's name"
            )
        return network_config(self.network) if required else find_network(self.network)

    def conn_id(self, config: NetworkConfig | None) -> str:
        """The gateway's connection."""
        return gateway_of(config, self.gateway_conn_id)

    def ledger_name(self, config: NetworkConfig | None) -> str:
        """The network's name in ledger and metrics."""
        return self.network or self.conn_id(config)

    def open_ledger(self) -> Ledger:
        """The ledger of this task.

        :raises LedgerMismatch: it is a file that is not the ledger that pays.
        :raises LedgerError: the ledger cannot be opened.
        """
        return open_ledger(self.ledger_conn_id, pays=True)

    def open_network(self, config: NetworkConfig | None) -> AbstractContextManager[tuple[Ledger, GatewayClient]]:
        """The ledger, and a client of the gateway whose failed calls are counted; both are closed at the end of the block."""
        return open_network(
            self.conn_id(config),
            self.ledger_conn_id,
            pays=True,
            count_as=self.ledger_name(config),
        )


def check_seconds(field: str, value: object, *, least: float) -> None:
    """Refuse anything but None or a finite number of seconds, `least` or more."""
    if value is None:
        return
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value < math.inf:
        raise InvalidInput(field, f"{shown(value)} is no number of seconds", f"Write {least:g} or more")
