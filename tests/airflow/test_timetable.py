"""The schedule: one run per era, as Airflow asks for it."""

import itertools
import time
from datetime import datetime, timedelta, timezone

import pendulum
import pytest
from airflow.api_fastapi.core_api.datamodels.dag_run import TriggerDAGRunPostBody
from airflow.exceptions import InvalidPartitionKeyError
from airflow.sdk import DAG
from airflow.serialization.serialized_objects import DagSerialization
from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction
from airflow.utils.types import DagRunType

from staking_gateway.eras.calendar import EraAnchor, EraCalendar
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


class TestRuns:
    def test_a_run_is_due_when_its_era_has_ended_and_the_delay_is_over(self):
        info = DELAYED.next_dagrun_info_v2(last_dagrun_info=None, restriction=restriction())
        assert info == run_of(DELAYED, 999)
        assert info.run_after == CALENDAR.end(999) + DELAY
        assert isinstance(info.run_after, pendulum.DateTime)
        assert info.logical_date is None
        assert (TIMETABLE.partitioned, TIMETABLE.run_ordering) == (True, ("partition_date", "run_after"))

    def test_an_interval_stands_for_the_era_that_started_with_it(self):
        interval = TIMETABLE.infer_manual_data_interval(run_after=pendulum.instance(CALENDAR.end(7)))
        limits = restriction(0, catchup=True)
        info = TIMETABLE.next_dagrun_info(last_automated_data_interval=interval, restriction=limits)
        assert info == run_of(TIMETABLE, 8)
        assert TIMETABLE.next_dagrun_info(last_automated_data_interval=None, restriction=limits) == run_of(TIMETABLE, 0)

    def test_the_clock_is_the_systems(self, monkeypatch):
        monkeypatch.undo()
        begun = datetime.now(UTC) - timedelta(hours=12)
        assert next_era(EraTimetable(anchor_era=7, anchor_time=begun, era_length=timedelta(days=1))) == 6


class TestWithoutCatchup:
    def test_only_the_newest_finished_era_runs(self):
        assert next_era() == 999
        assert next_era(last=500) == 999
        assert next_era(earliest=10) == 999

    def test_an_era_runs_once(self):
        assert next_era(last=999) == 1000
        assert next_era(last=1000) == 1001

    def test_an_era_is_finished_to_the_microsecond(self, clock):
        clock(1000.25 - MICROSECOND / LENGTH)
        assert (next_era(TIMETABLE), next_era(DELAYED)) == (999, 998)
        clock(1000.25)
        assert next_era(DELAYED) == 999

    def test_no_era_before_the_start_date_or_after_the_end_date_runs(self):
        assert next_era(earliest=2000) == 2000
        assert next_era(earliest=1999.1) == 2000
        assert next_era(latest=998) is None
        assert next_era(latest=999) == 999

    def test_before_the_first_era_has_ended_it_is_the_next_one(self, clock):
        clock(0.5)
        assert next_era() == 0
        clock(-3)
        assert next_era() == 0


class TestWithCatchup:
    @pytest.mark.parametrize(
        ("last", "earliest", "latest", "expected"),
        [
            (None, 9.5, None, 10),
            (10, 9.5, None, 11),
            (10, 500, None, 500),
            (999, 0, None, 1000),
            (None, None, None, 999),
            (4, 0, 5, 5),
            (5, 0, 5, None),
        ],
        ids=["first", "next", "later start", "running era", "no start", "last", "ended"],
    )
    def test_every_era_between_the_dates_runs_in_order(self, last, earliest, latest, expected):
        assert next_era(last=last, earliest=earliest, latest=latest, catchup=True) == expected


class TestLimits:
    def test_nothing_runs_after_the_last_era(self):
        second = EraTimetable(EraCalendar((EraAnchor(0, GENESIS, timedelta(seconds=1)),)))
        assert next_era(second, last=MAX_ERA - 1) == MAX_ERA
        assert next_era(second, last=MAX_ERA) is None
        last_years = EraTimetable(
            anchor_era=0, anchor_time=datetime(9999, 12, 1, tzinfo=UTC), era_length=timedelta(days=9)
        )
        assert next_era(last_years) == 0
        assert next_era(last_years, last=2) is None
        late = EraTimetable(last_years.calendar, delay=timedelta(days=9))
        assert next_era(late, last=1) is None


class TestCorrectedAnchor:
    """Old anchors are not to be edited. When one is, runs go on from where they were in time."""

    @pytest.mark.parametrize(
        ("anchor", "expected"),
        [
            (EraAnchor(0, GENESIS + timedelta(seconds=7), LENGTH), 51),
            (EraAnchor(0, GENESIS - timedelta(seconds=7), LENGTH), 51),
            (EraAnchor(100, GENESIS, LENGTH), 151),
            (EraAnchor(7, GENESIS, timedelta(days=1)), 8),
        ],
    )
    def test_the_next_run_is_the_next_era_in_time(self, anchor, expected):
        corrected = EraTimetable(EraCalendar((anchor,)))
        info = corrected.next_dagrun_info_v2(
            last_dagrun_info=run_of(TIMETABLE, 50), restriction=restriction(0, catchup=True)
        )
        assert info.partition_key == str(expected)
        assert info.partition_date > run_of(TIMETABLE, 50).partition_date

    def test_a_run_without_a_partition_is_no_hindrance(self):
        foreign = DagRunInfo.exact(pendulum.instance(GENESIS))
        info = TIMETABLE.next_dagrun_info_v2(last_dagrun_info=foreign, restriction=restriction())
        assert info.partition_key == "999"


class TestBackfill:
    def test_the_range_is_that_of_the_eras_starts_both_included(self):
        assert backfilled(TIMETABLE, 5, 8) == [5, 6, 7, 8]
        assert backfilled(TIMETABLE, 4.1, 8.9) == [5, 6, 7, 8]
        assert backfilled(TIMETABLE, -10, 1) == [0, 1]
        assert backfilled(TIMETABLE, 8, 7) == []

    def test_running_and_future_eras_are_never_backfilled(self, clock):
        assert backfilled(TIMETABLE, 998, 2000) == [998, 999]
        assert backfilled(TIMETABLE, 1000, 2000) == []
        clock(1000.2)
        assert backfilled(DELAYED, 998, 2000) == [998]
        clock(0.9)
        assert backfilled(TIMETABLE, 0, 10) == []

    def test_a_range_beyond_all_eras_is_empty_and_a_year_of_eras_is_begun_at_once(self, clock):
        latest, begun = datetime(9999, 12, 1, tzinfo=UTC), time.monotonic()
        assert list(TIMETABLE.iter_partition_dagrun_infos(earliest=latest - timedelta(days=300), latest=latest)) == []
        eras = timedelta(days=365 * 1000) // LENGTH
        clock(eras + 0.5)
        assert backfilled(TIMETABLE, eras - 3, eras + 5) == [eras - 3, eras - 2, eras - 1]
        infos = TIMETABLE.iter_partition_dagrun_infos(earliest=GENESIS, latest=GENESIS + eras * LENGTH)
        assert [info.partition_key for info in itertools.islice(infos, 3)] == ["0", "1", "2"]
        assert time.monotonic() - begun < 60, "of a thousand million eras, only those are computed that are asked for"

    def test_a_backfill_and_a_schedule_agree_on_every_run(self):
        (info,) = DELAYED.iter_partition_dagrun_infos(earliest=CALENDAR.start(7), latest=CALENDAR.start(7))
        assert info == DELAYED.next_dagrun_info_v2(
            last_dagrun_info=run_of(DELAYED, 6), restriction=restriction(0, catchup=True)
        )


class TestManualRuns:
    def test_a_key_is_resolved_to_the_start_of_its_era(self):
        assert TIMETABLE.resolve_partition_date("999") == CALENDAR.start(999) == run_of(TIMETABLE, 999).partition_date
        assert TIMETABLE.resolve_partition_date(None) is None

    @pytest.mark.parametrize("key", ["abc", "-1", str(2**32), " 5", "", "\u0665"])
    def test_a_key_that_is_no_era_is_refused(self, key):
        with pytest.raises(InvalidPartitionKeyError, match="An era is a whole number such as 1392"):
            TIMETABLE.resolve_partition_date(key)

    @pytest.mark.parametrize("key", ["1000", "1001", str(MAX_ERA)])
    def test_an_era_that_has_not_ended_is_refused(self, key):
        with pytest.raises(InvalidPartitionKeyError, match=f"Era {key} has not ended: it ends at "):
            TIMETABLE.resolve_partition_date(key)

    def test_an_era_outside_the_years_1_to_9999_is_refused(self):
        days = EraTimetable(anchor_era=0, anchor_time=GENESIS, era_length=timedelta(days=1))
        with pytest.raises(InvalidPartitionKeyError, match="outside the years"):
            days.resolve_partition_date(str(MAX_ERA))

    def test_a_logical_date_means_the_era_that_ended_last(self):
        during = pendulum.instance(CALENDAR.start(7) + MICROSECOND)
        assert TIMETABLE.infer_manual_data_interval(run_after=during) == DataInterval(
            pendulum.instance(CALENDAR.start(6)), pendulum.instance(CALENDAR.end(6))
        )
        early = pendulum.instance(GENESIS)
        assert TIMETABLE.infer_manual_data_interval(run_after=early) == DataInterval.exact(early)


class TestRunIds:
    @staticmethod
    def run_id(run_type, **extra):
        return TIMETABLE.generate_run_id(
            run_type=run_type, run_after=pendulum.instance(CALENDAR.end(7)), data_interval=None, **extra
        )

    @pytest.mark.parametrize("run_type", [DagRunType.SCHEDULED, DagRunType.BACKFILL_JOB, DagRunType.MANUAL])
    def test_a_run_id_shows_the_era_and_is_never_used_twice(self, run_type):
        ids = {self.run_id(run_type, partition_key="7") for _ in range(20)}
        assert len(ids) == 20
        assert all(run_id.startswith(f"{run_type.value}__era-7__") for run_id in ids)

    def test_a_manual_run_without_a_key_is_named_after_its_time(self):
        ids = {self.run_id(DagRunType.MANUAL), self.run_id(DagRunType.MANUAL, partition_key=None)}
        assert len(ids) == 2
        assert all(run_id.startswith("manual__2026-01-01T00:02:40+00:00__") for run_id in ids)


class TestConstruction:
    def test_one_anchor_needs_no_calendar(self):
        assert EraTimetable(anchor_era=0, anchor_time=GENESIS, era_length=LENGTH, delay=DELAY) == DELAYED

    @pytest.mark.parametrize(
        ("arguments", "field"),
        [
            ({}, "anchor_era"),
            ({"calendar": "devnet"}, "calendar"),
            ({"calendar": CALENDAR.anchors}, "calendar"),
            ({"anchor_era": 0, "era_length": LENGTH}, "anchor_time"),
            ({"calendar": CALENDAR, "era_length": LENGTH}, "era_length"),
            ({"calendar": CALENDAR, "delay": -MICROSECOND}, "delay"),
            ({"calendar": CALENDAR, "delay": 5}, "delay"),
            ({"anchor_era": 0, "anchor_time": GENESIS.replace(tzinfo=None), "era_length": LENGTH}, "anchor_time"),
            ({"anchor_era": 0, "anchor_time": "2026-01-01", "era_length": LENGTH}, "anchor_time"),
            ({"anchor_era": -1, "anchor_time": GENESIS, "era_length": LENGTH}, "anchor_era"),
            ({"anchor_era": 0, "anchor_time": GENESIS, "era_length": 86400}, "era_length"),
            ({"anchor_era": 0, "anchor_time": GENESIS, "era_length": timedelta(0)}, "era_length"),
        ],
    )
    def test_what_cannot_be_used_is_named(self, arguments, field):
        with pytest.raises(InvalidInput) as error:
            EraTimetable(**arguments)
        assert error.value.field == field
        assert error.value.remedy

    def test_equal_timetables_are_equal(self):
        other = EraTimetable(EraCalendar((EraAnchor(0, GENESIS, timedelta(hours=6)),)))
        assert EraTimetable(EraCalendar(CALENDAR.anchors)) == TIMETABLE
        assert hash(TIMETABLE) == hash(EraTimetable(CALENDAR))
        assert TIMETABLE not in (DELAYED, other, CALENDAR, None)
        assert repr(DELAYED).startswith("EraTimetable(EraCalendar(")

    @pytest.mark.parametrize(
        ("length", "delay", "summary", "description"),
        [
            (LENGTH, 0, "era (20s)", "Once per era of 20s, as soon as it has ended"),
            (timedelta(hours=6), 90, "era (6h)", "Once per era of 6h, 90s after its end"),
            (timedelta(days=1), 120, "era (1d)", "Once per era of 1d, 2m after its end"),
            (timedelta(seconds=0.25), 0.5, "era (0.25s)", "Once per era of 0.25s, 0.5s after its end"),
        ],
    )
    def test_the_ui_says_how_long_an_era_is(self, length, delay, summary, description):
        timetable = EraTimetable(EraCalendar((EraAnchor(0, GENESIS, length),)), delay=timedelta(seconds=delay))
        assert (timetable.summary, timetable.description) == (summary, description)


class TestInAirflow:
    @staticmethod
    def stored(timetable, **arguments):
        """The DAG as the scheduler reads it back from the database."""
        dag = DAG("paid", schedule=timetable, **arguments)
        dag.validate()
        return DagSerialization.from_json(DagSerialization.to_json(dag))

    def test_a_stored_dag_has_the_same_timetable(self):
        drifted = EraAnchor(50, CALENDAR.start(50) + 3 * MICROSECOND, timedelta(hours=6, microseconds=1))
        for timetable in (TIMETABLE, EraTimetable(EraCalendar((*CALENDAR.anchors, drifted)), delay=DELAY)):
            stored = self.stored(timetable).timetable
            assert type(stored) is EraTimetable
            assert stored == timetable

    def test_the_plugin_registers_the_timetable_once_and_without_complaint(self):
        from airflow import plugins_manager

        name = "staking_gateway_provider.timetables.era.EraTimetable"
        assert plugins_manager.get_timetables_plugins()[name] is EraTimetable
        assert plugins_manager.get_import_errors() == {}

    def test_the_scheduler_gets_its_next_run(self):
        dag = self.stored(TIMETABLE, start_date=GENESIS, catchup=True)
        first = dag.next_dagrun_info(last_automated_run_info=None)
        assert (first.partition_key, first.partition_date) == ("0", GENESIS)
        assert dag.next_dagrun_info(last_automated_run_info=first).partition_key == "1"
        newest = self.stored(TIMETABLE, start_date=GENESIS, catchup=False)
        assert newest.next_dagrun_info(last_automated_run_info=None).partition_key == "999"

    def test_a_trigger_by_key_gets_the_era_and_its_date(self):
        body = TriggerDAGRunPostBody(logical_date=None, partition_key="998")
        run = body.validate_context(self.stored(TIMETABLE))
        assert (run["partition_key"], run["partition_date"]) == ("998", CALENDAR.start(998))
        assert (run["logical_date"], run["data_interval"]) == (None, None)

    @pytest.mark.parametrize("key", ["abc", "-1", " 5", "1000"])
    def test_a_trigger_by_a_key_that_cannot_be_paid_is_refused(self, key):
        body = TriggerDAGRunPostBody(logical_date=None, partition_key=key)
        with pytest.raises(InvalidPartitionKeyError):
            body.validate_context(self.stored(TIMETABLE))

    def test_a_trigger_without_a_key_or_with_a_logical_date_is_accepted(self):
        dag = self.stored(TIMETABLE)
        run = TriggerDAGRunPostBody(logical_date=None).validate_context(dag)
        assert (run["partition_key"], run["partition_date"]) == (None, None)
        dated = TriggerDAGRunPostBody(logical_date=CALENDAR.end(7)).validate_context(dag)
        assert dated["data_interval"] == (CALENDAR.start(7), CALENDAR.end(7))

    def test_a_backfill_gets_its_eras(self):
        infos = self.stored(TIMETABLE).iter_dagrun_infos_between(CALENDAR.start(997), CALENDAR.start(1200))
        assert [info.partition_key for info in infos] == ["997", "998", "999"]
