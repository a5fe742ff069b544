"""The shape of a tray told by dice, drawn on one whose shape and lens are known exactly."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.enrolment import learn
from vision.squares import Square
from vision.station import Station
from vision.topface import Shot
from vision.tray import Tray
from vision.tray_shape import shaped_by_dice
from vision.viewpoint import Lens

MM, FOCAL = 16.0, 1.6
LEANING = np.array([[150, 130], [1000, 130], [1060, 760], [90, 760]], np.float32)
STRAIGHT = np.array([[150, 120], [1000, 120], [1000, 760], [150, 760]], np.float32)
PLACES = [(200, 200, 4), (330, 250, 31), (470, 180, 58), (260, 380, 84), (430, 400, 12)]


def tray(corners, through=FOCAL):
    """A tray of felt with these corners, in the shape that it has through such a lens."""
    noise = np.random.default_rng(1).normal(0, 2, (864, 1152, 1))
    felt = np.clip(np.array([96, 140, 70]) + noise, 0, 255).astype(np.uint8)
    guess = Tray.calibrate([felt], corners, (200.0, 150.0))
    return replace(guess.shaped(guess.ratio_through(through)), lens=Lens(through))


def pictured(scene):
    """Pictures of one die each on ``scene``, its print a bar, and where its top is."""
    side = 0.95 * scene.top_side(MM)
    frames, tops = [], [Square(x, y, side, turn, 1.0) for x, y, turn in PLACES]
    for top in tops:
        picture = scene.picture.copy()
        right, down = top.corners[1] - top.corners[0], top.corners[3] - top.corners[0]
        bar = [(0.3, 0.4), (0.7, 0.4), (0.7, 0.6), (0.3, 0.6)]
        print_at = [top.corners[0] + a * right + b * down for a, b in bar]
        body = scene.body(top.corners, MM)
        for points, colour in ((body, 110), (top.corners, 225), (np.array(print_at), 35)):
            spots = np.rint(scene.to_frame(points) * 16).astype(np.int32)
            cv2.fillPoly(picture, [spots], (colour,) * 3, cv2.LINE_AA, 4)
        frames.append(cv2.GaussianBlur(picture, (0, 0), 0.8))
    return frames, tops


@pytest.mark.parametrize("other", [0.7, 2.4])
def test_dice_tell_the_shape_that_a_wrong_lens_gave_a_leaning_tray(other):
    true, wrong = tray(LEANING), replace(tray(LEANING, other), lens=None)
    before = abs(np.log(wrong.ratio / true.ratio))
    assert before > 0.05
    faces = {f"face {n}": [frame] for n, frame in enumerate(pictured(true)[0])}
    learnt = learn(Station.bare(wrong, size_known=False), "spike", faces, MM).station
    assert abs(np.log(learnt.tray.ratio / true.ratio)) < 0.4 * before
    assert learnt.tray.size_mm == pytest.approx(true.size_mm, rel=0.06)


def test_a_tray_whose_size_was_told_keeps_its_shape():
    true, wrong = tray(LEANING), replace(tray(LEANING, 0.7), lens=None)
    faces = {f"face {n}": [frame] for n, frame in enumerate(pictured(true)[0])}
    told = learn(Station.bare(wrong), "spike", faces, MM).station
    assert told.tray.size_mm == wrong.size_mm


def test_from_straight_above_every_lens_gives_one_shape():
    scene = tray(STRAIGHT)
    frames, tops = pictured(scene)
    side = scene.top_side(MM)
    shots = [Shot.of(scene, "sun", frame, side) for frame in frames]
    assert shaped_by_dice(scene, shots, tops) is scene


def test_without_dice_nothing_tells_another_shape():
    scene = tray(LEANING)
    assert shaped_by_dice(scene, [], []) is scene


def test_a_tray_of_another_shape_has_the_same_corners_and_is_as_large():
    scene = tray(LEANING)
    other = scene.shaped(1.1 * scene.ratio)
    assert other.ratio == pytest.approx(1.1 * scene.ratio)
    assert np.prod(other.size_mm) == pytest.approx(np.prod(scene.size_mm))
    assert (other.corners == scene.corners).all()


def test_the_lens_that_saw_a_tray_gives_its_shape():
    turn = cv2.Rodrigues(np.array([0.35, 0.12, 0.05]))[0]
    floor = np.array([[-110, -80, 0], [110, -80, 0], [110, 80, 0], [-110, 80, 0]], np.float64)
    seen = floor @ turn.T + (0.0, 0.0, 700.0)
    corners = seen[:, :2] / seen[:, 2:] * FOCAL * 1152 + (575.5, 431.5)
    empty = np.zeros((864, 1152, 3), np.uint8)
    scene = Tray.calibrate([empty], corners, (200.0, 200.0))
    assert scene.ratio_through(FOCAL) == pytest.approx(220 / 160, rel=1e-4)
