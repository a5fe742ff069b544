"""Stations of more kinds than the random ones."""

from itertools import combinations

import numpy as np
import pytest

from fixtures.studio.art import FAMILIES
from fixtures.studio.faces import skin
from fixtures.studio.pen import Pen, rect
from fixtures.studio.stations import SPLITS
from fixtures.studio.variety import random_station
from fixtures.studio.wider import EDGES, FOCALS

SEEDS = range(1861, 1891)


@pytest.fixture(scope="module")
def stations():
    return [random_station(seed, wide=True) for seed in SEEDS]


def marks(station):
    """Where each face of the cube is printed, and nothing for a plain one."""
    return [draw().mask(64) for draw in FAMILIES.get(station.looks["cube"].art, {}).values()]


def test_a_seed_gives_the_same_station_every_time(stations):
    assert random_station(SEEDS[0], wide=True) == stations[0]


def test_the_same_seed_gives_other_art_in_each_split():
    drawn = [random_station(4, split, wide=True) for split in SPLITS]
    signs = [FAMILIES[s.looks["spike"].art]["eye"]().mask(64) for s in drawn]
    assert not any(np.array_equal(a, b) for a, b in combinations(signs, 2))


def test_dice_are_anything_from_sharp_edged_to_almost_balls(stations):
    edges = [look.edge_mm / look.size_mm for s in stations for look in s.looks.values()]
    assert min(edges) < EDGES[0] + 0.03
    assert max(edges) > EDGES[1] - 0.03
    usual = [look.edge_mm / look.size_mm for look in random_station(1861).looks.values()]
    assert max(usual) < 0.15


def test_lenses_are_short_and_long_and_show_the_whole_floor(stations):
    focals = [s.camera.focal_px / s.camera.width for s in stations]
    assert FOCALS[0] <= min(focals) < 1.1
    assert 2.5 < max(focals) <= FOCALS[1]
    for station in stations:
        half = np.array(station.tray.inner_mm) / 2
        corners = np.array([[x, y, 0.0] for x in (-half[0], half[0]) for y in (-half[1], half[1])])
        seen = station.camera.see(corners)
        assert (seen > 0).all()
        assert (seen < (station.camera.width, station.camera.height)).all()


def test_cubes_are_plain_marked_or_panelled_and_both_colours_alike(stations):
    plain = [s for s in stations if s.looks["cube"].art == "plain"]
    shown = [marks(s) for s in stations if s not in plain]
    assert plain
    assert shown
    assert all(np.array_equal(red, blue) for red, blue in shown)
    rims = [red[2].mean() > 0.9 for red, _ in shown]
    assert any(rims)
    assert not all(rims)


def test_the_two_colours_of_a_marked_cube_are_seen_beside_its_mark(stations):
    station = next(s for s in stations if s.looks["cube"].art != "plain")
    look = station.looks["cube"]
    colour = skin("cube", look, 1).colour
    half = len(colour) // 2  # the sides 0 to 2 lie below, 3 to 5 above
    parts = (colour[half:], colour[:half])
    red, blue = (part[..., 2].mean() / part[..., 0].mean() for part in parts)
    assert red < blue  # linear RGB: channel 2 is blue


def test_some_signs_are_left_out_of_a_plaque(stations):
    covers = [
        [FAMILIES[s.looks["spike"].art][name]().mask(64).mean() for name in ("spike", "sun")]
        for s in stations
    ]
    assert sum(min(pair) > 0.45 for pair in covers) >= 2
    assert sum(max(pair) < 0.35 for pair in covers) >= 5


def test_a_traced_drawing_is_the_drawing():
    mask = Pen().fill(rect(-0.5, -0.5, 0.25, 0.5)).mask(64)
    assert np.array_equal(Pen.traced(mask).mask(64), mask)
    assert Pen.traced(mask).mask(32).mean() == pytest.approx(mask.mean(), abs=0.01)
