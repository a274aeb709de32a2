"""The schedule: one run per era, as Airflow asks for it."""

from datetime import datetime, timedelta, timezone

import pendulum
import pytest
from airflow.api_fastapi.core_api.datamodels.dag_run import TriggerDAGRunPostBody
from airflow.exceptions import InvalidPartitionKeyError
from airflow.sdk import DAG
from airflow.serialization.serialized_objects import DagSerialization
from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction
from airflow.utils.types import DagRunType

from staking_gateway.eras import EraAnchor, EraCalendar
from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_ERA
from staking_gateway_provider.timetables import era as module
from staking_gateway_provider.timetables.era import EraTimetable

UTC = timezone.utc
MICROSECOND = timedelta(microseconds=1)
GENESIS = datetime(2026, 1, 1, tzinfo=UTC)
LENGTH = timedelta(seconds=20)
DELAY = timedelta(seconds=5)
CALENDAR = EraCalendar((EraAnchor(0, GENESIS, LENGTH),))
TIMETABLE = EraTimetable(CALENDAR)
DELAYED = EraTimetable(CALENDAR, delay=DELAY)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Sets the timetable's clock; it stands 1000.5 eras after era 0 started."""

    def set_to(eras):
        class Standing(datetime):
            now = staticmethod((GENESIS + eras * LENGTH).astimezone)

        monkeypatch.setattr(module, "datetime", Standing)

    set_to(1000.5)
    return set_to


def run_of(timetable, era):
    """The run an era should have."""
    calendar = timetable.calendar
    moments = (pendulum.instance(moment) for moment in (calendar.end(era) + timetable.delay, calendar.start(era)))
    run_after, started = moments
    return DagRunInfo(run_after=run_after, data_interval=None, partition_date=started, partition_key=str(era))


def restriction(earliest=None, latest=None, *, catchup=False):
    """What a DAG's start and end dates, given as eras, and its catchup restrict."""
    times = [None if era is None else pendulum.instance(GENESIS + era * LENGTH) for era in (earliest, latest)]
    return TimeRestriction(*times, catchup)


def next_era(timetable=TIMETABLE, *, last=None, **limits):
    info = timetable.next_dagrun_info_v2(
        last_dagrun_info=None if last is None else run_of(timetable, last), restriction=restriction(**limits)
    )
    return None if info is None else int(info.partition_key)


def backfilled(timetable, first, last):
    infos = timetable.iter_partition_dagrun_infos(earliest=GENESIS + first * LENGTH, latest=GENESIS + last * LENGTH)
    return [int(info.partition_key) for info in infos]


class TestSchedule:
    def test_a_run_is_due_when_its_era_has_ended_and_the_delay_is_over(self, clock):
        info = DELAYED.next_dagrun_info_v2(last_dagrun_info=None, restriction=restriction())
        assert info == run_of(DELAYED, 999)
        assert info.run_after == CALENDAR.end(999) + DELAY
        assert isinstance(info.run_after, pendulum.DateTime)
        assert info.logical_date is None
        assert (TIMETABLE.partitioned, TIMETABLE.run_ordering) == (True, ("partition_date", "run_after"))
        clock(1000.25 - MICROSECOND / LENGTH)
        assert (next_era(TIMETABLE), next_era(DELAYED)) == (999, 998)
        clock(1000.25)
        assert next_era(DELAYED) == 999

    def test_an_interval_stands_for_the_era_that_started_with_it(self):
        interval = TIMETABLE.infer_manual_data_interval(run_after=pendulum.instance(CALENDAR.end(7)))
        limits = restriction(0, catchup=True)
        info = TIMETABLE.next_dagrun_info(last_automated_data_interval=interval, restriction=limits)
        assert info == run_of(TIMETABLE, 8)
        assert TIMETABLE.next_dagrun_info(last_automated_data_interval=None, restriction=limits) == run_of(TIMETABLE, 0)

    @pytest.mark.parametrize(
        ("last", "earliest", "latest", "expected"),
        [
            (None, None, None, 999),
            (500, None, None, 999),
            (999, None, None, 1000),
            (None, 2000, None, 2000),
            (None, None, 998, None),
            (None, None, 999, 999),
        ],
    )
    def test_without_catchup_the_newest_finished_era_runs_once(self, last, earliest, latest, expected):
        assert next_era(last=last, earliest=earliest, latest=latest) == expected

    @pytest.mark.parametrize(
        ("last", "earliest", "latest", "expected"),
        [
            (None, 9.5, None, 10),
            (10, 9.5, None, 11),
            (10, 500, None, 500),
            (999, 0, None, 1000),
            (None, None, None, 999),
            (5, 0, 5, None),
        ],
        ids=["first", "next", "later start", "running era", "no start", "ended"],
    )
    def test_with_catchup_every_era_between_the_dates_runs_in_order(self, last, earliest, latest, expected):
        assert next_era(last=last, earliest=earliest, latest=latest, catchup=True) == expected

    def test_before_the_first_era_has_ended_it_is_the_next_one(self, clock):
        for eras in (0.5, -3):
            clock(eras)
            assert next_era() == 0

    def test_nothing_runs_after_the_last_era(self):
        second = EraTimetable(EraCalendar((EraAnchor(0, GENESIS, timedelta(seconds=1)),)))
        assert next_era(second, last=MAX_ERA - 1) == MAX_ERA
        assert next_era(second, last=MAX_ERA) is None
        last_years = EraTimetable(
            anchor_era=0, anchor_time=datetime(9999, 12, 1, tzinfo=UTC), era_length=timedelta(days=9)
        )
        assert next_era(last_years) == 0
        assert next_era(last_years, last=2) is None
        assert next_era(EraTimetable(last_years.calendar, delay=timedelta(days=9)), last=1) is None

    @pytest.mark.parametrize(
        ("anchor", "expected"),
        [
            (EraAnchor(0, GENESIS + timedelta(seconds=7), LENGTH), 51),
            (EraAnchor(100, GENESIS, LENGTH), 151),
            (EraAnchor(7, GENESIS, timedelta(days=1)), 8),
        ],
    )
    def test_after_an_old_anchor_was_edited_the_next_run_is_the_next_era_in_time(self, anchor, expected):
        last, limits = run_of(TIMETABLE, 50), restriction(0, catchup=True)
        info = EraTimetable(EraCalendar((anchor,))).next_dagrun_info_v2(last_dagrun_info=last, restriction=limits)
        assert info.partition_key == str(expected)
        assert info.partition_date > last.partition_date


class TestBackfill:
    def test_the_range_is_that_of_the_ended_eras_starts_both_included(self, clock):
        for first, last, expected in (
            *((5, 8, [5, 6, 7, 8]), (4.1, 8.9, [5, 6, 7, 8]), (-10, 1, [0, 1]), (8, 7, [])),
            *((998, 2000, [998, 999]), (1000, 2000, [])),
        ):
            assert backfilled(TIMETABLE, first, last) == expected
        clock(1000.2)
        assert backfilled(DELAYED, 998, 2000) == [998]
        clock(0.9)
        assert backfilled(TIMETABLE, 0, 10) == []


class TestManualRuns:
    def test_a_key_is_resolved_to_the_start_of_its_era(self):
        assert TIMETABLE.resolve_partition_date("999") == CALENDAR.start(999) == run_of(TIMETABLE, 999).partition_date
        assert TIMETABLE.resolve_partition_date(None) is None

    @pytest.mark.parametrize(
        ("key", "told"),
        [
            *((key, "An era is a whole number such as 1392") for key in ("abc", "-1", str(2**32), " 5", "", "\u0665")),
            *((key, f"Era {key} has not ended: it ends at ") for key in ("1000", "1001", str(MAX_ERA))),
        ],
    )
    def test_a_key_that_is_no_ended_era_is_refused(self, key, told):
        with pytest.raises(InvalidPartitionKeyError, match=told):
            TIMETABLE.resolve_partition_date(key)
        body = TriggerDAGRunPostBody(logical_date=None, partition_key=key)
        with pytest.raises(InvalidPartitionKeyError):
            body.validate_context(stored(TIMETABLE))

    def test_a_logical_date_means_the_era_that_ended_last(self):
        during, early = pendulum.instance(CALENDAR.start(7) + MICROSECOND), pendulum.instance(GENESIS)
        last = DataInterval(pendulum.instance(CALENDAR.start(6)), pendulum.instance(CALENDAR.end(6)))
        assert TIMETABLE.infer_manual_data_interval(run_after=during) == last
        assert TIMETABLE.infer_manual_data_interval(run_after=early) == DataInterval.exact(early)

    def test_a_run_id_shows_the_era_or_else_the_time_and_is_never_used_twice(self):
        def run_id(run_type, **extra):
            ended = pendulum.instance(CALENDAR.end(7))
            return TIMETABLE.generate_run_id(run_type=run_type, run_after=ended, data_interval=None, **extra)

        for run_type in (DagRunType.SCHEDULED, DagRunType.BACKFILL_JOB, DagRunType.MANUAL):
            ids = {run_id(run_type, partition_key="7") for _ in range(20)}
            assert len(ids) == 20
            assert all(one.startswith(f"{run_type.value}__era-7__") for one in ids)
        ids = {run_id(DagRunType.MANUAL), run_id(DagRunType.MANUAL, partition_key=None)}
        assert len(ids) == 2
        assert all(one.startswith("manual__2026-01-01T00:02:40+00:00__") for one in ids)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "anchor_era"),
        ({"calendar": CALENDAR.anchors}, "calendar"),
        ({"calendar": CALENDAR, "era_length": LENGTH}, "era_length"),
        ({"calendar": CALENDAR, "delay": -MICROSECOND}, "delay"),
        ({"anchor_era": 0, "anchor_time": GENESIS.replace(tzinfo=None), "era_length": LENGTH}, "anchor_time"),
    ],
)
def test_what_cannot_be_used_is_named(arguments, field):
    with pytest.raises(InvalidInput) as error:
        EraTimetable(**arguments)
    assert error.value.field == field


def stored(timetable, **arguments):
    """The DAG as the scheduler reads it back from the database."""
    dag = DAG("paid", schedule=timetable, **arguments)
    dag.validate()
    return DagSerialization.from_json(DagSerialization.to_json(dag))


class TestInAirflow:
    def test_a_stored_dag_has_the_same_timetable(self):
        drifted = EraAnchor(50, CALENDAR.start(50) + 3 * MICROSECOND, timedelta(hours=6, microseconds=1))
        for timetable in (TIMETABLE, EraTimetable(EraCalendar((*CALENDAR.anchors, drifted)), delay=DELAY)):
            kept = stored(timetable).timetable
            assert type(kept) is EraTimetable
            assert kept == timetable

    def test_a_trigger_gets_the_era_of_its_key_and_its_date_and_may_do_without(self):
        dag = stored(TIMETABLE)
        run = TriggerDAGRunPostBody(logical_date=None, partition_key="998").validate_context(dag)
        assert (run["partition_key"], run["partition_date"]) == ("998", CALENDAR.start(998))
        assert (run["logical_date"], run["data_interval"]) == (None, None)
        run = TriggerDAGRunPostBody(logical_date=None).validate_context(dag)
        assert (run["partition_key"], run["partition_date"]) == (None, None)
        dated = TriggerDAGRunPostBody(logical_date=CALENDAR.end(7)).validate_context(dag)
        assert dated["data_interval"] == (CALENDAR.start(7), CALENDAR.end(7))
