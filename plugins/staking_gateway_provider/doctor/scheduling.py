"""Whether Airflow itself would run anything, as far as its metadata database can be read from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway_provider.doctor.findings import Finding, error, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.orm import Session

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway_provider.doctor.case import SetUp

_OR_CLOCK = "if it runs, its machine's clock is behind this one's: set both"
_JOBS = {
    "scheduler": ("SchedulerJob", "nothing starts", f"Start it: airflow scheduler; {_OR_CLOCK}"),
    "triggerer": (
        "TriggererJob",
        "whoever waits deferred waits for ever",
        f"Start it: airflow triggerer; {_OR_CLOCK}",
    ),
}


def check_airflow(setup: SetUp) -> Iterator[Finding]:
    """The DAGs are known and run, scheduler and triggerer are alive."""
    import sqlalchemy as sa
    from airflow.utils.session import create_session

    try:
        with create_session() as session:
            found = [*_check_dags(session, setup.networks()), *_check_jobs(session)]
    except sa.exc.SQLAlchemyError as problem:
        yield note(
            f"not checked: DAGs, scheduler and triggerer; the metadata database cannot be read ({type(problem).__name__})",
            "Run this where Airflow's scheduler runs, or run: airflow db migrate",
        )
        return
    yield from found


def _check_dags(session: Session, networks: Mapping[str, NetworkConfig]) -> Iterator[Finding]:
    import sqlalchemy as sa
    from airflow.models.dag import DagModel
    from airflow.models.errors import ParseImportError

    known = {
        dag_id: paused
        for dag_id, paused, stale in session.execute(sa.select(DagModel.dag_id, DagModel.is_paused, DagModel.is_stale))
        if not stale
    }
    broken = [
        (file, (text or "").strip().splitlines()[-1:])
        for file, text in session.execute(sa.select(ParseImportError.filename, ParseImportError.stacktrace))
        if "staking" in (file or "")
    ]
    for file, last in broken:
        yield error(
            f"Airflow cannot import {file}: {' '.join(last)[:200]}",
            "Mend what it says, see airflow dags list-import-errors",
        )
    for name, network in networks.items():
        yield from _judge_dags(name, known, catches_up=network.catch_up.scheduled)


def _judge_dags(name: str, known: Mapping[str, bool], *, catches_up: bool) -> Iterator[Finding]:
    dags = {f"staking_payout_{name}": True, f"staking_catch_up_{name}": catches_up}
    idle = any(scheduled and not known.get(dag_id, True) for dag_id, scheduled in dags.items())
    judge = warning if idle else error
    running = []
    for dag_id in dags:
        if dag_id not in known:
            yield judge(f"Airflow does not know the DAG {dag_id}", "Put the files of dags/ into the DAGs folder")
        elif known[dag_id]:
            yield judge(f"the DAG {dag_id} is paused", f"Run: airflow dags unpause {dag_id}")
        else:
            running.append(dag_id)
    if running:
        yield ok(f"active: {', '.join(running)}")


def _check_jobs(session: Session) -> Iterator[Finding]:
    from airflow.jobs.job import most_recent_job

    alive = []
    for name, (job_type, harm, remedy) in _JOBS.items():
        job = most_recent_job(job_type, session=session)
        if job is not None and job.is_alive():
            alive.append(name)
        else:
            since = f" since {job.latest_heartbeat:%Y-%m-%d %H:%M:%S} UTC" if job and job.latest_heartbeat else ""
            yield error(f"no {name} is alive{since}: {harm}", remedy)
    if alive:
        yield ok(f"alive: {', '.join(alive)}")
