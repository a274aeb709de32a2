"""Airflow's programs without which nothing is paid."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import TYPE_CHECKING, Any

from staking_gateway.health.facts import AirflowFacts
from staking_gateway.problem import Topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session


_log = logging.getLogger(__name__)
_HEALTHY = "healthy"
_HEALTH_SECONDS = 5.0
STARTS_WITHIN = timedelta(minutes=5)
"""In this time after its start, Airflow may not have all its programs and workers yet."""


class Program(Enum):
    """A program: the class of its jobs in Airflow's database, and its section of the runbook."""

    SCHEDULER = "SchedulerJob", Topic.SCHEDULER_DEAD
    TRIGGERER = "TriggererJob", Topic.TRIGGERER_DEAD

    def __init__(self, job_type: str, topic: Topic) -> None:
        self.job_type = job_type
        self.topic = topic


def reported_programs() -> AirflowFacts | None:
    """Airflow's programs by the report of the API server, for tasks, which cannot read Airflow's database. None: no report.

    The report has the address of the execution API, and needs no login.
    """
    import requests
    from airflow.sdk import conf

    server = conf.get("core", "execution_api_server_url", fallback="") or conf.get("api", "base_url", fallback="")
    if not server.startswith(("http://", "https://")):
        return None
    try:
        address = f"{server.rstrip('/').removesuffix('/execution')}/api/v2/monitor/health"
        health = requests.get(address, timeout=_HEALTH_SECONDS).json()
        if health["metadatabase"]["status"] != _HEALTHY:
            return None
        dead = {
            program.topic: _time(health[program.name.lower()].get(f"latest_{program.name.lower()}_heartbeat"))
            for program in Program
            if health[program.name.lower()]["status"] != _HEALTHY
        }
    except (requests.RequestException, ValueError, KeyError, TypeError, AttributeError) as error:
        _log.info("The API server does not report the state of Airflow's programs (%s)", type(error).__name__)
        return None
    return AirflowFacts(dead=dead)


def with_dags(known: AirflowFacts, name: str, context: Any) -> AirflowFacts:
    """The same with the state of a network's DAGs: paused or not. Unchanged for an unknown DAG."""
    payout, catch_up = (_is_paused(f"staking_{kind}_{name}", context) for kind in ("payout", "catch_up"))
    found = replace(known, catch_up_paused=bool(catch_up))
    return found if payout is None else replace(found, known=True, paused=payout)


def _is_paused(dag_id: str, context: Any) -> bool | None:
    from airflow.sdk.exceptions import AirflowRuntimeError

    try:
        return bool(context["ti"].get_dag(dag_id).is_paused)
    except AirflowRuntimeError as error:
        _log.info("Airflow does not report the DAG %s (%s)", dag_id, error)
        return None


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def is_starting(session: Session) -> bool:
    """Whether Airflow's scheduler has just started."""
    from airflow.jobs.job import most_recent_job

    job = most_recent_job(Program.SCHEDULER.job_type, session=session)
    began = None if job is None or not job.is_alive() else job.start_date
    return began is not None and datetime.now(timezone.utc) - began < STARTS_WITHIN


def dead_programs(session: Session) -> Iterator[tuple[Program, datetime | None]]:
    """The programs without a sign of life, and the last one. An Airflow that starts has none."""
    from airflow.jobs.job import most_recent_job

    if is_starting(session):
        return
    for program in Program:
        job = most_recent_job(program.job_type, session=session)
        if job is None or not job.is_alive():
            yield program, job.latest_heartbeat if job is not None else None
