"""Quick pictures of throws."""

from dataclasses import replace

import numpy as np

from fixtures.studio.camera_model import Shutter
from fixtures.studio.dice import Die
from fixtures.studio.geometry import at
from fixtures.studio.variety import random_station, sketch


def test_a_die_that_no_ray_meets_is_not_drawn():
    station = random_station(102)
    station = replace(station, camera=replace(station.camera, width=320, height=240))
    size = station.looks["spike"].size_mm
    outer = Die("spike", size, at(0, 0, size / 2))
    inner = Die("spike", size / 2, at(0, 0, size / 2))
    drawn = sketch(station)
    alone, both = (drawn.picture(dice, [], Shutter(1)) for dice in ([outer], [outer, inner]))
    x, y = station.camera.project(outer.pose.position[None])[0].astype(int)
    seen = np.s_[y - 10 : y + 10, x - 10 : x + 10]
    assert np.array_equal(alone[seen], both[seen])
    assert alone[seen].std() > 0
