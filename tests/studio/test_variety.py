"""Random stations, changed on purpose in one way: nothing else of them changes."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fixtures.studio.variety import in_cantina, random_station

SEEDS = range(640, 652)


@pytest.fixture(scope="module")
def stations():
    return [random_station(seed) for seed in SEEDS]


def test_a_cantina_has_other_lamps_and_a_darker_room_and_no_more(stations):
    for station in stations:
        coloured = in_cantina(station)
        assert coloured == in_cantina(station)
        assert coloured.name == f"{station.name}-cantina"
        same = {"name": station.name, "lights": station.lights, "ambient": station.ambient}
        assert replace(coloured, **same) == station


def test_a_cantina_s_lamps_are_of_strong_and_different_colours(stations):
    counts = set()
    for station in stations:
        lights = in_cantina(station).lights
        counts.add(len(lights))
        colours = [np.array(light.radiance) / max(light.radiance) for light in lights]
        assert all(colour.min() <= 0.5 for colour in colours)
        assert all(np.abs(a - b).max() > 0.2 for a, b in combinations(colours, 2))
    assert counts == {2, 3}
