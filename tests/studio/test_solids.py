"""A drawn die's surface is looked up alike however much of it the camera sees."""

import numpy as np

from fixtures.studio.faces import Skin
from fixtures.studio.geometry import Pose
from fixtures.studio.solids import Box


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
