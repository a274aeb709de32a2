"""Worlds for the tests of the payout engine."""

import pytest

from tests.support.world import World


@pytest.fixture
def make_world(tmp_path):
    worlds = []

    def make(**options):
        folder = tmp_path / str(len(worlds))
        folder.mkdir()
        worlds.append(World(folder, **options))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def world(make_world):
    return make_world()
