"""Dice beside the tray: told by where they stand, not by where their tops seem to be."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.vision.test_lens import tray
from vision.finding import _off_floor
from vision.squares import Square
from vision.station import Body
from vision.viewpoint import Lens

SIZE = 16.0
SCENE = tray(Lens(0.62))  # a camera 18 cm above the middle of 200 x 150 mm
HALF = SIZE / 2


def die_at(x, y):
    """A die whose foot's middle is at ``x``, ``y`` mm of the floor, by where its top is seen."""
    view, s = SCENE.viewpoint, SCENE.settings
    below = np.array([view.x, view.y])
    seen = below + (np.array([x, y]) - below) * SCENE.enlargement(SIZE)
    square = Square(*((seen + s.rim) * s.scale), SCENE.top_side(SIZE), 0.0, 1.0)
    return SimpleNamespace(square=square, die=SimpleNamespace(kind="spike")), seen


def beside(item):
    station = SimpleNamespace(bodies={"spike": Body(item.square.side, SIZE, 0.1)}, tray=SCENE)
    return _off_floor(item, station)


@pytest.mark.parametrize("at", [(HALF, HALF), (200 - HALF, 150 - HALF), (HALF, 75)])
def test_a_die_that_touches_a_wall_is_on_the_floor_though_its_top_is_seen_over_it(at):
    item, seen = die_at(*at)
    assert SCENE.walls.room(seen) < 0  # the middle of its top is seen beyond the wall
    assert not beside(item)


@pytest.mark.parametrize("at", [(-1, 75), (100, 151), (-12, -12), (230, 75)])
def test_a_die_on_a_wall_or_beyond_is_not(at):
    assert beside(die_at(*at)[0])


def test_right_below_the_camera_a_top_is_seen_where_its_die_stands():
    item, seen = die_at(100, 75)
    assert seen == pytest.approx((100, 75), abs=0.5)
    assert not beside(item)
