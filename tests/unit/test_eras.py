"""Eras and time."""

import json
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from staking_gateway.eras import (
    MOST_SQUEEZED,
    ActiveEra,
    Countdown,
    EraAnchor,
    EraCalendar,
    check_payable,
    payable_eras,
)
from staking_gateway.errors import Failed, InvalidEra, InvalidInput
from staking_gateway.types import MAX_ERA
from tests.support.failed import fails

UTC = timezone.utc
MICROSECOND = timedelta(microseconds=1)
GENESIS = datetime(2026, 1, 1, tzinfo=UTC)
NAIVE = GENESIS.replace(tzinfo=None)
SHORT = timedelta(seconds=20)
ERAS = EraCalendar((EraAnchor(0, GENESIS, SHORT),))
MAINNET = EraCalendar((EraAnchor(1000, GENESIS, timedelta(days=1)),))

lengths = st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=2))
times = st.timedeltas(timedelta(0), timedelta(days=3000)).map(lambda since: GENESIS - timedelta(days=1500) + since)


@st.composite
def calendars(draw, max_anchors=4):
    anchors = [EraAnchor(draw(st.integers(0, 1000)), draw(times), draw(lengths))]
    for _ in range(draw(st.integers(0, max_anchors - 1))):
        anchors.append(draw(successors(anchors[-1])))
    return EraCalendar(tuple(anchors))


@st.composite
def successors(draw, anchor):
    """An anchor after `anchor`: early, punctual or late; it may overtake eras the calendar has yet to begin."""
    eras = draw(st.integers(1, 1000))
    begun = eras - 1 - draw(st.integers(0, min(eras - 1, MOST_SQUEEZED - 1)))
    drift = draw(st.timedeltas(min_value=eras * MICROSECOND, max_value=3 * anchor.length))
    return EraAnchor(anchor.era + eras, anchor.start + begun * anchor.length + drift, draw(lengths))


def eras_of(calendar):
    return st.integers(-1000, 5000).map(lambda offset: max(0, calendar.anchors[0].era + offset))


def starts(calendar, eras):
    return [calendar.start(era) for era in eras]


class TestProperties:
    @given(st.data(), calendars())
    def test_an_era_starts_in_itself_and_ends_later_where_the_next_one_starts(self, data, calendar):
        era = data.draw(eras_of(calendar))
        assert calendar.era_at(calendar.start(era)) == era
        assert calendar.start(era) < calendar.end(era) == calendar.start(era + 1)
        assert calendar.era_at(calendar.end(era) - MICROSECOND) == era

    @given(calendars(), times)
    def test_the_era_of_a_moment_holds_it(self, calendar, when):
        assume(when >= calendar.start(0))
        era = calendar.era_at(when)
        assert calendar.start(era) <= when < calendar.end(era)

    @given(calendars(), times)
    def test_the_first_era_from_a_moment_is_the_first_that_starts_no_earlier(self, calendar, when):
        era = calendar.first_era_from(when)
        assert calendar.start(era) >= when
        assert era == 0 or calendar.start(era - 1) < when

    @given(calendars(), times)
    def test_the_last_finished_era_is_the_newest_that_has_ended(self, calendar, when):
        era = calendar.last_finished(when)
        if era is None:
            assert calendar.end(0) > when
        else:
            assert calendar.end(era) <= when < calendar.end(era + 1)

    @given(st.data(), calendars())
    def test_an_appended_anchor_leaves_every_era_that_has_begun_where_it_was(self, data, calendar):
        anchor = data.draw(successors(calendar.anchors[-1]))
        longer = EraCalendar((*calendar.anchors, anchor))
        edges = {a.era + offset for a in calendar.anchors for offset in (-1, 0, 1)} | {anchor.era - 1}
        earlier = [era for era in sorted(edges) if max(0, calendar.anchors[0].era - 1) <= era < anchor.era]
        for era in earlier:
            latest = anchor.start - (anchor.era - era) * MICROSECOND
            assert longer.start(era) == min(calendar.start(era), latest)
        assert longer.start(anchor.era) == anchor.start

    @given(calendars())
    def test_a_calendar_survives_json(self, calendar):
        assert EraCalendar.deserialize(json.loads(json.dumps(calendar.serialize()))) == calendar


class TestArithmetic:
    def test_ninety_million_eras_do_not_drift(self):
        length = timedelta(seconds=6, microseconds=123_457)
        calendar = EraCalendar((EraAnchor(0, datetime(2000, 1, 1, tzinfo=UTC), length),))
        start = calendar.start(90_000_000)
        assert start == datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=6_123_457 * 90_000_000)
        assert calendar.era_at(start) == 90_000_000
        assert calendar.era_at(start - MICROSECOND) == 89_999_999

    def test_the_era_before_an_anchor_lasts_until_the_anchor_and_a_new_length_counts_from_it_on(self):
        for late, length in (
            (timedelta(hours=1), timedelta(hours=1) - 9 * SHORT),
            (9.25 * SHORT, timedelta(seconds=5)),
        ):
            calendar = EraCalendar((EraAnchor(0, GENESIS, SHORT), EraAnchor(10, GENESIS + late, timedelta(hours=6))))
            assert calendar.end(9) == calendar.start(10) == GENESIS + late
            assert calendar.end(9) - calendar.start(9) == length
            assert calendar.start(12) == GENESIS + late + timedelta(hours=12)


class TestLimits:
    def test_no_era_before_era_0(self):
        with pytest.raises(InvalidEra, match=r"before era 0\. Give a later time") as refused:
            ERAS.era_at(GENESIS - MICROSECOND)
        assert refused.value.field == "when"
        assert ERAS.first_era_from(GENESIS - timedelta(days=9999)) == 0
        assert ERAS.last_finished(GENESIS + SHORT - MICROSECOND) is None
        assert ERAS.last_finished(GENESIS + SHORT) == 0

    def test_no_era_after_the_last_u32(self):
        second = EraCalendar((EraAnchor(0, GENESIS, timedelta(seconds=1)),))
        last = second.start(MAX_ERA)
        assert second.era_at(second.end(MAX_ERA) - MICROSECOND) == MAX_ERA == second.first_era_from(last)
        assert second.last_finished(second.end(MAX_ERA)) == MAX_ERA
        for refused in (
            lambda: second.era_at(second.end(MAX_ERA)),
            lambda: second.first_era_from(last + MICROSECOND),
            lambda: second.last_finished(second.end(MAX_ERA) + timedelta(seconds=1)),
            lambda: second.start(MAX_ERA + 1),
        ):
            with pytest.raises(InvalidEra, match=str(MAX_ERA)):
                refused()

    def test_an_era_outside_the_years_1_to_9999_is_named(self):
        with pytest.raises(InvalidEra, match="era 4000000 starts outside the years 1 to 9999"):
            MAINNET.start(4_000_000)
        with pytest.raises(InvalidEra, match="era 0 starts outside"):
            EraCalendar((EraAnchor(1_000_000, GENESIS, timedelta(days=1)),)).start(0)


AFTER = GENESIS + SHORT
NO_ANCHORS = [
    ((-1, GENESIS, SHORT), "era"),
    ((0, NAIVE, SHORT), "start"),
    ((0, "2026-01-01", SHORT), "start"),
    ((0, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), SHORT), "start"),
    ((0, GENESIS, timedelta(0)), "length"),
    ((0, GENESIS, 20), "length"),
]
NO_SUCCESSORS = [
    (EraAnchor(1000, AFTER, SHORT), "anchors[1].era"),
    (EraAnchor(MAX_ERA, AFTER, SHORT), "era"),
    (EraAnchor(1002, GENESIS + MICROSECOND, SHORT), "anchors[1].start"),
    (EraAnchor(1000 + MOST_SQUEEZED + 2, GENESIS + timedelta(days=1), SHORT), "anchors[1].start"),
]
NO_LISTS = [(), ERAS.anchors[0], None, "devnet", [*ERAS.anchors, (1, GENESIS, SHORT)], {"anchors": []}]
REFUSED = [
    *((EraAnchor, anchor, field) for anchor, field in NO_ANCHORS),
    *((EraCalendar, ((*MAINNET.anchors, anchor),), field) for anchor, field in NO_SUCCESSORS),
    *((EraCalendar, (anchors,), "anchors") for anchors in NO_LISTS),
]


class TestValidation:
    @pytest.mark.parametrize(("make", "given", "field"), REFUSED)
    def test_the_part_that_cannot_be_used_is_named(self, make, given, field):
        with pytest.raises(InvalidInput) as refused:
            make(*given)
        assert refused.value.field == field
        assert refused.value.problem.remedy

    @pytest.mark.parametrize("when", [NAIVE, "2026-01-01T00:00:00Z", None])
    def test_a_time_without_a_zone_is_refused(self, when):
        for question in (ERAS.era_at, ERAS.first_era_from, ERAS.last_finished):
            with pytest.raises(InvalidInput) as refused:
                question(when)
            assert refused.value.field == "when"


class TestPayableRange:
    @given(st.integers(0, MAX_ERA), st.integers(0, 200), st.integers(0, 300))
    def test_an_era_is_payable_after_it_ended_and_before_it_expires(self, active, depth, age):
        era = max(0, active - age)
        assert (era in payable_eras(active, depth)) == (era < active < era + depth + 1)

    def test_no_deadline_counts_on_the_last_era_of_the_depth_because_a_chain_may_count_from_the_planned_era(self):
        """On Asset Hub era 2246 is planned while era 2245 is active: it refuses era 2161."""
        for era, left, when in ((2161, 0, "now"), (2162, 1, "in 1 era"), (2163, 2, "in 2 eras")):
            found = Countdown(era, 2245, 84)
            assert (found.eras_left, found.when, era in payable_eras(2245, 84)) == (left, when, True)


@pytest.mark.parametrize(("era", "told"), [(100, "has not ended"), (15, "has expired.* is 16.*Write 16 or more")])
def test_an_era_outside_the_payable_ones_is_refused(era, told):
    for payable in (16, 99):
        check_payable(payable, 100, 84)
    with pytest.raises(InvalidEra, match=told):
        check_payable(era, 100, 84)


@pytest.mark.parametrize(
    ("chain", "calendar", "known", "told"),
    [
        (None, 100, {}, (False, 100, False, False)),
        (100, None, {}, (True, 100, True, False)),
        (100, 100, {}, (True, 100, False, False)),
        (110, 100, {}, (True, 110, True, False)),
        (111, 100, {}, (False, 100, True, True)),
        (111, 100, {"by_node": True}, (True, 111, True, False)),
        (89, 100, {}, (True, 89, True, True)),
        (89, 100, {"reached": 88}, (True, 89, True, False)),
        (89, 100, {"reached": 89}, (True, 89, True, True)),
        (101, 100, {"passed": 0.8}, (True, 101, False, False)),
        (101, 100, {"passed": 0.7}, (True, 101, True, False)),
        (99, 100, {"passed": 0.2}, (True, 99, False, False)),
        (99, 100, {"passed": 0.3}, (True, 99, True, False)),
    ],
)
def test_the_chains_era_is_believed_up_to_a_drift_and_a_moment_is_none(chain, calendar, known, told):
    active = ActiveEra(chain, calendar, 84, **known)
    assert (active.credible, active.era, active.drifts, active.far_apart) == told
    with fails(Failed.DOUBTFUL_ERA, match="nothing is signed") if active.far_apart else nullcontext():
        active.check("net")


def test_outside_its_eras_a_calendar_tells_none():
    before, within = (ActiveEra.at(GENESIS + SHORT * eras, ERAS, 7, 84) for eras in (-1, 0.5))
    assert (before.calendar, before.passed, within.calendar, within.passed) == (None, None, 0, 0.5)
