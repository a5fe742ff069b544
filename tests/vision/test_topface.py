"""The top face in pictures of one drawn die, whose place and size are known exactly."""

import cv2
import numpy as np
import pytest

from vision.squares import Square
from vision.topface import Shot, top_faces, visible_side
from vision.tray import Tray

MM = 16.0
FELT = np.array([96, 140, 70])
CORNERS = np.array([[60, 90], [1090, 90], [1000, 780], [150, 780]], np.float32)  # a slanted view


def grain(seed):
    noise = np.random.default_rng(seed).normal(0, 2, (864, 1152, 1))
    return np.clip(FELT + noise, 0, 255).astype(np.uint8)


TRAY = Tray.calibrate([grain(1)], CORNERS, (200.0, 150.0))


def drawn(square, body, side, ink):
    """A frame with one die: its visible sides, its top face, and a ring printed on that."""
    picture = grain(2)
    outline = TRAY.to_frame(TRAY.body(square.corners, MM))
    cv2.fillConvexPoly(picture, np.rint(outline).astype(np.int32), side, cv2.LINE_AA)
    top = TRAY.to_frame(square.corners)
    cv2.fillConvexPoly(picture, np.rint(top).astype(np.int32), body, cv2.LINE_AA)
    middle = np.rint(top.mean(axis=0)).astype(int)
    cv2.circle(picture, (int(middle[0]), int(middle[1])), 16, ink, 5, cv2.LINE_AA)
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


LIGHT = ((215, 222, 230), (150, 156, 162), (30, 30, 40))
DARK = ((50, 70, 36), (38, 54, 27), (190, 200, 210))  # the felt's own colour in a shadow


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark as its shadow"])
def test_the_top_face_and_its_visible_side_are_found(colours):
    guess = MM * TRAY.enlargement(MM) * TRAY.settings.scale
    side = 0.94 * guess
    places = [Square(330, 250, side, 12, 1), Square(410, 300, side, 40, 1)]
    frames = [drawn(square, *colours) for square in places]
    shots = [Shot.of(TRAY, "sun", frame, guess) for frame in frames]
    assert visible_side(TRAY, shots, guess, MM) == pytest.approx(side, rel=TRAY.settings.size_slack)
    for found, truth in zip(top_faces(TRAY, shots, side, MM), places, strict=True):
        assert np.hypot(found.x - truth.x, found.y - truth.y) < 0.06 * side
        assert abs((found.turn - truth.turn + 45) % 90 - 45) < 4


def test_an_empty_tray_shows_no_die():
    assert Shot.of(TRAY, "sun", grain(3), 48.0) is None
