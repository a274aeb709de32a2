"""One DAG run per era."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pendulum
from airflow.exceptions import InvalidPartitionKeyError
from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction, Timetable
from airflow.utils.types import DagRunType

from staking_gateway.eras import EraAnchor, EraCalendar, to_microseconds, to_utc
from staking_gateway.errors import InvalidEra, InvalidInput
from staking_gateway.types import parse_era

_WAYS = "Give an EraCalendar, or anchor_era, anchor_time and era_length"
_ARGUMENTS = {"era": "anchor_era", "start": "anchor_time", "length": "era_length"}
"""Fields of an anchor, and their arguments."""


def _now() -> datetime:
    return datetime.now(timezone.utc)


class EraTimetable(Timetable):
    """Creates one run per era, after the era has ended.

    A run's partition key is its era. Its partition date is the era's start, by which backfills and the UI select eras. There is no
    data interval and no logical date: tasks read `partition_key`.

    With `catchup=False` the DAG runs only the newest finished era; with `catchup=True` every era from `start_date` on, in order. An
    era that has not ended is never backfilled and cannot be triggered.

    :param calendar: when eras start and end. The three arguments below replace it by one anchor.
    :param delay: time between an era's end and its run.
    :param anchor_era: an era with a known start.
    :param anchor_time: the start of `anchor_era`, aware.
    :param era_length: length of an era.
    :raises InvalidInput: an argument is invalid; the text names it.
    """

    partitioned = True
    run_ordering = ("partition_date", "run_after")

    def __init__(
        self,
        calendar: EraCalendar | None = None,
        *,
        delay: timedelta = timedelta(0),
        anchor_era: int | None = None,
        anchor_time: datetime | None = None,
        era_length: timedelta | None = None,
    ) -> None:
        if calendar is not None and not isinstance(calendar, EraCalendar):
            raise InvalidInput("calendar", f"expected an EraCalendar, got {type(calendar).__name__}", _WAYS)
        anchor = {"anchor_era": anchor_era, "anchor_time": anchor_time, "era_length": era_length}
        given = [name for name, value in anchor.items() if value is not None]
        if calendar is not None and given:
            raise InvalidInput(given[0], "a calendar is given as well", "Give the calendar or an anchor, not both")
        if calendar is None:
            if anchor_era is None or anchor_time is None or era_length is None:
                missing = next(name for name in anchor if name not in given)
                raise InvalidInput(missing, "is missing", _WAYS)
            calendar = EraCalendar((_anchor(anchor_era, anchor_time, era_length),))
        if not isinstance(delay, timedelta) or to_microseconds(delay) < 0:
            raise InvalidInput("delay", f"{delay} is not a time to wait", "Give a timedelta of zero or more")
        self.calendar = calendar
        self.delay = timedelta(microseconds=to_microseconds(delay))
        when = f"{_short(self.delay)} after its end" if self.delay else "as soon as it has ended"
        self.description = f"Once per era of {_short(calendar.anchors[-1].length)}, {when}"

    def serialize(self) -> dict[str, Any]:
        """The timetable as plain JSON, exact to the microsecond."""
        return {"calendar": self.calendar.serialize(), "delay_microseconds": to_microseconds(self.delay)}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> EraTimetable:
        """Read what `serialize` wrote."""
        return cls(EraCalendar.deserialize(data["calendar"]), delay=timedelta(microseconds=data["delay_microseconds"]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EraTimetable):
            return NotImplemented
        return (self.calendar, self.delay) == (other.calendar, other.delay)

    def __hash__(self) -> int:
        return hash((self.calendar, self.delay))

    @property
    def summary(self) -> str:
        """Text of the UI's Schedule column."""
        return f"era ({_short(self.calendar.anchors[-1].length)})"

    def next_dagrun_info_v2(
        self, *, last_dagrun_info: DagRunInfo | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The next era between the DAG's start and end dates, or None."""
        try:
            era = self._next_era(last_dagrun_info, restriction)
            if restriction.latest is not None and self.calendar.start(era) > restriction.latest:
                return None
            return self._info(era)
        except (InvalidEra, OverflowError):
            return None  # past the last era, or past the year 9999

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The same by the last run's interval: Airflow's older interface."""
        last = None
        if last_automated_data_interval is not None:
            start, end = last_automated_data_interval
            last = DagRunInfo(run_after=end, data_interval=None, partition_date=start)
        return self.next_dagrun_info_v2(last_dagrun_info=last, restriction=restriction)

    def _next_era(self, last: DagRunInfo | None, restriction: TimeRestriction) -> int:
        bounds = []
        if last is not None and last.partition_date is not None:
            # By date: a corrected anchor may have renumbered the eras, or have moved the start of the same era.
            era = self.calendar.first_era_from(last.partition_date + timedelta(microseconds=1))
            bounds.append(era + 1 if last.partition_key == str(era) else era)
        if restriction.earliest is not None:
            bounds.append(self.calendar.first_era_from(restriction.earliest))
        if not (restriction.catchup and bounds):
            bounds.append(self._newest_due() or 0)
        return max(bounds)

    def _newest_due(self) -> int | None:
        return self.calendar.last_finished(_now() - self.delay)

    def _info(self, era: int) -> DagRunInfo:
        return DagRunInfo(
            run_after=pendulum.instance(self.calendar.end(era) + self.delay),
            data_interval=None,
            partition_date=pendulum.instance(self.calendar.start(era)),
            partition_key=str(era),
        )

    def iter_partition_dagrun_infos(self, *, earliest: datetime, latest: datetime) -> Iterator[DagRunInfo]:
        """The due eras of a backfill: those that started between the two times, inclusive."""
        newest = self._newest_due()
        if newest is None or to_utc(earliest) > self.calendar.start(newest):
            return
        for era in range(self.calendar.first_era_from(earliest), newest + 1):
            if self.calendar.start(era) > latest:
                return
            yield self._info(era)

    def _decode_partition_date(self, partition_key: str) -> datetime:
        """The start of a manual run's era, which has ended. Backfills find existing runs by this date."""
        try:
            era = parse_era(partition_key)
            start, end = self.calendar.start(era), self.calendar.end(era)
        except InvalidEra as error:
            raise InvalidPartitionKeyError(f"Partition key {error.fault}. {error.problem.remedy}") from None
        if end > _now():
            raise InvalidPartitionKeyError(
                f"Era {era} has not ended: it ends at {end.isoformat()}. Trigger it after that, or name an earlier era"
            )
        return pendulum.instance(start)

    def infer_manual_data_interval(self, *, run_after: pendulum.DateTime) -> DataInterval:
        """The last era that ended before `run_after`, for runs with a logical date."""
        era = self.calendar.last_finished(run_after)
        if era is None:
            return DataInterval.exact(run_after)
        return DataInterval(pendulum.instance(self.calendar.start(era)), pendulum.instance(self.calendar.end(era)))

    def generate_run_id(
        self, *, run_type: DagRunType, run_after: pendulum.DateTime, data_interval: DataInterval | None, **extra: Any
    ) -> str:
        """A run id with the era and a random suffix: an era can have several runs, and the scheduler fails on an existing id."""
        del data_interval
        era = extra.get("partition_key")
        stem = run_after.isoformat() if era is None else f"era-{era}"
        return run_type.generate_run_id(suffix=f"{stem}__{secrets.token_hex(4)}")


def _anchor(era: int, start: datetime, length: timedelta) -> EraAnchor:
    try:
        return EraAnchor(era, start, length)
    except InvalidInput as error:
        raise InvalidInput(_ARGUMENTS[error.field], error.fault, error.problem.remedy) from None


def _short(length: timedelta) -> str:
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h"), (timedelta(minutes=1), "m")):
        if length and not length % unit:
            return f"{length // unit}{name}"
    return f"{length.total_seconds():g}s"
