"""A network for the commands: its overview from ledger, gateway and Airflow, and the next command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from staking_gateway.eras.calendar import utc_now
from staking_gateway.health.facts import AirflowFacts
from staking_gateway.health.overview import ERAS, Overview, eras_with_runs, overview
from staking_gateway.ledger import Ledger
from staking_gateway.problem import Topic
from staking_gateway_provider.help import help_address
from staking_gateway_provider.live_facts import ask_gateway
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.ui.runs import airflow_facts

_OF_ONE_ERA = {Topic.REJECTED, Topic.UNKNOWN, Topic.PARTIAL, Topic.HELD_FEE, Topic.HELD_WINDOW, Topic.EXPIRED}
_STARTS = {Topic.SCHEDULER_DEAD: "airflow scheduler", Topic.TRIGGERER_DEAD: "airflow triggerer"}


def look(name: str, ledger: Ledger, *, eras: int = ERAS) -> Overview:
    """Look at a network. A gateway that does not answer becomes a cause.

    :param eras: number of newest ended eras in the grid.
    """
    config = network_config(name)
    live, now = ask_gateway(config), utc_now()
    airflow = read_airflow(name, eras_with_runs(config, live, now, eras))
    return overview(name, config, ledger, facts=live, airflow=airflow, eras=eras, clock=lambda: now)


def read_airflow(name: str, eras: Iterable[int]) -> AirflowFacts:
    """Airflow's facts about a network; none where its metadata database cannot be read."""
    try:
        return airflow_facts(name, eras)
    except SQLAlchemyError:
        return AirflowFacts()


def next_command(network: str, cause: Mapping[str, Any] | None) -> str:
    """The command that shows or does the next step.

    :param cause: as `Cause.as_dict`; None when nothing is wrong.
    """
    option = f"--network {network}"
    if cause is None:
        return f"airflow staking status {option} --watch"
    topic, eras = Topic.of(cause["topic"]), cause["eras"]
    if topic in (Topic.UNPAID, Topic.RUN_FAILED):
        return f"airflow staking catch-up {option}"
    if topic in _OF_ONE_ERA and eras:
        return f"airflow staking why {option} --era {eras[0]}"
    if topic is Topic.STOPPED:
        return "airflow staking ledger go"
    if topic is Topic.ACCOUNTS:
        return f"airflow staking status {option}"
    if topic is Topic.BOOKS:
        return f"airflow staking reconcile {option}"
    if topic is Topic.PAUSED:
        return f"airflow staking doctor {option} --fix"
    return _STARTS.get(topic, f"airflow staking doctor {option}")


def advice(network: str, cause: Mapping[str, Any] | None) -> dict[str, Any]:
    """Cause, remedy, next command and address of the runbook's section, as plain JSON."""
    following = {"next": next_command(network, cause)}
    if cause is None:
        return {"cause": None, "blocks": [], "remedy": None, "help": None, **following}
    return {
        "cause": cause["text"],
        "blocks": cause["eras"],
        "remedy": cause["remedy"],
        "help": help_address(Topic.of(cause["topic"])),
        **following,
    }


def advice_lines(told: Mapping[str, Any]) -> list[str]:
    """The lines of `advice` for people; empty ones are left out."""
    lines = {"Cause": told["cause"], "Remedy": told["remedy"], "Help": told["help"], "Next": told["next"]}
    return [f"{f'{name}:':<8}{text}" for name, text in lines.items() if text]
