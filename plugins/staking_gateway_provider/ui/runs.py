"""The runs of a network in Airflow's metadata database. Only the API server may call this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from airflow.jobs.job import most_recent_job
from airflow.models.dag import DagModel
from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.models.xcom import XComModel
from airflow.utils.session import create_session
from sqlalchemy import String, and_, case, cast, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from staking_gateway.health.state import AirflowFacts, EraRun
from staking_gateway.problem import Topic
from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG, PROGRAMS, WATCH_DAG

STARTS_WITHIN = timedelta(minutes=5)
"""In this time after its start, Airflow may not have all its programs and workers yet."""
_PAYOUT = "payout"
_STARTED = ("failed", "success", "running", "deferred", "up_for_retry")
_UNDER_WAY = ("queued", "running")
_GIVEN_UP = ("failed", "upstream_failed", "skipped", "removed")
"""States of a payout that its run does not try again, whatever else the run still does."""
_TRIES = 2
"""A worker or a pod can be lost once."""
_TRIED, _WAIT, _NEWEST_RUNS = ("failed", "up_for_retry"), "wait_for_window", 10
_ERA = func.coalesce(DagRun.partition_key, cast(DagRun.conf["era"].as_string(), String))
"""The era of a run, as `networks.run_era` finds it: the partition key, or the field `era` of the form."""


def airflow_facts(network: str, eras: Iterable[int]) -> AirflowFacts:
    """The latest run of each era, of those under way if there are any, the catch-up runs, paused DAGs, and programs without a sign of life."""
    payout, catch_up = PAYOUT_DAG + network, CATCH_UP_DAG + network
    columns = (DagRun.dag_id, DagRun.run_id, DagRun.state)
    paying = and_(
        TaskInstance.dag_id == DagRun.dag_id, TaskInstance.run_id == DagRun.run_id, TaskInstance.task_id == _PAYOUT
    )
    given_up = and_(DagRun.state.in_(_UNDER_WAY), TaskInstance.state.in_(_GIVEN_UP))
    state = case((given_up, "failed"), else_=DagRun.state).label("state")
    of_eras = (
        select(_ERA.label("era"), *columns[:2], state)
        .outerjoin(TaskInstance, paying)
        .where(DagRun.dag_id == payout, _ERA.in_([str(era) for era in eras]))
        .order_by(state.in_(_UNDER_WAY), DagRun.id)
    )
    under_way = (
        select(*columns, DagRun.conf)
        .where(DagRun.dag_id == catch_up, DagRun.state.in_(_UNDER_WAY))
        .order_by(DagRun.state.desc(), DagRun.id)  # running before queued
    )
    ended = (
        select(*columns)
        .where(DagRun.dag_id == catch_up, DagRun.state.not_in(_UNDER_WAY))
        .order_by(DagRun.id.desc())
        .limit(1)
    )
    known = select(DagModel.dag_id, DagModel.is_paused, DagModel.next_dagrun_create_after).where(
        DagModel.dag_id.in_([payout, catch_up]), DagModel.is_stale.is_(False)
    )
    with create_session() as session:
        runs = {int(row.era): _run(row) for row in session.execute(of_eras)}
        at_work = next((row for row in session.execute(under_way) if not (row.conf or {}).get("dry_run")), None)
        planned = at_work and find_xcom(session, at_work.dag_id, at_work.run_id, "plan", "return_value")
        last = session.execute(ended).first()
        dags = {row.dag_id: row for row in session.execute(known)}
        dead = dead_programs(session)
        if starts_since(session) is None and _workers_start_nothing(session, [payout, catch_up, WATCH_DAG]):
            dead[Topic.WORKERS] = None
    return AirflowFacts(
        runs=runs,
        known=payout in dags,
        paused=payout in dags and bool(dags[payout].is_paused),
        catch_up_paused=catch_up in dags and bool(dags[catch_up].is_paused),
        catch_up_due=dags[catch_up].next_dagrun_create_after if catch_up in dags else None,
        catch_up=None if at_work is None else _run(at_work),
        catch_up_eras=planned if isinstance(planned, list) else None,
        last_catch_up=None if last is None else _run(last),
        dead=dead,
    )


def read_airflow(network: str, eras: Iterable[int] = ()) -> AirflowFacts:
    """The same; nothing where Airflow's metadata database cannot be read."""
    try:
        return airflow_facts(network, eras)
    except SQLAlchemyError:
        return AirflowFacts()


def starts_since(session: Session) -> datetime | None:
    """When Airflow's scheduler started, if it has just started."""
    job = most_recent_job("SchedulerJob", session=session)
    began = None if job is None or not job.is_alive() else job.start_date
    return began if began is not None and datetime.now(timezone.utc) - began < STARTS_WITHIN else None


def dead_programs(session: Session) -> dict[Topic, datetime | None]:
    """The programs without a sign of life, and the last one. While Airflow starts, only those that have lived since."""
    jobs = {topic: most_recent_job(f"{name.title()}Job", session=session) for name, topic in PROGRAMS.items()}
    dead = {topic: job and job.latest_heartbeat for topic, job in jobs.items() if job is None or not job.is_alive()}
    began = starts_since(session)
    return dead if began is None else lived_since(dead, began)


def lived_since(dead: Mapping[Topic, datetime | None], began: datetime) -> dict[Topic, datetime | None]:
    """Those of the dead programs whose last sign of life came after a start: they do not start any more."""
    return {topic: last for topic, last in dead.items() if last is not None and last > began}


def _workers_start_nothing(session: Session, dag_ids: Sequence[str]) -> bool:
    """Whether the newest tries failed before a worker started them: a started task has a process. The wait may start, and end, in the triggerer."""
    newest = (
        select(DagRun.dag_id, DagRun.run_id)
        .where(DagRun.dag_id.in_(dag_ids))
        .order_by(DagRun.id.desc())
        .limit(_NEWEST_RUNS)
        .subquery()
    )
    tried = (
        select(TaskInstance.pid)
        .join(newest, and_(TaskInstance.dag_id == newest.c.dag_id, TaskInstance.run_id == newest.c.run_id))
        .where(TaskInstance.task_id != _WAIT, TaskInstance.pid.is_not(None) | TaskInstance.state.in_(_TRIED))
        .order_by(TaskInstance.updated_at.desc())
        .limit(_TRIES)
    )
    return session.scalars(tried).all() == [None] * _TRIES


def catch_up_schedule(network: str) -> tuple[bool, datetime | None]:
    """Whether the catch-up is paused, and when its next scheduled run is due."""
    query = select(DagModel.is_paused, DagModel.next_dagrun_create_after).where(
        DagModel.dag_id == CATCH_UP_DAG + network
    )
    with create_session() as session:
        row = session.execute(query).first()
    return (False, None) if row is None else (bool(row.is_paused), row.next_dagrun_create_after)


def era_of_run(dag_id: str, run_id: str) -> int | None:
    """The era of a run, or None. A blank in `run_id` may be a plus of the URL."""
    query = select(_ERA).where(DagRun.dag_id == dag_id, DagRun.run_id.in_([run_id, run_id.replace(" ", "+")]))
    with create_session() as session:
        key = session.scalar(query.limit(1))
    return int(key) if key and key.isdecimal() else None


def task_with_log(dag_id: str, run_id: str, era: int) -> tuple[str, int] | None:
    """The task of a run whose log explains an era, and its map index: the payout if it began, or else the first failed task."""
    columns = (TaskInstance.task_id, TaskInstance.map_index)
    of_run = (TaskInstance.dag_id == dag_id, TaskInstance.run_id == run_id)
    failed = select(*columns).where(*of_run, TaskInstance.state == "failed", TaskInstance.task_id != _PAYOUT)
    with create_session() as session:
        eras = find_xcom(session, dag_id, run_id, "plan", "return_value")
        index = eras.index(era) if isinstance(eras, list) and era in eras else -1
        paying = select(*columns).where(*of_run, TaskInstance.task_id == _PAYOUT, TaskInstance.map_index == index)
        started = session.execute(paying.where(TaskInstance.state.in_(_STARTED))).first()
        found = started or session.execute(failed.order_by(TaskInstance.end_date).limit(1)).first()
        found = found or session.execute(paying).first()
    return None if found is None else (found.task_id, found.map_index)


def find_xcom(session: Session, dag_id: str, run_id: str, task_id: str, key: str, *, map_index: int = -1) -> Any:
    """A value that a task has left; None without one."""
    query = XComModel.get_many(run_id=run_id, key=key, task_ids=task_id, dag_ids=dag_id, map_indexes=map_index)
    row = session.execute(query.with_only_columns(XComModel.value)).first()
    return None if row is None else XComModel.deserialize_value(row)


def _run(row: object) -> EraRun:
    return EraRun(row.dag_id, row.run_id, str(getattr(row.state, "value", row.state)))  # type: ignore[attr-defined]
