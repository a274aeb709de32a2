"""Checks of Airflow itself: its DAGs and its processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import sqlalchemy as sa
from airflow.models.dag import DagModel
from airflow.models.errors import ParseImportError
from airflow.utils.session import create_session
from sqlalchemy.orm import Session

from staking_gateway.config.models import NetworkConfig
from staking_gateway.problem import Topic
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.findings import Finding, error, note, ok, warning
from staking_gateway_provider.doctor.fixes import unpause
from staking_gateway_provider.programs import Program, dead_programs

_SHOWS_MISTAKES = "staking_configuration.py"
"""The file that repeats the mistakes of `staking.yaml` as an import error. The check of the configuration reports them."""
_OR_CLOCK = "if it runs, its machine's clock is behind this one's: set both"


def check_airflow(setup: SetUp) -> Iterator[Finding]:
    """Airflow knows the DAGs, none is paused, and scheduler and triggerer are alive."""
    try:
        with create_session() as session:
            found = [
                *_check_dags(session, setup.networks()),
                *_check_jobs(session),
            ]
    except sa.exc.SQLAlchemyError as problem:
        yield note(
            f"not checked: DAGs, scheduler and triggerer; the metadata database cannot be read ({type(problem).__name__})",
            "Run this where Airflow's scheduler runs, or run: airflow db migrate",
        )
        return
    yield from found


def _check_dags(session: Session, networks: Mapping[str, NetworkConfig]) -> Iterator[Finding]:
    known = {
        dag_id: paused
        for dag_id, paused, stale in session.execute(sa.select(DagModel.dag_id, DagModel.is_paused, DagModel.is_stale))
        if not stale
    }
    broken = [
        (file, (text or "").strip().splitlines()[-1:])
        for file, text in session.execute(sa.select(ParseImportError.filename, ParseImportError.stacktrace))
        if "staking" in (file or "") and Path(file or "").name != _SHOWS_MISTAKES
    ]
    for file, last in broken:
        yield error(
            f"Airflow cannot import {file}: {' '.join(last)[:200]}",
            "Fix that error, see airflow dags list-import-errors",
        )
    for name, network in networks.items():
        yield from _judge_dags(name, known, catches_up=network.catch_up.scheduled)


def _judge_dags(name: str, known: Mapping[str, bool], *, catches_up: bool) -> Iterator[Finding]:
    dags = {f"staking_payout_{name}": True, f"staking_catch_up_{name}": catches_up}
    # One DAG that is scheduled and not paused pays, too.
    pays = any(scheduled and not known.get(dag_id, True) for dag_id, scheduled in dags.items())
    judge = warning if pays else error
    running = []
    for dag_id in dags:
        if dag_id not in known:
            yield judge(f"Airflow does not know the DAG {dag_id}", "Put the files of dags/ into the DAGs folder")
        elif known[dag_id]:
            yield judge(
                f"the DAG {dag_id} is paused",
                f"Run: airflow dags unpause {dag_id}",
                topic=Topic.PAUSED,
                fix=unpause(dag_id),
            )
        else:
            running.append(dag_id)
    if running:
        yield ok(f"active: {', '.join(running)}")


def _check_jobs(session: Session) -> Iterator[Finding]:
    dead = dict(dead_programs(session))
    for program, last in dead.items():
        since = f" since {last:%Y-%m-%d %H:%M:%S} UTC" if last else ""
        yield error(f"{program.topic.heading}{since}", f"{program.topic.remedy}; {_OR_CLOCK}", topic=program.topic)
    if alive := [program.name.lower() for program in Program if program not in dead]:
        yield ok(f"alive: {', '.join(alive)}")
