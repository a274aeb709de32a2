"""Airflow's programs without which nothing is paid."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from staking_gateway.topics import Topic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.orm import Session


class Program(Enum):
    """A program: the class of its jobs in Airflow's database, and its section of the runbook."""

    SCHEDULER = "SchedulerJob", Topic.SCHEDULER_DEAD
    TRIGGERER = "TriggererJob", Topic.TRIGGERER_DEAD

    def __init__(self, job_type: str, topic: Topic) -> None:
        self.job_type = job_type
        self.topic = topic


def dead_programs(session: Session) -> Iterator[tuple[Program, datetime | None]]:
    """The programs without a sign of life, and the last one."""
    from airflow.jobs.job import most_recent_job

    for program in Program:
        job = most_recent_job(program.job_type, session=session)
        if job is None or not job.is_alive():
            yield program, job.latest_heartbeat if job is not None else None
