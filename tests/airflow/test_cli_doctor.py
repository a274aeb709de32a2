"""The parts of `airflow staking doctor` that need no set-up: clocks, ranges of eras."""

from __future__ import annotations

from datetime import datetime, timezone
from email.utils import format_datetime

import pytest

from staking_gateway_provider.doctor import clock
from staking_gateway_provider.doctor.findings import Level


@pytest.mark.parametrize("ahead", [-100, -20, 0, 20, 100])
def test_the_offset_is_read_from_the_date_of_any_answer_without_a_token(broken, ahead):
    told = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
    date = f"Date: {format_datetime(told, usegmt=True)}"
    broken.script = [lambda exchange: exchange.answer(b"", "404 Not Found", (date,))]
    offset = clock.read_offset(broken.url, read_clock=lambda: told.timestamp() + 0.5 + ahead)
    assert offset == ahead
    assert broken.requests[0].header("Authorization") == []


@pytest.mark.parametrize("headers", [(), ("Date: yesterday",)])
def test_a_gateway_without_a_date_has_no_offset(broken, headers):
    broken.script = [lambda exchange: exchange.answer(b"", "404 Not Found", headers)]
    assert clock.read_offset(broken.url) is None


@pytest.mark.parametrize(
    ("offset", "self_made", "level"),
    [
        (0.0, True, Level.OK),
        (5.0, True, Level.OK),
        (-5.1, True, Level.WARNING),
        (14.9, True, Level.WARNING),
        (15.0, True, Level.ERROR),
        (-15.0, True, Level.ERROR),
        (3600.0, False, Level.WARNING),
    ],
)
def test_an_offset_is_an_error_only_where_tokens_are_made_by_this_clock(offset, self_made, level):
    assert clock.judge(offset, self_made=self_made).level is level
