"""A network for the commands: settings, ledger and gateway; its overview; and what to do about its first problem."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import Any

from staking_gateway.catch_up import CatchUpPlan, Request, plan_network
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidInput
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.health.overview import Overview
from staking_gateway.health.state import ERAS, NetworkState
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.problem import Problem
from staking_gateway.text import Token, shown
from staking_gateway_provider.alerting import ask_gateway, set_up_problems
from staking_gateway_provider.commands.output import tell, working
from staking_gateway_provider.networks import enabled_names, network_config, open_network, read_config
from staking_gateway_provider.reporting import help_address
from staking_gateway_provider.ui.runs import read_airflow


def chosen_network(arguments: Namespace) -> str:
    """The network of `--network`, or the only enabled one."""
    if arguments.network is None:
        enabled = enabled_names()
        if len(enabled) != 1:
            raise InvalidInput(
                "network",
                f"{len(enabled)} networks are enabled: {', '.join(enabled)}" if enabled else "no network is enabled",
                f"Add --network with one of: {', '.join(read_config().names) or 'none yet'}",
            )
        arguments.network = enabled[0]  # an error names it
    return str(arguments.network)


def unknown_network(name: str) -> InvalidInput:
    """The refusal of a network that neither the settings nor the ledger have."""
    return InvalidInput(
        "network", f"neither staking.yaml nor the ledger has a network {shown(name)}", "Write a name of staking.yaml"
    )


def command_actor() -> Actor:
    """The author of a change by a command that runs now."""
    return Actor(f"airflow staking/{datetime.now(timezone.utc).isoformat(timespec='microseconds')}")


@dataclass(frozen=True)
class Session:
    """Settings, open ledger and gateway client of a network."""

    name: str
    config: NetworkConfig
    ledger: Ledger
    client: Gateway
    actor: Actor

    @property
    def token(self) -> Token | None:
        """The token in which people see amounts."""
        return self.config.token or self.ledger.views.token(self.name)

    def plan(self, request: Request) -> tuple[PayoutTerms, CatchUpPlan]:
        """The terms of a catch-up, and its plan."""
        working(f"Finding the unpaid eras of {self.name}")
        return plan_network(self.name, self.config, gateway=self.client, ledger=self.ledger, request=request)


@contextmanager
def network_session(arguments: Namespace, *, pays: bool = False) -> Iterator[Session]:
    """The network of a command. `pays` requires an enabled network, and a ledger that all tasks share."""
    name = chosen_network(arguments)
    config = network_config(name)
    if pays:
        config.check_enabled(name)
    with open_network(config.gateway_conn_id, pays=pays) as (ledger, client):
        yield Session(name, config, ledger, client, command_actor())


def look(name: str, ledger: Ledger, *, eras: int = ERAS) -> Overview:
    """Look at a network, with a number of newest ended eras. A gateway that does not answer becomes a cause."""
    working(f"Looking at {name}")
    config = network_config(name)
    live, now = ask_gateway(config), utc_now()
    airflow = partial(read_airflow, name)
    setup = set_up_problems(name, config, signs=not live.automatic)
    state = NetworkState(name, config, ledger, live, now=now, airflow=airflow, newest=eras, setup=setup)
    if state.airflow.known is None:
        tell("Airflow's database cannot be read: runs, paused DAGs and programs that do not run are not judged")
    return Overview(state)


def advice(problem: Problem | None) -> dict[str, Any]:
    """Cause, remedy and address of the runbook's section, as plain JSON."""
    if problem is None:
        return {"cause": None, "blocks": [], "remedy": None, "help": None}
    address = help_address(problem.topic)
    return {"cause": problem.title, "blocks": list(problem.eras), "remedy": problem.remedy, "help": address}


def advice_lines(told: Mapping[str, Any]) -> list[str]:
    """The lines of `advice` for people; empty ones are left out."""
    lines = {"Cause": told["cause"], "Remedy": told["remedy"], "Help": told["help"]}
    return [f"{f'{name}:':<8}{text}" for name, text in lines.items() if text]
