"""Links on a task's page. A task stores their addresses at its end, those of help only when it did not succeed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from airflow.sdk.bases.operatorlink import BaseOperatorLink
from airflow.sdk.execution_time.xcom import XCom

from staking_gateway.errors import ConfigError
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.help import help_link, page_link

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator
    from airflow.sdk.types import TaskInstanceKey

_HASH = re.compile(r"0x[0-9a-fA-F]{1,128}\Z")


class RunbookLink(BaseOperatorLink):
    """Opens the section of the runbook about the task's failure."""

    name = "Runbook"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        """The address, at the end of a task: Airflow then gives the running task instance, whose context has the error."""
        del operator
        error = ti_key.get_template_context().get("exception")  # type: ignore[attr-defined]
        return help_link(explain(error).topic if error else None)


class StakingPageLink(BaseOperatorLink):
    """Opens the Staking page at the network and the era of the run."""

    name = "Staking page"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        del operator
        return page_link(ti_key.dag_id, ti_key.run_id)


LINKS: tuple[BaseOperatorLink, ...] = (RunbookLink(), StakingPageLink())
"""The links of every task of this provider that did not succeed."""


class ExplorerLink(BaseOperatorLink):
    """Opens the payout's transaction in the network's explorer: `explorer_url` in `staking.yaml`, with the hash for `{tx_hash}`."""

    name = "Explorer"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        """The address, at the end of a task."""
        del operator
        return explorer_link(XCom.get_value(ti_key=ti_key, key="outcome"))


def explorer_link(outcome: Any) -> str:
    """The address of a payout's newest transaction in the explorer of its network, or an empty text: then Airflow shows no button."""
    from staking_gateway_provider.networks import find_network

    if not isinstance(outcome, dict):
        return ""
    try:
        config = find_network(str(outcome.get("network")))
    except ConfigError:
        return ""
    return explorer_address(config.explorer_url, outcome) if config and config.explorer_url else ""


def explorer_address(template: str, outcome: Any) -> str:
    """The address of a payout's newest transaction, or an empty text. Only a valid hash becomes a part of the address.

    :param template: an `explorer_url`: an http or https address with one `{tx_hash}` in its path.
    :param outcome: an `EraOutcome.as_dict`.
    """
    parts = outcome.get("parts", ()) if isinstance(outcome, dict) else ()
    hashes = [part.get("tx_hash") for part in parts if isinstance(part, dict)]
    known = [tx_hash for tx_hash in hashes if isinstance(tx_hash, str) and _HASH.match(tx_hash)]
    return template.replace("{tx_hash}", quote(known[-1], safe="")) if known else ""
