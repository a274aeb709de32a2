"""Maps announced eras to runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pendulum
from airflow.partition_mappers.base import PartitionMapper

from staking_gateway.eras.calendar import EraCalendar
from staking_gateway.types import parse_era


class EraMapper(PartitionMapper):
    """Gives an asset event's era to its run, with the era's start as the run's partition date.

    The run then has the same dates as a run of an `EraTimetable`. A key that is not an era starts no run.

    :param calendar: when eras start; it only dates runs.
    """

    def __init__(self, calendar: EraCalendar) -> None:
        super().__init__()
        self.calendar = calendar

    def to_downstream(self, key: str) -> str:
        """The same era; `InvalidEra` for a key that is not an era."""
        return str(parse_era(key, field="partition key"))

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        return pendulum.instance(self.calendar.start(parse_era(downstream_key, field="partition key")))

    def serialize(self) -> dict[str, Any]:
        """The mapper as plain JSON, exact to the microsecond."""
        return {"calendar": self.calendar.serialize()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> EraMapper:
        """Read what `serialize` wrote."""
        return cls(EraCalendar.deserialize(data["calendar"]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EraMapper):
            return NotImplemented
        return self.calendar == other.calendar

    def __hash__(self) -> int:
        return hash(self.calendar)

    def __repr__(self) -> str:
        return f"EraMapper({self.calendar!r})"
