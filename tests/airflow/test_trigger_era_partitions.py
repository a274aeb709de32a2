"""Eras that are announced become partitions: each passed on once, and dated by its start."""

import json
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from airflow.serialization.decoders import decode_partition_mapper
from airflow.serialization.encoders import encode_partition_mapper

from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway.errors import InvalidEra
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.timetables.mapper import EraMapper
from staking_gateway_provider.triggers.era import new_partition_keys

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
CALENDAR = EraCalendar(
    (EraAnchor(100, START, timedelta(hours=6)), EraAnchor(200, START + timedelta(days=26), timedelta(hours=24)))
)


class TestPassingOn:
    def event(self, **extra):
        return SimpleNamespace(extra=extra)

    def announced(self, *numbers):
        return [self.event(from_trigger=True, payload={"era": number, "active_era": 2000}) for number in numbers]

    def recorded(self, *keys):
        return [SimpleNamespace(partition_key=key) for key in keys]

    def test_each_era_becomes_a_key_once(self):
        assert new_partition_keys(self.announced(10, 9, 10), []) == ["9", "10"]

    def test_what_was_passed_on_before_is_left_out(self):
        assert new_partition_keys(self.announced(9, 10), self.recorded("9", None, "8")) == ["10"]

    def test_with_nothing_new_the_task_is_skipped(self):
        with pytest.raises(AirflowSkipException, match="passed on already"):
            new_partition_keys(self.announced(9, 10), self.recorded("9", "10"))

    @pytest.mark.parametrize("extra", [None, {}, {"payload": None}, {"payload": {}}, {"payload": {"era": "x"}}])
    def test_an_event_that_announces_no_era_is_left_out_and_told(self, extra, caplog):
        assert new_partition_keys([SimpleNamespace(extra=extra), *self.announced(9)], []) == ["9"]
        assert "An event without an era is ignored" in caplog.text


class TestMapper:
    @pytest.mark.parametrize("era", [0, 100, 200, 201])
    def test_a_run_is_dated_as_the_timetable_dates_it(self, era):
        dated = EraMapper(CALENDAR).to_partition_date(str(era))
        assert dated == CALENDAR.start(era)
        assert dated == EraTimetable(CALENDAR).resolve_partition_date(str(era))
        assert EraMapper(CALENDAR).to_downstream(str(era)) == str(era)

    @pytest.mark.parametrize("key", ["abc", "4294967296"])
    def test_a_key_that_is_no_era_is_refused(self, key):
        with pytest.raises(InvalidEra):
            EraMapper(CALENDAR).to_downstream(key)
        with pytest.raises(InvalidEra):
            EraMapper(CALENDAR).to_partition_date(key)

    def test_is_the_same_after_airflow_has_stored_it_and_differs_by_its_calendar(self):
        mapper = EraMapper(CALENDAR)
        again = decode_partition_mapper(json.loads(json.dumps(encode_partition_mapper(mapper))))
        assert again == mapper
        assert hash(again) == hash(mapper)
        assert repr(again) == repr(mapper)
        other = EraCalendar((EraAnchor(100, START, timedelta(hours=24)),))
        assert EraMapper(CALENDAR) != EraMapper(other)
        assert EraMapper(CALENDAR) != CALENDAR
