"""Quick pictures of throws."""

from dataclasses import replace

import numpy as np
import pytest

from fixtures.studio.camera_model import Shutter
from fixtures.studio.dice import Die
from fixtures.studio.geometry import at
from fixtures.studio.series import record
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


@pytest.mark.parametrize("seed", range(540, 552))
def test_a_near_camera_sees_the_whole_floor_through_a_short_lens(seed):
    far = random_station(seed)
    near = random_station(seed, near=True)
    assert 0.72 <= near.camera.focal_px / near.camera.width <= 1.1
    assert near.camera.distance_mm < far.camera.distance_mm
    half = np.array(near.tray.inner_mm) / 2
    corners = np.array([[x, y, 0.0] for x in (-half[0], half[0]) for y in (-half[1], half[1])])
    seen = near.camera.see(corners)
    assert (seen > 0).all()
    assert (seen < (near.camera.width, near.camera.height)).all()
    assert near.looks == far.looks
    assert near == random_station(seed, near=True)


def test_more_pictures_of_faces_leave_all_others_as_they_were(tmp_path):
    station = random_station(103)
    station = replace(station, camera=replace(station.camera, width=160, height=120))
    for faces in (1, 2):
        record(tmp_path / str(faces), station, faces=faces, throws=1, bad=1)
    few, many = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.jpg")}
        for folder in (tmp_path / "1", tmp_path / "2")
    )
    assert len(many) == len(few) + 8
    assert {name: many[name] for name in few} == few
