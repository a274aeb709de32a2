"""Asking for a change when it should come: in time when the forecast is right, at a bounded cost when it is wrong."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.eras.forecast import COARSEST, FINEST, SHORTEST_PAUSE_SECONDS, EraForecast, pause
from staking_gateway.types import ElectionWindow

OPEN, CLOSED = ElectionWindow.OPEN, ElectionWindow.CLOSED
ROUNDING = 1e-6
moments = st.floats(0, 1000, allow_subnormal=False)
intervals = st.floats(0.1, 30)


def asked(expected, *, interval, begin, change):
    """When is asked, from the begin until the first question after the change."""
    now = begin
    while True:
        yield now
        if now >= change:
            return
        now += pause(now, expected, interval)


class TestPause:
    def test_is_the_plain_interval_when_nobody_knows(self):
        assert pause(5.0, None, 2.0) == 2.0

    @given(moments, moments, intervals)
    def test_is_a_tenth_of_an_interval_to_five_and_one_at_most_once_the_moment_has_passed(
        self, now, expected, interval
    ):
        shortest = min(interval, max(SHORTEST_PAUSE_SECONDS, interval * FINEST))
        assert shortest <= pause(now, expected, interval) <= COARSEST * interval
        assert pause(max(now, expected), expected, interval) <= interval
        assert pause(0.0, 0.0, interval) == pytest.approx(shortest)

    @given(moments, st.floats(0, 99), intervals)
    def test_is_plain_when_an_era_is_so_short_that_there_is_nothing_to_save(self, now, to_come, interval):
        assert pause(now, now + to_come, interval, era_length=9.9 * interval) == interval


class TestDelay:
    @given(moments, moments, moments, intervals)
    def test_is_a_fifth_of_an_interval_or_half_the_error_and_bounded_whatever_the_forecast_says(
        self, expected, begin, later, interval
    ):
        change = begin + later
        questions = list(asked(expected, interval=interval, begin=begin, change=change))
        shortest = max(SHORTEST_PAUSE_SECONDS, interval * FINEST)
        most = min(max(2 * shortest, abs(change - expected) / 2), interval * (COARSEST if change < expected else 1))
        assert questions[-1] - change <= most + ROUNDING
        assert len(questions) <= later / interval + 30, "a wrong forecast costs a few questions in all"

    @given(st.floats(10, 500), intervals)
    def test_is_none_when_the_forecast_is_right_and_costs_a_fifth_of_the_questions_and_a_few_more(
        self, length, interval
    ):
        change = length * interval
        right = list(asked(change, interval=interval, begin=0.0, change=change - ROUNDING))
        assert right[-1] == pytest.approx(change)
        assert len(right) <= length / COARSEST + 12


def seen(forecast, answers):
    """Tell a forecast what was answered: moment, active era, window."""
    for moment, active, window in answers:
        forecast.note(active, window, asked_at=moment - 0.5, answered_at=moment)
    return forecast


ENDED = [(100, 7, OPEN), (101, 8, CLOSED)]
"""Era 7 was seen to end, and a window to close, at 100.25."""
TWICE = [*ENDED, (150, 8, CLOSED), (151, 10, CLOSED)]


class TestEras:
    def test_end_as_the_calendar_says_when_nothing_was_seen(self):
        forecast = EraForecast()
        assert (forecast.end_of(7, expected_at=123.0, era_length=10.0), forecast.end_of(7)) == (123.0, None)
        assert (forecast.era_length(10.0), forecast.era_length()) == (10.0, None)

    @pytest.mark.parametrize(
        ("era", "expected_at", "length", "taken"),
        [
            (8, None, 20.0, 120.25),
            (10, None, 20.0, 160.25),
            (8, 999.0, None, 999.0),
            *(
                (8, told, 20.0, taken)
                for told, taken in ((10.0, 119.5), (119.8, 119.8), (120.9, 120.9), (999.0, 121.0))
            ),
        ],
    )
    def test_end_by_the_calendar_unless_what_was_seen_contradicts_it(self, era, expected_at, length, taken):
        forecast = seen(EraForecast(), ENDED)
        assert forecast.end_of(era, expected_at=expected_at, era_length=length) == pytest.approx(taken)

    @pytest.mark.parametrize(("told", "taken"), [(None, 25), (20.0, 24.25), (24.5, 24.5), (25.5, 25.5), (30.0, 25.75)])
    def test_last_as_long_as_told_unless_what_was_seen_contradicts_it(self, told, taken):
        forecast = seen(EraForecast(), TWICE)
        assert forecast.era_length(told) == pytest.approx(taken)
        assert forecast.end_of(10) == pytest.approx(150.25 + 25)

    @pytest.mark.parametrize(
        ("answers", "era"),
        [
            ([*TWICE, (152, 0, CLOSED)], 0),
            ([*ENDED, (50, 8, CLOSED)], 8),
            ([(100, 7, OPEN), (101, None, None), (150, 8, CLOSED)], 8),
        ],
        ids=["the chain began anew", "the clock was put back", "not asked for, or not told"],
    )
    def test_teach_nothing_when_the_answers_do_not_follow_one_another(self, answers, era):
        forecast = seen(EraForecast(), answers)
        assert forecast.end_of(era, expected_at=5.0) == 5.0
        assert forecast.end_of(era, era_length=20.0) is None
        assert forecast.next_closing(160, era_length=20.0) is None


class TestWindows:
    @pytest.mark.parametrize(("now", "expected"), [(101, 120.25), (129, 120.25), (131, 140.25), (199, 200.25)])
    def test_close_at_the_expected_moment_nearest_to_now(self, now, expected):
        forecast = seen(EraForecast(), [(100, None, OPEN), (101, None, CLOSED)])
        assert forecast.next_closing(now, era_length=20.0) == pytest.approx(expected)

    def test_are_measured_from_the_second_closing_on_where_nobody_tells_the_eras_length(self):
        once = [(100, None, OPEN), (101, None, CLOSED)]
        assert seen(EraForecast(), once).next_closing(105) is None
        twice = [*once, (130, None, OPEN), (131, None, CLOSED)]
        assert seen(EraForecast(), twice).next_closing(140) == pytest.approx(160.25)

    def test_are_not_taken_to_close_when_they_open(self):
        assert seen(EraForecast(), [(1, None, CLOSED), (2, None, OPEN)]).next_closing(3, era_length=9.0) is None

    @settings(max_examples=50)
    @given(
        length=st.floats(30, 300),
        phase=st.floats(0, 0.99),
        open_for=st.floats(0.2, 0.9),
        interval=st.floats(0.2, 1),
        knows=st.booleans(),
    )
    def test_are_noticed_as_they_close_once_they_have_been_learnt(self, length, phase, open_for, interval, knows):
        """Asked only while a window is open, as a wait does that ends with the closing."""
        forecast, told = EraForecast(), length if knows else None
        delays = []
        for closing in itertools.islice(itertools.count(1 + phase), 12):
            now, closes = (closing - open_for) * length, closing * length
            while True:
                open_now = now < closes
                forecast.note(None, OPEN if open_now else CLOSED, asked_at=now, answered_at=now)
                if not open_now:
                    break
                expected = forecast.next_closing(now, era_length=told)
                now += pause(now, expected, interval, era_length=forecast.era_length(told))
            delays.append(now - closes)
        assert max(delays) <= COARSEST * interval + ROUNDING
        assert max(delays[4 if knows else 10 :]) <= 2 * FINEST * interval + ROUNDING
