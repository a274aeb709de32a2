"""`airflow staking backfill`: Airflow's own runs of the payout DAG for chosen eras."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from airflow.api.common.trigger_dag import trigger_dag
from airflow.exceptions import AirflowConfigException
from airflow.utils.platform import getuser
from airflow.utils.types import DagRunTriggeredByType

from staking_gateway.catch_up.plan import CatchUpPlan, Request
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.health.facts import AirflowFacts
from staking_gateway.text import Token, amount, count
from staking_gateway_provider.commands.catch_up import budget_of
from staking_gateway_provider.commands.output import for_people, progress, report_errors, say, show, show_one
from staking_gateway_provider.commands.session import NetworkSession
from staking_gateway_provider.commands.views import read_airflow
from staking_gateway_provider.ui import PAYOUT_DAG

_UNDER_WAY = ("queued", "running")


@report_errors
def backfill(arguments: Namespace) -> None:
    """`airflow staking backfill`: show the runs, or make them with `--yes`. Status 1 while eras are left for the next call."""
    with NetworkSession(arguments) as session:
        name, config = session.name, session.config
        config.check_enabled(name)
        _, plan = session.plan(Request(eras=arguments.eras, budget=budget_of(arguments, config)))
        token = session.token
    airflow, dag_id = read_airflow(name, plan.eras), PAYOUT_DAG + name
    runs = {era: run.run_id for era, run in (airflow.runs or {}).items() if run.state in _UNDER_WAY}
    missing = [era for era in plan.eras if era not in runs]
    _check(plan, missing, dag_id, airflow, config)
    if arguments.yes:
        runs |= _make_runs(dag_id, missing)
    told = {
        "network": name,
        "dag_id": dag_id,
        "active_era": plan.active,
        "fee": None if plan.fee is None else str(plan.fee),
        "made": arguments.yes,
        "eras": _rows(plan, missing, runs, config),
        "notes": [*plan.notes, *_notes(dag_id, airflow)],
    }
    if for_people(arguments.output):
        _show(told, len(missing), token, arguments.output)
    else:
        show_one(told, arguments.output)
    if arguments.yes and plan.later:
        raise SystemExit(f"left for the next call: {count(len(plan.later), 'era')}")


def _check(
    plan: CatchUpPlan, missing: Sequence[int], dag_id: str, airflow: AirflowFacts, config: NetworkConfig
) -> None:
    """Refuse everything before the first run is made.

    :raises InvalidInput: Airflow does not know the DAG.
    :raises InvalidEra: an era has ended on the chain only: the timetable would refuse its run.
    :raises GatewayError: the active era is far from the calendar's.
    """
    if not airflow.known:
        raise InvalidInput(
            "dag",
            f"Airflow does not know {dag_id}, or its database cannot be read",
            "Put the files of dags/ into the DAGs folder, and run this where Airflow's scheduler runs",
        )
    plan.check()
    newest = max(missing, default=None)
    if newest is not None and config.calendar.end(newest) > utc_now():
        raise InvalidEra(
            "eras",
            f"era {newest} has not ended by the calendar",
            "Append an anchor to the calendar, or use airflow staking catch-up",
        )


def _make_runs(dag_id: str, eras: Sequence[int]) -> dict[int, str]:
    """Make a run for each era, in this order; the scheduler starts them in the same order. The ids of the runs by era."""
    user, made = None, {}
    with suppress(AirflowConfigException, OSError):  # a container's user may have no name
        user = getuser()
    with progress(f"Making runs of {dag_id}", len(eras)) as step:
        for era in eras:
            run = trigger_dag(
                dag_id, partition_key=str(era), triggered_by=DagRunTriggeredByType.CLI, triggering_user_name=user
            )
            made[era] = str(run.run_id) if run else ""
            step()
    return made


def _rows(
    plan: CatchUpPlan, missing: Sequence[int], runs: dict[int, str], config: NetworkConfig
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "era": unpaid.era,
            "action": "later" if unpaid in plan.later else "make" if unpaid.era in missing else "under way",
            "run": runs.get(unpaid.era),
            "eras_left": unpaid.countdown.eras_left,
            "expires": f"{unpaid.countdown.expires_at(config.calendar):%Y-%m-%d %H:%M} UTC",
            "why": unpaid.why,
        }
        for unpaid in plan.unpaid
    ]
    nothing = {"action": "paid", "run": None, "eras_left": None, "expires": None, "why": ""}
    return rows + [{"era": era, **nothing} for era in plan.paid]


def _notes(dag_id: str, airflow: AirflowFacts) -> list[str]:
    paused = [f"{dag_id} is paused: its runs wait. To start them: airflow dags unpause {dag_id}"]
    return [*(paused if airflow.paused else ()), *(f"{topic.heading}. {topic.remedy}" for topic in airflow.dead)]


def _show(told: dict[str, Any], number: int, token: Token | None, output: str) -> None:
    fee = "an unknown fee" if told["fee"] is None else f"a fee of {amount(int(told['fee']), token)}"
    were = ("was" if number == 1 else "were") if told["made"] else "would be"
    say(
        f"{count(number, 'run')} of {told['dag_id']} {were} made, at {fee} a call, while era {told['active_era']} is active"
    )
    show([{name.replace("_", " "): value for name, value in row.items()} for row in told["eras"]], output)
    for note in told["notes"]:
        say(f"Note: {note}")
    if number and not told["made"]:
        say("Nothing was made. To make these runs: the same command with --yes")
