"""The engine tells which parts it has settled, each to one who asks: what is told once for an era hangs on it."""

from __future__ import annotations

import pytest

from staking_gateway.ledger import PayoutState
from tests.support.world import World


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, unpaid_eras=2)
    yield made
    made.close()


def told(engine):
    return [(part.era, part.state) for part in engine.take_settled()]


def test_of_its_own_era_and_of_another_one_it_settled_on_the_way(world):
    older, newer = world.era - 1, world.era
    dead, alive = world.engine("dead"), world.engine("alive")
    dead.advance(older)
    world.drive(newer, alive)
    assert told(dead) == []
    assert told(alive) == [(older, PayoutState.CONFIRMED), (newer, PayoutState.CONFIRMED)]
    assert told(alive) == [], "once"


def test_none_that_somebody_else_has_settled(world):
    world.drive(world.era)
    again = world.engine("again")
    world.drive(world.era, again)
    assert told(again) == []
