"""Solids of the quick renderer: what they are painted with, and the shadows they throw."""

import numpy as np
import pytest

from fixtures.studio import sketch
from fixtures.studio.faces import Skin
from fixtures.studio.geometry import Pose, random_rotation
from fixtures.studio.solids import Box, length


def test_more_points_than_opencv_takes_at_once():
    rng = np.random.default_rng(5)
    grain = rng.random((40, 60), np.float32)
    skin = Skin(rng.random((40, 60, 3), np.float32), grain, 1 - grain)
    box = Box(Pose(np.zeros(3), np.eye(3)), np.full(3, 8.0), 0.5, skin, grain)
    count = 40_000
    points = np.column_stack([rng.uniform(-7, 7, (count, 2)), np.full(count, 8.0)])
    normals = np.tile(np.float32([0, 0, 1]), (count, 1))
    whole = box.paint(points.astype(np.float32), normals)
    some = slice(30_000, 30_100)
    part = box.paint(points[some].astype(np.float32), normals[some])
    assert whole.colour.shape == (count, 3)
    assert np.allclose(whole.colour[some], part.colour, atol=1e-5)
    assert np.allclose(whole.metal[some], part.metal, atol=1e-5)
    assert np.ptp(whole.colour) > 0.5


@pytest.mark.parametrize("half", [(8, 8, 8), (100, 4, 9)], ids=["die", "wall"])
@pytest.mark.parametrize("wide", [0.0, 0.12], ids=["point", "lamp"])
def test_rays_that_are_not_followed_pass_in_full_light(half, wide, monkeypatch):
    rng = np.random.default_rng(11)
    box = Box(Pose(np.array([5.0, -3, 8]), random_rotation(rng)), np.array(half, float), 1.0)
    start = (box.centre + rng.normal(0, 40, (20_000, 3))).astype(np.float32)
    way = rng.normal(size=start.shape).astype(np.float32)
    way /= length(way)
    size = np.full(len(start), wide, np.float32)
    near = box.nears(start, way, size)
    seen = sketch._past(box, start, way, size)
    monkeypatch.setattr(Box, "nears", lambda _, start, *__: np.ones(len(start), bool))
    assert np.array_equal(sketch._past(box, start, way, size), seen)
    assert 0.01 < (seen < 1).mean() < near.mean() < 0.6
