"""When the run of an era is late: by the era's end, whatever the scheduler was doing meanwhile."""

from datetime import datetime, timedelta, timezone

import pytest
from airflow.models.dagrun import DagRun
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert
from airflow.serialization.decoders import decode_deadline_alert, decode_deadline_reference
from airflow.serialization.encoders import encode_deadline_alert
from airflow.utils.types import DagRunType
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from staking_gateway_provider.deadlines import EraEndDeadline

END = datetime(2026, 6, 1, tzinfo=timezone.utc)


@pytest.fixture
def session():
    """Runs, and nothing else of Airflow's database."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE dag_run (dag_id TEXT, run_id TEXT, run_type TEXT, run_after TIMESTAMP)"
        )
        for kind in DagRunType:
            row = ("d", kind.value, kind.value, "2026-06-01 00:01:30.000000")
            connection.exec_driver_sql("INSERT INTO dag_run VALUES (?, ?, ?, ?)", row)
        with Session(connection) as opened:
            yield opened
    engine.dispose()


@pytest.fixture
def deadline():
    """As the scheduler gets it: from the database."""
    callback = AsyncCallback("staking_gateway_provider.deadlines.look_after_deadline", kwargs={"network": "n"})
    alert = DeadlineAlert(reference=EraEndDeadline(90), interval=timedelta(minutes=30), callback=callback)
    return decode_deadline_alert(encode_deadline_alert(alert))


def test_a_scheduled_run_is_late_after_the_end_of_its_era(session, deadline):
    arguments = {"interval": deadline.interval, "dag_id": "d", "run_id": "scheduled"}
    assert deadline.reference.evaluate_with(session=session, **arguments) == END + timedelta(minutes=30)


@pytest.mark.parametrize("run_id", ["manual", "backfill", "unknown"])
def test_any_other_run_is_late_after_its_own_beginning(session, deadline, run_id):
    told = deadline.reference.evaluate_with(session=session, interval=deadline.interval, dag_id="d", run_id=run_id)
    assert abs(told - datetime.now(timezone.utc) - timedelta(minutes=30)) < timedelta(seconds=10)


def test_the_table_of_this_test_has_the_names_of_airflows(session):
    assert {"dag_id", "run_id", "run_type", "run_after"} <= set(DagRun.__table__.columns.keys())


def test_a_reference_of_an_earlier_version_is_understood():
    path = "staking_gateway_provider.deadlines.EraEndDeadline"
    stored = {"reference_type": "EraEndDeadline", "delay": 90.0, "__class_path": path}
    assert decode_deadline_reference(stored).inner_ref == EraEndDeadline(90)


def test_equal_delays_are_equal_references():
    assert EraEndDeadline(90) == EraEndDeadline(90.0)
    assert EraEndDeadline(90) != EraEndDeadline(0)
