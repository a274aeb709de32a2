"""`airflow staking` alone, and `airflow staking state`: each network in five lines."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import Any

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.text import count
from staking_gateway_provider.commands.output import report_errors, say, show, working
from staking_gateway_provider.commands.views import advice, advice_lines, look
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.help import help_address
from staking_gateway_provider.networks import enabled_names, network_config, open_ledger


@report_errors
def state(arguments: Namespace) -> None:
    """`airflow staking state`: headline, first cause, remedy, help and next command; status 0, also when eras are unpaid."""
    if arguments.network is not None:
        network_config(arguments.network)
    rows = _states(arguments.network, arguments.ledger_conn_id)
    if arguments.output != "table":
        show(rows, arguments.output)
        return
    for row in rows:
        more = f" (and {count(row['further_causes'], 'further cause')})" if row["further_causes"] else ""
        say(f"{row['network'] or 'staking.yaml'}: {row['headline']}{more}")
        for line in advice_lines(row):
            say(f"  {line}")


def _states(network: str | None, ledger_conn_id: str | None) -> list[dict[str, Any]]:
    """One row per network; one row alone when the file or the ledger cannot be used."""
    try:
        enabled = enabled_names()
        names = [network] if network else enabled
        if not names:
            raise ConfigError("networks", "no network is enabled", "Write enabled: true for one of them")
        with closing(open_ledger(ledger_conn_id)) as ledger, working("Looking at the networks"):
            return [_state(name, ledger) for name in names]
    except StakingGatewayError as problem:
        return [_unusable(None, problem)]


def _state(name: str, ledger: Any) -> dict[str, Any]:
    try:
        view = look(name, ledger)
    except StakingGatewayError as problem:
        return _unusable(name, problem)
    first = view.causes[0] if view.causes else None
    return {
        "network": name,
        "level": view.data["level"],
        "headline": view.data["headline"],
        **advice(name, first),
        "further_causes": max(len(view.causes) - 1, 0),
    }


def _unusable(name: str | None, problem: StakingGatewayError) -> dict[str, Any]:
    """The row of a network, or of all, that cannot be read."""
    explained = explain(problem)
    return {
        "network": name,
        "level": "danger",
        "headline": explained.topic.heading,
        "cause": explained.facts,
        "blocks": [],
        "remedy": explained.remedy,
        "next": "airflow staking doctor",
        "help": help_address(explained.topic),
        "further_causes": 0,
    }
