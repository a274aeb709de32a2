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


def announced(*numbers):
    return [SimpleNamespace(extra={"payload": {"era": number, "active_era": 2000}}) for number in numbers]


def recorded(*keys):
    return [SimpleNamespace(partition_key=key) for key in keys]


def test_each_era_becomes_a_key_once_and_what_was_passed_on_before_is_left_out():
    assert new_partition_keys(announced(10, 9, 10), []) == ["9", "10"]
    assert new_partition_keys(announced(9, 10), recorded("9", None, "8")) == ["10"]
    with pytest.raises(AirflowSkipException, match="passed on already"):
        new_partition_keys(announced(9, 10), recorded("9", "10"))


def test_an_event_that_announces_no_era_is_left_out_and_told(caplog):
    unknown = (None, {}, {"payload": None}, {"payload": {}}, {"payload": {"era": "x"}})
    assert new_partition_keys([*(SimpleNamespace(extra=extra) for extra in unknown), *announced(9)], []) == ["9"]
    assert caplog.text.count("An event without an era is ignored") == len(unknown)


@pytest.mark.parametrize("era", [0, 100, 200, 201])
def test_a_run_is_dated_as_the_timetable_dates_it(era):
    dated = EraMapper(CALENDAR).to_partition_date(str(era))
    assert dated == CALENDAR.start(era)
    assert dated == EraTimetable(CALENDAR).resolve_partition_date(str(era))
    assert EraMapper(CALENDAR).to_downstream(str(era)) == str(era)


@pytest.mark.parametrize("key", ["abc", "4294967296"])
def test_a_key_that_is_no_era_is_refused(key):
    for read in (EraMapper(CALENDAR).to_downstream, EraMapper(CALENDAR).to_partition_date):
        with pytest.raises(InvalidEra):
            read(key)


def test_a_mapper_is_the_same_after_airflow_has_stored_it_and_differs_by_its_calendar():
    mapper = EraMapper(CALENDAR)
    again = decode_partition_mapper(json.loads(json.dumps(encode_partition_mapper(mapper))))
    assert (again, hash(again), repr(again)) == (mapper, hash(mapper), repr(mapper))
    other = EraCalendar((EraAnchor(100, START, timedelta(hours=24)),))
    assert mapper not in (EraMapper(other), CALENDAR)
