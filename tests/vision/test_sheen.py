"""Faces that mirror a lamp, and what such pictures do to dice enrolled from them."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.diceset import DiceSet, Kind
from vision.enrolment import Flaw, learn
from vision.faces import read_face
from vision.patch import PATCH
from vision.reading import Reason
from vision.sheen import Sheen
from vision.station import Body, Station
from vision.tray import Tray

RED, GOLD, LAMP = (40, 25, 150), (120, 200, 225), (225, 215, 222)
MARKS = {
    "bar": [(0.3, 0.45), (0.7, 0.45), (0.7, 0.55), (0.3, 0.55)],
    "wedge": [(0.35, 0.3), (0.65, 0.5), (0.35, 0.7)],
    "kite": [(0.5, 0.28), (0.62, 0.5), (0.5, 0.75), (0.38, 0.5)],
    "hook": [(0.35, 0.3), (0.45, 0.3), (0.45, 0.6), (0.7, 0.6), (0.7, 0.7), (0.35, 0.7)],
}


def patch(mark, sheen=False, light=1.0, seed=0):
    """A glossy red face with a golden mark; in a ``sheen`` its flat part mirrors a lamp."""
    face = np.full((PATCH * 4, PATCH * 4, 3), RED, np.uint8)
    if sheen:
        rim = PATCH // 2
        face[rim:-rim, rim:-rim] = LAMP
    cv2.fillPoly(face, [np.int32(np.array(MARKS[mark]) * PATCH * 4)], GOLD, cv2.LINE_AA)
    small = cv2.resize(face, (PATCH, PATCH), interpolation=cv2.INTER_AREA).astype(np.float32)
    noise = np.random.default_rng(seed).normal(0, 2, small.shape)
    return np.clip(cv2.GaussianBlur(small, (0, 0), 0.7) * light + noise, 0, 255).astype(np.uint8)


def exemplars(**others):
    """One picture a face, save for the ``others``."""
    return {name: [patch(name)] for name in MARKS} | others


def station(faces):
    """A station with a kind of these pictures."""
    corners = np.array([[60, 90], [1090, 90], [1000, 780], [150, 780]], np.float32)
    tray = Tray.calibrate([np.full((864, 1152, 3), 90, np.uint8)], corners, (200.0, 150.0))
    dice = DiceSet({}).with_kind(Kind.of("spike", faces, tray.white))
    return replace(Station.bare(tray), dice=dice, bodies={"spike": Body(45.0, 16.0, 0.0)})


def test_a_sheen_is_not_believed_to_be_the_face_that_was_enrolled_in_one():
    known = station(exemplars(bar=[patch("bar", sheen=True)]))
    for mark in MARKS:
        die = read_face(patch(mark, sheen=True, seed=1), "spike", known).die
        assert die.face != "bar" or Reason.GLARE in die.reasons


def test_without_a_sheen_nothing_speaks_against_a_face():
    known = station(exemplars(bar=[patch("bar", sheen=True)]))
    for mark in set(MARKS) - {"bar"}:
        die = read_face(patch(mark, seed=1), "spike", known).die
        assert (die.face, die.reasons) == (mark, ())


@pytest.mark.parametrize("light", [0.5, 1.5])
def test_a_lamp_that_only_lights_is_no_sheen(light):
    faces = exemplars(bar=[patch("bar", light=light)])
    assert Sheen.of(faces).faces == frozenset()
    assert not Sheen.of(faces).hides(patch("bar", light=light), "bar")


def test_a_pale_ground_in_several_pictures_is_the_face_itself():
    faces = exemplars(bar=[patch("bar", sheen=True, seed=n) for n in range(2)])
    assert Sheen.of(faces).faces == frozenset()


def test_two_faces_do_not_tell_how_a_body_looks():
    faces = {"bar": [patch("bar", sheen=True)], "kite": [patch("kite")]}
    assert Sheen.of(faces).faces == frozenset()


def taken_again(why, **shown):
    """The faces to be taken again for a flaw, where some are ``shown`` otherwise than usual."""
    scene = station(exemplars()).tray
    frames = {}
    for n, mark in enumerate(MARKS):
        frame = scene.picture.copy()
        x, y = 260 + 160 * n, 400
        frame[y : y + PATCH, x : x + PATCH] = shown.get(mark, patch(mark))
        frames[mark] = [cv2.GaussianBlur(frame, (0, 0), 0.7)]
    flat = np.array([[100, 100], [1052, 100], [1052, 764], [100, 764]], np.float32)
    above = Tray.calibrate([scene.picture], flat, (238.0, 166.0))
    taken = learn(Station.bare(above), "spike", frames, 16.0)
    return {face for face, flaws in taken.flaws.items() if why in flaws}


def test_a_face_enrolled_in_a_sheen_is_to_be_taken_again():
    assert taken_again(Flaw.GLARE, kite=patch("kite", sheen=True)) == {"kite"}


def test_a_face_that_light_washed_out_is_to_be_taken_again():
    pale = np.full((PATCH, PATCH, 3), 255, np.uint8)
    light = np.maximum(patch("kite"), 235)
    marked = cv2.fillPoly(pale.copy(), [np.int32(np.array(MARKS["bar"]) * PATCH)], (30, 30, 30))
    assert taken_again(Flaw.WASHED_OUT, kite=light, bar=marked) == {"kite"}
