"""`airflow staking why`: the timeline of an era, the cause and the remedy."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from staking_gateway.health.eras import OPEN, Judgement, State, judge_era
from staking_gateway.health.overview import Overview
from staking_gateway.health.timeline import Step, era_timeline
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, show_one, working
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.commands.views import advice, advice_lines, look
from staking_gateway_provider.networks import open_ledger


@report_errors
def why(arguments: Namespace) -> None:
    """`airflow staking why`: status 0 when the timeline is shown, also of an unpaid era."""
    name, era = chosen_network(arguments), parse_era(arguments.era)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger, working(f"Looking at {name}"):
        view = look(name, ledger)
        steps = era_timeline(era, ledger, view.state)
        ended = era < view.state.active.era
        judged = judge_era(era, ledger.era_payouts(name, era), view.state) if ended else None
    told = {
        "network": name,
        "era": era,
        "state": "running" if judged is None else judged.state.word,
        "reason": steps[-1].detail if judged is None else judged.reason,
        "steps": [step.as_dict() for step in steps],
        **advice(name, _cause(era, judged, view)),
    }
    if not for_people(arguments.output):
        show_one(told, arguments.output)
        return
    say(f"Era {era} of {name}: {told['state']}{': ' if told['reason'] else ''}{told['reason']}")
    show([_row(step) for step in steps], arguments.output)
    for line in advice_lines(told):
        say(line)


def _cause(era: int, judged: Judgement | None, view: Overview) -> Mapping[str, Any] | None:
    """The cause that blocks the era; None when nothing is to do about this era.

    :param judged: None for an era that has not ended on the chain. By the calendar it may have.
    """
    if judged is None:
        behind = next((cause for cause in view.causes if cause["topic"] == Topic.DRIFT.anchor), None)
        return behind if view.state.calendar.end(era) <= view.state.now else None
    known = next((cause for cause in view.causes if era in cause["eras"]), None)
    if judged.in_hand:
        return known or next((cause for cause in view.causes if cause["standing"]), None)
    if known is not None or judged.state not in (*OPEN, State.EXPIRED):
        return known
    topic = Topic.EXPIRED if judged.state is State.EXPIRED else Topic.UNPAID
    return Problem(topic, judged.reason, eras=(era,)).as_dict()


def _row(step: Step) -> dict[str, Any]:
    return {
        "step": step.name if not step.part else f"{step.name} (part {step.part})",
        "time (UTC)": None if step.at is None else f"{step.at:%Y-%m-%d %H:%M:%S}",
        "state": step.state.value,
        "detail": step.detail,
        "run": step.run,
    }
