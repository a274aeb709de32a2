"""A home for Airflow, one for each process that runs tests; import this before Airflow."""

import atexit
import os
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

HOME = Path(tempfile.mkdtemp(prefix="staking-gateway-airflow-"))
DAGS = Path(__file__).parents[2] / "dags"

atexit.register(shutil.rmtree, HOME, ignore_errors=True)
os.environ |= {
    "AIRFLOW_HOME": str(HOME),
    "AIRFLOW__CORE__DAGS_FOLDER": str(DAGS),
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
    # Longer than the suite takes; a test that wants a dead process sets its heartbeat back by an hour.
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "1800",
    "AIRFLOW__TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "1800",
    # A DAG that runs again with other settings is stored once, however fast the machine is.
    "AIRFLOW__CORE__MIN_SERIALIZED_DAG_UPDATE_INTERVAL": "86400",
}


@cache
def migrated():
    """The metadata database of this process, with its tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Airflow's own imports warn of one another
        from airflow.utils.db import upgradedb

        upgradedb()
    return HOME / "airflow.db"


def forget_runs():
    """Removes what runs leave in the metadata database, and what the page and the doctor judge by."""
    import sqlalchemy as sa
    from airflow.jobs.job import Job
    from airflow.models.dagrun import DagRun
    from airflow.models.errors import ParseImportError
    from airflow.utils.session import create_session

    with create_session() as session:
        for model in (DagRun, Job, ParseImportError):
            session.execute(sa.delete(model))


@contextmanager
def stored(*rows):
    """Rows of the metadata database, for a while."""
    from airflow.utils.session import create_session

    with create_session() as session:
        for row in rows:
            session.add(row)
            session.flush()
    try:
        yield
    finally:
        with create_session() as session:
            for row in reversed(rows):
                session.delete(session.merge(row))
                session.flush()


def forget_variables():
    """Removes all Variables, such as the record of the ledger that pays."""
    import sqlalchemy as sa
    from airflow.models.variable import Variable
    from airflow.utils.session import create_session

    with create_session() as session:
        session.execute(sa.delete(Variable))
