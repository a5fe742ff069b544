"""Stations whose printed dice are like the floor they lie on."""

from dataclasses import replace

import numpy as np
import pytest

from fixtures.studio.alike import TINT, alike, floor_over_top
from fixtures.studio.sketch import Sketch
from fixtures.studio.variety import random_station

SEED = 1891


@pytest.fixture(scope="module")
def stations():
    """A station seen in small pictures, which are drawn sooner, and the like of it."""
    usual = random_station(SEED)
    camera = usual.camera
    few = replace(camera, width=384, height=288, px_per_mm=camera.px_per_mm / 3)
    usual = replace(usual, camera=few)
    return usual, alike(usual)


def test_bodies_are_seen_as_bright_and_of_the_same_colour_as_the_floor(stations):
    usual, like = stations
    seen = floor_over_top(Sketch(like), np.random.default_rng(4))
    assert np.abs(np.log(seen)).max() < 4 * TINT
    assert like.looks["spike"].body != usual.looks["spike"].body
    assert (like.floor, like.name) == (usual.floor, f"dev-{SEED}-alike")


def test_their_print_is_still_told_from_them(stations):
    look = stations[1].looks["spike"]
    light = [np.dot(np.subtract(ink, look.body), (0.3, 0.6, 0.1)) for ink in look.inks]
    assert min(np.abs(light)) > 75
