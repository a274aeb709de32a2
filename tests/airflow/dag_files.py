"""Parsing files of DAGs as Airflow's processor does."""

import socket
import sqlite3
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk import BaseHook
from airflow.sdk.execution_time.supervisor import InProcessTestSupervisor
from sqlalchemy.engine import Engine

from tests.support.airflow_home import DAGS

PAYOUT = DAGS / "staking_payout.py"
CATCH_UP = DAGS / "staking_catch_up.py"
WATCH = DAGS / "staking_watch.py"
EXAMPLES = DAGS.parent / "examples" / "dags"
WAREHOUSE = EXAMPLES / "example_staking_warehouse.py"
QUALITY = EXAMPLES / "example_staking_quality.py"


def parse(file):
    """What Airflow makes of a file: DAGs and errors, and no warning."""
    bag = DagBag(dag_folder=file)
    assert bag.captured_warnings == {}
    return bag


def dags_of(file):
    """The DAGs of a file without a mistake."""
    bag = parse(file)
    assert bag.import_errors == {}
    return bag.dags


def allow_nothing_but_files(monkeypatch):
    """From here on nobody may connect to anything, nor ask Airflow for a connection."""

    def forbidden(*arguments, **options):
        raise AssertionError("asked while a DAG was parsed")

    for owner, name in (
        (socket.socket, "connect"),
        (socket, "getaddrinfo"),
        (sqlite3, "connect"),
        (Engine, "connect"),
        (BaseHook, "get_connection"),
        (BaseHook, "aget_connection"),
    ):
        monkeypatch.setattr(owner, name, forbidden)


@contextmanager
def partition(era):
    """Gives the run that `DAG.test` makes a partition key, which it cannot be told itself."""
    import airflow.models.dagrun as module

    make = module.get_or_create_dagrun

    def make_with_key(*, dag, session, **arguments):
        run = make(dag=dag, session=session, **arguments)
        if era is not None:
            run.partition_key = str(era)
            run.partition_date = dag.timetable.resolve_partition_date(str(era))
            session.commit()
        return run

    with patch.object(module, "get_or_create_dagrun", make_with_key):
        yield


def run_dag(dag, *, era=None, form=None, retries=None, before=lambda trigger: None):
    """A whole run of a DAG.

    :param era: the run's partition key.
    :param form: the form it was triggered with.
    :param retries: of each task, instead of its own; without a delay.
    :param before: is called with each trigger before it runs.
    """
    tries = {} if retries is None else {"retries": retries, "retry_delay": timedelta(0), "retry_exponential_backoff": 0}
    for task in dag.tasks:
        if task.is_mapped:
            task.partial_kwargs |= tries
        else:
            vars(task).update(tries)
    start = InProcessTestSupervisor.run_trigger_in_process

    def run_trigger(*, trigger, ti):
        before(trigger)
        return start(trigger=trigger, ti=ti)

    with partition(era), patch.object(InProcessTestSupervisor, "run_trigger_in_process", run_trigger):
        return dag.test(logical_date=None, run_conf=form)
