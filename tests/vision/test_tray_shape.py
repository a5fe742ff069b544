"""The shape of a tray told by dice, drawn on one whose shape and lens are known exactly."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision import enrolment
from vision.enrolment import learn
from vision.squares import Square
from vision.station import Station
from vision.topface import Shot
from vision.tray import Tray
from vision.tray_shape import _edges, shaped_by_dice
from vision.viewpoint import Lens

MM, FOCAL = 16.0, 1.6
LEANING = (0.38, 0.0, 0.0)  # the camera's turn: along one pair of sides
ASLANT = (0.27, 0.27, 0.0)  # along a diagonal
STRAIGHT = (0.0, 0.0, 0.0)
PLACES = [(200, 200, 4), (330, 250, 31), (470, 180, 58), (260, 380, 84), (430, 400, 12)]
SIZE = (205.0, 150.0)


def tray(turn):
    """A tray of felt before a camera turned so, through a lens of ``FOCAL`` picture widths."""
    noise = np.random.default_rng(1).normal(0, 2, (864, 1152, 1))
    felt = np.clip(np.array([96, 140, 70]) + noise, 0, 255).astype(np.uint8)
    floor = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * (*SIZE, 0.0) / 2
    seen = floor @ cv2.Rodrigues(np.array(turn))[0].T + (0.0, 0.0, 480.0)
    corners = seen[:, :2] / seen[:, 2:] * FOCAL * 1152 + (575.5, 431.5)
    return replace(Tray.calibrate([felt], corners, SIZE), lens=Lens(FOCAL))


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


def learnt(scene, size_known, frames):
    """The tray once dice in ``frames`` were learnt on it."""
    faces = {f"face {n}": [frame] for n, frame in enumerate(frames)}
    return learn(Station.bare(scene, size_known=size_known), "spike", faces, MM).station.tray


def wrong_by(scene):
    """How much the floor is strained through the lens that saw it, as one number."""
    return np.hypot(*scene.strain_through(FOCAL))


@pytest.mark.parametrize("turn", [LEANING, pytest.param(ASLANT, marks=pytest.mark.once)])
@pytest.mark.parametrize("lens", [0.65, pytest.param(0.8, marks=pytest.mark.once), 2.6])
def test_dice_tell_the_shape_of_a_tray_that_was_found_through_a_wrong_lens(turn, lens):
    true = tray(turn)
    wrong = replace(true.strained(*true.strain_through(lens)), lens=None)
    assert wrong.strain_through(lens) == pytest.approx((0, 0), abs=2e-3)
    assert wrong_by(wrong) > 0.025
    told = learnt(wrong, False, pictured(true)[0])
    assert wrong_by(told) < 0.5 * wrong_by(wrong)


def test_each_further_look_begins_where_dice_were_found_before(monkeypatch):
    before, look = [], enrolment._found

    def found(station, name, faces, dice_mm, known=None):
        before.append(known)
        return look(station, name, faces, dice_mm, known)

    monkeypatch.setattr(enrolment, "_found", found)
    true = tray(LEANING)
    wrong = replace(true.strained(*true.strain_through(2.6)), lens=None)
    learnt(wrong, False, pictured(true)[0][:3])
    assert len(before) > 1
    assert before[0] is None
    assert None not in before[1:]


@pytest.mark.parametrize("floor", [20, 140, 205])
def test_an_edge_is_where_it_is_steepest_however_steep(floor):
    """Steep ones were all alike over pixels, and taken for the furthest out of those.

    What is drawn reaches half a pixel further than its corners.
    """
    scene = tray(STRAIGHT)
    frame = np.full_like(scene.picture, floor)
    top = Square(200, 200, 0.95 * scene.top_side(MM), 4, 1.0)
    spots = np.rint(scene.to_frame(top.corners) * 16).astype(np.int32)
    cv2.fillPoly(frame, [spots], (245,) * 3, cv2.LINE_AA, 4)
    shot = Shot.of(scene, "sun", cv2.GaussianBlur(frame, (0, 0), 0.8), top.side)
    for out, clear in _edges(shot, top):
        assert 0 < out[np.argmax(clear)] * top.side < 1


def test_a_tray_whose_size_was_told_keeps_its_shape():
    true = tray(LEANING)
    wrong = replace(true.strained(0.025, 0.0), lens=None)
    told = learnt(wrong, True, pictured(true)[0])
    assert told.size_mm == wrong.size_mm
    assert (told.corners == wrong.corners).all()


def test_from_straight_above_every_lens_gives_one_shape():
    scene = tray(STRAIGHT)
    frames, tops = pictured(scene)
    side = scene.top_side(MM)
    shots = [Shot.of(scene, "sun", frame, side) for frame in frames]
    assert shaped_by_dice(scene, shots, tops) is scene


def test_without_dice_nothing_tells_another_shape():
    scene = tray(LEANING)
    assert shaped_by_dice(scene, [], []) is scene


@pytest.mark.parametrize("turn", [LEANING, ASLANT, STRAIGHT])
def test_the_lens_that_saw_a_floor_sees_it_in_its_shape(turn):
    assert tray(turn).strain_through(FOCAL) == pytest.approx((0, 0), abs=1e-4)


@pytest.mark.parametrize("strain", [(0.03, 0.0), (0.0, 0.04), (-0.02, 0.03)])
def test_a_strained_floor_is_as_large_and_its_lens_sees_it_strained(strain):
    scene = tray(ASLANT)
    other = scene.strained(*strain)
    assert np.prod(other.size_mm) == pytest.approx(np.prod(scene.size_mm))
    back = tuple(-part for part in strain)
    assert other.strain_through(FOCAL) == pytest.approx(back, abs=2e-3)


def test_a_floor_that_is_only_stretched_keeps_its_corners():
    scene = tray(LEANING)
    other = scene.strained(0.05, 0.0)
    assert other.size_mm[0] / other.size_mm[1] == pytest.approx(np.exp(0.1) * SIZE[0] / SIZE[1])
    assert other.corners == pytest.approx(scene.corners, abs=0.01)
