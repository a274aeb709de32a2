"""What the operators share: the network they work on, and the default retry policy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, RetryPolicy

from staking_gateway.errors import InvalidInput
from staking_gateway_provider.executors import check_sharing
from staking_gateway_provider.networks import find_network, ledger_url, network_config, run_era
from staking_gateway_provider.retry import RETRY_POLICY

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger

DEFAULT_GATEWAY_CONN_ID = "staking_gateway_default"


class StakingOperator(BaseOperator):
    """Base of the operators that work on one network.

    :param network: name of a network in `staking.yaml`; without it everything is given as arguments.
    :param gateway_conn_id: connection of the gateway; taken from the network's settings when left out.
    :param retry_policy: which failures the task is tried again for.
    """

    def __init__(
        self,
        *,
        network: str | None = None,
        gateway_conn_id: str | None = None,
        # In the signature, for that is where Airflow looks for the defaults of mapped tasks.
        retry_policy: RetryPolicy | None = RETRY_POLICY,
        **kwargs: Any,
    ) -> None:
        super().__init__(retry_policy=retry_policy, **kwargs)
        self.network = network
        self.gateway_conn_id = gateway_conn_id

    def config(self, *, required: bool = True) -> NetworkConfig | None:
        """Settings of the network, or None when there is no network to look up.

        :param required: False when the arguments suffice: then a network the configuration does not know is just a name.
        """
        if is_left_out(self.network):
            return None
        if not isinstance(self.network, str):
            raise InvalidInput(
                "network", f"expected a text, got {type(self.network).__name__}", "Write a network's name"
            )
        return network_config(self.network) if required else find_network(self.network)

    def conn_id(self, config: NetworkConfig | None) -> str:
        """The gateway's connection."""
        return self.gateway_conn_id or (config.gateway_conn_id if config else DEFAULT_GATEWAY_CONN_ID)

    def open_ledger(self, ledger_conn_id: str | None) -> Ledger:
        """The ledger of this task.

        :param ledger_conn_id: its connection; None takes the one that is named elsewhere.
        :raises InvalidInput: it is a file, and other tasks may run on other machines, each with a file of its own.
        :raises LedgerError: it cannot be opened.
        """
        from staking_gateway.ledger import Ledger

        url = ledger_url(ledger_conn_id)
        check_sharing(url, self.executor)
        return Ledger(url)

    def era_of(self, context: Any, era: int | str | None) -> int | None:
        """The era of an argument, or else of the run; a template that rendered to nothing counts as left out.

        :raises InvalidEra: it is not an era number.
        """
        from staking_gateway.types import parse_era

        if is_left_out(era):
            return run_era(context)
        return parse_era(era)


def is_left_out(value: object) -> bool:
    """Whether an argument was not given, or is a template that rendered to nothing."""
    return value is None or value in ("", "None")


def check_seconds(field: str, value: object, *, least: float) -> None:
    """Refuse what is no number of seconds; None stands for an argument that was left out.

    :raises InvalidInput: it is no number, too small or without end.
    """
    if value is None:
        return
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value < math.inf:
        raise InvalidInput(field, f"{value!r} is no number of seconds", f"Write {least:g} or more")
